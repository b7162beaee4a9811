#include "trace/align.h"

#include <string.h>

#include "trace/collective-names.h"
#include "trace/trace-private.h"

#define MAX_TIME_NS (G_GINT64_CONSTANT (1) << 61)

/* How much later rank @b ended a collective than rank @a; a < b. */
typedef struct
{
  int a, b;
  gint64 later_ns;
} Difference;

typedef struct
{
  int a, b;
  guint n;
  gint64 median_ns, spread_ns;
} Pair;

/* --- measuring
 * --------------------------------------------------------------------------------- */

/* Returns whether no rank can finish the collective before all have started it, so that all finish
 * at about the same time. */
static gboolean
ends_together (const HirTrace *trace, const HirCommRecord *record)
{
  HirCollectiveKind kind = hir_collective_get_kind (hir_trace_get_string (trace, record->op));

  return kind == HIR_COLLECTIVE_ALL_REDUCE || kind == HIR_COLLECTIVE_ALL_GATHER ||
         kind == HIR_COLLECTIVE_ALL_TO_ALL || kind == HIR_COLLECTIVE_REDUCE_SCATTER ||
         kind == HIR_COLLECTIVE_BARRIER;
}

static guint
get_group_end (const HirTrace *trace, guint from)
{
  const HirCommRecordRow *rows = (const HirCommRecordRow *) trace->meetings->data;
  guint to = from + 1;

  while (to < trace->meetings->len &&
         hir_comm_record_matches (&rows[to].record, &rows[from].record))
    to++;
  return to;
}

static int
compare_differences (gconstpointer a, gconstpointer b)
{
  const Difference *x = a, *y = b;

  if (x->a != y->a)
    return x->a < y->a ? -1 : 1;
  if (x->b != y->b)
    return x->b < y->b ? -1 : 1;
  return (x->later_ns > y->later_ns) - (x->later_ns < y->later_ns);
}

/* Returns one difference per collective and rank, each measured against the lowest rank of the
 * collective. */
static GArray *
measure (const HirTrace *trace)
{
  const HirCommRecordRow *rows = (const HirCommRecordRow *) trace->meetings->data;
  GArray *differences = g_array_new (FALSE, FALSE, sizeof (Difference));

  for (guint from = 0, to; from < trace->meetings->len; from = to)
    {
      const HirCommRecordRow *lowest = NULL;

      to = get_group_end (trace, from);
      if (rows[from].record.side != HIR_COMM_SIDE_TEAM ||
          !ends_together (trace, &rows[from].record))
        continue;
      for (guint i = from; i < to; i++)
        {
          const HirCommRecordRow *row = &rows[i];

          if (row->index == HIR_NO_EVENT)
            continue;
          if (lowest != NULL && row->record.rank > lowest->record.rank)
            {
              Difference difference = { lowest->record.rank, row->record.rank,
                                        row->end_ns - lowest->end_ns };

              g_array_append_val (differences, difference);
            }
          if (lowest == NULL)
            lowest = row;
        }
    }
  g_array_sort (differences, compare_differences);
  return differences;
}

static int
compare_ns (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* Computes the median of sorted differences and the median distance from it. */
static Pair
make_pair (const Difference *differences, guint n)
{
  Pair pair = { differences->a, differences->b, n, differences[n / 2].later_ns, 0 };
  g_autofree gint64 *distances = g_new (gint64, n);

  for (guint i = 0; i < n; i++)
    distances[i] = ABS (differences[i].later_ns - pair.median_ns);
  qsort (distances, n, sizeof *distances, compare_ns);
  pair.spread_ns = distances[n / 2];
  return pair;
}

static GArray *
find_pairs (const HirTrace *trace)
{
  g_autoptr (GArray) differences = measure (trace);
  GArray *pairs = g_array_new (FALSE, FALSE, sizeof (Pair));

  for (guint from = 0, to; from < differences->len; from = to)
    {
      const Difference *first = &g_array_index (differences, Difference, from);

      for (to = from + 1; to < differences->len; to++)
        if (g_array_index (differences, Difference, to).a != first->a ||
            g_array_index (differences, Difference, to).b != first->b)
          break;
      if (to - from >= HIR_ALIGN_MIN_MATCHES)
        {
          Pair pair = make_pair (first, to - from);

          g_array_append_val (pairs, pair);
        }
    }
  return pairs;
}

/* --- choosing shifts
 * --------------------------------------------------------------------------- */

static HirRankClock *
find_clock (GArray *clocks, int rank)
{
  for (guint i = 0; i < clocks->len; i++)
    if (g_array_index (clocks, HirRankClock, i).rank == rank)
      return &g_array_index (clocks, HirRankClock, i);
  return NULL;
}

static GArray *
list_ranks (const HirTrace *trace, int first_rank)
{
  GArray *clocks = g_array_new (FALSE, FALSE, sizeof (HirRankClock));
  HirRankClock first = { .rank = first_rank, .to_rank = first_rank };

  g_array_append_val (clocks, first);
  for (guint t = 0; t < trace->tracks->len; t++)
    {
      HirRankClock clock = { .rank = hir_trace_get_track (trace, t)->rank, .to_rank = -1 };

      if (find_clock (clocks, clock.rank) == NULL)
        g_array_append_val (clocks, clock);
    }
  return clocks;
}

/* Returns the pair with the most matches of which exactly one clock is set, or NULL. */
static const Pair *
find_next_pair (GArray *pairs, GArray *clocks)
{
  const Pair *best = NULL;

  for (guint i = 0; i < pairs->len; i++)
    {
      const Pair *pair = &g_array_index (pairs, Pair, i);
      const HirRankClock *a = find_clock (clocks, pair->a), *b = find_clock (clocks, pair->b);

      if (a != NULL && b != NULL && (a->to_rank < 0) != (b->to_rank < 0) &&
          (best == NULL || pair->n > best->n))
        best = pair;
    }
  return best;
}

/* Sets the clocks one after another, starting at the first rank; each from a clock that is already
 * set. */
static void
choose_shifts (GArray *pairs, GArray *clocks)
{
  const Pair *pair;

  while ((pair = find_next_pair (pairs, clocks)) != NULL)
    {
      HirRankClock *a = find_clock (clocks, pair->a), *b = find_clock (clocks, pair->b);
      gboolean b_is_new = b->to_rank < 0;
      HirRankClock *clock = b_is_new ? b : a;
      const HirRankClock *to = b_is_new ? a : b;
      gint64 ahead_ns;

      clock->to_rank = to->rank;
      clock->n_matches = pair->n;
      clock->offset_ns = b_is_new ? pair->median_ns : -pair->median_ns;
      clock->error_ns = pair->spread_ns + to->error_ns;
      ahead_ns = clock->offset_ns - to->shift_ns;
      if (ABS (ahead_ns) >= MAX (HIR_ALIGN_MIN_OFFSET_NS, 3 * clock->error_ns))
        clock->shift_ns = -ahead_ns;
    }
}

static gboolean
can_shift (const HirTrace *trace, const HirRankClock *clock)
{
  return ABS (clock->shift_ns) < MAX_TIME_NS / 2 &&
         trace->start_ns + MIN (clock->shift_ns, 0) > -MAX_TIME_NS &&
         trace->end_ns + MAX (clock->shift_ns, 0) < MAX_TIME_NS;
}

static void
shift_rank (HirTrace *trace, HirRankClock *clock)
{
  if (!can_shift (trace, clock))
    clock->shift_ns = 0;
  if (clock->shift_ns == 0)
    return;
  for (guint t = 0; t < trace->tracks->len; t++)
    {
      HirTrackData *track = g_ptr_array_index (trace->tracks, t);
      gint64 *starts = track->columns.data[HIR_COLUMN_START];

      if (track->info.rank != clock->rank)
        continue;
      for (guint i = 0; i < track->columns.n; i++)
        starts[i] += clock->shift_ns;
      hir_pyramid_shift (&track->pyramid, clock->shift_ns);
    }
  hir_flows_shift (trace, clock->rank, clock->shift_ns);
  for (guint i = 0; i < trace->meetings->len; i++)
    {
      HirCommRecordRow *row = &g_array_index (trace->meetings, HirCommRecordRow, i);

      if (row->record.rank != clock->rank || row->index == HIR_NO_EVENT)
        continue;
      row->start_ns += clock->shift_ns;
      row->end_ns += clock->shift_ns;
    }
}

/* --- account
 * ----------------------------------------------------------------------------------- */

static void
describe_clock (HirTrace *trace, const HirRankClock *clock)
{
  double error_us = (double) clock->error_ns / 1000;

  /* As in recordings of several processes: what is left after shifting. */
  if (clock->to_rank >= 0)
    g_hash_table_replace (trace->meta, g_strdup_printf ("clock.rank.%d", clock->rank),
                          g_strdup_printf ("offset_ns=%" G_GINT64_FORMAT
                                           " error_ns=%" G_GINT64_FORMAT,
                                           clock->offset_ns + clock->shift_ns, clock->error_ns));
  if (clock->to_rank < 0)
    hir_trace_add_account (
        trace, g_strdup_printf ("rank %d: clock not aligned; too few of its collectives could be "
                                "matched with those of other ranks",
                                clock->rank));
  else if (clock->shift_ns == 0)
    hir_trace_add_account (
        trace, g_strdup_printf ("rank %d: clock agrees with that of rank %d: %+.1f µs ± %.1f µs, "
                                "from %u collectives; not shifted",
                                clock->rank, clock->to_rank, (double) clock->offset_ns / 1000,
                                error_us, clock->n_matches));
  else
    hir_trace_add_account (
        trace, g_strdup_printf ("rank %d: shifted by %+.1f µs ± %.1f µs, from %u collectives that "
                                "it shares with rank %d",
                                clock->rank, (double) clock->shift_ns / 1000, error_us,
                                clock->n_matches, clock->to_rank));
}

/* Returns whether a communication ended on one rank before it started on another, which cannot
 * happen. */
static gboolean
is_impossible (const HirTrace *trace, const HirCommRecordRow *rows, guint from, guint to)
{
  gint64 last_start_ns = G_MININT64, first_end_ns = G_MAXINT64;

  for (guint i = from; i < to; i++)
    if (rows[i].index != HIR_NO_EVENT)
      {
        /* A receive must not end before its send starts; the other way round is possible. */
        if (rows[i].record.side != HIR_COMM_SIDE_RECV)
          last_start_ns = MAX (last_start_ns, rows[i].start_ns);
        if (rows[i].record.side != HIR_COMM_SIDE_SEND)
          first_end_ns = MIN (first_end_ns, rows[i].end_ns);
      }
  return first_end_ns < last_start_ns && (rows[from].record.side != HIR_COMM_SIDE_TEAM ||
                                          ends_together (trace, &rows[from].record));
}

static void
describe_impossible (HirTrace *trace)
{
  const HirCommRecordRow *rows = (const HirCommRecordRow *) trace->meetings->data;
  guint n = 0, n_impossible = 0;

  for (guint from = 0, to; from < trace->meetings->len; from = to)
    {
      to = get_group_end (trace, from);
      n += to - from > 1;
      n_impossible += to - from > 1 && is_impossible (trace, rows, from, to);
    }
  if (n_impossible > 0)
    hir_trace_add_account (
        trace, g_strdup_printf ("%u of %u communications between ranks end on one rank before they "
                                "start on another: the clocks do not agree throughout",
                                n_impossible, n));
}

GArray *
hir_trace_align_ranks (HirTrace *trace, int first_rank)
{
  g_autoptr (GArray) pairs = find_pairs (trace);
  GArray *clocks = list_ranks (trace, first_rank);

  choose_shifts (pairs, clocks);
  /* The first rank is the reference of the others. */
  g_array_remove_index (clocks, 0);
  for (guint i = 0; i < clocks->len; i++)
    {
      HirRankClock *clock = &g_array_index (clocks, HirRankClock, i);

      shift_rank (trace, clock);
      describe_clock (trace, clock);
    }
  hir_trace_measure_span (trace);
  describe_impossible (trace);
  return clocks;
}
