/* Fast path for persistent posts: a loop posts the same collective in every iteration, and it is
 * only matched. The team stores one small ring entry per post and reuses the result of the first
 * match. When a member posts in the ordinary way, or the posts must be inspected, the entries are
 * expanded into ordinary posts. */
#include <string.h>

#include "run/comm/comm-local-private.h"

static gboolean
same_shape (const HirValue *a, const HirValue *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  return a->dtype == b->dtype && a->n_dims == b->n_dims &&
         memcmp (a->sizes, b->sizes, a->n_dims * sizeof *a->sizes) == 0 &&
         memcmp (a->strides, b->strides, a->n_dims * sizeof *a->strides) == 0;
}

static HirLocalPersistent *
find_persistent (const HirLocalTeam *team, guint member, const HirCommPost *post)
{
  for (guint i = 0; i < team->persistents->len; i++)
    {
      HirLocalPersistent *persistent = g_ptr_array_index (team->persistents, i);

      if (persistent->member == member && persistent->post.expr == post->expr &&
          same_shape (persistent->post.in, post->in) &&
          same_shape (persistent->post.out, post->out))
        return persistent;
    }
  return NULL;
}

HirLocalPersistent *
hir_comm_world_get_persistent (HirCommWorld *world, int rank, const HirCommPost *post)
{
  HirLocalTeam *team;
  HirLocalPersistent *persistent = NULL;
  guint member;

  g_mutex_lock (&world->lock);
  team = hir_local_lookup_team (world, post->expr);
  member = hir_local_find_member (team, rank);
  for (guint i = 0; i < team->n; i++)
    if (team->members[i] >= world->n_ranks)
      member = team->n;
  if (member < team->n)
    persistent = find_persistent (team, member, post);
  if (persistent == NULL && member < team->n)
    {
      persistent = g_new0 (HirLocalPersistent, 1);
      persistent->world = world;
      persistent->team = team;
      persistent->member = member;
      hir_comm_post_assign (&persistent->post, post);
      hir_local_keep_shape (&persistent->shapes[0], &persistent->post.in);
      hir_local_keep_shape (&persistent->shapes[1], &persistent->post.out);
      persistent->matches = g_new0 (HirLocalPersistent *, team->n);
      g_ptr_array_add (team->persistents, persistent);
    }
  g_mutex_unlock (&world->lock);
  return persistent;
}

/* Returns the first number of @team without an op. */
static guint
get_base (const HirLocalTeam *team)
{
  return team->n_before + team->ops->len;
}

static HirLocalQuick *
get_quick (const HirLocalTeam *team, guint number, guint member)
{
  return &team->quick[(number & (team->n_quick_room - 1)) * team->n + member];
}

/* Grows the ring for entry @number. */
static void
grow_ring (HirLocalTeam *team, guint number)
{
  guint base = get_base (team), room = team->n_quick_room;
  HirLocalQuick *before = team->quick;

  if (number - base < room)
    return;
  team->n_quick_room = MAX (room * 2, 64);
  team->quick = g_new0 (HirLocalQuick, (gsize) team->n_quick_room * team->n);
  for (guint i = base; i - base < room; i++)
    memcpy (get_quick (team, i, 0), &before[(i & (room - 1)) * team->n], team->n * sizeof *before);
  g_free (before);
}

/* Turns @quick into an ordinary post and matches it. */
static gboolean
post_whole (HirCommWorld *world, HirLocalTeam *team, HirLocalQuick *quick, GError **error)
{
  HirLocalPersistent *persistent = quick->persistent;
  HirCommPost post = persistent->post;
  HirCommWork *work;
  gboolean ok;

  post.iteration = quick->iteration;
  post.where = NULL;
  *quick = (HirLocalQuick){ NULL, 0 };
  work = hir_local_work_new (world, (int) team->members[persistent->member], &post, TRUE);
  ok = hir_local_match_collective (world, work, error);
  hir_local_work_unref (work);
  return ok;
}

static gboolean
expand_team (HirCommWorld *world, HirLocalTeam *team, GError **error)
{
  guint base = get_base (team), n = team->n_quick;
  gboolean ok = TRUE;

  if (n == 0)
    return TRUE;
  team->n_quick = 0;
  /* The expanded posts are counted again. */
  for (guint member = 0; member < team->n; member++)
    if (team->n_posted[member] > base)
      team->n_posted[member] = base;
  for (guint number = base; n > 0; number++)
    for (guint member = 0; member < team->n; member++)
      {
        HirLocalQuick *quick = get_quick (team, number, member);

        if (quick->persistent == NULL)
          continue;
        ok = ok && post_whole (world, team, quick, error);
        *quick = (HirLocalQuick){ NULL, 0 };
        n--;
      }
  return ok;
}

gboolean
hir_local_expand_for_post (HirCommWorld *world, int rank, const HirExpr *expr, GError **error)
{
  HirLocalTeam *team = hir_local_lookup_team (world, expr);
  guint member = hir_local_find_member (team, rank);

  return member == team->n || team->n_quick == 0 || team->n_posted[member] < get_base (team) ||
         expand_team (world, team, error);
}

void
hir_local_expand (HirCommWorld *world)
{
  GHashTableIter iter;
  HirLocalTeam *team;

  g_hash_table_iter_init (&iter, world->teams);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &team))
    {
      g_autoptr (GError) local = NULL;

      if (!expand_team (world, team, &local))
        hir_local_abort (world, local);
    }
}

/* All members have posted @persistent and the entries of number @number. Checks their sizes once
 * and remembers the match. */
static gboolean
remember_match (const HirLocalTeam *team, HirLocalPersistent *persistent, guint number)
{
  g_autofree HirLocalPersistent **all = g_new0 (HirLocalPersistent *, team->n);
  g_autofree HirCommPart *parts = g_new0 (HirCommPart, team->n);

  for (guint i = 0; i < team->n; i++)
    {
      all[i] = i == persistent->member ? persistent : get_quick (team, number, i)->persistent;
      parts[i] = (HirCommPart){ team->members[i], all[i]->post.in, all[i]->post.out };
    }
  if (!hir_comm_check_parts (all[0]->post.expr, parts, team->n, NULL))
    return FALSE;
  for (guint i = 0; i < team->n; i++)
    memcpy (all[i]->matches, all, team->n * sizeof *all);
  return TRUE;
}

/* Returns TRUE if @persistent can be entry @number of this member. Sets *@n to the number of other
 * members that have posted it, all of them persistently. */
static gboolean
matches (const HirCommWorld *world,
         const HirLocalTeam *team,
         HirLocalPersistent *persistent,
         guint number,
         guint *n)
{
  gboolean is_known = TRUE;

  *n = 0;
  for (guint i = 0; i < team->n; i++)
    {
      const HirLocalPersistent *other = get_quick (team, number, i)->persistent;

      if (i == persistent->member)
        continue;
      if (other == NULL)
        {
          if (world->ended[team->members[i]])
            return FALSE;
          continue;
        }
      ++*n;
      if (other == persistent->matches[i])
        continue;
      is_known = FALSE;
      if (hir_local_find_difference (persistent->post.expr, other->post.expr) != NULL)
        return FALSE;
    }
  return is_known || *n + 1 < team->n || remember_match (team, persistent, number);
}

/* Removes entry @number, which all members have posted. */
static void
forget (HirLocalTeam *team, guint number)
{
  /* Members post in order, so no op remains. */
  g_assert (team->ops->len == 0 && team->n_before == number);
  memset (get_quick (team, number, 0), 0, team->n * sizeof (HirLocalQuick));
  team->n_quick -= team->n - 1; /* the last one was not stored */
  team->n_before++;
}

static gboolean
match (HirCommWorld *world, HirLocalPersistent *persistent, gint32 iteration, GError **error)
{
  HirLocalTeam *team = persistent->team;
  HirLocalQuick self = { persistent, iteration };
  guint number = team->n_posted[persistent->member], n;

  if (world->error != NULL)
    {
      hir_local_set_error (world, error);
      return FALSE;
    }
  if (number < get_base (team)) /* others have posted in the ordinary way */
    return post_whole (world, team, &self, error);
  grow_ring (team, number);
  if (!matches (world, team, persistent, number, &n))
    return expand_team (world, team, error) && post_whole (world, team, &self, error);
  team->n_posted[persistent->member]++;
  if (n + 1 == team->n)
    forget (team, number);
  else
    {
      *get_quick (team, number, persistent->member) = self;
      team->n_quick++;
    }
  return TRUE;
}

gboolean
hir_comm_world_match_persistent (HirCommWorld *world,
                                 HirLocalPersistent *persistent,
                                 gint32 iteration,
                                 GError **error)
{
  g_autoptr (GError) local = NULL;
  gboolean ok;

  hir_comm_lock (&world->lock);
  ok = match (world, persistent, iteration, &local);
  if (!ok)
    hir_local_abort (world, local);
  g_mutex_unlock (&world->lock);
  if (!ok)
    g_propagate_error (error, g_steal_pointer (&local));
  return ok;
}
