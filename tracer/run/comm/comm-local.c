#include "run/comm/comm-local-private.h"

#include <string.h>

void
hir_local_op_unref (HirLocalOp *op)
{
  if (--op->n_refs > 0)
    return;
  g_ptr_array_add (op->world->spare_ops, op);
}

void
hir_local_op_drop (HirLocalOp *op)
{
  for (guint i = 0; i < op->n; i++)
    g_clear_pointer (&op->works[i], hir_local_work_unref);
  hir_local_op_unref (op);
}

static void
op_free (gpointer data)
{
  HirLocalOp *op = data;

  g_free (op->works);
  g_free (op);
}

static void
team_free (gpointer data)
{
  HirLocalTeam *team = data;

  for (guint i = 0; i < team->ops->len; i++)
    {
      HirLocalOp *op = g_ptr_array_index (team->ops, i);

      if (op != NULL)
        hir_local_op_drop (op);
    }
  g_ptr_array_unref (team->ops);
  g_ptr_array_unref (team->agains);
  g_free (team->quick);
  g_free (team->members);
  g_free (team->n_posted);
  g_free (team);
}

static void
message_free (gpointer data)
{
  HirLocalMessage *message = data;

  g_clear_pointer (&message->values[0], hir_value_unref);
  g_clear_pointer (&message->values[1], hir_value_unref);
  g_clear_pointer (&message->works[0], hir_local_work_unref);
  g_clear_pointer (&message->works[1], hir_local_work_unref);
  g_free (message);
}

static void
queue_free (gpointer data)
{
  g_queue_free (data);
}

void
hir_local_work_unref (HirCommWork *work)
{
  if (--work->n_refs > 0)
    return;
  hir_comm_post_clear (work->post);
  g_clear_pointer (&work->messages, g_ptr_array_unref);
  g_clear_pointer (&work->op, hir_local_op_unref);
  g_ptr_array_add (work->world->spare, work);
}

HirCommWorld *
hir_comm_world_new (int n_ranks)
{
  HirCommWorld *world = g_new0 (HirCommWorld, 1);

  world->n_ranks = n_ranks;
  g_mutex_init (&world->lock);
  g_cond_init (&world->moved_cond);
  world->teams = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, team_free);
  world->team_by_expr = g_hash_table_new (NULL, NULL);
  world->unmatched = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, queue_free);
  world->messages = g_ptr_array_new_with_free_func (message_free);
  world->works = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_local_work_unref);
  world->spare = g_ptr_array_new_with_free_func (g_free);
  world->spare_ops = g_ptr_array_new_with_free_func (op_free);
  world->waiting = g_ptr_array_new ();
  world->ended = g_new0 (gboolean, n_ranks);
  world->backends = g_new0 (HirBackend *, n_ranks);
  return world;
}

void
hir_comm_world_free (HirCommWorld *world)
{
  g_hash_table_unref (world->team_by_expr);
  g_hash_table_unref (world->teams);
  g_hash_table_unref (world->unmatched);
  g_ptr_array_unref (world->messages);
  g_ptr_array_unref (world->works);
  g_ptr_array_unref (world->spare);
  g_ptr_array_unref (world->spare_ops);
  g_ptr_array_unref (world->waiting);
  g_free (world->ended);
  g_free (world->backends);
  g_clear_error (&world->error);
  g_mutex_clear (&world->lock);
  g_cond_clear (&world->moved_cond);
  g_free (world);
}

void
hir_comm_world_set_backend (HirCommWorld *world, int rank, HirBackend *backend)
{
  g_mutex_lock (&world->lock);
  world->backends[rank] = backend;
  g_mutex_unlock (&world->lock);
}

GError *
hir_comm_world_dup_error (HirCommWorld *world)
{
  GError *copy = NULL;

  g_mutex_lock (&world->lock);
  if (world->error != NULL)
    copy = hir_error_copy (world->error);
  g_mutex_unlock (&world->lock);
  return copy;
}

void
hir_local_abort (HirCommWorld *world, const GError *error)
{
  if (world->error == NULL)
    world->error = hir_error_copy (error);
  g_cond_broadcast (&world->moved_cond);
}

void
hir_local_give_error (HirCommWorld *world, GError **error)
{
  g_propagate_error (error, hir_error_copy (world->error));
}

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

void
hir_local_keep_shape (HirValue *shape, HirValue **value)
{
  if (*value == NULL)
    return;
  g_atomic_ref_count_init (&shape->ref_count);
  shape->dtype = (*value)->dtype;
  shape->n_dims = (*value)->n_dims;
  memcpy (shape->sizes, (*value)->sizes, shape->n_dims * sizeof *shape->sizes);
  memcpy (shape->strides, (*value)->strides, shape->n_dims * sizeof *shape->strides);
  hir_value_unref (*value);
  *value = hir_value_ref (shape);
}

HirCommWork *
hir_local_work_new (HirCommWorld *world, int rank, const HirCommPost *post, gboolean is_matched_only)
{
  HirCommWork *work = world->spare->len > 0
                          ? g_ptr_array_steal_index_fast (world->spare, world->spare->len - 1)
                          : g_new0 (HirCommWork, 1);

  work->world = world;
  work->rank = rank;
  work->post = &work->own_post;
  work->is_matched_only = is_matched_only;
  work->n_refs = 1;
  hir_comm_post_assign (work->post, post);
  if (is_matched_only)
    {
      hir_local_keep_shape (&work->shapes[0], &work->post->in);
      hir_local_keep_shape (&work->shapes[1], &work->post->out);
      return work;
    }
  work->n_refs++;
  g_ptr_array_add (world->works, work);
  return work;
}

/* The new work, which is the caller's; NULL where it does not fit. With the lock. */
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
      hir_local_give_error (world, error);
      return NULL;
    }
  work = hir_local_work_new (world, rank, post, is_matched_only);
  if (post->messages != NULL ? hir_local_match_messages (world, work, &local)
                             : hir_local_match_collective (world, work, &local))
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
  /* What it has posted is among the others' posts before it has ended. */
  hir_local_expand (world);
  world->ended[communicator->rank] = TRUE;
  ok = world->error == NULL;
  if (!ok)
    hir_local_give_error (world, &local);
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
  .name = "local",
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

static HirLocalTeam *
find_team (HirCommWorld *world, const HirExpr *communication)
{
  g_autoptr (GString) key = g_string_new (NULL);
  guint n;
  g_autofree gint64 *members = hir_comm_dup_members (communication, &n);
  HirLocalTeam *team;

  for (guint i = 0; i < n; i++)
    g_string_append_printf (key, "%" G_GINT64_FORMAT ",", members[i]);
  team = g_hash_table_lookup (world->teams, key->str);
  if (team != NULL)
    return team;
  team = g_new0 (HirLocalTeam, 1);
  team->members = g_steal_pointer (&members);
  team->n = n;
  team->n_posted = g_new0 (guint, n);
  team->ops = g_ptr_array_new ();
  team->agains = g_ptr_array_new_with_free_func (hir_local_persistent_free);
  g_hash_table_insert (world->teams, g_strdup (key->str), team);
  return team;
}

HirLocalTeam *
hir_local_lookup_team (HirCommWorld *world, const HirExpr *communication)
{
  HirLocalTeam *team = g_hash_table_lookup (world->team_by_expr, communication);

  if (team != NULL)
    return team;
  team = find_team (world, communication);
  g_hash_table_insert (world->team_by_expr, (gpointer) communication, team);
  return team;
}
