/* The communicator of a rank that is a thread. */
#include "run/comm/comm-local-private.h"

typedef struct
{
  HirCommunicator base;
  HirCommWorld *world;
} Local;

static void
local_begin (HirCommunicator *communicator)
{
  HirCommWorld *world = ((Local *) communicator)->world;

  g_mutex_lock (&world->lock);
  g_hash_table_remove_all (world->team_by_expr);
  g_hash_table_remove_all (world->teams);
  g_hash_table_remove_all (world->unmatched);
  g_ptr_array_set_size (world->messages, 0);
  g_ptr_array_set_size (world->works, 0);
  for (int i = 0; i < world->n_ranks; i++)
    world->ended[i] = FALSE;
  g_mutex_unlock (&world->lock);
}

/* Creates and matches the work of @post. Returns NULL if it does not match. Call with the lock. */
static HirCommWork *
match (HirCommWorld *world,
       int rank,
       const HirCommPost *post,
       gboolean is_matched_only,
       GError **error)
{
  HirCommWork *work;
  GError *local = NULL;

  if (world->error != NULL)
    {
      hir_local_set_error (world, error);
      return NULL;
    }
  work = hir_local_work_new (world, rank, post, is_matched_only);
  if (post->messages != NULL ? hir_local_match_messages (world, work, &local)
                             : hir_local_expand_for_post (world, rank, post->expr, &local) &&
                                   hir_local_match_collective (world, work, &local))
    return work;
  hir_local_abort (world, local);
  hir_local_work_unref (work);
  g_propagate_error (error, local);
  return NULL;
}

static HirCommWork *
local_post (HirCommunicator *communicator, const HirCommPost *post, GError **error)
{
  HirCommWorld *world = ((Local *) communicator)->world;
  HirCommWork *work;

  hir_comm_lock (&world->lock);
  work = match (world, communicator->rank, post, FALSE, error);
  g_mutex_unlock (&world->lock);
  return work;
}

gboolean
hir_comm_world_match (HirCommWorld *world, int rank, const HirCommPost *post, GError **error)
{
  HirCommWork *work;

  hir_comm_lock (&world->lock);
  work = match (world, rank, post, TRUE, error);
  if (work != NULL)
    hir_local_work_unref (work);
  g_mutex_unlock (&world->lock);
  return work != NULL;
}

static gboolean
local_run (HirCommWork *work, GError **error)
{
  HirCommWorld *world = work->world;
  g_autoptr (GError) local = NULL;
  gboolean done;

  g_mutex_lock (&world->lock);
  done = work->op != NULL ? hir_local_run_collective (world, work, &local)
                          : hir_local_run_messages (world, work, &local);
  if (!done)
    {
      hir_local_abort (world, local);
      g_propagate_error (error, g_steal_pointer (&local));
    }
  g_mutex_unlock (&world->lock);
  return done;
}

static void
local_free_work (HirCommWork *work)
{
  HirCommWorld *world = work->world;

  g_mutex_lock (&world->lock);
  hir_local_work_unref (work);
  g_mutex_unlock (&world->lock);
}

static gboolean
local_end (HirCommunicator *communicator, GError **error)
{
  HirCommWorld *world = ((Local *) communicator)->world;
  g_autoptr (GError) local = NULL;
  gboolean ok;

  g_mutex_lock (&world->lock);
  /* Expand persistent posts first: the posts of this rank come before its end. */
  hir_local_expand (world);
  world->ended[communicator->rank] = TRUE;
  ok = world->error == NULL;
  if (!ok)
    hir_local_set_error (world, &local);
  else
    {
      ok = hir_local_check_end (world, communicator->rank, &local);
      if (!ok)
        hir_local_abort (world, local);
    }
  g_mutex_unlock (&world->lock);
  if (!ok)
    g_propagate_error (error, g_steal_pointer (&local));
  return ok;
}

static void
local_abort (HirCommunicator *communicator, const GError *error)
{
  HirCommWorld *world = ((Local *) communicator)->world;

  g_mutex_lock (&world->lock);
  hir_local_abort (world, error);
  g_mutex_unlock (&world->lock);
}

static void
local_free (HirCommunicator *communicator)
{
  g_free (communicator);
}

static const HirCommunicatorClass local_class = {
  .begin = local_begin,
  .post = local_post,
  .run = local_run,
  .free_work = local_free_work,
  .end = local_end,
  .abort = local_abort,
  .free = local_free,
};

HirCommunicator *
hir_comm_local_new (HirCommWorld *world, int rank)
{
  Local *local = g_new0 (Local, 1);

  local->base.klass = &local_class;
  local->base.rank = rank;
  local->base.n_ranks = world->n_ranks;
  local->world = world;
  return &local->base;
}
