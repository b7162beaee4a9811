/* State shared by all ranks of one process: teams, posts, errors. */
#include "run/comm/comm-local-private.h"

#include <string.h>

static void
op_unref (HirLocalOp *op)
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
  op_unref (op);
}

static void
op_free (gpointer data)
{
  HirLocalOp *op = data;

  g_free (op->works);
  g_free (op);
}

static void
persistent_free (gpointer data)
{
  HirLocalPersistent *persistent = data;

  hir_comm_post_clear (&persistent->post);
  g_free (persistent->matches);
  g_free (persistent);
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
  g_ptr_array_unref (team->persistents);
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

void
hir_local_work_unref (HirCommWork *work)
{
  if (--work->n_refs > 0)
    return;
  hir_comm_post_clear (work->post);
  g_clear_pointer (&work->messages, g_ptr_array_unref);
  g_clear_pointer (&work->op, op_unref);
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
  world->unmatched =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_queue_free);
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

static GError *
copy_error (const GError *error)
{
  HirPos pos = hir_error_get_pos (error);
  GError *copy = NULL;

  hir_set_error (&copy, error->domain == HIR_ERROR ? (HirErrorCode) error->code : HIR_ERROR_RUN,
                 &pos, "%s", error->message);
  return copy;
}

GError *
hir_comm_world_dup_error (HirCommWorld *world)
{
  GError *copy = NULL;

  g_mutex_lock (&world->lock);
  if (world->error != NULL)
    copy = copy_error (world->error);
  g_mutex_unlock (&world->lock);
  return copy;
}

void
hir_local_abort (HirCommWorld *world, const GError *error)
{
  if (world->error == NULL)
    world->error = copy_error (error);
  g_cond_broadcast (&world->moved_cond);
}

void
hir_local_set_error (HirCommWorld *world, GError **error)
{
  g_propagate_error (error, copy_error (world->error));
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
hir_local_work_new (HirCommWorld *world,
                    int rank,
                    const HirCommPost *post,
                    gboolean is_matched_only)
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
  team->persistents = g_ptr_array_new_with_free_func (persistent_free);
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

guint
hir_local_find_member (const HirLocalTeam *team, gint64 rank)
{
  guint i = 0;

  while (i < team->n && team->members[i] != rank)
    i++;
  return i;
}
