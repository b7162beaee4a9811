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
find_again (const HirLocalTeam *team, guint place, const HirCommPost *post)
{
  for (guint i = 0; i < team->agains->len; i++)
    {
      HirLocalPersistent *again = g_ptr_array_index (team->agains, i);

      if (again->place == place && again->post.expr == post->expr &&
          same_shape (again->post.in, post->in) && same_shape (again->post.out, post->out))
        return again;
    }
  return NULL;
}

HirLocalPersistent *
hir_comm_world_get_persistent (HirCommWorld *world, int rank, const HirCommPost *post)
{
  HirLocalTeam *team;
  HirLocalPersistent *again = NULL;
  guint place;

  g_mutex_lock (&world->lock);
  team = hir_local_lookup_team (world, post->expr);
  place = hir_local_find_member (team, rank);
  for (guint i = 0; i < team->n; i++)
    if (team->members[i] >= world->n_ranks)
      place = team->n;
  if (place < team->n)
    again = find_again (team, place, post);
  if (again == NULL && place < team->n)
    {
      again = g_new0 (HirLocalPersistent, 1);
      again->world = world;
      again->team = team;
      again->place = place;
      hir_comm_post_assign (&again->post, post);
      hir_local_keep_shape (&again->shapes[0], &again->post.in);
      hir_local_keep_shape (&again->shapes[1], &again->post.out);
      again->fits = g_new0 (HirLocalPersistent *, team->n);
      g_ptr_array_add (team->agains, again);
    }
  g_mutex_unlock (&world->lock);
  return again;
}

/* Returns the first number of @team without an op. */
static guint
get_base (const HirLocalTeam *team)
{
  return team->n_before + team->ops->len;
}

static HirLocalQuick *
get_quick (const HirLocalTeam *team, guint number, guint place)
{
  return &team->quick[(number & (team->n_quick_room - 1)) * team->n + place];
}

/* Grows the ring for entry @number. */
static void
make_room (HirLocalTeam *team, guint number)
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
  HirLocalPersistent *again = quick->again;
  HirCommPost post = again->post;
  HirCommWork *work;
  gboolean ok;

  post.iteration = quick->iteration;
  post.where = NULL;
  *quick = (HirLocalQuick){ NULL, 0 };
  work = hir_local_work_new (world, (int) team->members[again->place], &post, TRUE);
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
  for (guint place = 0; place < team->n; place++)
    if (team->n_posted[place] > base)
      team->n_posted[place] = base;
  for (guint number = base; n > 0; number++)
    for (guint place = 0; place < team->n; place++)
      {
        HirLocalQuick *quick = get_quick (team, number, place);

        if (quick->again == NULL)
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
  guint place = hir_local_find_member (team, rank);

  return place == team->n || team->n_quick == 0 || team->n_posted[place] < get_base (team) ||
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

/* All members have posted @again and the entries of number @number. Checks their sizes once and
 * remembers the match. */
static gboolean
learn_fit (const HirLocalTeam *team, HirLocalPersistent *again, guint number)
{
  g_autofree HirLocalPersistent **all = g_new0 (HirLocalPersistent *, team->n);
  g_autofree HirCommPart *parts = g_new0 (HirCommPart, team->n);

  for (guint i = 0; i < team->n; i++)
    {
      all[i] = i == again->place ? again : get_quick (team, number, i)->again;
      parts[i] = (HirCommPart){ team->members[i], all[i]->post.in, all[i]->post.out };
    }
  if (!hir_comm_check_parts (all[0]->post.expr, parts, team->n, NULL))
    return FALSE;
  for (guint i = 0; i < team->n; i++)
    memcpy (all[i]->fits, all, team->n * sizeof *all);
  return TRUE;
}

/* Returns TRUE if @again can be entry @number of this member. Sets *@n to the number of other
 * members that have posted it, all of them persistently. */
static gboolean
fits (const HirCommWorld *world,
      const HirLocalTeam *team,
      HirLocalPersistent *again,
      guint number,
      guint *n)
{
  gboolean is_known = TRUE;

  *n = 0;
  for (guint i = 0; i < team->n; i++)
    {
      const HirLocalPersistent *other = get_quick (team, number, i)->again;

      if (i == again->place)
        continue;
      if (other == NULL)
        {
          if (world->ended[team->members[i]])
            return FALSE;
          continue;
        }
      ++*n;
      if (other == again->fits[i])
        continue;
      is_known = FALSE;
      if (hir_local_find_difference (again->post.expr, other->post.expr) != NULL)
        return FALSE;
    }
  return is_known || *n + 1 < team->n || learn_fit (team, again, number);
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
match (HirCommWorld *world, HirLocalPersistent *again, gint32 iteration, GError **error)
{
  HirLocalTeam *team = again->team;
  HirLocalQuick self = { again, iteration };
  guint number = team->n_posted[again->place], n;

  if (world->error != NULL)
    {
      hir_local_give_error (world, error);
      return FALSE;
    }
  if (number < get_base (team)) /* others have posted in the ordinary way */
    return post_whole (world, team, &self, error);
  make_room (team, number);
  if (!fits (world, team, again, number, &n))
    return expand_team (world, team, error) && post_whole (world, team, &self, error);
  team->n_posted[again->place]++;
  if (n + 1 == team->n)
    forget (team, number);
  else
    {
      *get_quick (team, number, again->place) = self;
      team->n_quick++;
    }
  return TRUE;
}

gboolean
hir_comm_world_match_persistent (HirCommWorld *world,
                            HirLocalPersistent *again,
                            gint32 iteration,
                            GError **error)
{
  g_autoptr (GError) local = NULL;
  gboolean ok;

  hir_comm_lock (&world->lock);
  ok = match (world, again, iteration, &local);
  if (!ok)
    hir_local_abort (world, local);
  g_mutex_unlock (&world->lock);
  if (!ok)
    g_propagate_error (error, g_steal_pointer (&local));
  return ok;
}
