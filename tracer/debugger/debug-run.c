/* Starting, stepping and ending a debugged run. */
#include "debugger/debug-run.h"

#include "debugger/debug-run-private.h"

static void
make_workers (HirDebugRun *run)
{
  const HirRank *first = g_ptr_array_index (run->session->ranks, 0);

  for (guint i = 0; i < run->session->ranks->len; i++)
    {
      HirRankWorker *worker = g_new0 (HirRankWorker, 1);

      worker->run = run;
      worker->i = i;
      worker->rank = g_ptr_array_index (run->session->ranks, i);
      if (run->watches)
        worker->writes = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_value_unref);
      hir_evaluator_watch_writes (worker->rank->evaluator, worker->writes);
      hir_evaluator_set_debugged (worker->rank->evaluator, TRUE);
      hir_evaluator_record_writes (worker->rank->evaluator);
      g_ptr_array_add (run->workers, worker);
    }
  run->has_threads = run->workers->len > 1 && first->communicator != NULL &&
                     first->communicator->klass->issue != NULL;
  for (guint i = 0; i < run->workers->len && run->has_threads; i++)
    {
      HirCommunicator *communicator = hir_debug_run_get_worker (run, i)->rank->communicator;

      if (communicator->klass->set_may_be_held != NULL)
        communicator->klass->set_may_be_held (communicator);
    }
}

gboolean
hir_debug_run_begin (HirDebugRun *run, GError **error)
{
  run->session = run->make (run->user_data, error);
  if (run->session == NULL)
    return FALSE;
  make_workers (run);
  hir_debug_run_begin_epoch (run);
  run->round = 0;
  g_array_set_size (run->history, 0);
  run->has_failed = run->is_finished = FALSE;
  hir_debug_run_await_checkpoint (run);
  if (!hir_session_begin_debug (run->session, error))
    return FALSE;
  for (guint i = 0; i < run->workers->len; i++)
    if (!hir_rank_worker_end (hir_debug_run_get_worker (run, i), error))
      return FALSE;
  return TRUE;
}

void
hir_debug_run_tear_down (HirDebugRun *run)
{
  if (run->session == NULL)
    return;
  hir_session_stop_debug (run->session);
  hir_debug_run_join (run);
  hir_undo_log_clear (run->log);
  hir_debug_run_drop_all_checkpoints (run);
  g_clear_pointer (&run->play, hir_reference_play_free);
  for (guint i = 0; i < run->workers->len; i++)
    hir_evaluator_watch_writes (hir_debug_run_get_worker (run, i)->rank->evaluator, NULL);
  g_ptr_array_set_size (run->workers, 0);
  g_clear_pointer (&run->session, hir_session_free);
}

HirDebugRun *
hir_debug_run_new (HirDebugMake make, gpointer user_data, gsize undo_bytes, GError **error)
{
  HirDebugRun *run = g_new0 (HirDebugRun, 1);

  run->make = make;
  run->user_data = user_data;
  run->workers = g_ptr_array_new_with_free_func (hir_rank_worker_free);
  run->history = g_array_new (FALSE, FALSE, sizeof (HirDebugStretch));
  run->log = hir_undo_log_new (undo_bytes);
  run->keeps = run->has_checkpoints = undo_bytes > 0;
  hir_debug_run_init_checkpoints (run);
  g_mutex_init (&run->lock);
  g_cond_init (&run->changed);
  if (hir_debug_run_begin (run, error))
    return run;
  hir_debug_run_free (run);
  return NULL;
}

void
hir_debug_run_free (HirDebugRun *run)
{
  hir_debug_run_tear_down (run);
  g_ptr_array_unref (run->workers);
  g_array_unref (run->history);
  g_ptr_array_unref (run->checkpoints);
  hir_undo_log_free (run->log);
  g_mutex_clear (&run->lock);
  g_cond_clear (&run->changed);
  g_free (run);
}

void
hir_debug_run_set_keeps (HirDebugRun *run, gboolean keeps)
{
  run->keeps = keeps;
  if (!keeps)
    hir_undo_log_clear (run->log);
  hir_debug_run_set_checkpoints (run, keeps, run->every);
}

static void
note_rounds (HirDebugRun *run, guint32 ranks, guint64 n)
{
  HirDebugStretch *last =
      run->history->len > 0 ? &g_array_index (run->history, HirDebugStretch, run->history->len - 1)
                            : NULL;
  HirDebugStretch stretch = { ranks, n };

  if (n == 0)
    return;
  run->round += n;
  if (last != NULL && last->ranks == ranks)
    last->n += n;
  else
    g_array_append_val (run->history, stretch);
}

/* Returns those of @ranks that can step. */
static guint32
get_able (HirDebugRun *run, guint32 ranks)
{
  guint32 able = 0;

  for (guint i = 0; i < run->workers->len; i++)
    if (hir_debug_ranks_have (ranks, i) && !hir_debug_run_is_inside (run, i) &&
        !hir_debug_run_get_worker (run, i)->ended)
      able |= 1u << i;
  return able;
}

/* Aborts the communicators of failed ranks, and propagates the first error. */
static HirStep
give_failure (HirDebugRun *run, GError **error)
{
  GError *first = NULL;

  run->has_failed = TRUE;
  for (guint i = 0; i < run->workers->len; i++)
    {
      HirRankWorker *worker = hir_debug_run_get_worker (run, i);

      if (worker->error == NULL)
        continue;
      /* Other ranks may be waiting for this one. */
      if (worker->rank->communicator != NULL)
        worker->rank->communicator->klass->abort (worker->rank->communicator, worker->error);
      if (first == NULL)
        first = g_steal_pointer (&worker->error);
      g_clear_error (&worker->error);
    }
  if (run->session->team.world != NULL)
    {
      GError *theirs = hir_comm_world_dup_error (run->session->team.world);

      if (theirs != NULL)
        g_clear_error (&first);
      first = theirs != NULL ? theirs : first;
    }
  g_propagate_error (error, first);
  return HIR_STEP_FAILED;
}

static gboolean
any_error (const HirDebugRun *run)
{
  for (guint i = 0; i < run->workers->len; i++)
    if (hir_debug_run_get_worker (run, i)->error != NULL)
      return TRUE;
  return FALSE;
}

static void
step_here (HirDebugRun *run, guint32 able)
{
  for (guint i = 0; i < run->workers->len && !any_error (run); i++)
    {
      HirRankWorker *worker = hir_debug_run_get_worker (run, i);
      HirEvaluator *evaluator = worker->rank->evaluator;
      gboolean keeps;

      if (!hir_debug_ranks_have (able, i))
        continue;
      keeps = run->keeps && hir_evaluator_can_undo (evaluator);
      if (keeps)
        hir_evaluator_begin_undo (evaluator, run->log);
      (void) hir_rank_worker_step (worker, &worker->error);
      if (keeps)
        hir_evaluator_end_undo (evaluator);
    }
}

static void
step_on_threads (HirDebugRun *run, guint32 able)
{
  for (guint i = 0; i < run->workers->len; i++)
    if (hir_debug_ranks_have (able, i))
      hir_rank_worker_start (hir_debug_run_get_worker (run, i), HIR_WORKER_STEPPING);
  hir_debug_run_await_steps (run);
}

HirStep
hir_debug_run_step (HirDebugRun *run, guint32 ranks, GError **error)
{
  guint32 able;

  g_return_val_if_fail (run->session != NULL && !run->has_failed, HIR_STEP_FAILED);
  able = get_able (run, ranks);
  if (able == 0)
    return HIR_STEP_DONE;
  if (run->has_threads)
    step_on_threads (run, able);
  else
    step_here (run, able);
  note_rounds (run, able, 1);
  if (any_error (run))
    return give_failure (run, error);
  hir_debug_run_keep_checkpoint (run, FALSE);
  return HIR_STEP_MORE;
}

/* Adds the steps of a go to the history, as equivalent rounds. */
static void
note_go (HirDebugRun *run, guint32 able)
{
  g_autofree guint64 *n_left = g_new0 (guint64, run->workers->len);

  for (guint i = 0; i < run->workers->len; i++)
    if (hir_debug_ranks_have (able, i))
      n_left[i] = hir_rank_worker_count (hir_debug_run_get_worker (run, i),
                                         hir_debug_run_is_inside (run, i));
  for (;;)
    {
      guint64 least = G_MAXUINT64;
      guint32 left = 0;

      for (guint i = 0; i < run->workers->len; i++)
        {
          if (n_left[i] == 0)
            continue;
          left |= 1u << i;
          least = MIN (least, n_left[i]);
        }
      if (left == 0)
        return;
      note_rounds (run, left, least);
      for (guint i = 0; i < run->workers->len; i++)
        if (hir_debug_ranks_have (left, i))
          n_left[i] -= least;
    }
}

static void
go_here (HirDebugRun *run, HirRankWorker *worker)
{
  while (!worker->ended && worker->error == NULL && !hir_debug_run_is_stop_requested (run))
    {
      if (!hir_rank_worker_run (worker))
        return;
      run->is_interrupted =
          worker->n_steps % 256 == 0 && g_get_monotonic_time () >= run->go_until_us;
      if (run->is_interrupted)
        return;
    }
}

static gboolean
is_anyone_held (HirDebugRun *run, guint32 able)
{
  for (guint i = 0; i < run->workers->len; i++)
    if (!hir_debug_ranks_have (able, i) &&
        (hir_debug_run_is_inside (run, i) || !hir_debug_run_get_worker (run, i)->ended))
      return TRUE;
  return FALSE;
}

/* Runs the ranks @able until they end, a stop is requested or a checkpoint is due. */
static void
go_on (HirDebugRun *run, guint32 able)
{
  gboolean held = is_anyone_held (run, able);

  for (guint i = 0; i < run->workers->len; i++)
    {
      HirRankWorker *worker = hir_debug_run_get_worker (run, i);

      if (!hir_debug_ranks_have (able, i))
        continue;
      worker->n_steps = 0;
      worker->n_before = hir_evaluator_get_n_steps (worker->rank->evaluator);
      if (worker->writes != NULL)
        g_ptr_array_set_size (worker->writes, 0);
      /* If other ranks are held, this one may block; the evaluator must then know in what. */
      hir_evaluator_set_debugged (worker->rank->evaluator, held);
    }
  if ((able & (able - 1)) == 0 && !run->has_threads)
    go_here (run, hir_debug_run_get_worker (run, (guint) g_bit_nth_lsf (able, -1)));
  else
    {
      run->limit = 0;
      g_atomic_int_set (&run->halt, 0);
      for (guint i = 0; i < run->workers->len; i++)
        if (hir_debug_ranks_have (able, i))
          hir_rank_worker_start (hir_debug_run_get_worker (run, i), HIR_WORKER_RUNNING);
      hir_debug_run_await_goes (run, able);
    }
  for (guint i = 0; i < run->workers->len; i++)
    {
      HirRankWorker *worker = hir_debug_run_get_worker (run, i);

      if (hir_debug_ranks_have (able, i))
        hir_evaluator_set_debugged (worker->rank->evaluator, TRUE);
      if (hir_debug_ranks_have (able, i) && !hir_debug_run_is_inside (run, i) &&
          worker->error == NULL && !worker->ended)
        (void) hir_rank_worker_end (worker, &worker->error);
    }
  note_go (run, able);
}

HirStep
hir_debug_run_go (HirDebugRun *run, guint32 ranks, GError **error)
{
  guint32 able = get_able (run, ranks);

  g_return_val_if_fail (run->session != NULL && !run->has_failed, HIR_STEP_FAILED);
  if (able == 0)
    return HIR_STEP_DONE;
  hir_undo_log_clear (run->log);
  do
    {
      run->go_until_us = hir_debug_run_get_checkpoint_us (run);
      run->is_interrupted = FALSE;
      go_on (run, able);
      if (any_error (run))
        return give_failure (run, error);
      hir_debug_run_keep_checkpoint (run, TRUE);
      able = get_able (run, ranks);
    }
  while (able != 0 && run->is_interrupted && !hir_debug_run_is_stop_requested (run));
  return HIR_STEP_MORE;
}

gboolean
hir_debug_run_finish (HirDebugRun *run, GError **error)
{
  g_return_val_if_fail (hir_debug_run_is_over (run), FALSE);
  if (run->is_finished)
    return TRUE;
  if (!hir_session_end_debug (run->session, error))
    {
      run->has_failed = TRUE;
      return FALSE;
    }
  run->is_finished = TRUE;
  return TRUE;
}
