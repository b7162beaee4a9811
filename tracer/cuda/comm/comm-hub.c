/* Hub of the GPU communicators of a process: creation, failure and the watchdog thread. */
#include <string.h>

#include "cuda/comm/comm-private.h"

/* A host thread spins this long before it sleeps. All ranks issue the same program, so the others
 * arrive soon, and a wake-up takes longer than the wait. With few processors the other threads need
 * them. */
#define SPIN_US 2000
#define SHORT_SPIN_US 20

#define WATCH_MS 50
/* Interval of repeated releases, because streams of other processes may write after a release. */
#define RELEASE_MS 5

static void
team_free (gpointer data)
{
  HirCommTeam *team = data;

  for (guint i = 0; i < team->n; i++)
    g_clear_pointer (&team->labels[i], g_ref_string_release);
  g_queue_clear_full (&team->places, g_free);
  g_free (team->labels);
  g_free (team->members);
  g_free (team->n_issued);
  g_free (team->nccl);
  g_free (team->seats);
  g_free (team);
}

HirCommHub *
hir_comm_hub_new (HirCudaLibs *libs,
                  const HirCommSettings *settings,
                  int n_ranks,
                  HirMpiModule *mpi,
                  GError **error)
{
  g_autoptr (HirCommHub) hub = g_new0 (HirCommHub, 1);
  g_autofree char *version = NULL;

  hub->libs = libs;
  hub->settings = *settings;
  hub->n_ranks = n_ranks;
  hub->mpi = mpi;
  hub->spin_us = g_get_num_processors () > 2 * (guint) n_ranks ? SPIN_US : SHORT_SPIN_US;
  if (hub->settings.way == HIR_COMM_TRANSPORT_DEFAULT)
    hub->settings.way = HIR_COMM_TRANSPORT_NCCL;
  hub->teams = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, team_free);
  hub->known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  hub->comms = g_new0 (HirCudaComm *, n_ranks);
  hub->ended = g_new0 (gboolean, n_ranks);
  hub->waiting = g_ptr_array_new ();
  g_mutex_init (&hub->lock);
  g_mutex_init (&hub->make_lock);
  g_cond_init (&hub->moved);
  g_cond_init (&hub->stop);
  if (hub->settings.way == HIR_COMM_TRANSPORT_COPY || n_ranks == 1)
    {
      hub->name = g_strdup (n_ranks == 1  ? "one GPU"
                            : mpi != NULL ? "copy engines between processes"
                                          : "copy engines");
      return g_steal_pointer (&hub);
    }
  if (!hir_cuda_libs_open (libs, HIR_LIB_NCCL, error))
    return NULL;
  version = hir_cuda_libs_dup_version (libs, HIR_LIB_NCCL);
  hub->name =
      g_strdup_printf ("NCCL %s%s", version != NULL ? version : "of unknown version",
                       hub->settings.way == HIR_COMM_TRANSPORT_P2P ? ", sends and receives" : "");
  return g_steal_pointer (&hub);
}

static void
stop_watchdog (HirCommHub *hub)
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

void
hir_comm_hub_free (HirCommHub *hub)
{
  stop_watchdog (hub);
  hir_comm_share_free (hub);
  hir_comm_nccl_destroy (hub);
  g_hash_table_unref (hub->known);
  g_hash_table_unref (hub->teams);
  g_ptr_array_unref (hub->waiting);
  g_free (hub->comms);
  g_free (hub->ended);
  g_free (hub->name);
  g_clear_error (&hub->error);
  g_mutex_clear (&hub->lock);
  g_mutex_clear (&hub->make_lock);
  g_cond_clear (&hub->moved);
  g_cond_clear (&hub->stop);
  g_free (hub);
}

const char *
hir_comm_hub_get_name (HirCommHub *hub)
{
  return hub->name;
}

void
hir_comm_hub_fail (HirCommHub *hub, const GError *error)
{
  hir_comm_hub_set_error (hub, error);
  if (!g_atomic_int_compare_and_exchange (&hub->stopped, 0, 1))
    return;
  hir_comm_share_release (hub);
  hir_comm_nccl_abort (hub);
}

/* Call with the hub's lock held. */
static void
set_async_error (
    HirCommHub *hub, const HirCommTeam *team, guint place, HirNcclResult result, GError **error)
{
  g_autofree char *where =
      team->labels[place] != NULL
          ? hir_comm_dup_where (team->labels[place],
                                g_atomic_int_get (&team->seats[place].iteration),
                                (int) team->members[place])
          : g_strdup ("initialization");

  hir_set_error (error, HIR_ERROR_RUN, NULL,
                 "NCCL failed after %s, the last call of rank %" G_GINT64_FORMAT ": %s", where,
                 team->members[place], hub->libs->nccl.get_error_string (result));
}

/* Finds an asynchronous error of any communicator of this process. */
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

/* Sleeps until the next check. Returns FALSE if the watchdog is to stop. *@error gets the error of
 * another rank, if any. */
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

gboolean
hir_comm_hub_start_watchdog (HirCommHub *hub, GError **error)
{
  g_autoptr (GError) local = NULL;
  gboolean started;

  g_mutex_lock (&hub->lock);
  if (hub->watch == NULL)
    hub->watch = g_thread_try_new ("hir-comm-watch", watch, hub, &local);
  started = hub->watch != NULL;
  g_mutex_unlock (&hub->lock);
  if (!started)
    hir_set_error (error, HIR_ERROR_RUN, NULL, "cannot watch the communicators: %s",
                   local->message);
  return started;
}
