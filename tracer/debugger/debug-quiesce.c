/* Waits until every stream is idle or blocked on another rank, so that the state can be inspected
 * safely. */
#include "debugger/debug-run-private.h"

#define FIRST_PAUSE_US 20
#define LONGEST_PAUSE_US 2000

static guint64
count_done (HirDebugRun *run)
{
  guint64 sum = 0;

  for (guint i = 0; i < run->workers->len; i++)
    {
      const HirRankWorker *worker = g_ptr_array_index (run->workers, i);
      guint64 done = 0;
      guint running = 0;

      worker->rank->backend->klass->get_progress (worker->rank->backend, &done, &running);
      sum += done;
    }
  return sum;
}

/* Returns TRUE if all running streams of the rank are blocked in communications. */
static gboolean
is_rank_quiescent (HirDebugRun *run, const HirRankWorker *worker, gboolean *all_rest)
{
  HirCommWorld *world = hir_debug_run_get_world (run);
  g_autoptr (GArray) statuses = worker->rank->backend->klass->look (worker->rank->backend);
  guint n_running = 0;

  for (guint i = 0; i < statuses->len; i++)
    {
      const HirStreamStatus *status = &g_array_index (statuses, HirStreamStatus, i);

      n_running += status->doing == HIR_STREAM_RUNNING;
      *all_rest &= status->doing == HIR_STREAM_IDLE;
    }
  return n_running == 0 ||
         (world != NULL && hir_comm_world_count_blocked (world, worker->rank->rank) == n_running);
}

/* A stream that was checked may be resumed by one that is checked later. The later stream then has
 * finished work, which changes the count. */
static gboolean
check_once (HirDebugRun *run, gboolean *all_rest)
{
  guint64 before = count_done (run);

  *all_rest = TRUE;
  for (guint i = 0; i < run->workers->len; i++)
    if (!is_rank_quiescent (run, g_ptr_array_index (run->workers, i), all_rest))
      return FALSE;
  return count_done (run) == before;
}

/* For back ends whose streams cannot be inspected (GPU). Their streams never wait for a held rank,
 * because collectives are launched only after all ranks have posted. */
static gboolean
synchronize (HirDebugRun *run, gboolean *all_rest)
{
  *all_rest = TRUE;
  for (guint i = 0; i < run->workers->len; i++)
    *all_rest &= !hir_debug_run_is_inside (run, i);
  for (guint i = 0; i < run->workers->len && *all_rest; i++)
    {
      const HirRankWorker *worker = g_ptr_array_index (run->workers, i);

      if (!worker->rank->backend->klass->synchronize (worker->rank->backend, NULL))
        return TRUE; /* the next step reports the failure */
    }
  return TRUE;
}

gboolean
hir_debug_run_is_quiescent (HirDebugRun *run, gboolean *all_rest)
{
  const HirRankWorker *first = g_ptr_array_index (run->workers, 0);

  return first->rank->backend->klass->look != NULL ? check_once (run, all_rest)
                                                   : synchronize (run, all_rest);
}

gboolean
hir_debug_run_quiesce (HirDebugRun *run)
{
  gulong pause_us = FIRST_PAUSE_US;
  gboolean all_rest;

  if (run->session == NULL)
    return TRUE;
  while (!hir_debug_run_is_quiescent (run, &all_rest))
    {
      if (hir_debug_run_is_stop_requested (run))
        return FALSE;
      g_usleep (pause_us);
      pause_us = MIN (pause_us * 2, LONGEST_PAUSE_US);
    }
  return TRUE;
}

void
hir_debug_run_hold (HirDebugRun *run, gboolean held)
{
  for (guint i = 0; run->session != NULL && i < run->workers->len; i++)
    {
      HirBackend *backend = hir_debug_run_get_worker (run, i)->rank->backend;

      if (backend->klass->hold != NULL)
        backend->klass->hold (backend, held);
    }
}
