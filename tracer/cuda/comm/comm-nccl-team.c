/* NCCL communicators of a team: creation, error checks and abort. */
#include "cuda/comm/comm-private.h"

#include <string.h>

/* Time limit for calls in progress before their communicator is aborted. */
#define LEAVE_US (300 * 1000)

gboolean
hir_comm_nccl_check (HirCommHub *hub,
                     HirNcclResult result,
                     HirNcclComm comm,
                     const char *what,
                     const char *where,
                     GError **error)
{
  const HirNcclApi *nccl = &hub->libs->nccl;
  const char *last = NULL;

  if (result == HIR_NCCL_SUCCESS || result == HIR_NCCL_IN_PROGRESS)
    return TRUE;
  if (g_atomic_int_get (&hub->failed) != 0)
    {
      /* The call failed because another rank's error aborted the communicator. */
      hir_comm_hub_give_error (hub, error);
      return FALSE;
    }
  last = nccl->get_last_error (comm);
  hir_set_error (error, HIR_ERROR_RUN, NULL, "%s for %s: %s%s%s; set NCCL_DEBUG=WARN for details",
                 what, where, nccl->get_error_string (result),
                 last != NULL && *last != '\0' ? ": " : "", last != NULL ? last : "");
  return FALSE;
}

/* Gets the NCCL id that identifies the team to its members. */
static gboolean
get_id (HirCommHub *hub, const HirCommTeam *team, const char *where, HirNcclId *id, GError **error)
{
  HirMpiModule *mpi = hub->mpi;

  memset (id, 0, sizeof *id);
  if (mpi == NULL || team->members[0] == mpi->rank)
    if (!hir_comm_nccl_check (hub, hub->libs->nccl.get_unique_id (id), NULL, "ncclGetUniqueId",
                              where, error))
      return FALSE;
  return mpi == NULL || hir_mpi_module_team_bcast (mpi, "NCCL's id", team->members, team->n, id,
                                                   sizeof *id, error);
}

static gboolean
make_members (HirCommHub *hub, HirCommTeam *team, const char *where, HirNcclId id, GError **error)
{
  const HirNcclApi *nccl = &hub->libs->nccl;
  int n_ctas = hub->settings.n_ctas > 0 ? hub->settings.n_ctas : HIR_NCCL_UNDEFINED;
  HirNcclConfig config = { .size = sizeof config,
                           .magic = HIR_NCCL_CONFIG_MAGIC,
                           .version = HIR_NCCL_CONFIG_VERSION,
                           .blocking = 1,
                           .cga_cluster_size = HIR_NCCL_UNDEFINED,
                           .min_ctas = n_ctas,
                           .max_ctas = n_ctas,
                           .split_share = HIR_NCCL_UNDEFINED };
  HirNcclResult result = nccl->group_start ();
  const char *what = "ncclGroupStart";

  for (guint i = 0; i < team->n && result == HIR_NCCL_SUCCESS; i++)
    {
      HirCudaComm *comm = hub->comms[team->members[i]];

      if (comm == NULL)
        continue;
      if (!hir_cuda_device_make_current (comm->device, error))
        {
          nccl->group_end ();
          return FALSE;
        }
      what = "ncclCommInitRankConfig";
      result = nccl->comm_init_rank_config (&team->nccl[i], (int) team->n, id, (int) i, &config);
    }
  if (result == HIR_NCCL_SUCCESS || strcmp (what, "ncclGroupStart") != 0)
    {
      HirNcclResult ended = nccl->group_end ();

      result = result == HIR_NCCL_SUCCESS ? ended : result;
    }
  if (hir_comm_nccl_check (hub, result, NULL, what, where, error))
    return TRUE;
  /* NCCL has already freed the communicators of a failed group. */
  for (guint i = 0; i < team->n; i++)
    team->nccl[i] = NULL;
  return FALSE;
}

gboolean
hir_comm_nccl_make (HirCommHub *hub, HirCommTeam *team, const char *where, GError **error)
{
  HirCuContext context = NULL;
  HirNcclId id;
  gboolean ok = TRUE;

  if (g_atomic_int_get (&team->made))
    return TRUE;
  g_mutex_lock (&hub->make_lock);
  if (!team->made)
    {
      hub->libs->cuda.ctx_get_current (&context);
      ok = get_id (hub, team, where, &id, error) && make_members (hub, team, where, id, error);
      hub->libs->cuda.ctx_set_current (context);
      hir_cuda_device_forget_current ();
      if (ok)
        g_atomic_int_set (&team->made, TRUE);
    }
  g_mutex_unlock (&hub->make_lock);
  return ok;
}

/* Waits until no thread is in an NCCL call, for at most LEAVE_US. */
static void
await_calls (HirCommHub *hub)
{
  gint64 until_us = g_get_monotonic_time () + LEAVE_US;
  g_autoptr (GPtrArray) teams = g_ptr_array_new ();
  GHashTableIter iter;
  HirCommTeam *team;

  g_mutex_lock (&hub->lock);
  g_hash_table_iter_init (&iter, hub->teams);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &team))
    g_ptr_array_add (teams, team);
  g_mutex_unlock (&hub->lock);
  for (guint t = 0; t < teams->len; t++)
    {
      team = g_ptr_array_index (teams, t);
      for (guint i = 0; i < team->n; i++)
        while (g_atomic_int_get (&team->seats[i].n_calls) > 0 && g_get_monotonic_time () < until_us)
          g_usleep (100);
    }
}

/* Removes all communicators from their teams and returns them. */
static GPtrArray *
steal_all (HirCommHub *hub)
{
  GPtrArray *all = g_ptr_array_new ();
  GHashTableIter iter;
  HirCommTeam *team;

  g_mutex_lock (&hub->lock);
  g_hash_table_iter_init (&iter, hub->teams);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &team))
    for (guint i = 0; i < team->n; i++)
      if (team->nccl[i] != NULL)
        g_ptr_array_add (all, g_steal_pointer (&team->nccl[i]));
  g_mutex_unlock (&hub->lock);
  return all;
}

void
hir_comm_nccl_abort (HirCommHub *hub)
{
  g_autoptr (GPtrArray) all = NULL;

  await_calls (hub);
  all = steal_all (hub);
  for (guint i = 0; i < all->len; i++)
    hub->libs->nccl.comm_abort (g_ptr_array_index (all, i));
}

void
hir_comm_nccl_destroy (HirCommHub *hub)
{
  g_autoptr (GPtrArray) all = steal_all (hub);

  for (guint i = 0; i < all->len; i++)
    hub->libs->nccl.comm_destroy (g_ptr_array_index (all, i));
}
