/* repr() and format() of values. */
#include "script/interp.h"

#include <math.h>
#include <string.h>

#define MAX_REPR 4096

/* Appends the shortest text that parses back to the same value: `3`, `0.5`. */
static void
append_part (GString *out, double d)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (isnan (d))
    g_string_append (out, "nan");
  else if (isinf (d))
    g_string_append (out, d > 0 ? "inf" : "-inf");
  else
    {
      for (int digits = 15; digits <= 17; digits++)
        {
          char format[8];

          g_snprintf (format, sizeof format, "%%.%dg", digits);
          g_ascii_formatd (buffer, sizeof buffer, format, d);
          if (g_ascii_strtod (buffer, NULL) == d)
            break;
        }
      g_string_append (out, buffer);
    }
}

static void
append_double (GString *out, double d)
{
  gsize start = out->len;

  append_part (out, d);
  if (isfinite (d) && strpbrk (out->str + start, ".e") == NULL)
    g_string_append (out, ".0");
}

static void append_repr (HirPy *py, GString *out, HirPyValue value, gboolean quoted, guint depth);

static void
append_items (HirPy *py, GString *out, const HirPyList *list, const char *brackets, guint depth)
{
  g_string_append_c (out, brackets[0]);
  for (guint i = 0; i < list->n && out->len < MAX_REPR; i++)
    {
      if (i > 0)
        g_string_append (out, ", ");
      append_repr (py, out, list->items[i], TRUE, depth + 1);
    }
  if (brackets[0] == '(' && list->n == 1)
    g_string_append_c (out, ',');
  g_string_append_c (out, brackets[1]);
}

static void
append_entries (HirPy *py, GString *out, const HirPyDict *dict, gboolean is_set, guint depth)
{
  gboolean first = TRUE;

  g_string_append_c (out, '{');
  for (guint i = 0; i < dict->n && out->len < MAX_REPR; i++)
    {
      if (dict->entries[i].deleted)
        continue;
      g_string_append (out, first ? "" : ", ");
      first = FALSE;
      append_repr (py, out, dict->entries[i].key, TRUE, depth + 1);
      if (is_set)
        continue;
      g_string_append (out, ": ");
      append_repr (py, out, dict->entries[i].value, TRUE, depth + 1);
    }
  g_string_append_c (out, '}');
}

static void
append_quoted (GString *out, const HirPyString *string)
{
  char quote =
      strchr (string->text, '\'') != NULL && strchr (string->text, '"') == NULL ? '"' : '\'';

  g_string_append_c (out, quote);
  for (const char *p = string->text; *p != '\0' && out->len < MAX_REPR; p++)
    if (*p == quote || *p == '\\')
      g_string_append_printf (out, "\\%c", *p);
    else if (*p == '\n')
      g_string_append (out, "\\n");
    else
      g_string_append_c (out, *p);
  g_string_append_c (out, quote);
}

/* Appends a value that contains no other values. */
static void
append_object (GString *out, HirPyValue value)
{
  switch (value.type)
    {
    case HIR_PY_EXCEPTION:
      g_string_append (out, value.exception->message);
      break;
    case HIR_PY_CLASS:
      g_string_append (out, value.class->name);
      break;
    case HIR_PY_BUILTIN:
    case HIR_PY_MODULE:
      g_string_append (out, value.text);
      break;
    case HIR_PY_MESH:
      hir_mesh_print (value.mesh, out);
      break;
    case HIR_PY_TENSOR:
      g_string_append_printf (out, "T%d", value.tensor->base.name);
      break;
    default:
      g_string_append_printf (out, "<%s>", hir_py_type_name (value));
    }
}

/* `(3+0.5j)`, `2j` */
static void
append_complex (GString *out, const HirPyComplex *z)
{
  gboolean is_sum = z->re != 0 || signbit (z->re);

  if (is_sum)
    {
      g_string_append_c (out, '(');
      append_part (out, z->re);
      if (!signbit (z->im))
        g_string_append_c (out, '+');
    }
  append_part (out, z->im);
  g_string_append (out, is_sum ? "j)" : "j");
}

static void
append_repr (HirPy *py, GString *out, HirPyValue value, gboolean quoted, guint depth)
{
  if (depth > 20 || out->len > MAX_REPR)
    {
      g_string_append (out, "...");
      return;
    }
  switch (value.type)
    {
    case HIR_PY_BOOL:
      g_string_append (out, value.i ? "True" : "False");
      break;
    case HIR_PY_INT:
      g_string_append_printf (out, "%" G_GINT64_FORMAT, value.i);
      break;
    case HIR_PY_FLOAT:
      append_double (out, value.d);
      break;
    case HIR_PY_COMPLEX:
      append_complex (out, value.z);
      break;
    case HIR_PY_STRING:
      if (quoted)
        append_quoted (out, value.string);
      else
        g_string_append_len (out, value.string->text, value.string->length);
      break;
    case HIR_PY_LIST:
      append_items (py, out, value.list, "[]", depth);
      break;
    case HIR_PY_TUPLE:
      append_items (py, out, value.list, "()", depth);
      break;
    case HIR_PY_SET:
    case HIR_PY_DICT:
      append_entries (py, out, value.dict, value.type == HIR_PY_SET, depth);
      break;
    case HIR_PY_RANGE:
      g_string_append_printf (out, "range(%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ")",
                              value.range->start, value.range->stop);
      break;
    case HIR_PY_OPAQUE:
      g_string_append_printf (out, "<%s>", value.opaque->path);
      break;
    case HIR_PY_NONE:
    case HIR_PY_ENUM:
    case HIR_PY_ELLIPSIS:
      g_string_append (out, hir_py_type_name (value));
      break;
    default:
      append_object (out, value);
    }
}

char *
hir_py_repr (HirPy *py, HirPyValue value, gboolean quoted)
{
  GString *out;
  HirPyValue text = hir_py_none ();
  char *result;

  if ((hir_py_call_special (py, value, quoted ? "__repr__" : "__str__", NULL, 0, &text) ||
       hir_py_call_special (py, value, "__repr__", NULL, 0, &text)) &&
      text.type == HIR_PY_STRING)
    return text.string->text;
  out = g_string_new (NULL);
  if (value.type == HIR_PY_STRING && !quoted)
    g_string_append_len (out, value.string->text, value.string->length);
  else
    append_repr (py, out, value, quoted, 0);
  result = hir_py_strdup (py, out->str);
  g_string_free (out, TRUE);
  return result;
}

/* `[[fill]align][sign][#][0][width][,][.precision][type]` */
typedef struct
{
  gunichar fill;
  char align, sign, type, group;
  gboolean alternate;
  guint width;
  int precision;
} Spec;

static gboolean
parse_spec (const char *text, Spec *spec)
{
  const char *next = *text != '\0' ? g_utf8_next_char (text) : text;

  *spec = (Spec){ .fill = ' ', .precision = -1 };
  if (*text != '\0' && *next != '\0' && strchr ("<>^=", *next) != NULL)
    {
      spec->fill = g_utf8_get_char (text);
      spec->align = *next;
      text = next + 1;
    }
  else if (*text != '\0' && strchr ("<>^=", *text) != NULL)
    spec->align = *text++;
  if (*text != '\0' && strchr ("+- ", *text) != NULL)
    spec->sign = *text++;
  if (*text == '#')
    spec->alternate = TRUE, text++;
  if (*text == '0')
    {
      spec->fill = '0';
      if (spec->align == 0)
        spec->align = '=';
      text++;
    }
  for (; g_ascii_isdigit (*text) && spec->width < 10000; text++)
    spec->width = spec->width * 10 + (*text - '0');
  if (*text == ',' || *text == '_')
    spec->group = *text++;
  if (*text == '.')
    for (text++, spec->precision = 0; g_ascii_isdigit (*text) && spec->precision < 1000; text++)
      spec->precision = spec->precision * 10 + (*text - '0');
  if (*text != '\0')
    spec->type = *text++;
  return *text == '\0' && spec->width < 10000 && spec->precision < 1000;
}

static void
insert_groups (GString *digits, char separator)
{
  char *point = strpbrk (digits->str, ".eE");
  gssize end = point != NULL ? point - digits->str : (gssize) digits->len;

  for (gssize i = end - 3; i > 0; i -= 3)
    g_string_insert_c (digits, i, separator);
}

static gboolean
format_int (GString *out, gint64 value, const Spec *spec)
{
  guint64 rest = value < 0 ? -(guint64) value : (guint64) value;
  guint base = spec->type == 'x' || spec->type == 'X' ? 16
               : spec->type == 'o'                    ? 8
               : spec->type == 'b'                    ? 2
                                                      : 10;

  if (strchr ("dxXobn", spec->type == 0 ? 'd' : spec->type) == NULL)
    return FALSE;
  do
    {
      g_string_prepend_c (out, (spec->type == 'X' ? "0123456789ABCDEF"
                                                  : "0123456789abcdef")[rest % base]);
      rest /= base;
    }
  while (rest > 0);
  if (spec->group != 0)
    insert_groups (out, spec->group);
  if (spec->alternate && base != 10)
    {
      g_string_prepend_c (out, spec->type);
      g_string_prepend_c (out, '0');
    }
  return TRUE;
}

static gboolean
format_double (GString *out, double value, const Spec *spec)
{
  char format[16], buffer[512], type = spec->type == 0 ? 'g' : spec->type;

  if (strchr ("eEfFgG%", type) == NULL)
    return FALSE;
  value = fabs (value);
  if (spec->type == 0 && spec->precision < 0)
    append_double (out, value);
  else
    {
      g_snprintf (format, sizeof format, "%%.%d%c",
                  MIN (spec->precision < 0 ? 6 : spec->precision, 150), type == '%' ? 'f' : type);
      if (fabs (value) > 1e150)
        return FALSE;
      g_ascii_formatd (buffer, sizeof buffer, format, type == '%' ? value * 100 : value);
      g_string_append (out, buffer);
    }
  if (spec->group != 0)
    insert_groups (out, spec->group);
  if (type == '%')
    g_string_append_c (out, '%');
  return TRUE;
}

static void
pad (GString *out, const Spec *spec, char align, const char *sign)
{
  guint length = g_utf8_strlen (out->str, -1) + strlen (sign);
  guint missing = spec->width > length ? spec->width - length : 0;
  guint before = align == '>' || align == '=' ? missing : align == '^' ? missing / 2 : 0;

  if (align != '=')
    g_string_prepend (out, sign);
  for (guint i = 0; i < before; i++)
    g_string_insert_unichar (out, 0, spec->fill);
  for (guint i = before; i < missing; i++)
    g_string_append_unichar (out, spec->fill);
  if (align == '=')
    g_string_prepend (out, sign);
}

char *
hir_py_format (HirPy *py, HirPyValue value, const char *text)
{
  GString *out = g_string_new (NULL);
  const char *sign = "";
  gboolean fits = TRUE;
  Spec spec;

  if (!parse_spec (text, &spec))
    fits = FALSE;
  else if (hir_py_is_number (value) && *text != '\0')
    {
      double d = hir_py_to_double (value);
      gboolean as_double =
          value.type == HIR_PY_FLOAT || (spec.type != 0 && strchr ("eEfFgG%", spec.type) != NULL);

      sign = d < 0 ? "-" : spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : "";
      fits = as_double ? format_double (out, d, &spec) : format_int (out, value.i, &spec);
      pad (out, &spec, spec.align != 0 ? spec.align : '>', sign);
    }
  else
    {
      g_string_append (out, hir_py_repr (py, value, FALSE));
      fits = spec.type == 0 || spec.type == 's';
      if (fits && spec.precision >= 0 && spec.precision < g_utf8_strlen (out->str, -1))
        g_string_truncate (out, g_utf8_offset_to_pointer (out->str, spec.precision) - out->str);
      if (fits)
        pad (out, &spec, spec.align != 0 && spec.align != '=' ? spec.align : '<', "");
    }
  if (fits)
    return g_string_free (out, FALSE);
  g_string_free (out, TRUE);
  hir_py_raise (py, "ValueError", "the format '%s' does not fit a %s", text,
                hir_py_type_name (value));
  return NULL;
}

/* Returns the value that the field @name of str.format() refers to: a position, a name, or "". */
static gboolean
find_field (HirPy *py, const char *name, guint *next, HirPyArgs *args, HirPyValue *value)
{
  g_auto (GStrv) path = g_strsplit (name, ".", 0);
  guint n_parts = g_strv_length (path);
  const char *first = n_parts > 0 ? path[0] : "";
  gboolean found;

  if (first[0] == '\0' || g_ascii_isdigit (first[0]))
    {
      guint64 at = first[0] == '\0' ? (*next)++ : g_ascii_strtoull (first, NULL, 10);

      found = at < args->n;
      if (found)
        *value = args->items[at];
    }
  else
    found = hir_py_arg (py, args, G_MAXUINT, first, value);
  for (guint i = 1; found && i < n_parts; i++)
    *value = hir_py_get_attribute (py, *value, path[i]);
  return found && strchr (name, '[') == NULL;
}

/* Appends the field between two braces of str.format(). */
static void
append_field (HirPy *py, GString *out, const char *field, guint *next, HirPyArgs *args)
{
  g_auto (GStrv) parts = g_strsplit (field, ":", 2);
  char *conversion = parts[0] != NULL ? strchr (parts[0], '!') : NULL;
  g_autofree char *text = NULL;
  HirPyValue value = hir_py_none ();

  if (conversion != NULL)
    *conversion = '\0';
  if (!find_field (py, parts[0] != NULL ? parts[0] : "", next, args, &value))
    {
      hir_py_raise (py, "IndexError", "format has no value for the field '{%s}'", field);
      return;
    }
  if (conversion != NULL)
    value = hir_py_text (py, hir_py_repr (py, value, conversion[1] == 'r'));
  text = hir_py_format (py, value, parts[0] != NULL && parts[1] != NULL ? parts[1] : "");
  g_string_append (out, text != NULL ? text : "");
}

static HirPyValue
take_text (HirPy *py, GString *out)
{
  HirPyValue value = hir_py_string (py, out->str, out->len);

  g_string_free (out, TRUE);
  return value;
}

HirPyValue
hir_py_format_braces (HirPy *py, const char *text, HirPyArgs *args)
{
  GString *out = g_string_new (NULL);
  guint next = 0;

  for (const char *p = text; *p != '\0' && py->signal == HIR_PY_GO && hir_py_step (py, 1); p++)
    {
      const char *end = *p == '{' && p[1] != '{' ? strchr (p, '}') : NULL;

      if (end != NULL)
        {
          g_autofree char *field = g_strndup (p + 1, end - p - 1);

          append_field (py, out, field, &next, args);
          p = end;
          continue;
        }
      g_string_append_c (out, *p);
      p += (*p == '{' || *p == '}') && p[1] == *p;
    }
  return take_text (py, out);
}

HirPyValue
hir_py_format_percent (HirPy *py, const char *text, HirPyValue values)
{
  GString *out = g_string_new (NULL);
  guint n = values.type == HIR_PY_TUPLE ? values.list->n : 1, at = 0;

  for (const char *p = text; *p != '\0' && py->signal == HIR_PY_GO && hir_py_step (py, 1); p++)
    {
      gsize length = *p == '%' ? strspn (p + 1, "0123456789.-+ ") : 0;
      g_autofree char *spec = NULL, *formatted = NULL;
      HirPyValue value;

      if (*p != '%' || p[length + 1] == '%')
        {
          g_string_append_c (out, *p);
          p += *p == '%';
          continue;
        }
      if (at >= n || p[length + 1] == '\0')
        {
          hir_py_raise (py, "TypeError", "'%%' has not enough values for '%s'", text);
          break;
        }
      value = values.type == HIR_PY_TUPLE ? values.list->items[at] : values;
      at++;
      if (strchr ("sr", p[length + 1]) != NULL)
        value = hir_py_text (py, hir_py_repr (py, value, p[length + 1] == 'r'));
      spec =
          g_strdup_printf ("%.*s%c", (int) length, p + 1,
                           strchr ("ri", p[length + 1]) != NULL ? (p[length + 1] == 'r' ? 's' : 'd')
                                                                : p[length + 1]);
      formatted = hir_py_format (py, value, spec[0] == '-' ? (spec[0] = '<', spec) : spec);
      g_string_append (out, formatted != NULL ? formatted : "");
      p += length + 1;
    }
  return take_text (py, out);
}
