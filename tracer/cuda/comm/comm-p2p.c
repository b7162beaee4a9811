/* Collectives and messages as groups of NCCL's sends and receives. */
#include "cuda/comm/comm-private.h"

/* A group of sends and receives. Calls after the first failure are skipped, but the group is always
 * ended. */
typedef struct
{
  HirCommHub *hub;
  HirCommTeam *team;
  HirNcclComm comm;
  HirCuStream stream;
  HirNcclType type;
  gsize n_units, size;
  HirNcclResult result;
  const char *name; /* name of the failed call, or of the last one */
} Group;

static void
set_type (Group *group, HirDType dtype)
{
  hir_comm_nccl_get_type (dtype, &group->type, &group->n_units);
  group->size = hir_dtype_get_size_bytes (dtype);
}

static void
send (Group *group, HirCuAddress from, gsize bytes, int peer)
{
  if (group->result != HIR_NCCL_SUCCESS || bytes == 0)
    return;
  group->name = "ncclSend";
  group->result = group->hub->libs->nccl.send (GSIZE_TO_POINTER ((gsize) from),
                                               bytes / group->size * group->n_units, group->type,
                                               peer, group->comm, group->stream);
}

static void
receive (Group *group, HirCuAddress to, gsize bytes, int peer)
{
  if (group->result != HIR_NCCL_SUCCESS || bytes == 0)
    return;
  group->name = "ncclRecv";
  group->result = group->hub->libs->nccl.recv (GSIZE_TO_POINTER ((gsize) to),
                                               bytes / group->size * group->n_units, group->type,
                                               peer, group->comm, group->stream);
}

static void
end_group (Group *group)
{
  HirNcclResult ended = group->hub->libs->nccl.group_end ();

  if (group->result != HIR_NCCL_SUCCESS)
    return;
  group->name = "ncclGroupEnd";
  group->result = ended;
}

/* Sends and receives all pieces. The own piece is copied within the device. */
static gboolean
move_all (HirCommCall *call, Group *group, GError **error)
{
  HirCommPiece piece;

  for (guint i = 0; i < call->team->n; i++)
    {
      if (i == call->place)
        {
          if (hir_comm_call_get_piece (call, i, i, &piece) &&
              !hir_comm_copy_own (call->work, call->out + (HirCuAddress) piece.at,
                                  call->in + (HirCuAddress) piece.offset, piece.bytes, call->stream,
                                  error))
            return FALSE;
          continue;
        }
      if (hir_comm_call_get_piece (call, call->place, i, &piece))
        send (group, call->in + (HirCuAddress) piece.offset, piece.bytes, (int) i);
      if (hir_comm_call_get_piece (call, i, call->place, &piece))
        receive (group, call->out + (HirCuAddress) piece.at, piece.bytes, (int) i);
    }
  return TRUE;
}

gboolean
hir_comm_p2p_collective (HirCommCall *call, GError **error)
{
  HirCudaWork *work = call->work;
  Group group = {
    .hub = work->comm->hub, .team = call->team, .stream = call->stream, .name = "ncclGroupStart"
  };
  gboolean ok;

  if (!hir_comm_meet_team (call, error) || !hir_comm_nccl_ensure (work, call->team, error) ||
      !hir_comm_nccl_begin (work, call->team, call->place, error))
    return FALSE;
  group.comm = call->team->nccl[call->place];
  set_type (&group, work->post.expr->outputs[0]->dtype);
  group.result = group.hub->libs->nccl.group_start ();
  ok = group.result == HIR_NCCL_SUCCESS;
  if (ok)
    {
      ok = move_all (call, &group, error);
      end_group (&group);
    }
  hir_comm_nccl_end (call->team, call->place);
  if (!ok && group.result == HIR_NCCL_SUCCESS)
    return FALSE;
  return hir_comm_nccl_done (work, group.result, group.comm, group.name, error);
}

/* Returns the team of all ranks, because messages can have any peer. */
static HirCommTeam *
get_world (HirCommHub *hub)
{
  g_autofree gint64 *members = g_new (gint64, hub->n_ranks);
  g_autoptr (GString) key = g_string_new ("world ");

  for (int i = 0; i < hub->n_ranks; i++)
    {
      members[i] = i;
      g_string_append_printf (key, "%d,", i);
    }
  return hir_comm_hub_get_team (hub, key->str, members, (guint) hub->n_ranks);
}

gboolean
hir_comm_nccl_make_world (HirCommHub *hub, GError **error)
{
  return hir_comm_nccl_make (hub, get_world (hub), "messages between ranks", error);
}

/* Requires the receive in the same group, because nothing else could complete the send. */
gboolean
hir_comm_move_own_messages (HirCudaWork *work, HirCuStream stream, GError **error)
{
  int rank = work->comm->base.rank;
  guint to = 0;

  for (guint from = 0; from < work->post.messages->len; from++)
    {
      const HirCommMessage *sent = &g_array_index (work->post.messages, HirCommMessage, from);
      const HirCommMessage *received = NULL;

      if (!sent->is_send || sent->peer != rank)
        continue;
      for (; to < work->post.messages->len && received == NULL; to++)
        {
          const HirCommMessage *other = &g_array_index (work->post.messages, HirCommMessage, to);

          if (!other->is_send && other->peer == rank)
            received = other;
        }
      if (received == NULL)
        {
          hir_set_error (error, HIR_ERROR_RUN, &work->post.expr->node.pos,
                         "%s sends to its own rank, but the receive is not in the same group; "
                         "put both in one group",
                         hir_cuda_work_get_where (work));
          return FALSE;
        }
      if (!hir_comm_copy_own (work, (HirCuAddress) (gsize) hir_value_get_data (received->value),
                              (HirCuAddress) (gsize) hir_value_get_data (sent->value),
                              hir_value_get_size_bytes (sent->value), stream, error))
        return FALSE;
    }
  return TRUE;
}

static void
move_messages (HirCudaWork *work, Group *group)
{
  for (guint i = 0; i < work->post.messages->len; i++)
    {
      const HirCommMessage *message = &g_array_index (work->post.messages, HirCommMessage, i);
      HirCuAddress at = (HirCuAddress) (gsize) hir_value_get_data (message->value);
      gsize bytes = hir_value_get_size_bytes (message->value);

      if (message->peer == work->comm->base.rank)
        continue;
      set_type (group, message->value->dtype);
      if (message->is_send)
        send (group, at, bytes, (int) message->peer);
      else
        receive (group, at, bytes, (int) message->peer);
    }
}

gboolean
hir_comm_nccl_messages (HirCudaWork *work, HirCuStream stream, GError **error)
{
  HirCommHub *hub = work->comm->hub;
  guint place = (guint) work->comm->base.rank;
  Group group = { .hub = hub, .team = get_world (hub), .stream = stream, .name = "ncclGroupStart" };

  if (!(hub->mpi != NULL ? hir_comm_await_posts (work, error)
                         : hir_comm_meet_peers (work, error)) ||
      !hir_comm_move_own_messages (work, stream, error) ||
      !hir_comm_nccl_ensure (work, group.team, error) ||
      !hir_comm_nccl_begin (work, group.team, place, error))
    return FALSE;
  group.comm = group.team->nccl[place];
  group.result = hub->libs->nccl.group_start ();
  if (group.result == HIR_NCCL_SUCCESS)
    {
      move_messages (work, &group);
      end_group (&group);
    }
  hir_comm_nccl_end (group.team, place);
  return hir_comm_nccl_done (work, group.result, group.comm, group.name, error);
}
