/* Memory in the reference of host programs. */
#include <math.h>
#include <string.h>

#include "run/reference/reference-host-private.h"

static void
free_store (gpointer data, gpointer user_data)
{
  hir_ref_tensor_unref (data);
}

static HirRefTensor *
get_store (const HirValue *value)
{
  return (HirRefTensor *) (gpointer) value->buffer->data;
}

static void
poison (HirRefTensor *store)
{
  guint8 bytes[16];
  gint64 element;

  for (gint64 k = 0; store->values != NULL && k < store->count; k++)
    store->values[k] = NAN;
  if (store->ints == NULL)
    return;
  hir_poison (store->dtype, bytes, hir_dtype_get_size_bytes (store->dtype));
  element = hir_element_get_int (store->dtype, bytes);
  for (gint64 k = 0; k < store->count; k++)
    store->ints[k] = element;
}

HirValue *
hir_ref_host_realize (const HirValue *shape, GError **error)
{
  gint64 count = (gint64) (shape->buffer->size_bytes / hir_dtype_get_size_bytes (shape->dtype));
  HirRefTensor *store = hir_ref_tensor_new (shape->dtype, 1, &count, error);
  g_autoptr (HirBuffer) buffer = NULL;

  if (store == NULL)
    return NULL;
  store->is_copy = TRUE;
  poison (store);
  buffer = hir_buffer_new_deferred (shape->buffer->size_bytes);
  buffer->data = (gpointer) store;
  buffer->free_data = free_store;
  return hir_value_new_tensor (shape->dtype, shape->n_dims, shape->sizes, shape->strides, buffer);
}

HirRefTensor *
hir_ref_host_gather (const HirValue *value, GError **error)
{
  const HirRefTensor *store = get_store (value);
  HirRefTensor *result = hir_ref_tensor_new (value->dtype, value->n_dims, value->sizes, error);
  HirRefWalk walk;

  if (result == NULL)
    return NULL;
  if (store->errors != NULL && !hir_ref_tensor_need_errors (result, error))
    {
      hir_ref_tensor_unref (result);
      return NULL;
    }
  result->is_copy = store->is_copy;
  result->n_distinct = store->n_distinct;
  hir_ref_walk_init (&walk, value->n_dims, value->sizes, value->offset);
  memcpy (walk.strides, value->strides, sizeof walk.strides);
  for (gint64 k = 0; k < result->count; k++, hir_ref_walk_next (&walk))
    {
      if (result->values != NULL)
        result->values[k] = store->values[walk.at];
      else
        result->ints[k] = store->ints[walk.at];
      if (result->errors != NULL)
        {
          result->errors[k] = store->errors[walk.at];
          result->norms[k] = store->norms[walk.at];
        }
    }
  return result;
}

gboolean
hir_ref_host_scatter (const HirValue *value, const HirRefTensor *from, GError **error)
{
  HirRefTensor *store = get_store (value);
  HirRefWalk walk;

  g_return_val_if_fail (hir_value_get_n_elements (value) == from->count, FALSE);
  if (from->errors != NULL && !hir_ref_tensor_need_errors (store, error))
    return FALSE;
  store->is_copy = store->is_copy && from->is_copy;
  store->n_distinct = fmin (store->n_distinct, from->n_distinct);
  hir_ref_walk_init (&walk, value->n_dims, value->sizes, value->offset);
  memcpy (walk.strides, value->strides, sizeof walk.strides);
  for (gint64 k = 0; k < from->count; k++, hir_ref_walk_next (&walk))
    {
      if (store->values != NULL)
        store->values[walk.at] = from->values[k];
      else
        store->ints[walk.at] = from->ints[k];
      if (store->errors != NULL)
        {
          store->errors[walk.at] = from->errors != NULL ? from->errors[k] : 0;
          store->norms[walk.at] = from->norms != NULL ? from->norms[k] : (HirRefNorm){ 0, 0 };
        }
    }
  return TRUE;
}

HirValue *
hir_ref_host_load (const HirValue *value, GError **error)
{
  g_autoptr (HirBuffer) room = hir_buffer_new_deferred (hir_value_get_size_bytes (value));
  g_autoptr (HirValue) shape =
      hir_value_new_tensor (value->dtype, value->n_dims, value->sizes, NULL, room);
  HirValue *result = hir_ref_host_realize (shape, error);

  if (result != NULL)
    hir_ref_tensor_load (get_store (result), value);
  return result;
}
