#include "trace/pyramid.h"

#include <string.h>

static guint
n_cells (guint n, guint per_cell)
{
  return n / per_cell + (n % per_cell != 0);
}

static gboolean
allocate_level (HirPyramidLevel *level, guint n)
{
  level->n = n;
  level->max_end = g_try_new (gint64, n);
  return level->max_end != NULL;
}

/* Fills the lowest level. */
static void
sum_blocks (HirPyramid *pyramid)
{
  const HirColumns *columns = pyramid->columns;
  HirPyramidLevel *level = &pyramid->levels[0];

  for (guint block = 0; block < level->n; block++)
    {
      guint first = block * HIR_PYRAMID_BLOCK;
      guint end = columns->n - first > HIR_PYRAMID_BLOCK ? first + HIR_PYRAMID_BLOCK : columns->n;

      level->max_end[block] = G_MININT64;
      for (guint i = first; i < end; i++)
        level->max_end[block] = MAX (level->max_end[block], hir_columns_get_end (columns, i));
    }
}

static void
sum_level (const HirPyramidLevel *below, HirPyramidLevel *level)
{
  for (guint cell = 0; cell < level->n; cell++)
    {
      guint first = cell * HIR_PYRAMID_FAN;
      guint end = MIN (first + HIR_PYRAMID_FAN, below->n);

      level->max_end[cell] = below->max_end[first];
      for (guint i = first + 1; i < end; i++)
        level->max_end[cell] = MAX (level->max_end[cell], below->max_end[i]);
    }
}

gboolean
hir_pyramid_init (HirPyramid *pyramid, const HirColumns *columns)
{
  guint n = n_cells (columns->n, HIR_PYRAMID_BLOCK);

  memset (pyramid, 0, sizeof *pyramid);
  pyramid->columns = columns;
  if (n == 0)
    return TRUE;
  pyramid->n_levels = 1;
  if (!allocate_level (&pyramid->levels[0], n))
    {
      hir_pyramid_clear (pyramid);
      return FALSE;
    }
  sum_blocks (pyramid);
  while (n > 1)
    {
      HirPyramidLevel *level = &pyramid->levels[pyramid->n_levels++];

      n = n_cells (n, HIR_PYRAMID_FAN);
      if (!allocate_level (level, n))
        {
          hir_pyramid_clear (pyramid);
          return FALSE;
        }
      sum_level (level - 1, level);
    }
  return TRUE;
}

void
hir_pyramid_clear (HirPyramid *pyramid)
{
  for (guint l = 0; l < HIR_PYRAMID_LEVELS; l++)
    g_free (pyramid->levels[l].max_end);
  memset (pyramid, 0, sizeof *pyramid);
}

void
hir_pyramid_shift (HirPyramid *pyramid, gint64 by_ns)
{
  for (guint l = 0; l < pyramid->n_levels; l++)
    for (guint cell = 0; cell < pyramid->levels[l].n; cell++)
      pyramid->levels[l].max_end[cell] += by_ns;
}

gsize
hir_pyramid_get_size_bytes (const HirPyramid *pyramid)
{
  gsize size = 0;

  for (guint l = 0; l < pyramid->n_levels; l++)
    size += pyramid->levels[l].n * sizeof (gint64);
  return size;
}

guint
hir_pyramid_lower_bound (const HirPyramid *pyramid, guint lo, guint hi, gint64 time)
{
  while (lo < hi)
    {
      guint mid = lo + (hi - lo) / 2;

      if (hir_columns_get_start (pyramid->columns, mid) < time)
        lo = mid + 1;
      else
        hi = mid;
    }
  return lo;
}

/* Returns the number of events in a cell of @level. */
static inline guint64
level_span (guint level)
{
  return (guint64) HIR_PYRAMID_BLOCK << (4 * level);
}

/* Returns the highest level with a cell that starts at event @i and ends at or before @hi, or -1.
 * The last cell of a level may contain fewer events. */
static int
level_from (const HirPyramid *pyramid, guint i, guint hi)
{
  int best = -1;

  for (guint l = 0; l < pyramid->n_levels; l++)
    {
      if (i % level_span (l) != 0)
        break;
      if (i + level_span (l) > hi && hi != pyramid->columns->n)
        break;
      best = (int) l;
      if (i + level_span (l) >= hi)
        break;
    }
  return best;
}

guint
hir_pyramid_first_ending (const HirPyramid *pyramid, guint lo, guint hi, gint64 time)
{
  guint64 i = lo;

  while (i < hi)
    {
      int level = level_from (pyramid, (guint) i, hi);

      /* Descend to the highest cell that can be skipped. */
      while (level >= 0 && pyramid->levels[level].max_end[i / level_span ((guint) level)] >= time)
        level--;
      if (level >= 0)
        i += level_span ((guint) level);
      else if (hir_columns_get_end (pyramid->columns, (guint) i) >= time)
        return (guint) i;
      else
        i++;
    }
  return hi;
}

/* Returns the highest level with a full cell that ends just before event @i and starts at or after
 * @lo, or -1. */
static int
level_to (const HirPyramid *pyramid, guint lo, guint i)
{
  int best = -1;

  for (guint l = 0; l < pyramid->n_levels; l++)
    {
      if (i % level_span (l) != 0 || i - lo < level_span (l))
        break;
      best = (int) l;
    }
  return best;
}

guint
hir_pyramid_last_ending (const HirPyramid *pyramid, guint lo, guint hi, gint64 time)
{
  guint i = hi;

  while (i > lo)
    {
      int level = level_to (pyramid, lo, i);

      while (level >= 0 &&
             pyramid->levels[level].max_end[i / level_span ((guint) level) - 1] >= time)
        level--;
      if (level >= 0)
        i -= (guint) level_span ((guint) level);
      else if (hir_columns_get_end (pyramid->columns, i - 1) >= time)
        return i - 1;
      else
        i--;
    }
  return hi;
}

gint64
hir_pyramid_max_end (const HirPyramid *pyramid, guint lo, guint hi)
{
  gint64 latest = G_MININT64;

  for (guint64 i = lo; i < hi;)
    {
      int level = level_from (pyramid, (guint) i, hi);
      gint64 end;

      if (level >= 0)
        {
          end = pyramid->levels[level].max_end[i / level_span ((guint) level)];
          i += level_span ((guint) level);
        }
      else
        end = hir_columns_get_end (pyramid->columns, (guint) i++);
      latest = MAX (latest, end);
    }
  return latest;
}
