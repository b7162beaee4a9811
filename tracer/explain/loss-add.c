/* Adds up the time of each cause. */
#include "explain/explain-private.h"

static HirLoss *
ensure_loss (GArray *losses, const HirLossPiece *piece, guint *number)
{
  HirLoss loss = { .cause = piece->cause,
                   .alone_from = piece->alone_from,
                   .name = piece->name,
                   .by = piece->by,
                   .instruction = piece->instruction,
                   .first_iteration = piece->iteration,
                   .last_iteration = piece->iteration };

  for (*number = 0; *number < losses->len; (*number)++)
    {
      HirLoss *found = &g_array_index (losses, HirLoss, *number);

      if (found->cause == piece->cause && found->name == piece->name && found->by == piece->by)
        return found;
    }
  loss.ranks = g_array_new (FALSE, FALSE, sizeof (int));
  loss.pieces = g_array_new (FALSE, FALSE, sizeof (HirLostSpan));
  g_array_append_val (losses, loss);
  return &g_array_index (losses, HirLoss, *number);
}

static int
compare_ints (gconstpointer a, gconstpointer b)
{
  int x = *(const int *) a, y = *(const int *) b;

  return (x > y) - (x < y);
}

static void
add_rank (HirLoss *loss, int rank)
{
  for (guint i = 0; i < loss->ranks->len; i++)
    if (g_array_index (loss->ranks, int, i) == rank)
      return;
  g_array_append_val (loss->ranks, rank);
  g_array_sort (loss->ranks, compare_ints);
}

/* Adds an interval, or lengthens the last one if it continues it. Keeps the longest. */
static void
add_interval (HirLoss *loss, const HirLossPiece *piece, gint64 start_ns, gint64 end_ns)
{
  HirLostSpan span = { start_ns, end_ns, piece->track, piece->index };
  HirLostSpan *last = loss->pieces->len > 0
                          ? &g_array_index (loss->pieces, HirLostSpan, loss->pieces->len - 1)
                          : NULL;

  if (last != NULL && last->end_ns == start_ns && last->track == piece->track &&
      last->index == piece->index)
    {
      last->end_ns = end_ns;
      span = *last;
    }
  else
    g_array_append_val (loss->pieces, span);
  if (span.end_ns - span.start_ns <= loss->end_ns - loss->start_ns)
    return;
  loss->start_ns = span.start_ns;
  loss->end_ns = span.end_ns;
  loss->track = span.track;
  loss->index = span.index;
}

/* Returns the sum of two durations, at most G_MAXINT64. */
static gint64
add_times (gint64 a, gint64 b)
{
  return a > G_MAXINT64 - b ? G_MAXINT64 : a + b;
}

void
hir_losses_add (GArray *losses,
                GHashTable *events,
                const HirLossPiece *piece,
                gint64 start_ns,
                gint64 end_ns,
                gint64 ns)
{
  guint number;
  HirLoss *loss;
  guint64 key;

  if (ns <= 0)
    return;
  loss = ensure_loss (losses, piece, &number);
  loss->ns += ns;
  loss->first_iteration = MIN (loss->first_iteration, piece->iteration);
  loss->last_iteration = MAX (loss->last_iteration, piece->iteration);
  add_rank (loss, piece->rank);
  add_interval (loss, piece, start_ns, end_ns);
  if (piece->duration_ns <= 0)
    return;
  key = (guint64) number << 48 | (guint64) piece->track << 32 | piece->index;
  if (g_hash_table_contains (events, &key))
    return;
  g_hash_table_add (events, g_memdup2 (&key, sizeof key));
  loss->n_events++;
  loss->sum_ns = add_times (loss->sum_ns, piece->duration_ns);
  loss->sum_alone_ns = add_times (loss->sum_alone_ns, piece->alone_ns);
}
