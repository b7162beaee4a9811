/* Messages between ranks of one process: rendezvous of their host threads, and copies by copy
 * engines. */
#include "cuda/comm/comm-private.h"

/* The messages of a group, with one rendezvous per message. */
typedef struct
{
  HirCudaWork *work;
  HirCommTeam **lines;
  HirCommRendezvous **places;
  guint *sides;
  guint n;
} Group;

static void
group_init (Group *group, HirCudaWork *work)
{
  HirCommHub *hub = work->comm->hub;
  gint64 rank = work->comm->base.rank;

  group->work = work;
  group->n = work->post.messages->len;
  group->lines = g_new0 (HirCommTeam *, group->n);
  group->places = g_new0 (HirCommRendezvous *, group->n);
  group->sides = g_new0 (guint, group->n);
  for (guint i = 0; i < group->n; i++)
    {
      const HirCommMessage *message = &g_array_index (work->post.messages, HirCommMessage, i);

      group->lines[i] = hir_comm_hub_get_pair (hub, rank, message);
      g_mutex_lock (&hub->lock);
      group->places[i] = hir_comm_hub_enter_locked (hub, group->lines[i], rank, !message->is_send,
                                                    &group->sides[i]);
      g_mutex_unlock (&hub->lock);
    }
}

static void
group_clear (Group *group)
{
  g_free (group->lines);
  g_free (group->places);
  g_free (group->sides);
}

static void
group_leave (Group *group)
{
  for (guint i = 0; i < group->n; i++)
    hir_comm_hub_leave (group->work->comm->hub, group->lines[i], group->places[i]);
}

static gboolean
group_meet (Group *group, gint stage, GError **error)
{
  HirCommWait meeting = { group->work, group->places, group->sides, group->n, stage };

  return hir_comm_hub_rendezvous (group->work->comm->hub, &meeting, error);
}

gboolean
hir_comm_meet_peers (HirCudaWork *work, GError **error)
{
  Group group;
  gboolean ok;

  group_init (&group, work);
  ok = group_meet (&group, 1, error);
  if (ok)
    group_leave (&group);
  group_clear (&group);
  return ok;
}

/* Fills in the cards of this rank: the address of each message to send, and an event that follows
 * its computation. */
static gboolean
fill_cards (Group *group, HirCuStream stream, GError **error)
{
  HirCudaWork *work = group->work;

  for (guint i = 0; i < group->n; i++)
    {
      const HirCommMessage *message = &g_array_index (work->post.messages, HirCommMessage, i);
      HirCommMember *card = &group->places[i]->cards[group->sides[i]];

      card->context = work->comm->device->context;
      if (!message->is_send)
        continue;
      card->in = (HirCuAddress) (gsize) hir_value_get_data (message->value);
      if (!hir_comm_record (work, &card->ready, stream, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
pull (Group *group, HirCuStream stream, GError **error)
{
  HirCudaWork *work = group->work;

  for (guint i = 0; i < group->n; i++)
    {
      const HirCommMessage *message = &g_array_index (work->post.messages, HirCommMessage, i);
      const HirCommMember *sender = &group->places[i]->cards[0];

      if (message->is_send)
        continue;
      if (!hir_comm_wait_for (work, sender->ready, stream, error) ||
          !hir_comm_copy_from (work, (HirCuAddress) (gsize) hir_value_get_data (message->value),
                               sender, 0, hir_value_get_size_bytes (message->value), stream,
                               error) ||
          !hir_comm_record (work, &group->places[i]->cards[1].done, stream, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
wait_for_readers (Group *group, HirCuStream stream, GError **error)
{
  for (guint i = 0; i < group->n; i++)
    if (g_array_index (group->work->post.messages, HirCommMessage, i).is_send &&
        !hir_comm_wait_for (group->work, group->places[i]->cards[1].done, stream, error))
      return FALSE;
  return TRUE;
}

gboolean
hir_comm_copy_messages (HirCudaWork *work, HirCuStream stream, GError **error)
{
  Group group;
  gboolean ok;

  group_init (&group, work);
  ok = fill_cards (&group, stream, error) && group_meet (&group, 1, error) &&
       pull (&group, stream, error) && group_meet (&group, 2, error) &&
       wait_for_readers (&group, stream, error);
  if (ok)
    group_leave (&group);
  group_clear (&group);
  return ok;
}
