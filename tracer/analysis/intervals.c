/* Set operations on sorted arrays of intervals. */
#include "analysis/intervals.h"

HirIntervals *
hir_intervals_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (HirInterval));
}

void
hir_intervals_add (HirIntervals *set, gint64 start_ns, gint64 end_ns)
{
  HirInterval interval = { start_ns, end_ns };

  if (start_ns < end_ns)
    g_array_append_val (set, interval);
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const HirInterval *x = a, *y = b;

  return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Appends @interval, which must not start before the last one in @set. */
static void
append_merged (HirIntervals *set, HirInterval interval)
{
  HirInterval *last = set->len > 0 ? &g_array_index (set, HirInterval, set->len - 1) : NULL;

  if (last != NULL && interval.start_ns <= last->end_ns)
    last->end_ns = MAX (last->end_ns, interval.end_ns);
  else
    g_array_append_val (set, interval);
}

void
hir_intervals_merge (HirIntervals *set)
{
  guint n_kept = 0;

  g_array_sort (set, compare);
  for (guint i = 0; i < set->len; i++)
    {
      HirInterval interval = g_array_index (set, HirInterval, i);
      HirInterval *last = n_kept > 0 ? &g_array_index (set, HirInterval, n_kept - 1) : NULL;

      if (last != NULL && interval.start_ns <= last->end_ns)
        last->end_ns = MAX (last->end_ns, interval.end_ns);
      else
        g_array_index (set, HirInterval, n_kept++) = interval;
    }
  g_array_set_size (set, n_kept);
}

gint64
hir_intervals_get_total_ns (const HirIntervals *set)
{
  gint64 total_ns = 0;

  for (guint i = 0; i < set->len; i++)
    {
      const HirInterval *interval = &g_array_index (set, HirInterval, i);

      total_ns += interval->end_ns - interval->start_ns;
    }
  return total_ns;
}

HirIntervals *
hir_intervals_dup_union (const HirIntervals *a, const HirIntervals *b)
{
  HirIntervals *both = hir_intervals_new ();
  guint i = 0, j = 0;

  while (i < a->len || j < b->len)
    {
      const HirInterval *x = i < a->len ? &g_array_index (a, HirInterval, i) : NULL;
      const HirInterval *y = j < b->len ? &g_array_index (b, HirInterval, j) : NULL;

      if (y == NULL || (x != NULL && x->start_ns <= y->start_ns))
        {
          append_merged (both, *x);
          i++;
        }
      else
        {
          append_merged (both, *y);
          j++;
        }
    }
  return both;
}

HirIntervals *
hir_intervals_dup_difference (const HirIntervals *a, const HirIntervals *b)
{
  HirIntervals *rest = hir_intervals_new ();
  guint j = 0;

  for (guint i = 0; i < a->len; i++)
    {
      const HirInterval *x = &g_array_index (a, HirInterval, i);
      gint64 at_ns = x->start_ns;

      while (j < b->len && g_array_index (b, HirInterval, j).end_ns <= at_ns)
        j++;
      /* An interval of @b may overlap the next one of @a too. */
      for (guint k = j; k < b->len && at_ns < x->end_ns; k++)
        {
          const HirInterval *y = &g_array_index (b, HirInterval, k);

          if (y->start_ns >= x->end_ns)
            break;
          hir_intervals_add (rest, at_ns, y->start_ns);
          at_ns = MAX (at_ns, y->end_ns);
        }
      hir_intervals_add (rest, at_ns, x->end_ns);
    }
  return rest;
}
