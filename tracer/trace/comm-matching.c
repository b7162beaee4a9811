#include "trace/comm-matching.h"

#include <stdlib.h>

/* For matching by intervals. Fewer collectives prove nothing; a longer search, nothing new. */
#define MIN_INTERVALS 8
#define MAX_SHIFT 64
#define MAX_SAMPLES 512
#define MAX_DIFFERENCE_NS (G_GINT64_CONSTANT (1) << 60)
#define RESOLUTION_NS 1000 /* of what profilers record */

#include "trace/collective.h"
#include "trace/trace-private.h"

/* The collectives of one rank in a team, sorted by start. */
typedef struct
{
  guint from, n;           /* communication records */
  HirCommRecordRow **rows; /* borrowed */
  int shift;               /* its row i + shift is row i of the first rank */
  gboolean by_intervals;   /* the shift was found by the intervals */
} Rank;

static void
rank_clear (gpointer data)
{
  g_free (((Rank *) data)->rows);
}

static int
compare_starts (gconstpointer a, gconstpointer b)
{
  const HirCommRecordRow *x = *(HirCommRecordRow *const *) a, *y = *(HirCommRecordRow *const *) b;

  if (x->start_ns != y->start_ns)
    return x->start_ns < y->start_ns ? -1 : 1;
  return (x > y) - (x < y);
}

/* Groups the records [@from, @to) of one team by rank. */
static GArray *
split_by_rank (HirCommRecordRow *rows, guint from, guint to)
{
  GArray *ranks = g_array_new (FALSE, TRUE, sizeof (Rank));

  g_array_set_clear_func (ranks, rank_clear);
  while (from < to)
    {
      Rank rank = { .from = from };

      while (from < to && rows[from].record.rank == rows[rank.from].record.rank)
        from++;
      rank.rows = g_new (HirCommRecordRow *, from - rank.from);
      for (guint i = rank.from; i < from; i++)
        if (rows[i].index != HIR_NO_EVENT)
          rank.rows[rank.n++] = &rows[i];
      qsort (rank.rows, rank.n, sizeof *rank.rows, compare_starts);
      g_array_append_val (ranks, rank);
    }
  return ranks;
}

static gboolean
is_same_call (const HirCommRecord *a, const HirCommRecord *b)
{
  return a->op == b->op && a->root == b->root && a->dtype == b->dtype &&
         a->message_bytes == b->message_bytes;
}

static gboolean
have_same_calls (const Rank *a, const Rank *b)
{
  if (a->n != b->n)
    return FALSE;
  for (guint i = 0; i < a->n; i++)
    if (!is_same_call (&a->rows[i]->record, &b->rows[i]->record))
      return FALSE;
  return TRUE;
}

static guint64
get_distance (const HirCommRecordRow *a, const HirCommRecordRow *b)
{
  return a->end_ns > b->end_ns ? (guint64) a->end_ns - (guint64) b->end_ns
                               : (guint64) b->end_ns - (guint64) a->end_ns;
}

/* Returns whether most collectives of @a end closer to their counterpart in @b than to its
 * neighbors. A single one must overlap its counterpart. */
static gboolean
lie_together (const Rank *a, const Rank *b)
{
  guint n_near = 0;

  if (a->n == 1)
    return a->rows[0]->start_ns <= b->rows[0]->end_ns && b->rows[0]->start_ns <= a->rows[0]->end_ns;
  for (guint i = 0; i < a->n; i++)
    {
      guint64 own = get_distance (a->rows[i], b->rows[i]);

      n_near += (i == 0 || own < get_distance (a->rows[i], b->rows[i - 1])) &&
                (i + 1 == a->n || own < get_distance (a->rows[i], b->rows[i + 1]));
    }
  return n_near > a->n / 2;
}

static int
compare_ns (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* Returns the distance from the median that three quarters of @values, which are sorted, have at
 * most. Overwrites them. */
static gint64
get_spread (gint64 *values, guint n)
{
  gint64 median = values[n / 2];

  for (guint i = 0; i < n; i++)
    values[i] = ABS (values[i] - median);
  qsort (values, n, sizeof *values, compare_ns);
  return values[n * 3 / 4];
}

/* Returns how much later @y ended than @x, at most MAX_DIFFERENCE_NS. */
static gint64
get_difference (const HirCommRecordRow *x, const HirCommRecordRow *y)
{
  gint64 difference_ns;

  if (__builtin_sub_overflow (y->end_ns, x->end_ns, &difference_ns))
    difference_ns = y->end_ns > x->end_ns ? G_MAXINT64 : G_MININT64;
  return CLAMP (difference_ns, -MAX_DIFFERENCE_NS, MAX_DIFFERENCE_NS);
}

/* Matches row i + @shift of @b with row i of @a. Returns how much the differences between their
 * ends vary, or G_MAXINT64 if the calls differ or too few overlap. */
static gint64
measure_shift (const Rank *a, const Rank *b, int shift)
{
  guint from = (guint) MAX (-shift, 0);
  gint64 to = MIN ((gint64) a->n, (gint64) b->n - shift);
  guint least = MAX (MIN (a->n, b->n) * 3 / 4, MIN_INTERVALS), step, n = 0;
  gint64 differences[MAX_SAMPLES];

  if (to < (gint64) from + least)
    return G_MAXINT64;
  step = ((guint) to - from) / MAX_SAMPLES + 1;
  for (guint i = from; i < (guint) to; i++)
    {
      const HirCommRecordRow *x = a->rows[i], *y = b->rows[(gint64) i + shift];

      if (!is_same_call (&x->record, &y->record))
        return G_MAXINT64;
      if ((i - from) % step == 0)
        differences[n++] = get_difference (x, y);
    }
  qsort (differences, n, sizeof *differences, compare_ns);
  return get_spread (differences, n);
}

static gint64
get_typical_interval (const Rank *rank)
{
  gint64 intervals[MAX_SAMPLES];
  guint n = MIN (rank->n - 1, MAX_SAMPLES);

  for (guint i = 0; i < n; i++)
    intervals[i] = ABS (rank->rows[i + 1]->end_ns - rank->rows[i]->end_ns);
  qsort (intervals, n, sizeof *intervals, compare_ns);
  return intervals[n / 2];
}

/* Finds the row of @b that is the first one of @a, although their clocks differ or one of them was
 * recorded for longer: the ends of the same collectives differ by nearly the same time, those of
 * others do not. Returns FALSE if no shift is much better than all others, as for collectives at
 * regular intervals. */
static gboolean
find_shift (const Rank *a, Rank *b)
{
  gint64 best_ns = G_MAXINT64, second_ns = G_MAXINT64;

  if (MIN (a->n, b->n) < MIN_INTERVALS)
    return FALSE;
  for (int shift = -MAX_SHIFT; shift <= MAX_SHIFT; shift++)
    {
      gint64 spread_ns = measure_shift (a, b, shift);

      second_ns = MIN (second_ns, MAX (spread_ns, best_ns));
      if (spread_ns < best_ns)
        {
          best_ns = spread_ns;
          b->shift = shift;
        }
    }
  b->by_intervals =
      best_ns < get_typical_interval (a) / 8 && best_ns < (second_ns - RESOLUTION_NS) / 4;
  return b->by_intervals;
}

/* Returns why the team's collectives cannot be numbered, or NULL. Sets the shifts of the ranks. */
static const char *
find_obstacle (GArray *ranks, guint n_members)
{
  const Rank *first = &g_array_index (ranks, Rank, 0);

  if (n_members > 0 && ranks->len > n_members)
    return "several groups have this name and size";
  for (guint i = 1; i < ranks->len; i++)
    {
      Rank *rank = &g_array_index (ranks, Rank, i);
      gboolean is_same = have_same_calls (first, rank);

      if ((is_same && lie_together (first, rank)) || find_shift (first, rank))
        continue;
      if (!is_same)
        return "the ranks have different collectives";
      return "by the files' clocks, some are closer to other collectives of the same kind";
    }
  return NULL;
}

static int
get_largest_shift (const GArray *ranks)
{
  int largest = 0;

  for (guint i = 0; i < ranks->len; i++)
    largest = MAX (largest, g_array_index (ranks, Rank, i).shift);
  return largest;
}

static void
number (GArray *ranks)
{
  int largest = get_largest_shift (ranks);

  for (guint i = 0; i < ranks->len; i++)
    {
      Rank *rank = &g_array_index (ranks, Rank, i);

      for (guint k = 0; k < rank->n; k++)
        rank->rows[k]->record.sequence = k + (guint) (largest - rank->shift);
    }
}

static void
describe (HirTrace *trace, const GArray *ranks, const char *team, const char *obstacle)
{
  const char *way = "order, because all ranks have the same collectives and these end together";

  for (guint i = 0; i < ranks->len; i++)
    if (g_array_index (ranks, Rank, i).by_intervals)
      way = "intervals, because the clocks differ or parts are missing";
  hir_trace_add_account (
      trace, obstacle == NULL
                 ? g_strdup_printf ("the files do not number the collectives of %s: %u on each of "
                                    "%u ranks were matched by their %s",
                                    team, g_array_index (ranks, Rank, 0).n, ranks->len, way)
                 : g_strdup_printf ("the files do not number the collectives of %s, and they were "
                                    "not matched by their order: %s",
                                    team, obstacle));
}

/* Returns TRUE if numbers were assigned. */
static gboolean
number_team (HirTrace *trace, guint from, guint to)
{
  HirCommRecordRow *rows = (HirCommRecordRow *) (gpointer) trace->meetings->data;
  g_autoptr (GArray) ranks = split_by_rank (rows, from, to);
  const char *team = hir_trace_get_string (trace, rows[from].record.key), *obstacle;

  if (ranks->len < 2 || g_array_index (ranks, Rank, 0).n == 0)
    return FALSE;
  obstacle = find_obstacle (ranks, hir_comm_record_get_key_size (team));
  if (obstacle == NULL)
    number (ranks);
  describe (trace, ranks, team, obstacle);
  return obstacle == NULL;
}

void
hir_trace_number_comm_records (HirTrace *trace)
{
  const HirCommRecordRow *rows = (const HirCommRecordRow *) trace->meetings->data;
  gboolean is_changed = FALSE;

  /* Within a team, records without a number are sorted last. */
  for (guint from = 0, to; from < trace->meetings->len; from = to)
    {
      gboolean is_numbered = rows[from].record.sequence != HIR_COMM_RECORD_UNNUMBERED ||
                             rows[from].record.side != HIR_COMM_SIDE_TEAM;

      for (to = from + 1; to < trace->meetings->len &&
                          rows[to].record.key == rows[from].record.key &&
                          rows[to].record.side == rows[from].record.side;)
        to++;
      if (!is_numbered)
        is_changed |= number_team (trace, from, to);
    }
  if (is_changed)
    hir_comm_records_sort (trace);
}
