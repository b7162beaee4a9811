/* Debugger support: status of communications, and forgetting of posts. */
#include <string.h>

#include "run/comm/comm-local-private.h"

static void
status_free (gpointer data)
{
  HirCommStatus *status = data;

  g_array_unref (status->posted);
  g_array_unref (status->missing);
  g_free (status->where);
  g_free (status);
}

static HirCommStatus *
status_new (const HirCommWork *first)
{
  HirCommStatus *status = g_new0 (HirCommStatus, 1);

  status->expr = first->post->expr;
  status->where = g_strdup (hir_comm_post_get_where (first->post));
  status->posted = g_array_new (FALSE, FALSE, sizeof (gint64));
  status->missing = g_array_new (FALSE, FALSE, sizeof (gint64));
  return status;
}

static gboolean
is_waiting (const HirCommWorld *world, const HirCommWork *work)
{
  return work != NULL && g_ptr_array_find (world->waiting, work, NULL);
}

static void
add_team_status (const HirCommWorld *world, const HirLocalTeam *team, GPtrArray *statuses)
{
  for (guint i = 0; i < team->ops->len; i++)
    {
      const HirLocalOp *op = g_ptr_array_index (team->ops, i);
      HirCommStatus *status = NULL;

      if (op == NULL || op->done) /* complete, and only matched */
        continue;
      for (guint k = 0; k < op->n && status == NULL; k++)
        status = op->works[k] != NULL ? status_new (op->works[k]) : NULL;
      if (status == NULL)
        continue;
      for (guint k = 0; k < op->n; k++)
        {
          g_array_append_val (op->works[k] != NULL ? status->posted : status->missing,
                              op->members[k]);
          status->is_waited_in |= is_waiting (world, op->works[k]);
        }
      g_ptr_array_add (statuses, status);
    }
}

/* Returns whether an earlier message of the same posts waits for the same ranks, as the send for
 * the receive of an exchange. */
static gboolean
is_repeated (const HirLocalMessage *message)
{
  guint lower = message->from < message->to ? 0 : 1;
  const HirCommWork *work = message->works[message->works[lower] != NULL ? lower : 1 - lower];

  for (guint i = 0; i < work->messages->len; i++)
    {
      const HirLocalMessage *other = g_ptr_array_index (work->messages, i);
      guint same = other->from == message->from ? 0 : 1;

      if (other == message)
        return FALSE;
      if (!other->done && MIN (other->from, other->to) == MIN (message->from, message->to) &&
          MAX (other->from, other->to) == MAX (message->from, message->to) &&
          other->works[same] == message->works[0] && other->works[1 - same] == message->works[1])
        return TRUE;
    }
  return FALSE;
}

static void
add_message_status (const HirCommWorld *world, const HirLocalMessage *message, GPtrArray *statuses)
{
  const HirCommWork *first = message->works[message->works[0] != NULL ? 0 : 1];
  HirCommStatus *status;

  if (message->done || first == NULL || is_repeated (message))
    return;
  status = status_new (first);
  g_array_append_val (message->works[0] != NULL ? status->posted : status->missing, message->from);
  if (message->from != message->to)
    g_array_append_val (message->works[1] != NULL ? status->posted : status->missing, message->to);
  status->is_waited_in =
      is_waiting (world, message->works[0]) || is_waiting (world, message->works[1]);
  g_ptr_array_add (statuses, status);
}

static int
by_key (gconstpointer a, gconstpointer b, gpointer user_data)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

GPtrArray *
hir_comm_world_look (HirCommWorld *world)
{
  GPtrArray *statuses = g_ptr_array_new_with_free_func (status_free);
  guint n;

  g_mutex_lock (&world->lock);
  hir_local_expand (world);
  g_autofree gpointer *keys = g_hash_table_get_keys_as_array (world->teams, &n);
  g_qsort_with_data (keys, (int) n, sizeof *keys, (GCompareDataFunc) (void (*) (void)) by_key,
                     NULL);
  for (guint i = 0; i < n; i++)
    add_team_status (world, g_hash_table_lookup (world->teams, keys[i]), statuses);
  for (guint i = 0; i < world->messages->len; i++)
    add_message_status (world, g_ptr_array_index (world->messages, i), statuses);
  g_mutex_unlock (&world->lock);
  return statuses;
}

static gboolean
is_done (const HirCommWork *work)
{
  if (work->op != NULL)
    return work->op->done;
  for (guint i = 0; i < work->messages->len; i++)
    if (!((const HirLocalMessage *) g_ptr_array_index (work->messages, i))->done)
      return FALSE;
  return TRUE;
}

guint
hir_comm_world_count_blocked (HirCommWorld *world, int rank)
{
  guint n = 0;

  g_mutex_lock (&world->lock);
  for (guint i = 0; i < world->waiting->len && world->error == NULL; i++)
    {
      const HirCommWork *work = g_ptr_array_index (world->waiting, i);

      n += work->rank == rank && !is_done (work);
    }
  g_mutex_unlock (&world->lock);
  return n;
}

/* Returns the last @n_posts[rank] posts of each rank as a set. */
static GHashTable *
collect_last (HirCommWorld *world, const guint *n_posts)
{
  GHashTable *set = g_hash_table_new (NULL, NULL);
  g_autofree guint *left = g_memdup2 (n_posts, sizeof (guint) * (gsize) world->n_ranks);

  for (guint i = world->works->len; i-- > 0;)
    {
      HirCommWork *work = g_ptr_array_index (world->works, i);

      if (left[work->rank] == 0)
        continue;
      left[work->rank]--;
      g_hash_table_add (set, work);
    }
  return set;
}

/* Returns TRUE if the posts in @set are done and were matched only with posts in @set. */
static gboolean
is_closed (GHashTable *set)
{
  GHashTableIter iter;
  HirCommWork *work;

  g_hash_table_iter_init (&iter, set);
  while (g_hash_table_iter_next (&iter, (gpointer *) &work, NULL))
    {
      if (!is_done (work))
        return FALSE;
      for (guint i = 0; work->op != NULL && i < work->op->n; i++)
        if (!g_hash_table_contains (set, work->op->works[i]))
          return FALSE;
      for (guint i = 0; work->op == NULL && i < work->messages->len; i++)
        {
          const HirLocalMessage *message = g_ptr_array_index (work->messages, i);

          if (!g_hash_table_contains (set, message->works[0]) ||
              !g_hash_table_contains (set, message->works[1]))
            return FALSE;
        }
    }
  return TRUE;
}

static void
forget_in_teams (HirCommWorld *world, GHashTable *set)
{
  GHashTableIter iter;
  HirLocalTeam *team;

  g_hash_table_iter_init (&iter, world->teams);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &team))
    while (team->ops->len > 0)
      {
        HirLocalOp *op = g_ptr_array_index (team->ops, team->ops->len - 1);

        if (op->works[0] == NULL || !g_hash_table_contains (set, op->works[0]))
          break;
        for (guint i = 0; i < team->n; i++)
          team->n_posted[i]--;
        g_ptr_array_set_size (team->ops, (int) team->ops->len - 1);
        hir_local_op_drop (op);
      }
}

gboolean
hir_comm_world_forget (HirCommWorld *world, const guint *n_posts)
{
  g_autoptr (GHashTable) set = NULL;
  gboolean can;

  g_mutex_lock (&world->lock);
  set = collect_last (world, n_posts);
  can = is_closed (set);
  if (can)
    {
      forget_in_teams (world, set);
      for (guint i = world->messages->len; i-- > 0;)
        {
          const HirLocalMessage *message = g_ptr_array_index (world->messages, i);

          if (g_hash_table_contains (set, message->works[0]))
            g_ptr_array_remove_index (world->messages, i);
        }
      for (guint i = world->works->len; i-- > 0;)
        if (g_hash_table_contains (set, g_ptr_array_index (world->works, i)))
          g_ptr_array_remove_index (world->works, i);
    }
  g_mutex_unlock (&world->lock);
  return can;
}

void
hir_comm_world_set_ended (HirCommWorld *world, int rank, gboolean ended)
{
  g_mutex_lock (&world->lock);
  world->ended[rank] = ended;
  g_mutex_unlock (&world->lock);
}
