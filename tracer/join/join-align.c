/* Aligns the units of a thread with the steps of the program, which repeat: the search runs over
 * windows of units, so that memory does not grow with the trace. */
#include "join/join-search.h"

#define BEAM 8.0f

/* Returns the cost of the best reading so far. */
static float
get_cost (const HirJoinSearch *search)
{
  const HirJoinState *best = hir_join_search_get_state (search, hir_join_search_get_best (search));

  return best->cost + best->rest;
}

/* Goes back through the rows and computes the margins of the units [@first, @end) of the window,
 * whose ties are set. */
static void
go_back (HirJoinSearch *search, guint first, guint end, guint commit)
{
  HirJoinTie *ties = search->alignment->ties;
  float total = get_cost (search);

  for (guint u = end; u-- > first;)
    {
      float other = hir_join_search_go_back (search, hir_join_search_get_unit (search, u),
                                             u - first, ties[u].step);

      if (u < commit)
        ties[u].margin = other - total;
    }
}

/* Stores the best reading of the units [@first, @end). */
static void
choose (HirJoinSearch *search, guint first, guint end)
{
  guint i = hir_join_search_get_best (search);

  for (guint u = end; u-- > first;)
    {
      search->alignment->ties[u].step = hir_join_search_get_state (search, i)->step;
      i = hir_join_search_get_state (search, i)->from;
    }
}

/* Returns the cost of the reading at unit @commit and keeps its state as the start of the next
 * window. */
static float
keep_start (HirJoinSearch *search, guint first, guint end, guint commit)
{
  guint i = hir_join_search_get_best (search);
  HirJoinState state;
  float cost;

  for (guint u = end; u-- > commit;)
    i = hir_join_search_get_state (search, i)->from;
  state = *hir_join_search_get_state (search, i);
  cost = state.cost + state.rest;
  state.cost = state.rest = 0;
  state.from = HIR_JOIN_NONE;
  g_array_set_size (search->states, 0);
  g_array_append_val (search->states, state);
  search->rows[0] = (HirJoinRow){ 0, 0 };
  search->n_rows = 1;
  return cost;
}

static void
run_windows (HirJoinSearch *search, guint from, guint n_units, gboolean wants_margins)
{
  HirJoinAlignment *alignment = search->alignment;

  for (guint first = from; first < n_units;)
    {
      guint end = MIN (first + HIR_JOIN_WINDOW + HIR_JOIN_LOOKAHEAD, n_units);
      guint commit = end < n_units ? first + HIR_JOIN_WINDOW : end;

      for (guint u = first; u < end; u++)
        {
          hir_join_search_advance (search, hir_join_search_get_unit (search, u));
          if (alignment->cost + get_cost (search) > alignment->limit)
            {
              alignment->cost = G_MAXDOUBLE;
              return;
            }
        }
      if (end == n_units)
        hir_join_search_end (search);
      choose (search, first, end);
      if (wants_margins)
        go_back (search, first, end, commit);
      alignment->cost += keep_start (search, first, end, commit);
      first = commit;
    }
}

/* Numbers the repetitions: one starts where the steps do not go on upwards, also those of lost
 * calls, of which a whole repetition can consist. */
static void
number (HirJoinAlignment *alignment)
{
  guint last = HIR_JOIN_NONE, repetition = 0;

  for (guint u = alignment->from; u < alignment->end; u++)
    {
      HirJoinTie *tie = &alignment->ties[u];
      gboolean is_lost =
          g_array_index (alignment->thread->units, HirJoinUnit, u).kind == HIR_JOIN_LOST;

      if (tie->step == HIR_JOIN_NONE)
        continue;
      repetition += last != HIR_JOIN_NONE && tie->step <= last;
      if (alignment->n_repetitions > 0 || !is_lost)
        last = tie->step;
      tie->repetition = repetition;
      if (!is_lost)
        alignment->n_repetitions = repetition + 1;
    }
}

void
hir_join_alignment_run (HirJoinAlignment *alignment, guint max_units, gboolean wants_margins)
{
  guint n_all = alignment->thread->units->len, n = alignment->expected->steps->len;
  guint from = max_units > 0 && max_units < n_all ? MIN (alignment->sample, n_all - max_units) : 0;
  guint end = max_units > 0 ? MIN (n_all, from + max_units) : n_all;
  HirJoinSearch search;

  alignment->from = from;
  alignment->end = end;
  alignment->cost = 0;
  alignment->n_repetitions = 0;
  for (guint u = from; u < end; u++)
    alignment->ties[u] = (HirJoinTie){ HIR_JOIN_NONE, 0, 0, FALSE };
  if (n == 0 || end == from)
    return;
  hir_join_search_init (&search, alignment, end - from);
  run_windows (&search, from, end, wants_margins);
  if (alignment->cost < G_MAXDOUBLE)
    number (alignment);
  hir_join_search_clear (&search);
}

HirJoinAlignment *
hir_join_alignment_new (const HirJoinExpected *expected, const HirJoinThread *thread)
{
  HirJoinAlignment *alignment = g_new0 (HirJoinAlignment, 1);

  alignment->expected = expected;
  alignment->owned = g_hash_table_new (NULL, NULL);
  alignment->beam = BEAM;
  alignment->limit = G_MAXDOUBLE;
  alignment->unproven = HIR_JOIN_NONE;
  alignment->thread = thread;
  alignment->ties = g_new0 (HirJoinTie, thread->units->len + 1);
  alignment->stream_of = g_new (guint, expected->n_keys + 1);
  for (guint i = 0; i < expected->n_keys; i++)
    alignment->stream_of[i] = HIR_JOIN_NONE;
  return alignment;
}

void
hir_join_alignment_free (HirJoinAlignment *alignment)
{
  g_free (alignment->ties);
  g_free (alignment->stream_of);
  g_hash_table_unref (alignment->owned);
  g_free (alignment);
}
