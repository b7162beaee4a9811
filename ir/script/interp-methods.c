/* Methods of lists, tuples, dicts, sets, strings and of arrays from torch.arange(). */
#include "script/interp.h"
#include "script/parse/lex.h"

#include <string.h>

static const char *const list_methods[] = { "appendleft", "popleft", "append", "extend", "insert",
                                            "pop",        "remove",  "index",  "count",  "reverse",
                                            "sort",       "copy",    "clear",  NULL };
static const char *const tuple_methods[] = { "index", "count", "numel", NULL };
static const char *const dict_methods[] = { "get",    "items",   "keys",       "values",
                                            "update", "pop",     "setdefault", "copy",
                                            "clear",  "popitem", NULL };
static const char *const set_methods[] = { "add",        "discard",
                                           "remove",     "update",
                                           "union",      "copy",
                                           "clear",      "intersection",
                                           "difference", "symmetric_difference",
                                           "issubset",   "issuperset",
                                           NULL };
static const char *const string_methods[] = {
  "join",       "split",      "strip",        "lstrip",       "rstrip", "upper", "lower",
  "startswith", "endswith",   "replace",      "format",       "find",   "count", "isdigit",
  "title",      "splitlines", "removeprefix", "removesuffix", NULL
};
/* Of methods.py */
static const char *const more_string_methods[] = {
  "partition", "rpartition", "rfind",      "index",   "rsplit",    "zfill",    "ljust",
  "rjust",     "center",     "capitalize", "title",   "swapcase",  "casefold", "isalpha",
  "isalnum",   "isspace",    "isupper",    "islower", "isnumeric", NULL
};
static const char *const more_set_methods[] = { "isdisjoint", "difference_update",
                                                "intersection_update", "pop", NULL };
static const char *const array_methods[] = { "reshape",    "view", "tolist", "numel",   "size",
                                             "dim",        "cpu",  "cuda",   "to",      "clone",
                                             "contiguous", "int",  "long",   "flatten", "item",
                                             "unsqueeze",  NULL };

static const char *const *
get_methods (HirPyType type)
{
  switch (type)
    {
    case HIR_PY_LIST:
      return list_methods;
    case HIR_PY_TUPLE:
      return tuple_methods;
    case HIR_PY_DICT:
      return dict_methods;
    case HIR_PY_SET:
      return set_methods;
    case HIR_PY_STRING:
      return string_methods;
    case HIR_PY_ARRAY:
      return array_methods;
    default:
      return NULL;
    }
}

gboolean
hir_py_has_method (HirPyType type, const char *name)
{
  const char *const *methods = get_methods (type);

  return (methods != NULL && g_strv_contains (methods, name)) ||
         (type == HIR_PY_STRING && g_strv_contains (more_string_methods, name)) ||
         (type == HIR_PY_SET && g_strv_contains (more_set_methods, name));
}

static int
find_item (HirPy *py, const HirPyList *list, HirPyValue item)
{
  for (guint i = 0; i < list->n && py->signal == HIR_PY_GO; i++)
    if (hir_py_equal (py, list->items[i], item))
      return i;
  if (py->signal == HIR_PY_GO)
    hir_py_raise (py, "ValueError", "%s is not in the list", hir_py_repr (py, item, TRUE));
  return -1;
}

static HirPyValue
remove_at (HirPyList *list, guint at)
{
  HirPyValue item = list->items[at];

  memmove (&list->items[at], &list->items[at + 1], (list->n - at - 1) * sizeof (HirPyValue));
  list->n--;
  return item;
}

static HirPyValue
list_pop (HirPy *py, HirPyList *list, HirPyArgs *args)
{
  const gint64 last = -1;
  gint64 at = hir_py_arg_int (py, args, 0, "index", &last);

  at += at < 0 ? list->n : 0;
  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  if (at < 0 || at >= list->n)
    return hir_py_raise (py, "IndexError", "pop: the index is out of range");
  return remove_at (list, at);
}

static HirPyValue
list_insert (HirPy *py, HirPyList *list, HirPyArgs *args)
{
  gint64 at = hir_py_arg_int (py, args, 0, "index", NULL);
  HirPyValue item = hir_py_arg_required (py, args, 1, "object");
  guint before = list->n;

  at = CLAMP (at < 0 ? at + list->n : at, 0, list->n);
  hir_py_list_append (py, list, item);
  if (list->n > before)
    {
      memmove (&list->items[at + 1], &list->items[at], (before - at) * sizeof (HirPyValue));
      list->items[at] = item;
    }
  return hir_py_none ();
}

static HirPyValue
list_change (HirPy *py, HirPyList *list, const char *name, HirPyArgs *args)
{
  HirPyValue key = hir_py_none ();

  if (strcmp (name, "appendleft") == 0)
    return list_insert (py, list,
                        &(HirPyArgs){
                            .items = (HirPyValue[]){ hir_py_int (0),
                                                     hir_py_arg_required (py, args, 0, "object") },
                            .n = 2,
                            .callee = name });
  if (strcmp (name, "append") == 0)
    hir_py_list_append (py, list, hir_py_arg_required (py, args, 0, "object"));
  else if (strcmp (name, "extend") == 0)
    hir_py_list_extend (py, list, hir_py_arg_required (py, args, 0, "iterable"), "extend");
  else if (strcmp (name, "insert") == 0)
    return list_insert (py, list, args);
  else if (strcmp (name, "remove") == 0)
    {
      int at = find_item (py, list, hir_py_arg_required (py, args, 0, "object"));

      if (at >= 0)
        remove_at (list, at);
    }
  else if (strcmp (name, "reverse") == 0)
    for (guint i = 0; i < list->n / 2; i++)
      {
        HirPyValue item = list->items[i];

        list->items[i] = list->items[list->n - 1 - i];
        list->items[list->n - 1 - i] = item;
      }
  else if (strcmp (name, "clear") == 0)
    list->n = 0;
  else
    {
      hir_py_arg (py, args, G_MAXUINT, "key", &key);
      hir_py_sort (py, list, key, hir_py_arg_bool (py, args, G_MAXUINT, "reverse", FALSE));
    }
  return hir_py_none ();
}

HirPyValue
hir_py_list_method (HirPy *py, HirPyValue self, const char *name, HirPyArgs *args)
{
  HirPyList *list = self.list;
  HirPyValue item;
  guint n = 0;

  /* Methods that traverse the list count steps, so that loops over them hit the limit in time. */
  if (strcmp (name, "append") != 0 && !hir_py_step (py, list->n / 16))
    return hir_py_none ();
  if (strcmp (name, "pop") == 0)
    return list_pop (py, list, args);
  if (strcmp (name, "popleft") == 0)
    return list->n > 0 ? remove_at (list, 0)
                       : hir_py_raise (py, "IndexError", "popleft: the deque is empty");
  if (strcmp (name, "numel") == 0) /* of torch.Size */
    {
      item = hir_py_int (1);
      for (guint i = 0; i < list->n; i++)
        item = hir_py_binary (py, HIR_TOKEN_STAR, item, list->items[i]);
      return item;
    }
  if (strcmp (name, "index") == 0)
    {
      int at = find_item (py, list, hir_py_arg_required (py, args, 0, "object"));

      return hir_py_int (at);
    }
  if (strcmp (name, "count") == 0)
    {
      item = hir_py_arg_required (py, args, 0, "object");
      for (guint i = 0; i < list->n; i++)
        n += hir_py_equal (py, list->items[i], item);
      return hir_py_int (n);
    }
  if (strcmp (name, "copy") == 0)
    return (HirPyValue){ .type = HIR_PY_LIST, .list = hir_py_to_list (py, self, "copy") };
  return list_change (py, list, name, args);
}

/* Returns keys, values or pairs as a list. */
static HirPyValue
dict_list (HirPy *py, const HirPyDict *dict, char what)
{
  HirPyValue list = hir_py_list (py, HIR_PY_LIST, 0);

  for (guint i = 0; i < dict->n && hir_py_step (py, 1); i++)
    {
      HirPyValue item = what == 'k' ? dict->entries[i].key : dict->entries[i].value;

      if (dict->entries[i].deleted)
        continue;
      if (what == 'i')
        {
          item = hir_py_list (py, HIR_PY_TUPLE, 2);
          item.list->items[0] = dict->entries[i].key;
          item.list->items[1] = dict->entries[i].value;
        }
      hir_py_list_append (py, list.list, item);
    }
  return list;
}

static HirPyValue
dict_update (HirPy *py, HirPyDict *dict, HirPyType type, HirPyArgs *args)
{
  HirPyValue other = hir_py_none (), item;
  HirPyIter iter;

  if (hir_py_arg (py, args, 0, "other", &other) && other.type == HIR_PY_DICT && type == HIR_PY_DICT)
    {
      for (guint i = 0; i < other.dict->n && hir_py_step (py, 1); i++)
        if (!other.dict->entries[i].deleted)
          hir_py_dict_set (py, dict, other.dict->entries[i].key, other.dict->entries[i].value);
    }
  else if (other.type != HIR_PY_NONE && hir_py_iter_init (py, &iter, other, "update"))
    while (hir_py_iter_next (py, &iter, &item))
      {
        if (type == HIR_PY_SET)
          hir_py_dict_set (py, dict, item, hir_py_none ());
        else if ((item.type == HIR_PY_TUPLE || item.type == HIR_PY_LIST) && item.list->n == 2)
          hir_py_dict_set (py, dict, item.list->items[0], item.list->items[1]);
        else
          return hir_py_raise (py, "TypeError", "update needs pairs of key and value");
      }
  for (guint i = 0; type == HIR_PY_DICT && i < args->n_named; i++)
    hir_py_dict_set_name (py, dict, args->names[i], args->named[i]);
  return hir_py_none ();
}

static HirPyValue
dict_copy (HirPy *py, HirPyValue self)
{
  HirPyValue copy = hir_py_dict (py, self.type);

  for (guint i = 0; i < self.dict->n && hir_py_step (py, 1); i++)
    if (!self.dict->entries[i].deleted)
      hir_py_dict_set (py, copy.dict, self.dict->entries[i].key, self.dict->entries[i].value);
  return copy;
}

/* Implements get, pop and setdefault. */
static HirPyValue
dict_lookup (HirPy *py, HirPyValue self, const char *name, HirPyArgs *args)
{
  HirPyValue key = hir_py_arg_required (py, args, 0, "key"), fallback = hir_py_none ();
  gboolean has_default = hir_py_arg (py, args, 1, "default", &fallback);
  const HirPyValue *found = py->signal == HIR_PY_GO ? hir_py_dict_get (py, self.dict, key) : NULL;
  HirPyValue value = found != NULL ? *found : fallback;

  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  if (strcmp (name, "pop") == 0)
    {
      if (found == NULL && !has_default)
        return hir_py_raise (py, "KeyError", "the dict has no %s", hir_py_repr (py, key, TRUE));
      hir_py_dict_remove (py, self.dict, key);
    }
  else if (strcmp (name, "setdefault") == 0 && found == NULL)
    hir_py_dict_set (py, self.dict, key, fallback);
  return value;
}

/* Implements the methods of a set that combine it with another. */
static gboolean
set_combine (HirPy *py, HirPyValue self, const char *name, HirPyArgs *args, HirPyValue *result)
{
  static const struct
  {
    const char *name;
    guint op;
  } methods[] = {
    { "intersection", HIR_TOKEN_AMPERSAND },     { "difference", HIR_TOKEN_MINUS },
    { "symmetric_difference", HIR_TOKEN_CARET }, { "issubset", HIR_TOKEN_AMPERSAND },
    { "issuperset", HIR_TOKEN_AMPERSAND },
  };

  for (guint i = 0; i < G_N_ELEMENTS (methods); i++)
    if (strcmp (methods[i].name, name) == 0)
      {
        HirPyValue other = hir_py_call_builtin (py, "set", args);

        *result = hir_py_binary (py, methods[i].op, self, other);
        if (g_str_has_prefix (name, "iss"))
          *result = hir_py_bool (
              hir_py_equal (py, *result, strcmp (name, "issubset") == 0 ? self : other));
        return TRUE;
      }
  return FALSE;
}

HirPyValue
hir_py_dict_method (HirPy *py, HirPyValue self, const char *name, HirPyArgs *args)
{
  if (strcmp (name, "update") == 0)
    return dict_update (py, self.dict, self.type, args);
  if (strcmp (name, "copy") == 0)
    return dict_copy (py, self);
  if (strcmp (name, "clear") == 0)
    {
      *self.dict = (HirPyDict){ 0 };
      return hir_py_none ();
    }
  if (self.type == HIR_PY_DICT && strcmp (name, "popitem") == 0)
    return hir_py_call_written_method (py, self, "dict_popitem", args);
  if (self.type == HIR_PY_SET && g_strv_contains (more_set_methods, name))
    return hir_py_call_written_method (py, self, hir_py_printf (py, "set_%s", name), args);
  if (self.type == HIR_PY_SET)
    {
      HirPyValue combined;

      if (set_combine (py, self, name, args, &combined))
        return combined;
      if (strcmp (name, "union") == 0)
        {
          self = dict_copy (py, self);
          dict_update (py, self.dict, HIR_PY_SET, args);
          return self;
        }
      if (strcmp (name, "add") == 0)
        hir_py_dict_set (py, self.dict, hir_py_arg_required (py, args, 0, "elem"), hir_py_none ());
      else if (!hir_py_dict_remove (py, self.dict, hir_py_arg_required (py, args, 0, "elem")) &&
               strcmp (name, "remove") == 0 && py->signal == HIR_PY_GO)
        return hir_py_raise (py, "KeyError", "the set has no such member");
      return hir_py_none ();
    }
  if (strcmp (name, "items") == 0 || strcmp (name, "keys") == 0 || strcmp (name, "values") == 0)
    return dict_list (py, self.dict, name[0]);
  return dict_lookup (py, self, name, args);
}

static HirPyValue
string_join (HirPy *py, const HirPyString *separator, HirPyValue items)
{
  HirPyList *list = hir_py_to_list (py, items, "join");
  GString *out = g_string_new (NULL);
  HirPyValue result = hir_py_none ();

  for (guint i = 0; i < list->n && py->signal == HIR_PY_GO; i++)
    {
      if (list->items[i].type == HIR_PY_OPAQUE)
        result = list->items[i];
      else if (list->items[i].type != HIR_PY_STRING)
        hir_py_raise (py, "TypeError", "join needs strings, not %s",
                      hir_py_type_name (list->items[i]));
      else
        {
          if (i > 0)
            g_string_append_len (out, separator->text, separator->length);
          g_string_append_len (out, list->items[i].string->text, list->items[i].string->length);
        }
      if (out->len > py->max_bytes)
        hir_py_fail (py, HIR_ERROR_LIMIT, "a string of the script is too long");
    }
  if (result.type != HIR_PY_OPAQUE)
    result = hir_py_string (py, out->str, out->len);
  g_string_free (out, TRUE);
  return result;
}

static HirPyValue
string_split (HirPy *py, const HirPyString *string, const char *separator)
{
  g_auto (GStrv) parts = separator != NULL ? g_strsplit (string->text, separator, 0)
                                           : g_strsplit_set (string->text, " \t\n\r\f\v", 0);
  HirPyValue list = hir_py_list (py, HIR_PY_LIST, 0);

  for (guint i = 0; parts[i] != NULL && hir_py_step (py, 1); i++)
    if (separator != NULL || parts[i][0] != '\0')
      hir_py_list_append (py, list.list, hir_py_text (py, parts[i]));
  return list;
}

static HirPyValue
string_strip (HirPy *py, const HirPyString *string, const char *name)
{
  const char *start = string->text, *end = string->text + string->length;

  if (name[0] != 'r')
    while (start < end && g_ascii_isspace (*start))
      start++;
  if (name[0] != 'l')
    while (end > start && g_ascii_isspace (end[-1]))
      end--;
  return hir_py_string (py, start, end - start);
}

static HirPyValue
string_replace (HirPy *py, const HirPyString *string, const char *old, const char *new)
{
  GString *out = g_string_new (NULL);
  HirPyValue result;
  gsize n = strlen (old);

  for (const char *p = string->text; *p != '\0';)
    {
      if (n > 0 && strncmp (p, old, n) == 0)
        {
          g_string_append (out, new);
          p += n;
        }
      else
        g_string_append_c (out, *p++);
      if (out->len > py->max_bytes)
        {
          hir_py_fail (py, HIR_ERROR_LIMIT, "a string of the script is too long");
          break;
        }
    }
  result = hir_py_string (py, out->str, out->len);
  g_string_free (out, TRUE);
  return result;
}

static HirPyValue
string_remove (HirPy *py, const HirPyString *string, const HirPyString *part, gboolean prefix)
{
  gboolean found = prefix ? g_str_has_prefix (string->text, part->text)
                          : g_str_has_suffix (string->text, part->text);
  gsize removed = found ? part->length : 0;

  return hir_py_string (py, string->text + (prefix ? removed : 0), string->length - removed);
}

static HirPyValue
string_with_argument (HirPy *py, const HirPyString *string, const char *name, HirPyArgs *args)
{
  HirPyValue other = hir_py_none ();
  const char *found;
  guint n = 0;

  if (!hir_py_arg (py, args, 0, "sep", &other) && strcmp (name, "split") == 0)
    return string_split (py, string, NULL);
  if (strcmp (name, "split") == 0 && other.type == HIR_PY_NONE)
    return string_split (py, string, NULL);
  if (other.type != HIR_PY_STRING)
    return hir_py_raise (py, "TypeError", "%s needs a string", name);
  if (strcmp (name, "split") == 0)
    return other.string->length > 0
               ? string_split (py, string, other.string->text)
               : hir_py_raise (py, "ValueError", "split needs a separator that is not empty");
  if (strcmp (name, "removeprefix") == 0 || strcmp (name, "removesuffix") == 0)
    return string_remove (py, string, other.string, name[6] == 'p');
  if (strcmp (name, "startswith") == 0)
    return hir_py_bool (g_str_has_prefix (string->text, other.string->text));
  if (strcmp (name, "endswith") == 0)
    return hir_py_bool (g_str_has_suffix (string->text, other.string->text));
  if (strcmp (name, "find") == 0)
    {
      found = strstr (string->text, other.string->text);
      return hir_py_int (found != NULL ? g_utf8_pointer_to_offset (string->text, found) : -1);
    }
  if (strcmp (name, "count") == 0)
    {
      for (found = string->text;
           other.string->length > 0 && (found = strstr (found, other.string->text)) != NULL; n++)
        found += other.string->length;
      return hir_py_int (n);
    }
  {
    HirPyValue new = hir_py_arg_required (py, args, 1, "new");

    if (new.type != HIR_PY_STRING)
      return hir_py_raise (py, "TypeError", "replace needs two strings");
    return string_replace (py, string, other.string->text, new.string->text);
  }
}

HirPyValue
hir_py_string_method (HirPy *py, HirPyValue self, const char *name, HirPyArgs *args)
{
  HirPyString *string = self.string;
  g_autofree char *text = NULL;

  if (!hir_py_step (py, string->length / 64))
    return hir_py_none ();
  if (strcmp (name, "join") == 0)
    return string_join (py, string, hir_py_arg_required (py, args, 0, "iterable"));
  if (g_str_has_suffix (name, "strip") && args->n == 0)
    return string_strip (py, string, name);
  if (strcmp (name, "upper") == 0)
    text = g_utf8_strup (string->text, string->length);
  else if (strcmp (name, "lower") == 0)
    text = g_utf8_strdown (string->text, string->length);
  if (text != NULL)
    return hir_py_text (py, text);
  if (strcmp (name, "isdigit") == 0)
    return hir_py_bool (string->length > 0 &&
                        strspn (string->text, "0123456789") == string->length);
  if (strcmp (name, "splitlines") == 0)
    return string_split (py, string, "\n");
  if (strcmp (name, "format") == 0)
    return hir_py_format_braces (py, string->text, args);
  if (g_strv_contains (more_string_methods, name) || g_str_has_suffix (name, "strip") ||
      (strcmp (name, "split") == 0 && args->n + args->n_named > 1) ||
      (g_str_has_suffix (name, "swith") && args->n == 1 && args->items[0].type == HIR_PY_TUPLE))
    return hir_py_call_written_method (py, self, hir_py_printf (py, "str_%s", name), args);
  return string_with_argument (py, string, name, args);
}

static HirPyValue
array_reshape (HirPy *py, HirPyArray *array, HirPyArgs *args)
{
  HirPyValue dims = { .type = HIR_PY_LIST, .list = &(HirPyList){ args->items, args->n, args->n } };
  gint64 product = 1;
  int open = -1;
  g_autofree gint64 *shape = NULL;
  guint n;

  if (args->n == 1)
    dims = args->items[0];
  shape = hir_py_to_ints (py, dims, "reshape", &n);
  if (shape == NULL)
    return hir_py_none ();
  for (guint i = 0; i < n; i++)
    if (shape[i] == -1 && open < 0)
      open = i;
    else if (shape[i] < 0 || (shape[i] > 0 && product > array->list->n / shape[i]))
      product = -1;
    else if (product >= 0)
      product *= shape[i];
  if (open >= 0 && product > 0 && array->list->n % product == 0)
    {
      shape[open] = array->list->n / product;
      product *= shape[open];
    }
  if (product != array->list->n || (open >= 0 && shape[open] < 0))
    return hir_py_raise (py, "RuntimeError", "reshape: %u elements do not fit this shape",
                         array->list->n);
  return hir_py_array (py, array->list, shape, n);
}

/* The shape of the result of a method with data that is not needed. */
static HirPyValue
array_as_torch (HirPy *py, HirPyArray *array, const char *name, HirPyArgs *args)
{
  HirPyValue tensor =
      hir_py_torch_new (py, array->shape, array->n_dims, HIR_DTYPE_INT, FALSE, "torch.arange()");
  HirPyValue method, result;

  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  method = hir_py_torch_get (py, tensor, name);
  if (method.type == HIR_PY_OPAQUE && method.opaque->of != NULL &&
      hir_py_torch_method (py, method, args, &result))
    return result;
  return hir_py_opaque (py, NULL, "torch.arange().%s()", name);
}

HirPyValue
hir_py_array_method (HirPy *py, HirPyValue self, const char *name, HirPyArgs *args)
{
  HirPyArray *array = self.array;

  if (strcmp (name, "reshape") == 0 || strcmp (name, "view") == 0)
    return array_reshape (py, array, args);
  if (strcmp (name, "tolist") == 0 && array->n_dims == 1)
    return (HirPyValue){ .type = HIR_PY_LIST, .list = array->list };
  if (strcmp (name, "numel") == 0)
    return hir_py_int (array->list->n);
  if (strcmp (name, "dim") == 0)
    return hir_py_int (array->n_dims);
  if (strcmp (name, "size") == 0 && array->n_dims == 1)
    return hir_py_int (array->list->n);
  if (strcmp (name, "flatten") == 0)
    return hir_py_array (py, array->list, &(gint64){ array->list->n }, 1);
  if (strcmp (name, "item") == 0 && array->list->n == 1)
    return array->list->items[0];
  if (strcmp (name, "to") == 0 && args->n > 0 && args->items[0].type == HIR_PY_ENUM)
    return array_as_torch (py, array, name, args);
  if (g_strv_contains ((const char *const[]){ "cpu", "cuda", "to", "clone", "contiguous", "int",
                                              "long", NULL },
                       name))
    return self;
  return array_as_torch (py, array, name, args);
}
