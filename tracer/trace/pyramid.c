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
  level->longest = g_try_new (guint32, n);
  return level->max_end != NULL && level->longest != NULL;
}

/* Fills the lowest level and the running sums. */
static void
sum_blocks (HirPyramid *pyramid)
{
  const HirColumns *columns = pyramid->columns;
  HirPyramidLevel *level = &pyramid->levels[0];
  gint64 busy = 0, reach = G_MININT64;

  for (guint block = 0; block < level->n; block++)
    {
      guint first = block * HIR_PYRAMID_BLOCK;
      guint end = columns->n - first > HIR_PYRAMID_BLOCK ? first + HIR_PYRAMID_BLOCK : columns->n;

      pyramid->busy[block] = busy;
      pyramid->reach[block] = reach;
      level->longest[block] = first;
      level->max_end[block] = G_MININT64;
      for (guint i = first; i < end; i++)
        {
          gint64 event_end = hir_columns_get_end (columns, i);

          if (hir_columns_get_duration (columns, i) >
              hir_columns_get_duration (columns, level->longest[block]))
            level->longest[block] = i;
          level->max_end[block] = MAX (level->max_end[block], event_end);
          if (event_end > reach)
            {
              busy += event_end - MAX (hir_columns_get_start (columns, i), reach);
              reach = event_end;
            }
        }
    }
}

static void
sum_level (HirPyramid *pyramid, const HirPyramidLevel *below, HirPyramidLevel *level)
{
  for (guint cell = 0; cell < level->n; cell++)
    {
      guint first = cell * HIR_PYRAMID_FAN;
      guint end = MIN (first + HIR_PYRAMID_FAN, below->n);

      level->max_end[cell] = below->max_end[first];
      level->longest[cell] = below->longest[first];
      for (guint i = first + 1; i < end; i++)
        {
          level->max_end[cell] = MAX (level->max_end[cell], below->max_end[i]);
          if (hir_columns_get_duration (pyramid->columns, below->longest[i]) >
              hir_columns_get_duration (pyramid->columns, level->longest[cell]))
            level->longest[cell] = below->longest[i];
        }
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
  pyramid->busy = g_try_new (gint64, n);
  pyramid->reach = g_try_new (gint64, n);
  pyramid->n_levels = 1;
  if (pyramid->busy == NULL || pyramid->reach == NULL || !allocate_level (&pyramid->levels[0], n))
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
      sum_level (pyramid, level - 1, level);
    }
  return TRUE;
}

void
hir_pyramid_clear (HirPyramid *pyramid)
{
  for (guint l = 0; l < HIR_PYRAMID_LEVELS; l++)
    {
      g_free (pyramid->levels[l].max_end);
      g_free (pyramid->levels[l].longest);
    }
  g_free (pyramid->busy);
  g_free (pyramid->reach);
  memset (pyramid, 0, sizeof *pyramid);
}

void
hir_pyramid_shift (HirPyramid *pyramid, gint64 by_ns)
{
  guint n = pyramid->n_levels > 0 ? pyramid->levels[0].n : 0;

  for (guint block = 0; block < n; block++)
    if (pyramid->reach[block] != G_MININT64)
      pyramid->reach[block] += by_ns;
  for (guint l = 0; l < pyramid->n_levels; l++)
    for (guint cell = 0; cell < pyramid->levels[l].n; cell++)
      pyramid->levels[l].max_end[cell] += by_ns;
}

gsize
hir_pyramid_get_size_bytes (const HirPyramid *pyramid)
{
  gsize size = pyramid->n_levels > 0 ? pyramid->levels[0].n * 2 * sizeof (gint64) : 0;

  for (guint l = 0; l < pyramid->n_levels; l++)
    size += pyramid->levels[l].n * (sizeof (gint64) + sizeof (guint32));
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

/* Events that a cell of @level stands for. */
static inline guint64
level_span (guint level)
{
  return (guint64) HIR_PYRAMID_BLOCK << (4 * level);
}

/* The highest level that has a cell which begins at event @i and ends at or before @hi; -1 where
 * none. The last cell of a level may stand for fewer events than others. */
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

      /* down to the highest cell that can be skipped whole */
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

/* The highest level that has a whole cell which ends just before event @i and begins at or after
 * @lo. */
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

guint
hir_pyramid_longest (const HirPyramid *pyramid, guint lo, guint hi)
{
  guint longest = lo;

  for (guint64 i = lo; i < hi;)
    {
      int level = level_from (pyramid, (guint) i, hi);
      guint candidate;

      if (level >= 0)
        {
          candidate = pyramid->levels[level].longest[i / level_span ((guint) level)];
          i += level_span ((guint) level);
        }
      else
        candidate = (guint) i++;
      if (hir_columns_get_duration (pyramid->columns, candidate) >
          hir_columns_get_duration (pyramid->columns, longest))
        longest = candidate;
    }
  return longest;
}

/* What the events before a place amount to. */
typedef struct
{
  gint64 busy;         /* ns covered, overlaps counted once */
  gint64 reach;        /* latest end; G_MININT64: there are none */
  gint64 reach_before; /* the same without the last of them */
} Prefix;

/* Events [@from, @to) too. */
static void
add_to_prefix (const HirColumns *columns, guint from, guint to, Prefix *sum)
{
  const gint64 *starts = columns->data[HIR_COLUMN_START];
  const guint32 *durations = columns->data[HIR_COLUMN_DURATION];
  gboolean all_short = columns->longs.n == 0;

  for (guint k = from; k < to; k++)
    {
      gint64 end =
          all_short ? starts[k] + durations[k] : starts[k] + hir_columns_get_duration (columns, k);
      gint64 reach = sum->reach;

      sum->reach_before = reach;
      sum->busy += MAX (end - MAX (starts[k], reach), 0);
      sum->reach = MAX (end, reach);
    }
}

/* @near: the sum of the events before @from, which is not after @i. It goes on from there or from
 * the sums that are kept, whichever is nearer. */
static Prefix
sum_prefix (const HirPyramid *pyramid, guint i, const Prefix *near, guint from)
{
  Prefix sum = *near;
  guint block;

  if (i == from)
    return sum;
  block = (i - 1) / HIR_PYRAMID_BLOCK;
  if (block * HIR_PYRAMID_BLOCK >= from)
    {
      from = block * HIR_PYRAMID_BLOCK;
      sum = (Prefix){ pyramid->busy[block], pyramid->reach[block], G_MININT64 };
    }
  add_to_prefix (pyramid->columns, from, i, &sum);
  return sum;
}

/* @sum: of all events that start before @time. What they cover after it is one stretch from it. */
static gint64
busy_until (const Prefix *sum, gint64 time)
{
  return sum->reach > time ? sum->busy - (sum->reach - time) : sum->busy;
}

typedef struct
{
  guint event;
  gint64 overlap;
} Candidate;

static void
offer (Candidate *best, guint event, gint64 overlap)
{
  if (best->event == HIR_NO_EVENT || overlap > best->overlap ||
      (overlap == best->overlap && event < best->event))
    {
      best->event = event;
      best->overlap = overlap;
    }
}

/* First of the events before @i, of which @sum is made and of which one does, that ends at or after
 * @time. On a track without overlaps that is the last, and there is nothing to look for. */
static guint
first_reaching (const HirPyramid *pyramid, const Prefix *sum, guint lo, guint i, gint64 time)
{
  return sum->reach_before < time ? i - 1 : hir_pyramid_first_ending (pyramid, lo, i, time);
}

/* A bin, the places of the first events that start in it and after it, and the sums up to those. */
typedef struct
{
  gint64 start, end;
  guint first, last;
  Prefix before, within;
} Bin;

/* The event that covers most of the bin, the first of equals. What began before, what goes on
 * after, and what lies inside are each found without a walk. */
static guint
find_dominant (const HirPyramid *pyramid, const Bin *bin)
{
  Candidate best = { HIR_NO_EVENT, 0 };
  guint crossing = bin->last;

  if (bin->before.reach > bin->start)
    {
      gint64 until = MIN (bin->before.reach, bin->end);

      offer (&best, first_reaching (pyramid, &bin->before, 0, bin->first, until),
             until - bin->start);
    }
  if (bin->first == bin->last)
    return best.event;
  /* After the first event that crosses the end, none covers more than it does. */
  if (bin->within.reach >= bin->end)
    {
      crossing = first_reaching (pyramid, &bin->within, bin->first, bin->last, bin->end);
      if (crossing < bin->last && hir_columns_get_end (pyramid->columns, crossing) < bin->end)
        crossing = bin->last;
    }
  if (crossing < bin->last)
    offer (&best, crossing, bin->end - hir_columns_get_start (pyramid->columns, crossing));
  if (crossing > bin->first)
    {
      guint longest = hir_pyramid_longest (pyramid, bin->first, crossing);

      offer (&best, longest, hir_columns_get_duration (pyramid->columns, longest));
    }
  return best.event;
}

static gint64
bin_edge (gint64 start_ns, gint64 end_ns, guint n_bins, guint bin)
{
  if (end_ns - start_ns <= G_MAXINT64 / n_bins)
    return start_ns + (end_ns - start_ns) * bin / n_bins;
  return start_ns + (gint64) ((__int128) (end_ns - start_ns) * bin / n_bins);
}

/* Lower bound of @time at or after @from, near which it is likely to be. */
static guint
gallop (const HirPyramid *pyramid, guint from, gint64 time)
{
  guint64 step = 16, hi = from;
  guint n = pyramid->columns->n;

  while (hi < n && hir_columns_get_start (pyramid->columns, (guint) hi) < time)
    {
      from = (guint) hi + 1;
      hi += step;
      step *= 2;
    }
  return hir_pyramid_lower_bound (pyramid, from, (guint) MIN (hi, n), time);
}

void
hir_pyramid_summarize (
    const HirPyramid *pyramid, gint64 start_ns, gint64 end_ns, guint n_bins, HirTraceBin *bins)
{
  const Prefix none = { 0, G_MININT64, G_MININT64 };
  gint64 edge = start_ns;
  Bin bin = { 0 };

  bin.last = hir_pyramid_lower_bound (pyramid, 0, pyramid->columns->n, start_ns);
  bin.end = start_ns;
  bin.within = sum_prefix (pyramid, bin.last, &none, 0);
  for (guint b = 0; b < n_bins; b++)
    {
      gint64 start = edge;

      /* Bins narrower than 1 ns share their nanosecond: then the start stays where it was. */
      if (start == bin.end)
        {
          bin.first = bin.last;
          bin.before = bin.within;
        }
      bin.start = start;
      edge = bin_edge (start_ns, end_ns, n_bins, b + 1);
      bin.end = MAX (edge, start + 1);
      bin.last = gallop (pyramid, bin.first, bin.end);
      bin.within = sum_prefix (pyramid, bin.last, &bin.before, bin.first);
      bins[b].start_ns = bin.start;
      bins[b].end_ns = bin.end;
      bins[b].n_started = bin.last - bin.first;
      bins[b].busy_ns = busy_until (&bin.within, bin.end) - busy_until (&bin.before, bin.start);
      bins[b].event = find_dominant (pyramid, &bin);
    }
}
