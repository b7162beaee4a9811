/* Elements of small torch tensors: those that the script writes as numbers, such as offsets and
 * sizes. Views share them. */
#include "script/interp.h"

#include <string.h>

#define MAX_ELEMENTS 1024

/* Returns the number of elements, or more than MAX_ELEMENTS. */
static gint64
count (const HirPyTorch *torch)
{
  gint64 n = 1;

  for (guint i = 0; i < torch->n_dims && n <= MAX_ELEMENTS; i++)
    n *= MIN (torch->shape[i], MAX_ELEMENTS + 1);
  return n;
}

/* Returns the element at @k (row-major). */
static HirPyValue *
locate (const HirPyTorch *torch, gint64 k)
{
  HirPyValue *item = torch->data;

  for (guint i = torch->n_dims; i-- > 0; k /= torch->shape[i])
    item += k % torch->shape[i] * torch->strides[i];
  return item;
}

static gboolean
is_in_range (HirDType dtype, gint64 i)
{
  guint bits = 8 * (guint) hir_dtype_get_size_bytes (dtype);
  gboolean is_unsigned = dtype == HIR_DTYPE_BYTE || dtype == HIR_DTYPE_UINT16 ||
                         dtype == HIR_DTYPE_UINT32 || dtype == HIR_DTYPE_UINT64;

  if (bits >= 64)
    return !is_unsigned || i >= 0;
  return is_unsigned ? i >= 0 && i >> bits == 0 : i >> (bits - 1) == 0 || i >> (bits - 1) == -1;
}

/* Converts a number to an element; None if the type cannot represent it. */
static HirPyValue
convert (HirDType dtype, HirPyValue value)
{
  double d;
  gint64 i;

  value = hir_py_torch_number (value);
  if (!hir_py_is_number (value) || hir_dtype_is_complex (dtype))
    return hir_py_none ();
  d = hir_py_to_double (value);
  if (dtype == HIR_DTYPE_BOOL)
    return hir_py_bool (d != 0);
  if (hir_dtype_is_floating_point (dtype))
    return dtype == HIR_DTYPE_DOUBLE || (dtype == HIR_DTYPE_FLOAT && (double) (float) d == d)
               ? hir_py_float (d)
               : hir_py_none ();
  if (value.type == HIR_PY_FLOAT && !(d > -0x1p62 && d < 0x1p62))
    return hir_py_none ();
  i = value.type == HIR_PY_FLOAT ? (gint64) d : value.i;
  return is_in_range (dtype, i) ? hir_py_int (i) : hir_py_none ();
}

void
hir_py_torch_fill (HirPy *py, HirPyValue tensor, HirPyValue value)
{
  HirPyTorch *torch = (HirPyTorch *) tensor.opaque->torch;
  gint64 n = count (torch);

  if (n > MAX_ELEMENTS)
    return;
  torch->data = hir_py_alloc (py, (gsize) MAX (n, 1) * sizeof (HirPyValue));
  value = convert (torch->dtype, value);
  for (gint64 i = 0; i < n; i++)
    torch->data[i] = value;
}

void
hir_py_torch_copy_data (HirPy *py, const HirPyTorch *from, HirPyValue to)
{
  const HirPyTorch *torch = to.opaque->torch;
  gint64 n = count (torch);

  if (from->data == NULL || n != count (from))
    return;
  hir_py_torch_fill (py, to, hir_py_none ());
  for (gint64 i = 0; torch->data != NULL && i < n; i++)
    *locate (torch, i) = convert (torch->dtype, *locate (from, i));
}

/* Sets the elements from @at on to the numbers in nested lists. */
static void
set_list (const HirPyTorch *torch, HirPyValue value, gint64 *at)
{
  if (value.type == HIR_PY_LIST || value.type == HIR_PY_TUPLE)
    for (guint i = 0; i < value.list->n; i++)
      set_list (torch, value.list->items[i], at);
  else
    *locate (torch, (*at)++) = convert (torch->dtype, value);
}

void
hir_py_torch_set_list (HirPy *py, HirPyValue tensor, HirPyValue list)
{
  gint64 at = 0;

  hir_py_torch_fill (py, tensor, hir_py_none ());
  if (tensor.opaque->torch->data != NULL)
    set_list (tensor.opaque->torch, list, &at);
}

HirPyValue
hir_py_torch_number (HirPyValue value)
{
  const HirPyTorch *torch = value.type == HIR_PY_OPAQUE ? value.opaque->torch : NULL;

  if (torch == NULL || torch->data == NULL || count (torch) != 1 ||
      torch->data->type == HIR_PY_NONE)
    return value;
  return *torch->data;
}

void
hir_py_torch_set_all (const HirPyTorch *torch, HirPyValue value)
{
  value = convert (torch->dtype, value);
  for (gint64 i = 0, n = count (torch); torch->data != NULL && i < n; i++)
    *locate (torch, i) = value;
}

/* Returns the elements from @at on as lists nested over the axes from @axis on. */
static HirPyValue
to_list (HirPy *py, const HirPyTorch *torch, guint axis, gint64 *at)
{
  HirPyValue list;

  if (axis == torch->n_dims)
    return *locate (torch, (*at)++);
  list = hir_py_list (py, HIR_PY_LIST, (guint) torch->shape[axis]);
  for (guint i = 0; i < list.list->n; i++)
    list.list->items[i] = to_list (py, torch, axis + 1, at);
  return list;
}

gboolean
hir_py_torch_read (HirPy *py, const HirPyTorch *torch, const char *name, HirPyValue *value)
{
  gint64 n = count (torch), at = 0;
  gboolean is_item = strcmp (name, "item") == 0;

  if (torch->data == NULL || n > MAX_ELEMENTS || (is_item && n != 1) ||
      (!is_item && strcmp (name, "tolist") != 0))
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    if (locate (torch, i)->type == HIR_PY_NONE)
      return FALSE;
  *value = is_item ? *torch->data : to_list (py, torch, 0, &at);
  return TRUE;
}
