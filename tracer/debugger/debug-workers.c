/* Worker threads that step ranks: in a go, and always on back ends whose collectives block host
 * threads. */
#include "debugger/debug-run-private.h"
#include "run/evaluator-private.h"

#define LOOK_US (5 * 1000)

void
hir_rank_worker_free (gpointer data)
{
  HirRankWorker *seat = data;

  g_clear_error (&seat->error);
  g_clear_pointer (&seat->writes, g_ptr_array_unref);
  g_free (seat);
}

gboolean
hir_rank_worker_end (HirRankWorker *seat, GError **error)
{
  HirProgramPoint place;

  if (hir_evaluator_peek (seat->rank->evaluator, &place))
    return TRUE;
  if (!hir_evaluator_end (seat->rank->evaluator, error))
    return FALSE;
  seat->ended = TRUE;
  return TRUE;
}

HirStep
hir_rank_worker_step (HirRankWorker *seat, GError **error)
{
  HirStep step;

  if (seat->writes != NULL)
    g_ptr_array_set_size (seat->writes, 0);
  step = hir_evaluator_step (seat->rank->evaluator, error);
  return step != HIR_STEP_FAILED && !hir_rank_worker_end (seat, error) ? HIR_STEP_FAILED : step;
}

gboolean
hir_rank_worker_run (HirRankWorker *seat)
{
  switch (hir_evaluator_step (seat->rank->evaluator, &seat->error))
    {
    case HIR_STEP_MORE:
      seat->n_steps = hir_evaluator_get_n_steps (seat->rank->evaluator) - seat->n_before;
      return TRUE;
    case HIR_STEP_DONE:
      return hir_rank_worker_end (seat, &seat->error);
    default:
      seat->n_steps++; /* the failed step counts */
      return FALSE;
    }
}

guint64
hir_rank_worker_count (const HirRankWorker *seat, gboolean is_inside)
{
  return seat->n_steps + (is_inside ? MAX (seat->rank->evaluator->n_walking, 1) : 0);
}

/* Marks the worker as idle. Requires the lock. */
static void
stand (HirRankWorker *seat)
{
  if (seat->doing != HIR_WORKER_EXITING)
    seat->doing = HIR_WORKER_IDLE;
  g_cond_broadcast (&seat->run->changed);
}

static gboolean
must_halt (HirDebugRun *run)
{
  return g_atomic_int_get (&run->halt) != 0 || g_atomic_int_get (&run->stop) != 0;
}

static void
take_steps (HirRankWorker *seat)
{
  HirDebugRun *run = seat->run;
  guint64 limit = G_MAXUINT64;

  while (!seat->ended && seat->error == NULL && seat->n_steps < limit)
    {
      if (g_atomic_int_get (&seat->is_detached))
        {
          /* The next go is for the other ranks. */
          (void) hir_rank_worker_end (seat, &seat->error);
          return;
        }
      if (must_halt (run))
        {
          /* Stop until the limit, the count of the farthest rank, is known. */
          g_mutex_lock (&run->lock);
          limit = run->limit;
          g_mutex_unlock (&run->lock);
          if (seat->n_steps >= limit)
            return;
          /* Leave prepared loop bodies, which could pass the limit. */
          hir_evaluator_set_debugged (seat->rank->evaluator, TRUE);
        }
      if (!hir_rank_worker_run (seat))
        g_atomic_int_set (&run->halt, 1);
    }
}

static gpointer
seat_thread (gpointer data)
{
  HirRankWorker *seat = data;
  HirDebugRun *run = seat->run;

  g_mutex_lock (&run->lock);
  while (seat->doing != HIR_WORKER_EXITING)
    {
      HirWorkerState doing = seat->doing;

      if (doing == HIR_WORKER_IDLE)
        {
          g_cond_wait (&run->changed, &run->lock);
          continue;
        }
      g_mutex_unlock (&run->lock);
      if (doing == HIR_WORKER_RUNNING)
        take_steps (seat);
      else
        (void) hir_rank_worker_step (seat, &seat->error);
      g_mutex_lock (&run->lock);
      stand (seat);
    }
  g_mutex_unlock (&run->lock);
  return NULL;
}

void
hir_rank_worker_start (HirRankWorker *seat, HirWorkerState doing)
{
  g_mutex_lock (&seat->run->lock);
  seat->doing = doing;
  g_atomic_int_set (&seat->is_detached, 0);
  g_cond_broadcast (&seat->run->changed);
  g_mutex_unlock (&seat->run->lock);
  if (seat->thread == NULL)
    seat->thread = g_thread_new ("hir-debug-rank", seat_thread, seat);
}

/* Returns how many workers of @ranks are not idle. Requires the lock. */
static guint
count_moving (HirDebugRun *run, guint32 ranks)
{
  guint n = 0;

  for (guint i = 0; i < run->seats->len; i++)
    {
      const HirRankWorker *seat = g_ptr_array_index (run->seats, i);

      n += hir_debug_ranks_have (ranks, seat->i) && seat->doing != HIR_WORKER_IDLE;
    }
  return n;
}

/* Returns the sum of the wait numbers of all workers that are not idle, or 0 if one of them does
 * not wait. Requires the lock. */
static guint64
sum_waits (HirDebugRun *run)
{
  guint64 sum = 0;

  for (guint i = 0; i < run->seats->len; i++)
    {
      const HirRankWorker *seat = g_ptr_array_index (run->seats, i);
      HirCommunicator *communicator = seat->rank->communicator;
      guint64 number = 0;

      if (seat->doing == HIR_WORKER_IDLE)
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
    if (!g_cond_wait_until (&run->changed, &run->lock, g_get_monotonic_time () + LOOK_US) &&
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
  for (guint i = 0; i < run->seats->len; i++)
    {
      const HirRankWorker *seat = g_ptr_array_index (run->seats, i);

      if (!hir_debug_ranks_have (ranks, seat->i) && seat->doing == HIR_WORKER_IDLE && !seat->ended)
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
    is_held = !g_cond_wait_until (&run->changed, &run->lock, g_get_monotonic_time () + LOOK_US) &&
              wait_for_held (run, ranks);
  run->is_interrupted = count_moving (run, ranks) > 0 && !must_halt (run) && !is_held;
  if (run->is_interrupted)
    g_atomic_int_set (&run->halt, 1);
  await_locked (run);
}

/* Lets ranks that are inside an instruction stop after it, regardless of later operations. Requires
 * the lock. */
static void
leave_inside (HirDebugRun *run, guint32 ranks)
{
  for (guint i = 0; i < run->seats->len; i++)
    {
      HirRankWorker *seat = g_ptr_array_index (run->seats, i);

      if (hir_debug_ranks_have (ranks, seat->i) && seat->doing != HIR_WORKER_IDLE)
        g_atomic_int_set (&seat->is_detached, 1);
    }
}

void
hir_debug_run_await_goes (HirDebugRun *run, guint32 ranks)
{
  guint64 farthest = 0;

  g_mutex_lock (&run->lock);
  await_end_or_stop (run, ranks);
  for (guint i = 0; i < run->seats->len; i++)
    {
      const HirRankWorker *seat = g_ptr_array_index (run->seats, i);

      if (hir_debug_ranks_have (ranks, seat->i))
        farthest = MAX (farthest, hir_rank_worker_count (seat, seat->doing != HIR_WORKER_IDLE));
    }
  run->limit = farthest;
  for (guint i = 0; i < run->seats->len; i++)
    {
      HirRankWorker *seat = g_ptr_array_index (run->seats, i);

      if (hir_debug_ranks_have (ranks, seat->i) && !seat->ended && seat->doing == HIR_WORKER_IDLE &&
          seat->n_steps < farthest)
        seat->doing = HIR_WORKER_RUNNING;
    }
  g_atomic_int_set (&run->halt, 1);
  g_cond_broadcast (&run->changed);
  await_locked (run);
  leave_inside (run, ranks);
  g_mutex_unlock (&run->lock);
}

void
hir_debug_run_join (HirDebugRun *run)
{
  g_mutex_lock (&run->lock);
  for (guint i = 0; i < run->seats->len; i++)
    ((HirRankWorker *) g_ptr_array_index (run->seats, i))->doing = HIR_WORKER_EXITING;
  g_cond_broadcast (&run->changed);
  g_mutex_unlock (&run->lock);
  for (guint i = 0; i < run->seats->len; i++)
    {
      HirRankWorker *seat = g_ptr_array_index (run->seats, i);

      if (seat->thread != NULL)
        g_thread_join (g_steal_pointer (&seat->thread));
    }
}
