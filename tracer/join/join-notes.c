/* What the ties of a rank are based on, in words. */
#include "join/join-private.h"

/* Says what CUDA graphs do not tell. */
static void
note_replays (GPtrArray *notes, int rank, const HirJoinAlignment *busiest)
{
  guint n_branched = 0, n_opaque = 0;

  for (guint u = 0; u < busiest->thread->units->len; u++)
    {
      const HirJoinUnit *unit = &g_array_index (busiest->thread->units, HirJoinUnit, u);

      n_branched += unit->is_branched && busiest->ties[u].step != HIR_JOIN_NONE;
      n_opaque += busiest->ties[u].is_replay;
    }
  if (n_branched > 0)
    g_ptr_array_add (
        notes, g_strdup_printf (
                   "rank %d: %u units of CUDA graphs have no node; branches of a graph do not "
                   "tell which iteration is which, so iterations are guessed",
                   rank, n_branched));
  if (n_opaque > 0)
    g_ptr_array_add (
        notes,
        g_strdup_printf ("rank %d: %u launches of CUDA graphs are taken for repetitions, because "
                         "the trace does not have their nodes; record it with "
                         "--cuda-graph-trace=node",
                         rank, n_opaque));
}

/* Says which repetitions have no proven number. */
static void
note_repetitions (GPtrArray *notes, int rank, const HirJoinAlignment *busiest)
{
  if (busiest->n_lost > 0)
    g_ptr_array_add (
        notes, g_strdup_printf ("rank %d: repetitions of which only the numbers of calls are left "
                                "count, too: %u",
                                rank, busiest->n_lost));
  if (busiest->unproven < busiest->n_repetitions)
    g_ptr_array_add (notes,
                     g_strdup_printf ("rank %d: from repetition %u on, numbers of repetitions are "
                                      "not certain, because the trace can lack whole ones",
                                      rank, busiest->unproven));
}

void
hir_join_note_rank (const HirJoinRank *rank, GPtrArray *notes)
{
  const HirJoinObserved *observed = rank->observed;
  const HirJoinAlignment *busiest = rank->busiest;

  if (!observed->has_calls && observed->works->len > 0)
    g_ptr_array_add (notes,
                     g_strdup_printf ("rank %d has no host calls; its device events are tied by "
                                      "the order of their %s",
                                      observed->rank,
                                      observed->threads->len > 0 ? "operators or launches"
                                                                 : "starts"));
  else if (observed->n_alone > 0)
    g_ptr_array_add (notes, g_strdup_printf ("rank %d: %u device events have no launch call in the "
                                             "trace; they are tied by their place between others",
                                             observed->rank, observed->n_alone));
  if (rank->expected == NULL)
    g_ptr_array_add (notes,
                     g_strdup_printf ("rank %d is not a rank of the program", observed->rank));
  if (busiest == NULL)
    return;
  note_replays (notes, observed->rank, busiest);
  note_repetitions (notes, observed->rank, busiest);
  if (busiest->turns && busiest->n_repetitions > 0)
    g_ptr_array_add (notes, g_strdup_printf ("rank %d: nothing tells which stream is which, so "
                                             "iterations are guessed",
                                             observed->rank));
}
