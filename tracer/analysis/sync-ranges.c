/* Converts strided views to byte ranges, and intersects accesses. */
#include <stdlib.h>

#include "analysis/sync-trace-private.h"

typedef struct
{
  gint64 size, stride; /* bytes */
} Axis;

static int
compare_axes (gconstpointer a, gconstpointer b)
{
  const Axis *x = a, *y = b;

  return x->stride < y->stride ? -1 : x->stride > y->stride;
}

/* Gets the axes with more than one element and a stride, innermost first, with positive strides,
 * and the first byte @from. Returns FALSE if the view is empty. */
static gboolean
get_axes (const HirValue *value, Axis *axes, guint *n, gint64 *from)
{
  gint64 width = (gint64) hir_dtype_get_size_bytes (value->dtype);

  *from = value->offset * width;
  *n = 0;
  for (guint i = 0; i < value->n_dims; i++)
    {
      gint64 stride = value->strides[i] * width;

      if (value->sizes[i] == 0)
        return FALSE;
      if (value->sizes[i] == 1 || stride == 0)
        continue;
      if (stride < 0)
        *from += (value->sizes[i] - 1) * stride;
      axes[(*n)++] = (Axis){ value->sizes[i], ABS (stride) };
    }
  qsort (axes, *n, sizeof *axes, compare_axes);
  return TRUE;
}

static int
compare_ranges (gconstpointer a, gconstpointer b)
{
  const HirByteRange *x = a, *y = b;

  return x->from < y->from ? -1 : x->from > y->from;
}

/* Sorts the ranges from @first on, and joins those that touch. */
static void
join (GArray *ranges, guint first)
{
  HirByteRange *all = (HirByteRange *) (gpointer) ranges->data;
  guint last = first;

  qsort (all + first, ranges->len - first, sizeof *all, compare_ranges);
  for (guint i = first + 1; i < ranges->len; i++)
    if (all[i].from <= all[last].to)
      all[last].to = MAX (all[last].to, all[i].to);
    else
      all[++last] = all[i];
  g_array_set_size (ranges, last + 1);
}

/* Joins the inner axes of @axes that are contiguous in memory, *@inner of them, to *@block bytes.
 * Returns the number of blocks, or a number above HIR_SYNC_MAX_RANGES. */
static gint64
count_blocks (const HirValue *value, const Axis *axes, guint n, guint *inner, gint64 *block)
{
  gint64 count = 1;

  *block = (gint64) hir_dtype_get_size_bytes (value->dtype);
  for (*inner = 0; *inner < n && axes[*inner].stride <= *block; ++*inner)
    *block += (axes[*inner].size - 1) * axes[*inner].stride;
  for (guint i = *inner; i < n && count <= HIR_SYNC_MAX_RANGES; i++)
    count *= axes[i].size;
  return count;
}

gint64
hir_sync_get_n_ranges (const HirValue *value)
{
  Axis axes[HIR_MAX_DIMS];
  gint64 from, block;
  guint n, inner;

  return get_axes (value, axes, &n, &from) ? count_blocks (value, axes, n, &inner, &block) : 0;
}

void
hir_sync_add_ranges (const HirValue *value, GArray *ranges)
{
  Axis axes[HIR_MAX_DIMS];
  gint64 from, block, count, extent;
  guint n, inner, first = ranges->len;

  if (!get_axes (value, axes, &n, &from))
    return;
  count = count_blocks (value, axes, n, &inner, &block);
  extent = block;
  for (guint i = inner; i < n; i++)
    extent += (axes[i].size - 1) * axes[i].stride;
  if (count > HIR_SYNC_MAX_RANGES)
    {
      HirByteRange whole = { from, from + extent };

      g_array_append_val (ranges, whole);
      return;
    }
  for (gint64 k = 0; k < count; k++)
    {
      HirByteRange range = { from, 0 };
      gint64 rest = k;

      for (guint i = inner; i < n; i++)
        {
          range.from += rest % axes[i].size * axes[i].stride;
          rest /= axes[i].size;
        }
      range.to = range.from + block;
      g_array_append_val (ranges, range);
    }
  join (ranges, first);
}

gboolean
hir_sync_trace_overlaps (const HirSyncTrace *trace,
                         const HirSyncAccess *a,
                         const HirSyncAccess *b,
                         HirByteRange *common)
{
  const HirByteRange *all = (const HirByteRange *) (gconstpointer) trace->ranges->data;
  const HirByteRange *x = all + a->first_range, *y = all + b->first_range;
  const HirByteRange *x_end = x + a->n_ranges, *y_end = y + b->n_ranges;

  if (a->buffer != b->buffer || x == x_end || y == y_end || x_end[-1].to <= y->from ||
      y_end[-1].to <= x->from)
    return FALSE;
  while (x < x_end && y < y_end)
    {
      gint64 from = MAX (x->from, y->from), to = MIN (x->to, y->to);

      if (from < to)
        {
          if (common != NULL)
            *common = (HirByteRange){ from, to };
          return TRUE;
        }
      if (x->to < y->to)
        x++;
      else
        y++;
    }
  return FALSE;
}
