/* Built-in functions. Calls of functions that would access anything outside the script are
 * rejected. */
#include "script/interp.h"
#include "script/parse/lex.h"

#include <math.h>
#include <string.h>

static const char *const refused[] = {
  "open",       "eval",       "exec",       "compile",
  "__import__", "delattr",    "globals",    "locals",
  "input",      "breakpoint", "exit",       "quit",
  "help",       "dir",        "memoryview", "object.__subclasses__",
  NULL
};

static const char *const exceptions[] = {
  "Exception",
  "BaseException",
  "ValueError",
  "TypeError",
  "KeyError",
  "IndexError",
  "AttributeError",
  "NameError",
  "RuntimeError",
  "NotImplementedError",
  "AssertionError",
  "ImportError",
  "ModuleNotFoundError",
  "ZeroDivisionError",
  "ArithmeticError",
  "OverflowError",
  "LookupError",
  "StopIteration",
  "OSError",
  "FileNotFoundError",
  "SystemExit",
  "KeyboardInterrupt",
  "UserWarning",
  "Warning",
  "DeprecationWarning",
  "TimeoutError",
  NULL,
};

static const char *const functions[] = {
  "getattr",  "setattr",   "hasattr", "abs",          "all",         "any",        "bool",
  "callable", "chr",       "dict",    "divmod",       "enumerate",   "filter",     "float",
  "format",   "frozenset", "id",      "int",          "isinstance",  "issubclass", "iter",
  "len",      "list",      "map",     "max",          "min",         "next",       "object",
  "ord",      "pow",       "print",   "range",        "repr",        "reversed",   "round",
  "set",      "slice",     "sorted",  "staticmethod", "classmethod", "property",   "str",
  "sum",      "super",     "tuple",   "type",         "zip",         "bytes",      "bytearray",
  "complex",  "hash",      "bin",     "hex",          "oct",         "vars",       NULL,
};

gboolean
hir_py_is_exception_name (const char *name)
{
  return g_strv_contains (exceptions, name);
}

gboolean
hir_py_is_builtin (const char *name)
{
  return g_strv_contains (functions, name) || g_strv_contains (refused, name) ||
         g_strv_contains (exceptions, name) || strcmp (name, "NotImplemented") == 0;
}

static HirPyValue
from_list (HirPyType type, HirPyList *list)
{
  return (HirPyValue){ .type = type, .list = list };
}

/* An iterator is a list whose items are removed when they are read. */
static HirPyValue
to_iterator (HirPy *py, HirPyValue value)
{
  if (value.type != HIR_PY_LIST || !value.list->is_iterator)
    {
      value = from_list (HIR_PY_LIST, hir_py_to_list (py, value, "iter"));
      value.list->is_iterator = TRUE;
    }
  return value;
}

/* `min` and `max` of several arguments or of one iterable. */
static HirPyValue
call_extreme (HirPy *py, gboolean is_max, HirPyArgs *args)
{
  HirPyValue key = hir_py_none (), fallback = hir_py_none (), best = hir_py_none (),
             best_key = hir_py_none ();
  HirPyList list = { args->items, args->n, args->n }, *items = &list;
  gboolean has_default;

  hir_py_arg (py, args, G_MAXUINT, "key", &key);
  has_default = hir_py_arg (py, args, G_MAXUINT, "default", &fallback);
  if (args->n == 1)
    items = hir_py_to_list (py, args->items[0], is_max ? "max" : "min");
  if (items->n == 0 && py->signal == HIR_PY_GO)
    return has_default ? fallback
                       : hir_py_raise (py, "ValueError", "%s of nothing", is_max ? "max" : "min");
  for (guint i = 0; i < items->n && py->signal == HIR_PY_GO; i++)
    {
      HirPyValue item = items->items[i], less;
      HirPyValue item_key = key.type == HIR_PY_NONE ? item : hir_py_call_values (py, key, &item, 1);

      if (item_key.type == HIR_PY_OPAQUE)
        return hir_py_opaque (py, NULL, "%s(...)", is_max ? "max" : "min");
      less = i == 0 ? hir_py_bool (TRUE)
                    : hir_py_compare (py, is_max ? HIR_TOKEN_GT : HIR_TOKEN_LT, FALSE, item_key,
                                      best_key);
      if (less.type == HIR_PY_BOOL && less.i)
        {
          best = item;
          best_key = item_key;
        }
    }
  return best;
}

static HirPyValue
call_sum (HirPy *py, HirPyArgs *args)
{
  HirPyList *items = hir_py_to_list (py, hir_py_arg_required (py, args, 0, "iterable"), "sum");
  HirPyValue total = hir_py_int (0);

  hir_py_arg (py, args, 1, "start", &total);
  for (guint i = 0; i < items->n && py->signal == HIR_PY_GO; i++)
    total = hir_py_binary (py, HIR_TOKEN_PLUS, total, items->items[i]);
  return total;
}

/* `all` and `any`. */
static HirPyValue
call_quantifier (HirPy *py, gboolean is_all, HirPyArgs *args)
{
  HirPyList *items =
      hir_py_to_list (py, hir_py_arg_required (py, args, 0, "iterable"), is_all ? "all" : "any");

  for (guint i = 0; i < items->n && py->signal == HIR_PY_GO; i++)
    if (hir_py_is_opaque (items->items[i]))
      return items->items[i];
    else if (hir_py_truth (py, items->items[i], is_all ? "all" : "any") != is_all)
      return hir_py_bool (!is_all);
  return hir_py_bool (is_all);
}

static HirPyValue
call_zip (HirPy *py, HirPyArgs *args)
{
  HirPyValue result = hir_py_list (py, HIR_PY_LIST, 0);
  g_autofree HirPyIter *iters = g_new (HirPyIter, MAX (args->n, 1));

  for (guint i = 0; i < args->n && py->signal == HIR_PY_GO; i++)
    hir_py_iter_init (py, &iters[i], args->items[i], "zip");
  while (args->n > 0 && py->signal == HIR_PY_GO)
    {
      HirPyValue row = hir_py_list (py, HIR_PY_TUPLE, args->n);

      for (guint i = 0; i < row.list->n; i++)
        if (!hir_py_iter_next (py, &iters[i], &row.list->items[i]))
          return result;
      hir_py_list_append (py, result.list, row);
    }
  return result;
}

static HirPyValue
call_enumerate (HirPy *py, HirPyArgs *args)
{
  HirPyList *items =
      hir_py_to_list (py, hir_py_arg_required (py, args, 0, "iterable"), "enumerate");
  HirPyValue result = hir_py_list (py, HIR_PY_LIST, 0);
  const gint64 zero = 0;
  gint64 start = hir_py_arg_int (py, args, 1, "start", &zero);

  for (guint i = 0; i < items->n && py->signal == HIR_PY_GO; i++)
    {
      HirPyValue pair = hir_py_list (py, HIR_PY_TUPLE, 2);

      pair.list->items[0] = hir_py_int (start + i);
      pair.list->items[1] = items->items[i];
      hir_py_list_append (py, result.list, pair);
    }
  return result;
}

/* `map` and `filter`, evaluated at once into a list. */
static HirPyValue
call_map (HirPy *py, gboolean is_filter, HirPyArgs *args)
{
  HirPyValue function = hir_py_arg_required (py, args, 0, "function"),
             result = hir_py_list (py, HIR_PY_LIST, 0);
  HirPyList *items = hir_py_to_list (py, hir_py_arg_required (py, args, 1, "iterable"),
                                     is_filter ? "filter" : "map");

  if (args->n > 2 && py->signal == HIR_PY_GO)
    return hir_py_fail (py, HIR_ERROR_UNSUPPORTED,
                        "map over several lists is not supported here; write a comprehension");
  for (guint i = 0; i < items->n && py->signal == HIR_PY_GO; i++)
    {
      HirPyValue value = is_filter && function.type == HIR_PY_NONE
                             ? items->items[i]
                             : hir_py_call_values (py, function, &items->items[i], 1);

      if (!is_filter)
        hir_py_list_append (py, result.list, value);
      else if (hir_py_truth (py, value, "filter"))
        hir_py_list_append (py, result.list, items->items[i]);
    }
  return result;
}

static HirPyValue
call_range (HirPy *py, HirPyArgs *args)
{
  gint64 numbers[3] = { 0, 0, 1 };

  if (args->n == 0 || args->n > 3 || args->n_named > 0)
    return hir_py_raise (py, "TypeError", "range takes one to three ints");
  for (guint i = 0; i < args->n; i++)
    {
      if (hir_py_is_opaque (args->items[i]))
        return args->items[i];
      numbers[i] = hir_py_to_int (py, args->items[i], "range");
    }
  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  return args->n == 1 ? hir_py_range (py, 0, numbers[0], 1)
                      : hir_py_range (py, numbers[0], numbers[1], numbers[2]);
}

static HirPyValue
call_int (HirPy *py, HirPyArgs *args)
{
  HirPyValue value = args->n > 0 ? args->items[0] : hir_py_int (0);
  gint64 base = args->n > 1 ? hir_py_to_int (py, args->items[1], "the base") : 10;
  g_autofree char *text = NULL;
  char *end;

  if (value.type == HIR_PY_FLOAT)
    {
      if (!(fabs (value.d) < 9.2e18))
        return hir_py_raise (py, "OverflowError", "this float fits no int of 64 bits");
      return hir_py_int ((gint64) value.d);
    }
  if (value.type == HIR_PY_INT || value.type == HIR_PY_BOOL)
    return hir_py_int (value.i);
  if (value.type != HIR_PY_STRING)
    return hir_py_raise (py, "TypeError", "int() takes a number or a string, not %s",
                         hir_py_type_name (value));
  text = g_strdup (value.string->text);
  g_strstrip (text);
  if (base != 0 && (base < 2 || base > 36))
    return hir_py_raise (py, "ValueError", "the base of int() must be 0 or 2 to 36");
  value = hir_py_int (g_ascii_strtoll (text, &end, (guint) base));
  if (*text == '\0' || *end != '\0')
    return hir_py_raise (py, "ValueError", "'%s' is not an int", text);
  return value;
}

static HirPyValue
call_float (HirPy *py, HirPyArgs *args)
{
  HirPyValue value = args->n > 0 ? args->items[0] : hir_py_float (0);
  char *end;
  double d;

  if (hir_py_is_number (value))
    return hir_py_float (hir_py_to_double (value));
  if (value.type != HIR_PY_STRING)
    return hir_py_raise (py, "TypeError", "float() takes a number or a string, not %s",
                         hir_py_type_name (value));
  d = g_ascii_strtod (value.string->text, &end);
  if (end == value.string->text || *end != '\0')
    return hir_py_raise (py, "ValueError", "'%s' is not a float", value.string->text);
  return hir_py_float (d);
}

/* `complex (x)` and `complex (re, im)`; each argument may be complex. */
static HirPyValue
call_complex (HirPy *py, HirPyArgs *args)
{
  HirPyValue re = hir_py_int (0), im = hir_py_int (0);
  HirPyComplex a, b;

  hir_py_arg (py, args, 0, "real", &re);
  hir_py_arg (py, args, 1, "imag", &im);
  if (!hir_py_args_finish (py, args, 2))
    return hir_py_none ();
  if (re.type == HIR_PY_OPAQUE || im.type == HIR_PY_OPAQUE)
    return hir_py_opaque (py, NULL, "complex(%s)",
                          re.type == HIR_PY_OPAQUE ? re.opaque->path : im.opaque->path);
  if (!hir_py_get_complex (re, &a) || !hir_py_get_complex (im, &b))
    return hir_py_raise (py, "TypeError", "complex() takes numbers, not %s",
                         hir_py_type_name (hir_py_get_complex (re, &a) ? im : re));
  return hir_py_complex (py, a.re - b.im, a.im + b.re);
}

static HirPyValue
call_round (HirPy *py, HirPyArgs *args)
{
  HirPyValue value = hir_py_arg_required (py, args, 0, "number");
  const gint64 zero = 0;
  gint64 digits = hir_py_arg_int (py, args, 1, "ndigits", &zero);
  double scale;

  if (!hir_py_is_number (value))
    return hir_py_raise (py, "TypeError", "round() takes a number");
  if (value.type != HIR_PY_FLOAT)
    return value;
  if (args->n < 2 && args->n_named == 0)
    return fabs (value.d) < 9e15
               ? hir_py_int ((gint64) rint (value.d))
               : hir_py_raise (py, "OverflowError", "this float is too large to round");
  scale = pow (10, CLAMP (digits, -300, 300));
  return hir_py_float (rint (value.d * scale) / scale);
}

static HirPyValue
call_container (HirPy *py, const char *name, HirPyArgs *args)
{
  gboolean is_dict = strcmp (name, "dict") == 0;
  HirPyValue dict;

  if (strcmp (name, "list") == 0 || strcmp (name, "tuple") == 0)
    {
      HirPyValue empty = hir_py_list (py, HIR_PY_LIST, 0);

      return from_list (name[0] == 'l' ? HIR_PY_LIST : HIR_PY_TUPLE,
                        hir_py_to_list (py, args->n > 0 ? args->items[0] : empty, name));
    }
  dict = hir_py_dict (py, is_dict ? HIR_PY_DICT : HIR_PY_SET);
  hir_py_dict_method (py, dict, "update", args);
  return dict;
}

static HirPyValue
call_order (HirPy *py, gboolean is_sorted, HirPyArgs *args)
{
  HirPyList *list = hir_py_to_list (py, hir_py_arg_required (py, args, 0, "iterable"),
                                    is_sorted ? "sorted" : "reversed");
  HirPyValue key = hir_py_none (), result = from_list (HIR_PY_LIST, list);

  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  if (!is_sorted)
    return hir_py_list_method (py, result, "reverse", args), result;
  hir_py_arg (py, args, G_MAXUINT, "key", &key);
  hir_py_sort (py, list, key, hir_py_arg_bool (py, args, G_MAXUINT, "reverse", FALSE));
  return result;
}

static HirPyValue
call_type (HirPy *py, HirPyValue value)
{
  if (value.type == HIR_PY_INSTANCE)
    return (HirPyValue){ .type = HIR_PY_CLASS, .class = value.instance->class };
  if (value.type <= HIR_PY_DICT || value.type == HIR_PY_RANGE)
    return (HirPyValue){ .type = HIR_PY_BUILTIN, .text = hir_py_type_name (value) };
  return hir_py_opaque (py, NULL, "type()");
}

static HirPyValue
call_next (HirPy *py, HirPyArgs *args)
{
  HirPyValue list = hir_py_arg_required (py, args, 0, "iterator"), fallback = hir_py_none (), item;

  if (list.type != HIR_PY_LIST)
    return hir_py_raise (py, "TypeError", "next() takes an iterator, not %s",
                         hir_py_type_name (list));
  if (hir_py_take (list.list, &item))
    return item;
  if (hir_py_arg (py, args, 1, "default", &fallback))
    return fallback;
  return hir_py_raise (py, "StopIteration", "next() of nothing");
}

static HirPyValue
call_char (HirPy *py, const char *name, HirPyValue value)
{
  char utf8[8];

  if (name[0] == 'o')
    {
      if (value.type != HIR_PY_STRING ||
          g_utf8_strlen (value.string->text, value.string->length) != 1)
        return hir_py_raise (py, "TypeError", "ord() takes one character");
      return hir_py_int (g_utf8_get_char (value.string->text));
    }
  if (value.type != HIR_PY_INT || value.i < 1 || value.i > 0x10ffff ||
      (value.i >= 0xd800 && value.i < 0xe000))
    return hir_py_raise (py, "ValueError", "chr() takes the number of a character");
  return hir_py_string (py, utf8, g_unichar_to_utf8 ((gunichar) value.i, utf8));
}

static HirPyValue
call_of_one (HirPy *py, const char *name, HirPyArgs *args)
{
  HirPyValue value = hir_py_arg_required (py, args, 0, "object");

  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  if (strcmp (name, "len") == 0)
    return hir_py_length (py, value);
  if (strcmp (name, "type") == 0)
    return call_type (py, value);
  if (strcmp (name, "repr") == 0)
    return value.type == HIR_PY_OPAQUE ? value : hir_py_text (py, hir_py_repr (py, value, TRUE));
  if (strcmp (name, "callable") == 0)
    return hir_py_bool (value.type >= HIR_PY_FUNCTION && value.type <= HIR_PY_CLASS);
  if (strcmp (name, "iter") == 0)
    return to_iterator (py, value);
  if (strcmp (name, "chr") == 0 || strcmp (name, "ord") == 0)
    return call_char (py, name, value);
  if (value.type == HIR_PY_OPAQUE)
    return value;
  if (strcmp (name, "abs") == 0)
    {
      if (value.type == HIR_PY_TENSOR || value.type == HIR_PY_SCALAR)
        return hir_py_raise (py, "TypeError", "abs() does not take a %s; write fd.ops.abs()",
                             hir_py_type_name (value));
      if (value.type == HIR_PY_COMPLEX)
        return hir_py_float (hypot (value.z->re, value.z->im));
      if (!hir_py_is_number (value))
        return hir_py_raise (py, "TypeError", "abs() takes a number, not %s",
                             hir_py_type_name (value));
      return hir_py_to_double (value) < 0 ? hir_py_unary (py, HIR_TOKEN_MINUS, value) : value;
    }
  return hir_py_fail (py, HIR_ERROR_UNSUPPORTED, "%s() is not supported here", name);
}

static HirPyValue
call_text (HirPy *py, const char *name, HirPyArgs *args)
{
  HirPyValue value = args->n > 0 ? args->items[0] : hir_py_text (py, "");
  g_autofree char *text = NULL;

  if (value.type == HIR_PY_OPAQUE || strcmp (name, "str") == 0)
    return value.type == HIR_PY_OPAQUE || value.type == HIR_PY_STRING
               ? value
               : hir_py_text (py, hir_py_repr (py, value, FALSE));
  text = hir_py_format (py, value,
                        args->n > 1 && args->items[1].type == HIR_PY_STRING
                            ? args->items[1].string->text
                            : "");
  return text != NULL ? hir_py_text (py, text) : hir_py_none ();
}

/* Returns the attribute, or *@fallback (nullable) if @object has none. */
static HirPyValue
get_attribute_or (HirPy *py, HirPyValue object, const char *name, const HirPyValue *fallback)
{
  HirPyValue value = hir_py_get_attribute (py, object, name);

  if (fallback == NULL || py->signal != HIR_PY_RAISING ||
      strcmp (py->exception->type, "AttributeError") != 0)
    return value;
  g_clear_error (&py->error);
  py->signal = HIR_PY_GO;
  return *fallback;
}

static HirPyValue
has_attribute (HirPy *py, HirPyValue object, const char *name)
{
  static const int none;
  HirPyValue fallback = { .type = HIR_PY_ELLIPSIS, .p = (gpointer) &none }, value;

  if (name[0] == '_' || object.type == HIR_PY_OPAQUE || object.type == HIR_PY_NAMESPACE)
    return hir_py_opaque (py, NULL, "hasattr(%s)", name);
  value = get_attribute_or (py, object, name, &fallback);
  return hir_py_bool (value.type != HIR_PY_ELLIPSIS || value.p != &none);
}

/* Dispatches all other functions. */
/* Whether a tensor, or a value of the script, is of the type torch.Tensor is known. */
static gboolean
is_unknown_instance (HirPy *py, HirPyValue value, HirPyValue type)
{
  /* Modules of torch ask for their own tensors and modules. */
  gboolean is_known =
      value.type != HIR_PY_OPAQUE || value.opaque->torch != NULL || py->file == py->torch_file;

  if (type.type == HIR_PY_TUPLE)
    for (guint i = 0; i < type.list->n; i++)
      if (is_unknown_instance (py, value, type.list->items[i]))
        return TRUE;
  return !is_known ||
         (type.type == HIR_PY_OPAQUE && strcmp (type.opaque->path, "torch.Tensor") != 0);
}

/* vars (x): the attributes of an instance. */
static HirPyValue
call_vars (HirPy *py, HirPyArgs *args)
{
  HirPyValue object = hir_py_arg_required (py, args, 0, "object"), copy;

  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  if (object.type != HIR_PY_INSTANCE)
    return hir_py_fail (py, HIR_ERROR_REFUSED, "vars() takes an instance of a class here");
  copy = hir_py_dict (py, HIR_PY_DICT);
  for (guint i = 0; i < object.instance->attributes.n; i++)
    if (!object.instance->attributes.entries[i].deleted)
      hir_py_dict_set (py, copy.dict, object.instance->attributes.entries[i].key,
                       object.instance->attributes.entries[i].value);
  return copy;
}

static HirPyValue
call_other (HirPy *py, const char *name, HirPyArgs *args)
{
  if (strcmp (name, "min") == 0 || strcmp (name, "max") == 0)
    return call_extreme (py, name[1] == 'a', args);
  if (strcmp (name, "sum") == 0)
    return call_sum (py, args);
  if (strcmp (name, "all") == 0 || strcmp (name, "any") == 0)
    return call_quantifier (py, name[1] == 'l', args);
  if (strcmp (name, "zip") == 0)
    return call_zip (py, args);
  if (strcmp (name, "enumerate") == 0)
    return call_enumerate (py, args);
  if (strcmp (name, "map") == 0 || strcmp (name, "filter") == 0)
    return call_map (py, name[0] == 'f', args);
  if (strcmp (name, "range") == 0)
    return call_range (py, args);
  if (strcmp (name, "sorted") == 0 || strcmp (name, "reversed") == 0)
    return call_order (py, name[0] == 's', args);
  if (strcmp (name, "round") == 0)
    return call_round (py, args);
  if (strcmp (name, "next") == 0)
    return call_next (py, args);
  if (strcmp (name, "str") == 0 || strcmp (name, "format") == 0)
    return call_text (py, name, args);
  if (g_strv_contains ((const char *const[]){ "list", "tuple", "dict", "set", "frozenset", NULL },
                       name))
    return call_container (py, name, args);
  if (strcmp (name, "vars") == 0)
    return call_vars (py, args);
  if (strcmp (name, "isinstance") == 0 || strcmp (name, "issubclass") == 0)
    {
      HirPyValue value = hir_py_arg_required (py, args, 0, "object"),
                 type = hir_py_arg_required (py, args, 1, "class");

      if (is_unknown_instance (py, value, type))
        return hir_py_opaque (py, NULL, "%s()", name);
      return hir_py_bool (hir_py_is_instance (py, value, type));
    }
  if (strcmp (name, "setattr") == 0 && args->n == 3 && args->items[0].type == HIR_PY_INSTANCE &&
      args->items[1].type == HIR_PY_STRING && args->items[1].string->text[0] != '_')
    {
      hir_py_set_attribute (py, args->items[0], args->items[1].string->text, args->items[2]);
      return hir_py_none ();
    }
  if (strcmp (name, "setattr") == 0)
    return hir_py_fail (py, HIR_ERROR_REFUSED, "setattr() is refused here; write the assignment");
  if (strcmp (name, "hasattr") == 0 && args->n == 2 && args->items[1].type == HIR_PY_STRING)
    return has_attribute (py, args->items[0], args->items[1].string->text);
  if (strcmp (name, "getattr") == 0)
    {
      HirPyValue attribute = hir_py_arg_required (py, args, 1, "name");

      if (attribute.type == HIR_PY_STRING && attribute.string->text[0] != '_')
        return get_attribute_or (py, args->items[0], attribute.string->text,
                                 args->n > 2 ? &args->items[2] : NULL);
      return hir_py_fail (py, HIR_ERROR_REFUSED, "getattr() is refused for %s",
                          hir_py_repr (py, attribute, TRUE));
    }
  if (strcmp (name, "divmod") == 0 && args->n == 2)
    {
      HirPyValue pair = hir_py_list (py, HIR_PY_TUPLE, 2);

      pair.list->items[0] =
          hir_py_binary (py, HIR_TOKEN_DOUBLE_SLASH, args->items[0], args->items[1]);
      pair.list->items[1] = hir_py_binary (py, HIR_TOKEN_PERCENT, args->items[0], args->items[1]);
      return pair;
    }
  if (strcmp (name, "pow") == 0 && args->n == 2)
    return hir_py_binary (py, HIR_TOKEN_DOUBLE_STAR, args->items[0], args->items[1]);
  return call_of_one (py, name, args);
}

HirPyValue
hir_py_call_builtin (HirPy *py, const char *name, HirPyArgs *args)
{
  if (g_strv_contains (refused, name))
    return hir_py_fail (py, HIR_ERROR_REFUSED,
                        "%s() is refused: a script can run only its own code and cannot access "
                        "files, processes or the environment",
                        name);
  if (strcmp (name, "FusionDefinition") == 0)
    return hir_py_definition_new (py, NULL);
  if (strcmp (name, "DeviceMesh") == 0)
    return hir_py_mesh_new (py, args);
  if (strcmp (name, "print") == 0 || strcmp (name, "object.__init__") == 0)
    return hir_py_none ();
  if (strcmp (name, "Communicator.instance") == 0)
    return (HirPyValue){ .type = HIR_PY_FIXTURE, .text = "communicator" };
  if (strcmp (name, "super") == 0)
    return hir_py_super (py);
  if (strcmp (name, "os.environ.get") == 0)
    {
      HirPyValue value = hir_py_none ();

      hir_py_arg (py, args, 1, "default", &value);
      return value;
    }
  if (strcmp (name, "torch_dtype_to_nvfuser_dtype") == 0)
    {
      HirDType dtype = hir_py_to_dtype (py, hir_py_arg_required (py, args, 0, "dtype"), name);

      return hir_py_enum (py, HIR_PY_ENUM_DTYPE, dtype,
                          hir_py_printf (py, "DataType.%s", hir_dtype_get_script_name (dtype)));
    }
  if (g_str_has_prefix (name, "MultiDeviceExecutor"))
    return hir_py_opaque (py, NULL, "nvfuser.%s()", name);
  if (hir_py_is_exception_name (name))
    {
      HirPyException *exception = hir_py_new (py, HirPyException);

      exception->type = name;
      exception->message =
          args->n > 0 ? hir_py_repr (py, args->items[0], FALSE) : hir_py_strdup (py, "");
      exception->pos = py->pos;
      return (HirPyValue){ .type = HIR_PY_EXCEPTION, .exception = exception };
    }
  if (args->n > 0 && g_strv_contains ((const char *const[]){ "int", "float", "bool", NULL }, name))
    args->items[0] = hir_py_torch_number (args->items[0]);
  if (args->n > 0 && args->items[0].type == HIR_PY_OPAQUE &&
      g_strv_contains ((const char *const[]){ "int", "float", "bool", NULL }, name))
    return hir_py_opaque (py, NULL, "%s(%s)", name, args->items[0].opaque->path);
  if (strcmp (name, "int") == 0)
    return call_int (py, args);
  if (strcmp (name, "float") == 0)
    return call_float (py, args);
  if (strcmp (name, "complex") == 0)
    return call_complex (py, args);
  if (strcmp (name, "bool") == 0)
    return hir_py_bool (args->n > 0 && hir_py_truth (py, args->items[0], "bool()"));
  if (!g_strv_contains (functions, name))
    return hir_py_fail (py, HIR_ERROR_UNSUPPORTED, "%s() is not supported here", name);
  return call_other (py, name, args);
}
