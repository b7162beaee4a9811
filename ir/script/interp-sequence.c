/* Iteration, indexing, slicing and concatenation; arrays. */
#include "script/interp.h"
#include "script/parse/lex.h"

#include <string.h>

gint64
hir_py_to_int (HirPy *py, HirPyValue value, const char *what)
{
  value = hir_py_torch_number (hir_py_plain (py, value));
  if (value.type == HIR_PY_INT || value.type == HIR_PY_BOOL)
    return value.i;
  if (value.type == HIR_PY_SCALAR && hir_scalar_is_const (value.scalar) &&
      !hir_dtype_is_floating_point (value.scalar->base.dtype))
    return value.scalar->i;
  py->needs_sizes = py->needs_sizes || value.type == HIR_PY_SCALAR;
  if (py->signal != HIR_PY_GO)
    return 0;
  if (value.type == HIR_PY_OPAQUE)
    hir_py_fail (py, HIR_ERROR_REFUSED,
                 "%s is %s, whose value is unknown because imports are not run; write the "
                 "number, or make it a parameter and give --arg",
                 what, value.opaque->path);
  else
    hir_py_raise (py, "TypeError", "%s must be an int, not %s", what, hir_py_type_name (value));
  return 0;
}

HirPyValue
hir_py_array (HirPy *py, HirPyList *list, const gint64 *shape, guint n_dims)
{
  HirPyArray *array = hir_py_new (py, HirPyArray);

  array->list = list;
  array->n_dims = n_dims;
  array->shape = hir_py_alloc (py, MAX (n_dims, 1) * sizeof (gint64));
  memcpy (array->shape, shape, n_dims * sizeof (gint64));
  return (HirPyValue){ .type = HIR_PY_ARRAY, .array = array };
}

static guint
count_chars (const HirPyString *string)
{
  return g_utf8_strlen (string->text, string->length);
}

gboolean
hir_py_take (HirPyList *list, HirPyValue *item)
{
  if (list->n == 0)
    return FALSE;
  *item = *list->items++;
  list->n--;
  list->capacity--;
  return TRUE;
}

gboolean
hir_py_iter_init (HirPy *py, HirPyIter *iter, HirPyValue value, const char *what)
{
  iter->value = value;
  iter->index = 0;
  switch (value.type)
    {
    case HIR_PY_LIST:
    case HIR_PY_TUPLE:
    case HIR_PY_RANGE:
    case HIR_PY_STRING:
      return TRUE;
    case HIR_PY_DICT:
    case HIR_PY_SET:
      /* Iteration also visits deleted entries. */
      return hir_py_step (py, value.dict->n / 16);
    case HIR_PY_ARRAY:
      if (value.array->n_dims == 1)
        {
          iter->value = (HirPyValue){ .type = HIR_PY_LIST, .list = value.array->list };
          return TRUE;
        }
      hir_py_stop (py, "%s iterates over a torch tensor with several axes, which is not supported",
                   what);
      return FALSE;
    case HIR_PY_CLASS:
    case HIR_PY_INSTANCE:
      if (hir_py_call_special (py, value, "__iter__", NULL, 0, &iter->value))
        return py->signal == HIR_PY_GO && hir_py_iter_init (py, iter, iter->value, what);
      if (value.type == HIR_PY_CLASS ? !value.class->is_enum : !value.instance->class->is_tuple)
        {
          hir_py_raise (py, "TypeError", "%s needs an iterable, not %s", what,
                        hir_py_type_name (value));
          return FALSE;
        }
      iter->value = (HirPyValue){ .type = HIR_PY_LIST,
                                  .list = value.type == HIR_PY_CLASS
                                              ? hir_py_class_members (py, value.class)
                                              : hir_py_instance_list (py, value.instance) };
      return TRUE;
    case HIR_PY_OPAQUE:
      hir_py_stop (py, "%s iterates over %s, whose value is unknown", what, value.opaque->path);
      return FALSE;
    default:
      hir_py_raise (py, "TypeError", "%s needs an iterable, not %s", what,
                    hir_py_type_name (value));
      return FALSE;
    }
}

gboolean
hir_py_iter_next (HirPy *py, HirPyIter *iter, HirPyValue *item)
{
  HirPyValue value = iter->value;

  if (!hir_py_step (py, 1))
    return FALSE;
  switch (value.type)
    {
    case HIR_PY_LIST:
    case HIR_PY_TUPLE:
      if (value.list->is_iterator)
        return hir_py_take (value.list, item);
      if (iter->index >= value.list->n)
        return FALSE;
      *item = value.list->items[iter->index++];
      return TRUE;
    case HIR_PY_RANGE:
      if ((gint64) iter->index >= value.range->n)
        return FALSE;
      *item = hir_py_int (value.range->start + (gint64) iter->index++ * value.range->step);
      return TRUE;
    case HIR_PY_STRING:
      {
        const char *at = value.string->text + iter->index, *next;

        if (iter->index >= value.string->length)
          return FALSE;
        next = g_utf8_next_char (at);
        *item =
            hir_py_string (py, at, MIN (next - at, (glong) (value.string->length - iter->index)));
        iter->index += next - at;
        return py->signal == HIR_PY_GO;
      }
    default:
      while (iter->index < value.dict->n && value.dict->entries[iter->index].deleted)
        iter->index++;
      if (iter->index >= value.dict->n)
        return FALSE;
      *item = value.dict->entries[iter->index++].key;
      return TRUE;
    }
}

HirPyList *
hir_py_to_list (HirPy *py, HirPyValue value, const char *what)
{
  HirPyValue list = hir_py_list (py, HIR_PY_LIST, 0), item;
  HirPyIter iter;

  if (hir_py_iter_init (py, &iter, value, what))
    while (hir_py_iter_next (py, &iter, &item))
      hir_py_list_append (py, list.list, item);
  return list.list;
}

void
hir_py_list_extend (HirPy *py, HirPyList *list, HirPyValue value, const char *what)
{
  HirPyList *more = hir_py_to_list (py, value, what);

  for (guint i = 0; py->signal == HIR_PY_GO && i < more->n; i++)
    hir_py_list_append (py, list, more->items[i]);
}

HirPyValue
hir_py_range (HirPy *py, gint64 start, gint64 stop, gint64 step)
{
  HirPyRange *range = hir_py_new (py, HirPyRange);
  guint64 span, stride;

  if (step == 0)
    return hir_py_raise (py, "ValueError", "the step of a range must not be 0");
  range->start = start;
  range->stop = stop;
  range->step = step;
  if (step > 0 ? stop > start : stop < start)
    {
      span = step > 0 ? (guint64) stop - (guint64) start : (guint64) start - (guint64) stop;
      stride = step > 0 ? (guint64) step : -(guint64) step;
      span = (span - 1) / stride + 1;
      if (span > G_MAXINT64)
        return hir_py_fail (py, HIR_ERROR_UNSUPPORTED,
                            "this range is longer than 64 bits can count");
      range->n = (gint64) span;
    }
  return (HirPyValue){ .type = HIR_PY_RANGE, .range = range };
}

HirPyValue
hir_py_length (HirPy *py, HirPyValue value)
{
  HirPyValue length;

  switch (value.type)
    {
    case HIR_PY_LIST:
    case HIR_PY_TUPLE:
      return hir_py_int (value.list->n);
    case HIR_PY_DICT:
    case HIR_PY_SET:
      return hir_py_int (value.dict->n_live);
    case HIR_PY_RANGE:
      return hir_py_int (value.range->n);
    case HIR_PY_STRING:
      if (!hir_py_step (py, value.string->length / 64))
        return hir_py_none ();
      return hir_py_int (count_chars (value.string));
    case HIR_PY_ARRAY:
      return hir_py_int (value.array->n_dims > 0 ? value.array->shape[0] : 0);
    case HIR_PY_OPAQUE:
      if (value.opaque->torch != NULL && value.opaque->torch->n_dims > 0)
        return hir_py_int (value.opaque->torch->shape[0]);
      return hir_py_opaque (py, NULL, "len(%s)", value.opaque->path);
    default:
      if (hir_py_call_special (py, value, "__len__", NULL, 0, &length))
        return length;
      if (value.type == HIR_PY_INSTANCE && value.instance->class->is_tuple)
        return hir_py_int (hir_py_instance_list (py, value.instance)->n);
      if (value.type == HIR_PY_CLASS && value.class->is_enum)
        return hir_py_int (hir_py_to_list (py, value, "len()")->n);
      return hir_py_raise (py, "TypeError", "%s has no length", hir_py_type_name (value));
    }
}

static gboolean
is_flag (HirPyValue value)
{
  return value.type == HIR_PY_INSTANCE && value.instance->class->is_flag;
}

HirPyValue
hir_py_contains (HirPy *py, HirPyValue container, HirPyValue item)
{
  HirPyValue member;
  HirPyIter iter;

  if (hir_py_call_special (py, container, "__contains__", &item, 1, &member))
    return member;
  if (is_flag (container) && is_flag (item))
    return hir_py_bool (
        hir_py_equal (py, hir_py_binary (py, HIR_TOKEN_AMPERSAND, container, item), item));
  if (container.type == HIR_PY_DICT || container.type == HIR_PY_SET)
    return hir_py_bool (hir_py_dict_get (py, container.dict, item) != NULL);
  if (container.type == HIR_PY_MODULE)
    return hir_py_opaque (py, NULL, "(... in %s)", container.text);
  if (container.type == HIR_PY_STRING && item.type == HIR_PY_STRING &&
      !hir_py_step (py, container.string->length / 64))
    return hir_py_none ();
  if (container.type == HIR_PY_STRING && item.type == HIR_PY_STRING)
    return hir_py_bool (
        g_strstr_len (container.string->text, container.string->length, item.string->text) != NULL);
  if (!hir_py_iter_init (py, &iter, container, "'in'"))
    return hir_py_none ();
  while (hir_py_iter_next (py, &iter, &member))
    {
      if (hir_py_is_opaque (member) && !hir_py_identical (member, item))
        return hir_py_opaque (py, NULL, "(... in ...)");
      if (hir_py_equal (py, member, item))
        return hir_py_bool (TRUE);
    }
  return hir_py_bool (FALSE);
}

HirPyValue
hir_py_concatenate (HirPy *py, HirPyValue a, HirPyValue b)
{
  HirPyValue result;

  if (a.type == HIR_PY_STRING)
    {
      result = hir_py_string (py, NULL, (gsize) a.string->length + b.string->length);
      if (result.type != HIR_PY_STRING)
        return result;
      memcpy (result.string->text, a.string->text, a.string->length);
      memcpy (result.string->text + a.string->length, b.string->text, b.string->length);
      return result;
    }
  if (!hir_py_step (py, (a.list->n + b.list->n) / 16))
    return hir_py_none ();
  result = hir_py_list (py, a.type, a.list->n + b.list->n);
  if (result.list->items != NULL)
    {
      if (a.list->n > 0)
        memcpy (result.list->items, a.list->items, a.list->n * sizeof (HirPyValue));
      if (b.list->n > 0)
        memcpy (result.list->items + a.list->n, b.list->items, b.list->n * sizeof (HirPyValue));
    }
  return result;
}

HirPyValue
hir_py_repeat (HirPy *py, HirPyValue a, gint64 times)
{
  gsize length = a.type == HIR_PY_STRING ? a.string->length : a.list->n;
  gsize unit = a.type == HIR_PY_STRING ? 1 : sizeof (HirPyValue);
  HirPyValue result;

  times = MAX (times, 0);
  if (length > 0 && (guint64) times > py->max_bytes / (length * unit))
    {
      py->used_bytes = py->max_bytes;
      hir_py_alloc (py, 1);
      return hir_py_none ();
    }
  if (a.type == HIR_PY_STRING)
    {
      result = hir_py_string (py, NULL, length * times);
      for (gint64 i = 0; result.type == HIR_PY_STRING && length > 0 && i < times; i++)
        memcpy (result.string->text + i * length, a.string->text, length);
      return result;
    }
  result = hir_py_list (py, a.type, length * times);
  for (guint i = 0; i < result.list->n; i++)
    result.list->items[i] = a.list->items[i % length];
  return result;
}

/* As in Python, bounds are clamped and negative ones count from the end. */
static gint64
slice_bound (HirPy *py, HirPyValue bound, gint64 n, gint64 step, gint64 fallback)
{
  gint64 low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1, i;

  if (bound.type == HIR_PY_NONE)
    return fallback;
  i = hir_py_to_int (py, bound, "a slice");
  if (i < 0)
    i = i < -n ? -1 : i + n;
  return CLAMP (i, low, high);
}

static HirPyValue
get_slice (HirPy *py, HirPyValue object, const HirPySlice *slice)
{
  HirPyValue length, list, result;
  gint64 n, start, stop, step;
  HirPyRange *range;

  if (object.type == HIR_PY_STRING || object.type == HIR_PY_RANGE)
    list = (HirPyValue){ .type = HIR_PY_LIST, .list = hir_py_to_list (py, object, "a slice") };
  else if (object.type == HIR_PY_ARRAY && object.array->n_dims == 1)
    list = (HirPyValue){ .type = HIR_PY_LIST, .list = object.array->list };
  else if (object.type == HIR_PY_LIST || object.type == HIR_PY_TUPLE)
    list = object;
  else
    return hir_py_raise (py, "TypeError", "%s cannot be sliced", hir_py_type_name (object));
  length = hir_py_int (list.list->n);
  n = length.i;
  step =
      slice->step.type == HIR_PY_NONE ? 1 : hir_py_to_int (py, slice->step, "the step of a slice");
  if (step == 0)
    return hir_py_raise (py, "ValueError", "the step of a slice must not be 0");
  start = slice_bound (py, slice->start, n, step, step > 0 ? 0 : n - 1);
  stop = slice_bound (py, slice->stop, n, step, step > 0 ? n : -1);
  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  result = hir_py_range (py, start, stop, step);
  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  range = result.range;
  result = hir_py_list (py, object.type == HIR_PY_TUPLE ? HIR_PY_TUPLE : HIR_PY_LIST, range->n);
  if (!hir_py_step (py, range->n))
    return hir_py_none ();
  for (guint i = 0; i < result.list->n; i++)
    result.list->items[i] = list.list->items[range->start + i * range->step];
  if (object.type == HIR_PY_STRING)
    {
      GString *text = g_string_new (NULL);

      for (guint i = 0; i < result.list->n; i++)
        g_string_append_len (text, result.list->items[i].string->text,
                             result.list->items[i].string->length);
      result = hir_py_string (py, text->str, text->len);
      g_string_free (text, TRUE);
    }
  else if (object.type == HIR_PY_ARRAY)
    result = hir_py_array (py, result.list, &range->n, 1);
  return result;
}

static gboolean
normalize_index (HirPy *py, HirPyValue index, gint64 n, gint64 *at)
{
  *at = hir_py_to_int (py, index, "an index");
  if (py->signal != HIR_PY_GO)
    return FALSE;
  if (*at < 0)
    *at += n;
  if (*at >= 0 && *at < n)
    return TRUE;
  hir_py_raise (py, "IndexError",
                "index %" G_GINT64_FORMAT " is out of range: there are %" G_GINT64_FORMAT, index.i,
                n);
  return FALSE;
}

static HirPyValue
get_char (HirPy *py, const HirPyString *string, HirPyValue index)
{
  gint64 at;
  const char *start;

  if (!hir_py_step (py, string->length / 64))
    return hir_py_none ();
  if (!normalize_index (py, index, count_chars (string), &at))
    return hir_py_none ();
  start = g_utf8_offset_to_pointer (string->text, at);
  return hir_py_string (py, start, g_utf8_next_char (start) - start);
}

HirPyValue
hir_py_get_item (HirPy *py, HirPyValue object, HirPyValue index)
{
  const HirPyValue *found;
  HirPyValue item;
  gint64 at;

  if (object.type == HIR_PY_OPAQUE && object.opaque->torch != NULL)
    return hir_py_torch_item (py, object, index);
  if (object.type == HIR_PY_OPAQUE)
    return hir_py_opaque (py, object.opaque, "%s[]", object.opaque->path);
  index = hir_py_torch_number (index);
  if (index.type == HIR_PY_SLICE)
    return get_slice (py, object, index.slice);
  if (index.type == HIR_PY_OPAQUE && object.type != HIR_PY_DICT)
    return hir_py_opaque (py, NULL, "[%s]", index.opaque->path);
  switch (object.type)
    {
    case HIR_PY_LIST:
    case HIR_PY_TUPLE:
      return normalize_index (py, index, object.list->n, &at) ? object.list->items[at]
                                                              : hir_py_none ();
    case HIR_PY_RANGE:
      return normalize_index (py, index, object.range->n, &at)
                 ? hir_py_int (object.range->start + at * object.range->step)
                 : hir_py_none ();
    case HIR_PY_STRING:
      return get_char (py, object.string, index);
    case HIR_PY_ARRAY:
      if (object.array->n_dims == 1 && index.type == HIR_PY_INT)
        return normalize_index (py, index, object.array->list->n, &at)
                   ? object.array->list->items[at]
                   : hir_py_none ();
      return hir_py_opaque (py, NULL, "torch tensor[]");
    case HIR_PY_DICT:
      found = hir_py_dict_get (py, object.dict, index);
      if (found == NULL && py->signal == HIR_PY_GO && object.dict->factory != NULL &&
          object.dict->factory->type != HIR_PY_NONE)
        {
          HirPyValue made = hir_py_call_values (py, *object.dict->factory, NULL, 0);

          hir_py_dict_set (py, object.dict, index, made);
          return made;
        }
      if (found == NULL && py->signal == HIR_PY_GO)
        return hir_py_raise (py, "KeyError", "the dict has no %s", hir_py_repr (py, index, TRUE));
      return found != NULL ? *found : hir_py_none ();
    case HIR_PY_MODULE:
      if (strcmp (object.text, "os.environ") == 0)
        return hir_py_opaque (py, NULL, "os.environ[]");
      break;
    case HIR_PY_INSTANCE:
      if (hir_py_call_special (py, object, "__getitem__", &index, 1, &item))
        return item;
      if (object.instance->class->is_tuple)
        return hir_py_get_item (py,
                                (HirPyValue){ .type = HIR_PY_LIST,
                                              .list = hir_py_instance_list (py, object.instance) },
                                index);
      break;
    case HIR_PY_BUILTIN:
    case HIR_PY_CLASS:
      if (object.type == HIR_PY_CLASS && object.class->is_enum && index.type == HIR_PY_STRING)
        return hir_py_get_attribute (py, object, index.string->text);
      /* list[int], Generic[T] */
      return object;
    default:
      break;
    }
  return hir_py_raise (py, "TypeError", "%s cannot be indexed", hir_py_type_name (object));
}

void
hir_py_set_item (HirPy *py, HirPyValue object, HirPyValue index, HirPyValue value)
{
  gint64 at;

  if (object.type == HIR_PY_OPAQUE && object.opaque->torch != NULL)
    hir_py_torch_set_item (py, object, index, value);
  else if (object.type == HIR_PY_LIST && index.type != HIR_PY_SLICE)
    {
      if (normalize_index (py, index, object.list->n, &at))
        object.list->items[at] = value;
    }
  else if (object.type == HIR_PY_DICT)
    hir_py_dict_set (py, object.dict, index, value);
  else if (object.type == HIR_PY_MODULE && strcmp (object.text, "os.environ") == 0)
    hir_py_note (py, "environment variables are not set here; this has no effect on the fusion");
  else if (object.type == HIR_PY_MODULE)
    hir_py_fail (py, HIR_ERROR_REFUSED,
                 "%s cannot be changed: a script touches nothing outside itself", object.text);
  else if (object.type != HIR_PY_OPAQUE && object.type != HIR_PY_ARRAY)
    hir_py_raise (py, "TypeError", "items of a %s cannot be set", hir_py_type_name (object));
}
