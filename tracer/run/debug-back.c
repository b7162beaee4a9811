/* Backwards: by the undo log, or by running again from the start. */
#include "run/debug-run-private.h"

/* So many rounds before the one that is gone back to by running again are kept: the next step back
 * is then at hand. */
#define KEPT_ROUNDS 256

/* Rounds before @round only. */
static GArray *
cut_history (const HirDebugRun *run, guint64 round)
{
  GArray *kept = g_array_new (FALSE, FALSE, sizeof (HirDebugStretch));

  for (guint i = 0; i < run->history->len && round > 0; i++)
    {
      HirDebugStretch stretch = g_array_index (run->history, HirDebugStretch, i);

      stretch.n = MIN (stretch.n, round);
      round -= stretch.n;
      g_array_append_val (kept, stretch);
    }
  return kept;
}

/* Entries that going back to @round takes; 0 where the log has not all of them. */
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
  g_autofree guint *n_posts = g_new0 (guint, run->seats->len + 1);

  for (guint i = 0; i < n; i++)
    {
      const HirUndoEntry *entry = hir_undo_log_peek (run->log, i);
      guint k = 0;

      while (hir_debug_run_get_seat (run, k)->rank->rank != hir_undo_entry_get_rank (entry))
        k++;
      /* The oldest one of a rank comes last. */
      n_posts[k] =
          hir_evaluator_count_undone_posts (hir_debug_run_get_seat (run, k)->rank->evaluator,
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

  if (run->session == NULL || run->has_failed || !hir_debug_run_is_quiet (run, &all_rest) ||
      !all_rest)
    return FALSE;
  n = count_entries (run, round);
  if (n == 0 || !forget_posts (run, n))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      HirUndoEntry *entry = hir_undo_log_peek (run->log, 0);

      for (guint k = 0; k < run->seats->len; k++)
        {
          HirSeat *seat = hir_debug_run_get_seat (run, k);

          if (seat->rank->rank != hir_undo_entry_get_rank (entry))
            continue;
          if (!hir_evaluator_undo (seat->rank->evaluator, entry))
            return FALSE;
          seat->ended = FALSE;
          if (world != NULL)
            hir_comm_world_set_ended (world, seat->rank->rank, FALSE);
        }
      hir_undo_log_drop_newest (run->log);
    }
  return TRUE;
}

/* By the log: FALSE where it does not reach so far. */
static gboolean
take_back (HirDebugRun *run, guint64 round)
{
  g_autoptr (GArray) kept = NULL;

  if (!go_back_by_log (run, round))
    return FALSE;
  kept = cut_history (run, round);
  g_array_set_size (run->history, 0);
  g_array_append_vals (run->history, kept->data, kept->len);
  run->round = round;
  run->is_finished = FALSE;
  hir_debug_run_begin_epoch (run);
  return TRUE;
}

/* Rounds of @stretches, all but the last few without being kept. */
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

gboolean
hir_debug_run_go_back (HirDebugRun *run, guint64 round, HirDebugWay *way, GError **error)
{
  g_autoptr (GArray) kept = NULL;

  g_return_val_if_fail (round <= run->round, FALSE);
  if (way != NULL)
    *way = HIR_DEBUG_BY_LOG;
  if (round == run->round)
    return TRUE;
  if (take_back (run, round))
    return TRUE;
  kept = cut_history (run, round);
  if (way != NULL)
    *way = HIR_DEBUG_BY_RUNNING;
  hir_debug_run_tear_down (run);
  return hir_debug_run_begin (run, error) && replay (run, kept, round, error);
}

/* Who takes the round after the first @round ones. */
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

/* All of @history again, up to @end; *@last: the last round before which @before holds, or behind
 * which @after does. */
static gboolean
search (HirDebugRun *run,
        const GArray *history,
        guint64 end,
        HirDebugTest before,
        HirDebugTest after,
        gpointer user_data,
        gint64 *last,
        GError **error)
{
  gboolean keeps = run->keeps;
  HirStep step = HIR_STEP_MORE;

  *last = -1;
  run->keeps = FALSE;
  while (run->round < end && step == HIR_STEP_MORE && !hir_debug_run_is_stop_requested (run))
    {
      guint64 round = run->round;
      guint32 ranks = get_ranks_of (history, round);

      if (before != NULL && before (run, ranks, user_data))
        *last = (gint64) round;
      step = hir_debug_run_step (run, ranks, error);
      if (step == HIR_STEP_MORE && after != NULL && after (run, ranks, user_data))
        *last = (gint64) round;
    }
  run->keeps = keeps;
  /* That it fails is how it came here. */
  if (step == HIR_STEP_FAILED && run->round == end)
    g_clear_error (error);
  return step != HIR_STEP_FAILED || run->round == end;
}

gboolean
hir_debug_run_find_back (HirDebugRun *run,
                         HirDebugTest before,
                         HirDebugTest after,
                         gpointer user_data,
                         gboolean *found,
                         guint64 *n_again,
                         GError **error)
{
  g_autoptr (GArray) history = cut_history (run, run->round);
  guint64 end;
  gint64 last;
  HirDebugWay way;

  *found = FALSE;
  *n_again = 0;
  while (after == NULL && run->round > 0 && take_back (run, run->round - 1))
    {
      *found = before (run, get_ranks_of (history, run->round), user_data);
      if (*found || hir_debug_run_is_stop_requested (run))
        return TRUE;
    }
  end = run->round;
  if (end == 0)
    return TRUE;
  hir_debug_run_tear_down (run);
  if (!hir_debug_run_begin (run, error) ||
      !search (run, history, end, before, after, user_data, &last, error))
    return FALSE;
  *n_again = run->round;
  if (hir_debug_run_is_stop_requested (run))
    return TRUE;
  *found = last >= 0;
  if (!hir_debug_run_go_back (run, (guint64) MAX (last, 0), &way, error))
    return FALSE;
  *n_again += way == HIR_DEBUG_BY_RUNNING ? run->round : 0;
  return TRUE;
}
