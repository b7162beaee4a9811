#include "draw/timeline/counter-index.h"

#define FAN 16
#define MAX_LEVELS 8
#define CELLS_A_LOOK 4096

typedef struct
{
  float min, max;
} Cell;

struct _HirCounterIndex
{
  const HirColumns *samples;
  Cell *levels[MAX_LEVELS];
  guint n_cells[MAX_LEVELS];
  guint n_levels;
  HirCounterRange all;
};

static double
get_value (const HirCounterIndex *index, guint i)
{
  const HirEvent sample = { .bytes = hir_columns_get_bytes (index->samples, i) };

  return hir_event_get_value (&sample);
}

static void
take (HirCounterRange *range, double min, double max)
{
  range->min = MIN (range->min, min);
  range->max = MAX (range->max, max);
}

static void
sum_samples (HirCounterIndex *index, guint n, GCancellable *cancellable)
{
  for (guint c = 0; c < n && (c % CELLS_A_LOOK != 0 || !g_cancellable_is_cancelled (cancellable));
       c++)
    {
      HirCounterRange range = { G_MAXDOUBLE, -G_MAXDOUBLE };

      for (guint i = c * FAN; i < MIN ((c + 1) * FAN, index->samples->n); i++)
        take (&range, get_value (index, i), get_value (index, i));
      take (&index->all, range.min, range.max);
      index->levels[0][c] = (Cell){ (float) range.min, (float) range.max };
    }
}

static void
sum_cells (HirCounterIndex *index, guint level, guint n)
{
  for (guint c = 0; c < n; c++)
    {
      const Cell *below = index->levels[level - 1];
      Cell cell = below[c * FAN];

      for (guint i = c * FAN; i < MIN ((c + 1) * FAN, index->n_cells[level - 1]); i++)
        cell = (Cell){ MIN (cell.min, below[i].min), MAX (cell.max, below[i].max) };
      index->levels[level][c] = cell;
    }
}

HirCounterIndex *
hir_counter_index_new (const HirTrace *trace, guint track, GCancellable *cancellable)
{
  HirCounterIndex *index = g_new0 (HirCounterIndex, 1);
  guint n;

  index->samples = hir_trace_get_columns (trace, track);
  index->all = (HirCounterRange){ G_MAXDOUBLE, -G_MAXDOUBLE };
  n = index->samples->n / FAN + (index->samples->n % FAN != 0);
  while (n > 0 && !g_cancellable_is_cancelled (cancellable))
    {
      guint level = index->n_levels++;

      index->levels[level] = g_new (Cell, n);
      index->n_cells[level] = n;
      if (level == 0)
        sum_samples (index, n, cancellable);
      else
        sum_cells (index, level, n);
      n = n > 1 ? n / FAN + (n % FAN != 0) : 0;
    }
  if (g_cancellable_is_cancelled (cancellable))
    {
      hir_counter_index_free (index);
      return NULL;
    }
  if (index->samples->n == 0)
    index->all = (HirCounterRange){ 0, 0 };
  return index;
}

void
hir_counter_index_free (HirCounterIndex *index)
{
  if (index == NULL)
    return;
  for (guint level = 0; level < index->n_levels; level++)
    g_free (index->levels[level]);
  g_free (index);
}

gsize
hir_counter_index_get_size_bytes (const HirCounterIndex *index)
{
  gsize size = sizeof *index;

  for (guint level = 0; level < index->n_levels; level++)
    size += index->n_cells[level] * sizeof (Cell);
  return size;
}

HirCounterRange
hir_counter_index_get_all (const HirCounterIndex *index)
{
  return index->all;
}

HirCounterRange
hir_counter_index_get_range (const HirCounterIndex *index, guint from, guint to)
{
  HirCounterRange range = { G_MAXDOUBLE, -G_MAXDOUBLE };
  guint level = 0;

  g_return_val_if_fail (from < to && to <= index->samples->n, index->all);
  for (; from < to && from % FAN != 0; from++)
    take (&range, get_value (index, from), get_value (index, from));
  for (; from < to && to % FAN != 0; to--)
    take (&range, get_value (index, to - 1), get_value (index, to - 1));
  /* Whole cells now, of a level more in each turn. */
  for (from /= FAN, to /= FAN; from < to; level++, from /= FAN, to /= FAN)
    {
      const Cell *cells = index->levels[level];
      gboolean is_top = level + 1 == index->n_levels;

      for (; from < to && (from % FAN != 0 || is_top); from++)
        take (&range, (double) cells[from].min, (double) cells[from].max);
      for (; from < to && to % FAN != 0; to--)
        take (&range, (double) cells[to - 1].min, (double) cells[to - 1].max);
    }
  return range;
}
