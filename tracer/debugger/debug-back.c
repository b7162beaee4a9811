/* Going back: with the undo log, or by a replay from a checkpoint or the start. */
#include "debugger/debug-run-private.h"

/* A replay stores undo entries for this many rounds before its target, so that the next steps back
 * are cheap. */
#define KEPT_ROUNDS 256

/* Returns the number of undo entries needed to go back to @round, or 0 if some are missing. */
static guint
count_entries (const HirDebugRun *run, guint64 round)
{
  guint64 needed = 0, at = run->round;
  guint n = 0;

  for (guint i = run->history->len; i-- > 0 && at > round;)
    {
      const HirDebugStretch *stretch = &g_array_index (run->history, HirDebugStretch, i);
      guint64 rounds = MIN (stretch->n, at - round);

      for (guint32 ranks = stretch->ranks; ranks != 0; ranks &= ranks - 1)
        needed += rounds;
      at -= rounds;
    }
  for (; n < needed; n++)
    {
      const HirUndoEntry *entry = hir_undo_log_peek (run->log, n);

      if (entry == NULL || !hir_undo_entry_is_whole (entry))
        return 0;
    }
  return n;
}

static gboolean
forget_posts (HirDebugRun *run, guint n)
{
  HirCommWorld *world = hir_debug_run_get_world (run);
  g_autofree guint *n_posts = g_new0 (guint, run->workers->len + 1);

  for (guint i = 0; i < n; i++)
    {
      const HirUndoEntry *entry = hir_undo_log_peek (run->log, i);
      guint k = 0;

      while (hir_debug_run_get_worker (run, k)->rank->rank != hir_undo_entry_get_rank (entry))
        k++;
      /* The last entry of a rank that is visited is its oldest. */
      n_posts[k] =
          hir_evaluator_count_undone_posts (hir_debug_run_get_worker (run, k)->rank->evaluator,
                                            entry);
    }
  return world == NULL || hir_comm_world_forget (world, n_posts);
}

static gboolean
go_back_by_log (HirDebugRun *run, guint64 round)
{
  HirCommWorld *world = hir_debug_run_get_world (run);
  gboolean all_rest;
  guint n;

  if (run->session == NULL || run->has_failed || !hir_debug_run_is_quiescent (run, &all_rest) ||
      !all_rest)
    return FALSE;
  n = count_entries (run, round);
  if (n == 0 || !forget_posts (run, n))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      HirUndoEntry *entry = hir_undo_log_peek (run->log, 0);

      for (guint k = 0; k < run->workers->len; k++)
        {
          HirRankWorker *worker = hir_debug_run_get_worker (run, k);

          if (worker->rank->rank != hir_undo_entry_get_rank (entry))
            continue;
          if (!hir_evaluator_undo (worker->rank->evaluator, entry))
            return FALSE;
          worker->ended = FALSE;
          if (world != NULL)
            hir_comm_world_set_ended (world, worker->rank->rank, FALSE);
        }
      hir_undo_log_drop_newest (run->log);
    }
  return TRUE;
}

/* Goes back with the undo log. Returns FALSE if the log does not reach @round. */
static gboolean
take_back (HirDebugRun *run, guint64 round)
{
  if (!go_back_by_log (run, round))
    return FALSE;
  hir_debug_run_cut_to (run, round);
  hir_debug_run_drop_checkpoints (run, round);
  return TRUE;
}

/* Replays @stretches. Only the last KEPT_ROUNDS rounds store undo entries. */
static gboolean
replay (HirDebugRun *run, const GArray *stretches, guint64 round, GError **error)
{
  gboolean keeps = run->keeps;
  HirStep step = HIR_STEP_MORE;

  for (guint i = 0; i < stretches->len && step == HIR_STEP_MORE; i++)
    {
      const HirDebugStretch *stretch = &g_array_index (stretches, HirDebugStretch, i);

      for (guint64 k = 0; k < stretch->n && step == HIR_STEP_MORE; k++)
        {
          run->keeps = keeps && run->round + KEPT_ROUNDS >= round;
          step = hir_debug_run_step (run, stretch->ranks, error);
        }
    }
  run->keeps = keeps;
  return step != HIR_STEP_FAILED;
}

/* Restores the last checkpoint at or before @round, or else a new session at its start. */
static gboolean
begin_before (HirDebugRun *run, guint64 round, HirRewindMethod *method, GError **error)
{
  *method = HIR_DEBUG_BY_CHECKPOINT;
  if (hir_debug_run_restore_checkpoint (run, round))
    return TRUE;
  *method = HIR_DEBUG_BY_RUNNING;
  hir_debug_run_tear_down (run);
  return hir_debug_run_begin (run, error);
}

gboolean
hir_debug_run_go_back (
    HirDebugRun *run, guint64 round, HirRewindMethod *method, guint64 *n_replayed, GError **error)
{
  g_autoptr (GArray) history = NULL;
  g_autoptr (GArray) rest = NULL;
  HirRewindMethod own_method = HIR_DEBUG_BY_LOG;
  guint64 from = round;
  gboolean ok = TRUE;

  g_return_val_if_fail (round <= run->round, FALSE);
  if (round < run->round && !take_back (run, round))
    {
      history = hir_debug_history_cut (run->history, 0, round);
      ok = begin_before (run, round, &own_method, error);
      from = ok ? run->round : round;
      rest = hir_debug_history_cut (history, from, round);
      ok = ok && replay (run, rest, round, error);
    }
  if (method != NULL)
    *method = own_method;
  if (n_replayed != NULL)
    *n_replayed = round - from;
  return ok;
}

/* Returns the ranks that step in round @round of @history, counted from 0. */
static guint32
get_ranks_of (const GArray *history, guint64 round)
{
  for (guint i = 0; i < history->len; i++)
    {
      const HirDebugStretch *stretch = &g_array_index (history, HirDebugStretch, i);

      if (round < stretch->n)
        return stretch->ranks;
      round -= stretch->n;
    }
  return 0;
}

/* Replays @history up to the state @end. Sets @last to the last state that matches, or -1. The
 * first state counts only at the start of the program: elsewhere, `after` needs the round before
 * it. */
static gboolean
search_stretch (HirDebugRun *run,
                const GArray *history,
                guint64 end,
                const HirDebugSearch *search,
                gint64 *last,
                GError **error)
{
  gboolean keeps = run->keeps;
  gboolean has_round = FALSE;
  HirStep step = HIR_STEP_MORE;

  *last = -1;
  run->keeps = FALSE;
  while (step == HIR_STEP_MORE && !hir_debug_run_is_stop_requested (run))
    {
      guint64 round = run->round;
      guint32 ranks = get_ranks_of (history, round);

      if (has_round && search->after != NULL &&
          search->after (run, get_ranks_of (history, round - 1), search->user_data))
        *last = (gint64) round - (search->undoes_round ? 1 : 0);
      if (search->before != NULL && search->before (run, ranks, search->user_data) &&
          (has_round || round == 0))
        *last = (gint64) round;
      if (round >= end)
        break;
      step = hir_debug_run_step (run, ranks, error);
      has_round = TRUE;
    }
  run->keeps = keeps;
  /* The original run failed at this round too. */
  if (step == HIR_STEP_FAILED && run->round == end)
    g_clear_error (error);
  return step != HIR_STEP_FAILED || run->round == end;
}

/* Searches the intervals between checkpoints, the last one first. Sets @last to -1 if no state
 * matches. */
static gboolean
search_stretches (HirDebugRun *run,
                  const HirDebugSearch *search,
                  HirRewindMethod *method,
                  gint64 *last,
                  guint64 *n_replayed,
                  GError **error)
{
  g_autoptr (GArray) history = hir_debug_history_cut (run->history, 0, run->round);
  guint64 end = search->undoes_round ? run->round : run->round - 1;

  do
    {
      guint64 from;

      if (!begin_before (run, MAX (end, 1) - 1, method, error))
        return FALSE;
      from = run->round;
      if (!search_stretch (run, history, end, search, last, error))
        return FALSE;
      *n_replayed += run->round - from;
      end = from;
    }
  while (end > 0 && *last < 0 && !hir_debug_run_is_stop_requested (run));
  return TRUE;
}

gboolean
hir_debug_run_find_back (HirDebugRun *run,
                         const HirDebugSearch *search,
                         gboolean *found,
                         HirRewindMethod *method,
                         guint64 *n_replayed,
                         GError **error)
{
  g_autoptr (GArray) history = hir_debug_history_cut (run->history, 0, run->round);
  guint64 more;
  gint64 last;

  *found = FALSE;
  *n_replayed = 0;
  *method = HIR_DEBUG_BY_LOG;
  while (search->after == NULL && run->round > 0 && take_back (run, run->round - 1))
    {
      *found = search->before (run, get_ranks_of (history, run->round), search->user_data);
      if (*found || hir_debug_run_is_stop_requested (run))
        return TRUE;
    }
  if (run->round == 0)
    return TRUE;
  if (!search_stretches (run, search, method, &last, n_replayed, error))
    return FALSE;
  if (hir_debug_run_is_stop_requested (run))
    return TRUE;
  *found = last >= 0;
  if (!hir_debug_run_go_back (run, (guint64) MAX (last, 0), NULL, &more, error))
    return FALSE;
  *n_replayed += more;
  return TRUE;
}
