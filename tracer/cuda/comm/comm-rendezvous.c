/* Rendezvous of the host threads of one process, and detection of deadlocks between them. */
#include <string.h>

#include "cuda/comm/comm-private.h"

#define LOOK_US (100 * 1000)
/* Time without progress after which a deadlock is reported. The total must stay below 1 s. */
#define STILL_US (600 * 1000)

static void
place_free (HirCommHub *hub, HirCommTeam *team, HirCommRendezvous *place)
{
  for (guint i = 0; i < place->n; i++)
    {
      HirCudaComm *comm = hub->comms[team->members[i]];

      if (comm == NULL)
        continue;
      if (place->cards[i].ready != NULL)
        g_ptr_array_add (comm->events, place->cards[i].ready);
      if (place->cards[i].done != NULL)
        g_ptr_array_add (comm->events, place->cards[i].done);
    }
  g_free (place);
}

static void
forget_places (HirCommHub *hub, HirCommTeam *team)
{
  HirCommRendezvous *place;

  while ((place = g_queue_pop_head (&team->places)) != NULL)
    place_free (hub, team, place);
  team->n_gone = 0;
  memset (team->n_issued, 0, team->n * sizeof *team->n_issued);
}

HirCommTeam *
hir_comm_hub_get_team (HirCommHub *hub, const char *key, const gint64 *members, guint n)
{
  HirCommTeam *team;

  g_mutex_lock (&hub->lock);
  team = g_hash_table_lookup (hub->teams, key);
  if (team == NULL)
    {
      team = g_new0 (HirCommTeam, 1);
      team->n = n;
      team->hash = g_str_hash (key);
      team->members = g_memdup2 (members, n * sizeof *members);
      team->n_issued = g_new0 (guint64, n);
      team->nccl = g_new0 (HirNcclComm, n);
      team->seats = g_new0 (HirCommCallState, n);
      team->labels = g_new0 (char *, n);
      g_queue_init (&team->places);
      g_hash_table_insert (hub->teams, g_strdup (key), team);
    }
  g_mutex_unlock (&hub->lock);
  return team;
}

HirCommTeam *
hir_comm_hub_get_pair (HirCommHub *hub, gint64 rank, const HirCommMessage *message)
{
  gint64 ends[] = { message->is_send ? rank : message->peer,
                    message->is_send ? message->peer : rank };
  g_autofree char *key =
      g_strdup_printf ("%" G_GINT64_FORMAT ">%" G_GINT64_FORMAT, ends[0], ends[1]);

  return hir_comm_hub_get_team (hub, key, ends, 2);
}

HirCommRendezvous *
hir_comm_hub_enter_locked (
    HirCommHub *hub, HirCommTeam *team, gint64 rank, gboolean is_receiver, guint *side)
{
  guint64 number;
  HirCommRendezvous *place;

  *side = is_receiver ? 1 : 0;
  while (!is_receiver && team->members[*side] != rank)
    (*side)++;
  number = team->n_issued[*side]++ - team->n_gone;
  if (number < g_queue_get_length (&team->places))
    return g_queue_peek_nth (&team->places, (guint) number);
  place = g_malloc0 (sizeof (HirCommRendezvous) + team->n * sizeof (HirCommMember));
  place->n = team->n;
  place->members = team->members;
  g_queue_push_tail (&team->places, place);
  return place;
}

void
hir_comm_hub_leave (HirCommHub *hub, HirCommTeam *team, HirCommRendezvous *place)
{
  HirCommRendezvous *first;

  g_mutex_lock (&hub->lock);
  place->n_left++;
  while ((first = g_queue_peek_head (&team->places)) != NULL && first->n_left == first->n)
    {
      g_queue_pop_head (&team->places);
      team->n_gone++;
      place_free (hub, team, first);
    }
  g_mutex_unlock (&hub->lock);
}

static gboolean
has_come (const HirCommRendezvous *place, guint side, gint stage)
{
  return g_atomic_int_get (&place->cards[side].stage) >= stage;
}

static gboolean
all_have_come (const HirCommWait *meeting)
{
  for (guint i = 0; i < meeting->n; i++)
    for (guint side = 0; side < meeting->places[i]->n; side++)
      if (!has_come (meeting->places[i], side, meeting->stage))
        return FALSE;
  return TRUE;
}

static void
append_awaited (const HirCommWait *meeting, GString *text)
{
  const char *separator = " waits for rank ";

  for (guint i = 0; i < meeting->n; i++)
    for (guint side = 0; side < meeting->places[i]->n; side++)
      {
        if (has_come (meeting->places[i], side, meeting->stage))
          continue;
        g_string_append_printf (text, "%s%" G_GINT64_FORMAT, separator,
                                meeting->places[i]->members[side]);
        separator = " and rank ";
      }
}

static void
set_circle_error_locked (HirCommHub *hub, GError **error)
{
  const HirCommWait *first = g_ptr_array_index (hub->waiting, 0);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < hub->waiting->len; i++)
    {
      const HirCommWait *meeting = g_ptr_array_index (hub->waiting, i);

      g_string_append_printf (text, "%s%s", i > 0 ? "; " : "",
                              hir_cuda_work_get_where (meeting->work));
      append_awaited (meeting, text);
    }
  hir_set_error (error, HIR_ERROR_RUN, &first->work->post.expr->node.pos,
                 "deadlock: %s; on GPUs, post communications in the same order on all ranks and "
                 "group sends with their receives",
                 text->str);
}

/* Returns TRUE if each rank waits or has ended, and no wait is complete. */
static gboolean
is_circle_locked (const HirCommHub *hub)
{
  guint n = hub->waiting->len;

  for (int i = 0; i < hub->n_ranks; i++)
    n += hub->ended[i];
  if (n < (guint) hub->n_ranks)
    return FALSE;
  for (guint i = 0; i < hub->waiting->len; i++)
    if (all_have_come (g_ptr_array_index (hub->waiting, i)))
      return FALSE;
  return TRUE;
}

/* Sleeps until the wait is complete or the run has failed. Returns FALSE on a deadlock. */
static gboolean
sleep_locked (HirCommHub *hub, const HirCommWait *meeting, GError **error)
{
  gint64 since_us = g_get_monotonic_time ();
  guint64 n_moved = hub->n_moved;

  while (!all_have_come (meeting) && g_atomic_int_get (&hub->failed) == 0)
    {
      g_cond_wait_until (&hub->moved, &hub->lock, g_get_monotonic_time () + LOOK_US);
      if (hub->n_moved != n_moved || !is_circle_locked (hub))
        {
          n_moved = hub->n_moved;
          since_us = g_get_monotonic_time ();
        }
      else if (g_get_monotonic_time () - since_us > STILL_US)
        {
          set_circle_error_locked (hub, error);
          return FALSE;
        }
    }
  return TRUE;
}

gboolean
hir_comm_hub_rendezvous (HirCommHub *hub, const HirCommWait *meeting, GError **error)
{
  gint64 until_us;
  g_autoptr (GError) local = NULL;

  for (guint i = 0; i < meeting->n; i++)
    g_atomic_int_set (&meeting->places[i]->cards[meeting->sides[i]].stage, meeting->stage);
  if (g_atomic_int_get (&hub->n_sleeping) > 0)
    {
      g_mutex_lock (&hub->lock);
      hub->n_moved++;
      g_cond_broadcast (&hub->moved);
      g_mutex_unlock (&hub->lock);
    }
  until_us = g_get_monotonic_time () + hub->spin_us;
  while (!all_have_come (meeting) && g_atomic_int_get (&hub->failed) == 0 &&
         g_get_monotonic_time () < until_us)
    ;
  if (!all_have_come (meeting) && g_atomic_int_get (&hub->failed) == 0)
    {
      HirCommWait own = *meeting;

      g_mutex_lock (&hub->lock);
      own.number = ++hub->n_waits;
      g_atomic_int_inc (&hub->n_sleeping);
      g_ptr_array_add (hub->waiting, &own);
      (void) sleep_locked (hub, &own, &local);
      g_ptr_array_remove_fast (hub->waiting, &own);
      g_atomic_int_add (&hub->n_sleeping, -1);
      g_mutex_unlock (&hub->lock);
    }
  if (local != NULL)
    hir_comm_hub_set_error (hub, local);
  if (g_atomic_int_get (&hub->failed) == 0)
    return TRUE;
  hir_comm_hub_give_error (hub, error);
  return FALSE;
}

guint64
hir_comm_hub_get_wait (HirCommHub *hub, const HirCudaComm *comm)
{
  guint64 number = 0;

  g_mutex_lock (&hub->lock);
  for (guint i = 0; i < hub->waiting->len; i++)
    {
      const HirCommWait *meeting = g_ptr_array_index (hub->waiting, i);

      if (meeting->work->comm == comm && !all_have_come (meeting))
        number = meeting->number;
    }
  g_mutex_unlock (&hub->lock);
  return number;
}

void
hir_comm_hub_set_error (HirCommHub *hub, const GError *error)
{
  g_mutex_lock (&hub->lock);
  if (hub->error == NULL)
    hub->error = hir_error_copy (error);
  g_atomic_int_set (&hub->failed, 1);
  g_cond_broadcast (&hub->moved);
  g_mutex_unlock (&hub->lock);
}

void
hir_comm_hub_give_error (HirCommHub *hub, GError **error)
{
  g_mutex_lock (&hub->lock);
  g_propagate_error (error, hir_error_copy (hub->error));
  g_mutex_unlock (&hub->lock);
}

void
hir_comm_hub_reset (HirCommHub *hub)
{
  GHashTableIter iter;
  HirCommTeam *team;

  g_mutex_lock (&hub->lock);
  g_hash_table_iter_init (&iter, hub->teams);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &team))
    forget_places (hub, team);
  for (int i = 0; i < hub->n_ranks; i++)
    hub->ended[i] = FALSE;
  g_mutex_unlock (&hub->lock);
}

void
hir_comm_hub_set_ended (HirCommHub *hub, int rank)
{
  g_mutex_lock (&hub->lock);
  hub->ended[rank] = TRUE;
  g_mutex_unlock (&hub->lock);
}

HirCuEvent
hir_comm_take_event (HirCudaComm *comm, GError **error)
{
  HirCuEvent event = NULL;

  g_mutex_lock (&comm->hub->lock);
  if (comm->events->len > 0)
    event = g_ptr_array_steal_index_fast (comm->events, comm->events->len - 1);
  g_mutex_unlock (&comm->hub->lock);
  if (event != NULL)
    return event;
  if (!hir_cu_check (comm->hub->libs,
                     comm->hub->libs->cuda.event_create (&event, HIR_CU_EVENT_DISABLE_TIMING),
                     error, "cuEventCreate on rank %d", comm->base.rank))
    return NULL;
  return event;
}
