#include "trace/comm-matching.h"

#include <stdlib.h>

#include "trace/collective.h"
#include "trace/trace-private.h"

/* The collectives of one rank in a team, sorted by start. */
typedef struct
{
  guint from, n;           /* communication records */
  HirCommRecordRow **rows; /* borrowed */
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

/* Returns why the team's collectives cannot be numbered, or NULL. */
static const char *
find_obstacle (const GArray *ranks, guint n_members)
{
  const Rank *first = &g_array_index (ranks, Rank, 0);

  if (n_members > 0 && ranks->len > n_members)
    return "several groups have this name and size";
  for (guint i = 1; i < ranks->len; i++)
    {
      const Rank *rank = &g_array_index (ranks, Rank, i);

      if (!have_same_calls (first, rank))
        return "the ranks have different collectives";
      if (!lie_together (first, rank))
        return "by the files' clocks, some are closer to other collectives of the same kind";
    }
  return NULL;
}

static void
number (GArray *ranks)
{
  for (guint i = 0; i < ranks->len; i++)
    {
      Rank *rank = &g_array_index (ranks, Rank, i);

      for (guint k = 0; k < rank->n; k++)
        rank->rows[k]->record.sequence = k;
    }
}

/* Returns TRUE if numbers were assigned. */
static gboolean
number_team (HirTrace *trace, guint from, guint to)
{
  HirCommRecordRow *rows = (HirCommRecordRow *) (gpointer) trace->meetings->data;
  g_autoptr (GArray) ranks = split_by_rank (rows, from, to);
  const char *team = hir_trace_get_string (trace, rows[from].record.key), *obstacle;
  guint n = g_array_index (ranks, Rank, 0).n;

  if (ranks->len < 2 || n == 0)
    return FALSE;
  obstacle = find_obstacle (ranks, hir_comm_record_get_key_size (team));
  if (obstacle == NULL)
    number (ranks);
  hir_trace_add_account (
      trace, obstacle == NULL
                 ? g_strdup_printf ("the files do not number the collectives of %s: %u on each of "
                                    "%u ranks were matched by their order, because all ranks have "
                                    "the same collectives and these end together",
                                    team, n, ranks->len)
                 : g_strdup_printf ("the files do not number the collectives of %s, and they were "
                                    "not matched by their order: %s",
                                    team, obstacle));
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
