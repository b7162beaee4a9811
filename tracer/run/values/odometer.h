/* Walks through all indices of a few axes, the last one fastest, and where each stands in
 * memory. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Next index over the first @n axes; FALSE when it has gone round, and is all zero again. */
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

/* Element @k, in row-major order, as an offset in elements. */
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

/* In elements. */
static inline gint64
hir_odometer_offset (const gint64 *index, const gint64 *strides, guint n)
{
  gint64 at = 0;

  for (guint i = 0; i < n; i++)
    at += index[i] * strides[i];
  return at;
}

G_END_DECLS
