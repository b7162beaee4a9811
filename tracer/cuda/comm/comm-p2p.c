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

gboolean
hir_comm_p2p_check (const HirCommPost *post, GError **error)
{
  if (!hir_comm_type_is_reduction (post->expr->u.comm.type))
    return TRUE;
  hir_set_error (error, HIR_ERROR_UNSUPPORTED, &post->expr->node.pos,
                 "%s is a reduction, which --comm p2p cannot perform; use --comm nccl",
                 hir_comm_post_get_where (post));
  return FALSE;
}

/* Moves the pieces of a root: its own piece is copied within the device, the others are sent or
 * received. */
static gboolean
move_pieces (
    HirCommCall *call, Group *group, const HirMesh *mesh, gboolean is_gather, GError **error)
{
  gsize piece = (is_gather ? call->out_bytes : call->in_bytes) / (gsize) MAX (mesh->size, 1);

  for (gint64 j = 0; j < mesh->size; j++)
    {
      int peer = hir_comm_team_find (call->team, mesh->devices[j]);
      HirCuAddress at = (is_gather ? call->out : call->in) + (HirCuAddress) ((gsize) j * piece);

      if (peer < 0)
        continue;
      if (peer != call->root && is_gather)
        receive (group, at, piece, peer);
      else if (peer != call->root)
        send (group, at, piece, peer);
      else if (!hir_comm_copy_own (call->work, is_gather ? at : call->out,
                                   is_gather ? call->in : at, piece, call->stream, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
move_rooted (HirCommCall *call, Group *group, GError **error)
{
  const HirExpr *expr = call->work->post.expr;
  gboolean is_root = call->root == (int) call->place;

  switch (expr->u.comm.type)
    {
    case HIR_COMM_GATHER:
      if (is_root)
        return move_pieces (call, group, hir_comm_get_mesh (expr->inputs[0]), TRUE, error);
      send (group, call->in, call->in_bytes, call->root);
      return TRUE;
    case HIR_COMM_SCATTER:
      if (is_root)
        return move_pieces (call, group, hir_comm_get_mesh (expr->outputs[0]), FALSE, error);
      receive (group, call->out, call->out_bytes, call->root);
      return TRUE;
    default: /* broadcast, send and receive */
      if (!is_root)
        {
          receive (group, call->out, call->out_bytes, call->root);
          return TRUE;
        }
      for (guint i = 0; i < call->team->n; i++)
        if (i != call->place)
          send (group, call->in, call->in_bytes, (int) i);
      return call->out == 0 || hir_comm_copy_own (call->work, call->out, call->in, call->in_bytes,
                                                  call->stream, error);
    }
}

static gboolean
move_allgather (HirCommCall *call, Group *group, GError **error)
{
  for (guint i = 0; i < call->team->n; i++)
    {
      HirCuAddress at = call->out + (HirCuAddress) (i * call->in_bytes);

      if (i == call->place)
        {
          if (!hir_comm_copy_own (call->work, at, call->in, call->in_bytes, call->stream, error))
            return FALSE;
          continue;
        }
      send (group, call->in, call->in_bytes, (int) i);
      receive (group, at, call->in_bytes, (int) i);
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
      ok = work->post.expr->u.comm.type == HIR_COMM_ALLGATHER ? move_allgather (call, &group, error)
                                                              : move_rooted (call, &group, error);
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
