/* Iteration over all indices of some axes, the last one fastest, and their offsets in memory. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Increments @index over the first @n axes. Returns FALSE after the last index; all indices are
 * then 0. */
static inline gboolean
hir_odometer_next (gint64 *index, const gint64 *sizes, guint n)
{
  while (n-- > 0)
    {
      if (++index[n] < sizes[n])
        return TRUE;
      index[n] = 0;
    }
  return FALSE;
}

/* Returns the offset of element @k (row-major), in elements. */
static inline gint64
hir_odometer_locate (gint64 k, const gint64 *sizes, const gint64 *strides, guint n)
{
  gint64 at = 0;

  while (n-- > 0)
    {
      at += k % sizes[n] * strides[n];
      k /= sizes[n];
    }
  return at;
}

/* Returns the offset of @index, in elements. */
static inline gint64
hir_odometer_offset (const gint64 *index, const gint64 *strides, guint n)
{
  gint64 at = 0;

  for (guint i = 0; i < n; i++)
    at += index[i] * strides[i];
  return at;
}

G_END_DECLS
