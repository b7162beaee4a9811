/* State of a debugged run: ranks and their positions, history of rounds, stop requests. */
#include "debugger/debug-run-private.h"

guint
hir_debug_run_get_n_ranks (const HirDebugRun *run)
{
  return run->workers->len;
}

HirEvaluator *
hir_debug_run_get_evaluator (const HirDebugRun *run, guint i)
{
  return hir_debug_run_get_worker (run, i)->rank->evaluator;
}

HirBackend *
hir_debug_run_get_backend (const HirDebugRun *run, guint i)
{
  return hir_debug_run_get_worker (run, i)->rank->backend;
}

HirContainer *
hir_debug_run_get_program (const HirDebugRun *run, guint i)
{
  return hir_debug_run_get_worker (run, i)->rank->program;
}

HirSession *
hir_debug_run_get_session (const HirDebugRun *run)
{
  return run->session;
}

int
hir_debug_run_get_rank (const HirDebugRun *run, guint i)
{
  return hir_debug_run_get_worker (run, i)->rank->rank;
}

int
hir_debug_run_find_rank (const HirDebugRun *run, gint64 rank)
{
  for (guint i = 0; i < run->workers->len; i++)
    if (hir_debug_run_get_rank (run, i) == rank)
      return (int) i;
  return -1;
}

HirCommWorld *
hir_debug_run_get_world (const HirDebugRun *run)
{
  return run->session != NULL ? run->session->team.world : NULL;
}

gboolean
hir_debug_run_is_inside (HirDebugRun *run, guint i)
{
  gboolean is_inside;

  g_mutex_lock (&run->lock);
  is_inside = hir_debug_run_get_worker (run, i)->doing != HIR_WORKER_IDLE;
  g_mutex_unlock (&run->lock);
  return is_inside;
}

gboolean
hir_debug_run_peek (HirDebugRun *run, guint i, HirProgramPoint *point)
{
  HirRankWorker *worker = hir_debug_run_get_worker (run, i);

  if (hir_debug_run_is_inside (run, i))
    return FALSE;
  return !worker->ended && hir_evaluator_peek (worker->rank->evaluator, point);
}

gboolean
hir_debug_run_is_over (const HirDebugRun *run)
{
  for (guint i = 0; i < run->workers->len; i++)
    if (!hir_debug_run_get_worker (run, i)->ended)
      return FALSE;
  return TRUE;
}

gboolean
hir_debug_run_is_finished (const HirDebugRun *run)
{
  return run->is_finished;
}

gboolean
hir_debug_run_get_modelled_ns (const HirDebugRun *run, guint i, gint64 *host_ns)
{
  const HirRank *rank = hir_debug_run_get_worker (run, i)->rank;

  if (rank->model == NULL)
    return FALSE;
  *host_ns = hir_model_get_host_ns (rank->model);
  return TRUE;
}

guint64
hir_debug_run_get_round (const HirDebugRun *run)
{
  return run->round;
}

HirUndoLog *
hir_debug_run_get_log (HirDebugRun *run)
{
  return run->log;
}

void
hir_debug_run_watch_writes (HirDebugRun *run, gboolean watch)
{
  run->watches = watch;
  for (guint i = 0; i < run->workers->len; i++)
    {
      HirRankWorker *worker = hir_debug_run_get_worker (run, i);

      if (watch && worker->writes == NULL)
        worker->writes = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_value_unref);
      hir_evaluator_watch_writes (worker->rank->evaluator, watch ? worker->writes : NULL);
    }
}

GPtrArray *
hir_debug_run_get_writes (HirDebugRun *run, guint i)
{
  return hir_debug_run_get_worker (run, i)->writes;
}

void
hir_debug_run_request_stop (HirDebugRun *run)
{
  g_atomic_int_set (&run->stop, 1);
}

gboolean
hir_debug_run_is_stop_requested (const HirDebugRun *run)
{
  return g_atomic_int_get (&run->stop) != 0;
}

void
hir_debug_run_clear_stop (HirDebugRun *run)
{
  g_atomic_int_set (&run->stop, 0);
}

void
hir_debug_run_begin_epoch (HirDebugRun *run)
{
  HirRecorder *recorder = run->session->team.recorder;

  /* Flush, so that earlier events reach the filter first: threads deliver in any order. */
  if (recorder != NULL)
    hir_recorder_flush (recorder);
  run->epoch++;
  for (guint i = 0; i < run->workers->len; i++)
    hir_evaluator_set_epoch (hir_debug_run_get_worker (run, i)->rank->evaluator, run->epoch);
}

GArray *
hir_debug_history_cut (const GArray *history, guint64 from, guint64 round)
{
  GArray *rest = g_array_new (FALSE, FALSE, sizeof (HirDebugStretch));
  guint64 at = 0;

  for (guint i = 0; i < history->len && at < round; i++)
    {
      HirDebugStretch stretch = g_array_index (history, HirDebugStretch, i);
      guint64 end = MIN (at + stretch.n, round), begin = MAX (at, from);

      at += stretch.n;
      if (end <= begin)
        continue;
      stretch.n = end - begin;
      g_array_append_val (rest, stretch);
    }
  return rest;
}

void
hir_debug_run_cut_to (HirDebugRun *run, guint64 round)
{
  GArray *rest = hir_debug_history_cut (run->history, 0, round);

  g_array_unref (run->history);
  run->history = rest;
  run->round = round;
  run->is_finished = FALSE;
  hir_debug_run_begin_epoch (run);
}
