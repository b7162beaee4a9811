/* Worker threads that step ranks: in a go, and always on back ends whose collectives block host
 * threads. */
#include "debugger/debug-run-private.h"
#include "run/evaluator-private.h"

#define POLL_US (5 * 1000)

void
hir_rank_worker_free (gpointer data)
{
  HirRankWorker *worker = data;

  g_clear_error (&worker->error);
  g_clear_pointer (&worker->writes, g_ptr_array_unref);
  g_clear_pointer (&worker->numbers, g_ptr_array_unref);
  g_free (worker);
}

gboolean
hir_rank_worker_end (HirRankWorker *worker, GError **error)
{
  HirProgramPoint point;

  if (hir_evaluator_peek (worker->rank->evaluator, &point))
    return TRUE;
  if (!hir_evaluator_end (worker->rank->evaluator, error))
    return FALSE;
  worker->ended = TRUE;
  return TRUE;
}

HirStep
hir_rank_worker_step (HirRankWorker *worker, GError **error)
{
  HirStep step;

  if (worker->writes != NULL)
    g_ptr_array_set_size (worker->writes, 0);
  step = hir_evaluator_step (worker->rank->evaluator, error);
  return step != HIR_STEP_FAILED && !hir_rank_worker_end (worker, error) ? HIR_STEP_FAILED : step;
}

gboolean
hir_rank_worker_run (HirRankWorker *worker)
{
  switch (hir_evaluator_step (worker->rank->evaluator, &worker->error))
    {
    case HIR_STEP_MORE:
      worker->n_steps = hir_evaluator_get_n_steps (worker->rank->evaluator) - worker->n_before;
      return TRUE;
    case HIR_STEP_DONE:
      return hir_rank_worker_end (worker, &worker->error);
    default:
      worker->n_steps++; /* the failed step counts */
      return FALSE;
    }
}

guint64
hir_rank_worker_count (const HirRankWorker *worker, gboolean is_inside)
{
  return worker->n_steps + (is_inside ? MAX (worker->rank->evaluator->n_walking, 1) : 0);
}

/* Marks the worker as idle. Requires the lock. */
static void
set_idle (HirRankWorker *worker)
{
  if (worker->doing != HIR_WORKER_EXITING)
    worker->doing = HIR_WORKER_IDLE;
  g_cond_broadcast (&worker->run->changed);
}

static gboolean
must_halt (HirDebugRun *run)
{
  return g_atomic_int_get (&run->halt) != 0 || g_atomic_int_get (&run->stop) != 0;
}

static void
take_steps (HirRankWorker *worker)
{
  HirDebugRun *run = worker->run;
  guint64 limit = G_MAXUINT64;

  while (!worker->ended && worker->error == NULL && worker->n_steps < limit)
    {
      if (g_atomic_int_get (&worker->is_detached))
        {
          /* The next go is for the other ranks. */
          (void) hir_rank_worker_end (worker, &worker->error);
          return;
        }
      if (must_halt (run))
        {
          /* Stop until the limit, the count of the farthest rank, is known. */
          g_mutex_lock (&run->lock);
          limit = run->limit;
          g_mutex_unlock (&run->lock);
          if (worker->n_steps >= limit)
            return;
          /* Leave prepared loop bodies, which could pass the limit. */
          hir_evaluator_set_debugged (worker->rank->evaluator, TRUE);
        }
      if (!hir_rank_worker_run (worker))
        g_atomic_int_set (&run->halt, 1);
    }
}

static gpointer
worker_thread (gpointer data)
{
  HirRankWorker *worker = data;
  HirDebugRun *run = worker->run;

  g_mutex_lock (&run->lock);
  while (worker->doing != HIR_WORKER_EXITING)
    {
      HirWorkerState doing = worker->doing;

      if (doing == HIR_WORKER_IDLE)
        {
          g_cond_wait (&run->changed, &run->lock);
          continue;
        }
      g_mutex_unlock (&run->lock);
      if (doing == HIR_WORKER_RUNNING)
        take_steps (worker);
      else
        (void) hir_rank_worker_step (worker, &worker->error);
      g_mutex_lock (&run->lock);
      set_idle (worker);
    }
  g_mutex_unlock (&run->lock);
  return NULL;
}

void
hir_rank_worker_start (HirRankWorker *worker, HirWorkerState doing)
{
  g_mutex_lock (&worker->run->lock);
  worker->doing = doing;
  g_atomic_int_set (&worker->is_detached, 0);
  g_cond_broadcast (&worker->run->changed);
  g_mutex_unlock (&worker->run->lock);
  if (worker->thread == NULL)
    worker->thread = g_thread_new ("hir-debug-rank", worker_thread, worker);
}

/* Returns how many workers of @ranks are not idle. Requires the lock. */
static guint
count_moving (HirDebugRun *run, guint32 ranks)
{
  guint n = 0;

  for (guint i = 0; i < run->workers->len; i++)
    {
      const HirRankWorker *worker = g_ptr_array_index (run->workers, i);

      n += hir_debug_ranks_have (ranks, worker->i) && worker->doing != HIR_WORKER_IDLE;
    }
  return n;
}

/* Returns the sum of the wait numbers of all workers that are not idle, or 0 if one of them does
 * not wait. Requires the lock. */
static guint64
sum_waits (HirDebugRun *run)
{
  guint64 sum = 0;

  for (guint i = 0; i < run->workers->len; i++)
    {
      const HirRankWorker *worker = g_ptr_array_index (run->workers, i);
      HirCommunicator *communicator = worker->rank->communicator;
      guint64 number = 0;

      if (worker->doing == HIR_WORKER_IDLE)
        continue;
      if (communicator != NULL && communicator->klass->get_wait != NULL)
        number = communicator->klass->get_wait (communicator);
      if (number == 0)
        return 0;
      sum += number;
    }
  return sum;
}

/* Returns TRUE if every worker that is not idle waits for another rank. No worker is running then,
 * so this cannot change. Wait numbers only grow, so equal sums mean that the same waits were in
 * progress at both times. Requires the lock. */
static gboolean
all_wait (HirDebugRun *run)
{
  guint64 sum = sum_waits (run);

  return sum != 0 && sum == sum_waits (run);
}

/* Waits until every worker is idle or waits for another rank. */
static void
await_locked (HirDebugRun *run)
{
  while (count_moving (run, HIR_DEBUG_ALL_RANKS) > 0)
    if (!g_cond_wait_until (&run->changed, &run->lock, g_get_monotonic_time () + POLL_US) &&
        all_wait (run))
      return;
}

void
hir_debug_run_await_steps (HirDebugRun *run)
{
  g_mutex_lock (&run->lock);
  await_locked (run);
  g_mutex_unlock (&run->lock);
}

/* Returns TRUE if all running ranks wait and another rank is held. If no rank is held, they wait in
 * a circle, which the communicator reports. Requires the lock. */
static gboolean
wait_for_held (HirDebugRun *run, guint32 ranks)
{
  for (guint i = 0; i < run->workers->len; i++)
    {
      const HirRankWorker *worker = g_ptr_array_index (run->workers, i);

      if (!hir_debug_ranks_have (ranks, worker->i) && worker->doing == HIR_WORKER_IDLE &&
          !worker->ended)
        return all_wait (run);
    }
  return FALSE;
}

/* Waits until all of @ranks have stopped, a stop is requested, the rest waits for a held rank, or a
 * checkpoint is due. Requires the lock. */
static void
await_end_or_stop (HirDebugRun *run, guint32 ranks)
{
  gboolean is_held = FALSE;

  while (count_moving (run, ranks) > 0 && !must_halt (run) && !is_held &&
         g_get_monotonic_time () < run->go_until_us)
    is_held = !g_cond_wait_until (&run->changed, &run->lock, g_get_monotonic_time () + POLL_US) &&
              wait_for_held (run, ranks);
  run->is_interrupted = count_moving (run, ranks) > 0 && !must_halt (run) && !is_held;
  if (run->is_interrupted)
    g_atomic_int_set (&run->halt, 1);
  await_locked (run);
}

/* Lets ranks that are inside an instruction stop after it, regardless of later operations. Requires
 * the lock. */
static void
detach_inside (HirDebugRun *run, guint32 ranks)
{
  for (guint i = 0; i < run->workers->len; i++)
    {
      HirRankWorker *worker = g_ptr_array_index (run->workers, i);

      if (hir_debug_ranks_have (ranks, worker->i) && worker->doing != HIR_WORKER_IDLE)
        g_atomic_int_set (&worker->is_detached, 1);
    }
}

void
hir_debug_run_await_goes (HirDebugRun *run, guint32 ranks)
{
  guint64 farthest = 0;

  g_mutex_lock (&run->lock);
  await_end_or_stop (run, ranks);
  for (guint i = 0; i < run->workers->len; i++)
    {
      const HirRankWorker *worker = g_ptr_array_index (run->workers, i);

      if (hir_debug_ranks_have (ranks, worker->i))
        farthest = MAX (farthest, hir_rank_worker_count (worker, worker->doing != HIR_WORKER_IDLE));
    }
  run->limit = farthest;
  for (guint i = 0; i < run->workers->len; i++)
    {
      HirRankWorker *worker = g_ptr_array_index (run->workers, i);

      if (hir_debug_ranks_have (ranks, worker->i) && !worker->ended &&
          worker->doing == HIR_WORKER_IDLE && worker->n_steps < farthest)
        worker->doing = HIR_WORKER_RUNNING;
    }
  g_atomic_int_set (&run->halt, 1);
  g_cond_broadcast (&run->changed);
  await_locked (run);
  detach_inside (run, ranks);
  g_mutex_unlock (&run->lock);
}

void
hir_debug_run_join (HirDebugRun *run)
{
  g_mutex_lock (&run->lock);
  for (guint i = 0; i < run->workers->len; i++)
    ((HirRankWorker *) g_ptr_array_index (run->workers, i))->doing = HIR_WORKER_EXITING;
  g_cond_broadcast (&run->changed);
  g_mutex_unlock (&run->lock);
  for (guint i = 0; i < run->workers->len; i++)
    {
      HirRankWorker *worker = g_ptr_array_index (run->workers, i);

      if (worker->thread != NULL)
        g_thread_join (g_steal_pointer (&worker->thread));
    }
}
