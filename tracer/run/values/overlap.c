/* Overlap of tensors in memory. */
#include "run/values/overlap.h"

#include "run/values/odometer.h"

/* Computes the byte range from the first to the last element in the buffer. */
static void
get_range (const HirValue *value, gint64 *from, gint64 *to)
{
  gint64 size = (gint64) hir_dtype_get_size_bytes (value->dtype);
  gint64 last = value->offset;

  for (guint i = 0; i < value->n_dims; i++)
    last += (value->sizes[i] - 1) * value->strides[i];
  *from = value->offset * size;
  *to = (last + 1) * size;
}

gboolean
hir_value_overlaps (const HirValue *a, const HirValue *b)
{
  gint64 a_from, a_to, b_from, b_to, count_a, count_b;
  g_autoptr (GHashTable) elements = NULL;

  if (a->buffer != b->buffer)
    return FALSE;
  count_a = hir_value_get_n_elements (a);
  count_b = hir_value_get_n_elements (b);
  if (count_a == 0 || count_b == 0)
    return FALSE;
  get_range (a, &a_from, &a_to);
  get_range (b, &b_from, &b_to);
  if (a_to <= b_from || b_to <= a_from)
    return FALSE;
  if ((hir_value_is_contiguous (a) && hir_value_is_contiguous (b)) || a->dtype != b->dtype)
    return TRUE;
  /* Slices of one tensor may be interleaved. */
  elements = g_hash_table_new (NULL, NULL);
  for (gint64 k = 0; k < count_a; k++)
    {
      gint64 at = a->offset + hir_odometer_locate (k, a->sizes, a->strides, a->n_dims);

      g_hash_table_add (elements, (gpointer) (gintptr) at);
    }
  for (gint64 k = 0; k < count_b; k++)
    {
      gint64 at = b->offset + hir_odometer_locate (k, b->sizes, b->strides, b->n_dims);

      if (g_hash_table_contains (elements, (gpointer) (gintptr) at))
        return TRUE;
    }
  return FALSE;
}
