/* Errors that come while nobody calls a communicator. */
#include "cuda/comm/comm-private.h"

#define WATCH_MS 50
/* Streams of other processes may write after they were released. */
#define RELEASE_MS 5

/* With the hub's lock. */
static void
set_async_error (
    HirCommHub *hub, const HirCommTeam *team, guint place, HirNcclResult result, GError **error)
{
  g_autofree char *where =
      team->labels[place] != NULL
          ? hir_comm_dup_where (team->labels[place],
                                g_atomic_int_get (&team->seats[place].iteration),
                                (int) team->members[place])
          : g_strdup ("its start");

  hir_set_error (error, HIR_ERROR_RUN, NULL,
                 "NCCL failed after %s, the last call of rank %" G_GINT64_FORMAT ": %s", where,
                 team->members[place], hub->libs->nccl.get_error_string (result));
}

/* The first asynchronous error of any communicator of this process. */
static gboolean
find_error (HirCommHub *hub, GError **error)
{
  GHashTableIter iter;
  HirCommTeam *team;
  HirNcclResult result;
  gboolean found = FALSE;

  g_mutex_lock (&hub->lock);
  g_hash_table_iter_init (&iter, hub->teams);
  while (!found && g_hash_table_iter_next (&iter, NULL, (gpointer *) &team))
    for (guint i = 0; i < team->n && !found; i++)
      {
        if (team->nccl[i] == NULL)
          continue;
        if (hub->libs->nccl.comm_get_async_error (team->nccl[i], &result) != HIR_NCCL_SUCCESS)
          result = HIR_NCCL_INTERNAL_ERROR;
        found = result != HIR_NCCL_SUCCESS && result != HIR_NCCL_IN_PROGRESS;
        if (found)
          set_async_error (hub, team, i, result, error);
      }
  g_mutex_unlock (&hub->lock);
  return found;
}

/* Until the next look; FALSE: it is to end. *@error: another rank's. */
static gboolean
pause_watch (HirCommHub *hub, GError **error)
{
  gboolean failed = g_atomic_int_get (&hub->failed) != 0, stopping;
  gint64 until_us = g_get_monotonic_time () + (failed ? RELEASE_MS : WATCH_MS) * 1000;

  g_mutex_lock (&hub->lock);
  if (!hub->stopping)
    g_cond_wait_until (&hub->stop, &hub->lock, until_us);
  stopping = hub->stopping;
  for (int i = 0; i < hub->n_ranks && *error == NULL && hub->mpi != NULL && !failed; i++)
    if (hub->comms[i] != NULL && hub->comms[i]->matcher->klass->dup_error != NULL)
      *error = hub->comms[i]->matcher->klass->dup_error (hub->comms[i]->matcher);
  g_mutex_unlock (&hub->lock);
  return !stopping;
}

static gpointer
watch (gpointer data)
{
  HirCommHub *hub = data;
  g_autoptr (GError) error = NULL;

  while (pause_watch (hub, &error))
    if (g_atomic_int_get (&hub->failed) != 0)
      hir_comm_share_release (hub);
    else if (error != NULL || find_error (hub, &error))
      hir_comm_hub_fail (hub, error);
  return NULL;
}

void
hir_comm_hub_start_watchdog (HirCommHub *hub)
{
  g_mutex_lock (&hub->lock);
  if (hub->watch == NULL)
    hub->watch = g_thread_try_new ("hir-comm-watch", watch, hub, NULL);
  g_mutex_unlock (&hub->lock);
}

void
hir_comm_hub_stop_watchdog (HirCommHub *hub)
{
  GThread *thread;

  g_mutex_lock (&hub->lock);
  hub->stopping = TRUE;
  g_cond_broadcast (&hub->stop);
  thread = g_steal_pointer (&hub->watch);
  g_mutex_unlock (&hub->lock);
  if (thread != NULL)
    g_thread_join (thread);
}
