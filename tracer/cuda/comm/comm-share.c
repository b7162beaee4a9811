/* Copies between processes with copy engines. The streams are ordered as in comm-copy.c, but with
 * counters in shared memory instead of events (comm-mailbox.h):
 *
 *   sender:   [ready := turn] ........................ wait done >= turn -->
 *   receiver: wait ready >= turn --> copy --> [done := turn] -->
 *
 * A receiver's host thread waits until the sender's host thread publishes the location of its data,
 * but never for a GPU. A sender's host thread waits only if all its slots are in use. All ranks
 * post in the same order, so a wait never depends on work that is queued behind it. */
#include "cuda/comm/comm-private.h"

#include "run/mpi/comm-mpi-private.h"

#define PAUSE_US 20
/* Time limit for the other processes to leave at the end. */
#define LEAVE_US (5 * G_USEC_PER_SEC)

struct _HirCommSharing
{
  HirCommMailbox *board;
  HirCommIpc *loans;
  gboolean has_left;
};

/* The wait of a host thread for another process. */
typedef struct
{
  HirCudaWork *work;
  gint64 rank;
  const char *why;
  gint64 until_us;   /* monotonic time until which the thread spins */
  gint64 give_up_us; /* time limit; 0 while the thread spins */
} Patience;

static Patience
begin_waiting (HirCudaWork *work, gint64 rank, const char *why)
{
  return (Patience){ work, rank, why, g_get_monotonic_time () + work->comm->hub->spin_us, 0 };
}

/* Continues a wait. Returns FALSE and sets @error if the run has failed or the time limit is
 * exceeded. */
static gboolean
wait_more (Patience *patience, GError **error)
{
  HirCommHub *hub = patience->work->comm->hub;
  double timeout_s = hir_mpi_from_module (hub->mpi)->timeout_s;
  gint64 now_us = g_get_monotonic_time ();

  if (g_atomic_int_get (&hub->failed) != 0)
    {
      hir_comm_hub_give_error (hub, error);
      return FALSE;
    }
  if (patience->give_up_us == 0)
    {
      if (now_us < patience->until_us)
        return TRUE;
      /* Reports missing and mismatched posts. */
      if (!hir_comm_await_posts (patience->work, error))
        return FALSE;
      patience->give_up_us = timeout_s > 0
                                 ? g_get_monotonic_time () + (gint64) (timeout_s * G_USEC_PER_SEC)
                                 : G_MAXINT64;
      return TRUE;
    }
  if (now_us > patience->give_up_us)
    {
      hir_set_error (error, HIR_ERROR_RUN, &patience->work->post.expr->node.pos,
                     "%s waits for rank %" G_GINT64_FORMAT
                     ", which %s within %.3g s; if this is not a hang, raise --timeout",
                     hir_cuda_work_get_where (patience->work), patience->rank, patience->why,
                     timeout_s);
      return FALSE;
    }
  g_usleep (PAUSE_US);
  return TRUE;
}

static gboolean
write_flag (HirCudaWork *work, HirCuAddress flag, guint32 turn, HirCuStream stream, GError **error)
{
  return hir_comm_cu_done (work,
                           work->comm->hub->libs->cuda
                               .stream_write_value32 (stream, flag, turn,
                                                      HIR_CU_WRITE_VALUE_DEFAULT),
                           "cuStreamWriteValue32", error);
}

static gboolean
wait_flag (HirCudaWork *work, HirCuAddress flag, guint32 turn, HirCuStream stream, GError **error)
{
  return hir_comm_cu_done (work,
                           work->comm->hub->libs->cuda.stream_wait_value32 (stream, flag, turn,
                                                                            HIR_CU_WAIT_VALUE_GEQ),
                           "cuStreamWaitValue32", error);
}

/* Offers @bytes at @address in @buffer to rank @to. @flags gets the counters that report when it
 * has been read. */
static gboolean
give (HirCudaWork *work,
      HirBuffer *buffer,
      HirCuAddress address,
      gsize bytes,
      gint64 to,
      guint64 tag,
      HirCuStream stream,
      HirCommFlags *flags,
      GError **error)
{
  HirCommSharing *sharing = work->comm->hub->sharing;
  HirCudaShare *share = hir_cuda_backend_share (work->comm->backend, buffer, error);
  Patience patience = begin_waiting (work, to, "has not read earlier data");
  HirCommOffer offer;
  gpointer slot;

  if (share == NULL)
    return FALSE;
  hir_comm_ipc_export (sharing->loans, share);
  offer.tag = tag;
  offer.number = share->number;
  offer.handle = share->handle;
  offer.offset = address - share->base;
  offer.bytes = bytes;
  while (!hir_comm_mailbox_begin (sharing->board, (int) to, &slot, flags))
    if (!wait_more (&patience, error))
      return FALSE;
  if (!write_flag (work, flags->ready, flags->turn, stream, error))
    return FALSE;
  hir_comm_mailbox_offer (slot, &offer);
  return TRUE;
}

/* Checks the size of @offer. A mismatch of posts is reported by the matcher. */
static gboolean
check_offer (
    HirCudaWork *work, const HirCommOffer *offer, gint64 from, gsize needed, GError **error)
{
  if (needed <= offer->bytes)
    return TRUE;
  if (hir_comm_await_posts (work, error))
    hir_set_error (error, HIR_ERROR_RUN, &work->post.expr->node.pos,
                   "%s needs %" G_GSIZE_FORMAT " bytes from rank %" G_GINT64_FORMAT
                   ", which offers %" G_GUINT64_FORMAT "; both must run the same program",
                   hir_cuda_work_get_where (work), needed, from, offer->bytes);
  return FALSE;
}

/* Copies the @bytes that rank @from offers. */
static gboolean
get (HirCudaWork *work,
     gint64 from,
     guint64 tag,
     HirCuAddress to,
     gsize bytes,
     HirCuStream stream,
     GError **error)
{
  HirCommHub *hub = work->comm->hub;
  HirCommSharing *sharing = hub->sharing;
  Patience patience = begin_waiting (work, from, "has not offered its data");
  HirCommOffer offer;
  HirCommFlags flags;
  HirCuAddress base;

  while (!hir_comm_mailbox_take (sharing->board, (int) from, tag, &offer, &flags))
    if (!wait_more (&patience, error))
      return FALSE;
  return check_offer (work, &offer, from, bytes, error) &&
         hir_comm_ipc_import (sharing->loans, (int) from, offer.number, &offer.handle, &base,
                              error) &&
         wait_flag (work, flags.ready, flags.turn, stream, error) &&
         hir_comm_copy_own (work, to, base + offer.offset, bytes, stream, error) &&
         write_flag (work, flags.done, flags.turn, stream, error);
}

/* Returns a tag for the next operation of @team. All its members count alike. */
static guint64
get_tag (HirCommTeam *team)
{
  return (guint64) team->hash << 32 | team->n_shared++;
}

gboolean
hir_comm_share_collective (HirCommCall *call, GError **error)
{
  HirCudaWork *work = call->work;
  guint64 tag = get_tag (call->team);
  g_autofree HirCommFlags *given = g_new0 (HirCommFlags, call->team->n);
  HirCommPiece piece;

  for (guint k = 1; k < call->team->n; k++)
    {
      guint to = (call->place + k) % call->team->n;

      if (hir_comm_call_get_piece (call, call->place, to, &piece) &&
          !give (work, call->source, call->in + (HirCuAddress) piece.offset, piece.bytes,
                 call->team->members[to], tag, call->stream, &given[to], error))
        return FALSE;
    }
  /* Starts with the next member, so that the ranks do not all read from the same one. The own part
   * comes last, see comm-copy.c. */
  for (guint k = 1; k <= call->team->n; k++)
    {
      guint from = (call->place + k) % call->team->n;
      HirCuAddress to = call->out;

      if (!hir_comm_call_get_piece (call, from, call->place, &piece))
        continue;
      to += (HirCuAddress) piece.at;
      if (from == call->place
              ? !hir_comm_copy_own (work, to, call->in + (HirCuAddress) piece.offset, piece.bytes,
                                    call->stream, error)
              : !get (work, call->team->members[from], tag, to, piece.bytes, call->stream, error))
        return FALSE;
    }
  for (guint to = 0; to < call->team->n; to++)
    if (given[to].done != 0 &&
        !wait_flag (work, given[to].done, given[to].turn, call->stream, error))
      return FALSE;
  return TRUE;
}

/* Issues the sends (@sends) or the receives. */
static gboolean
move_messages (
    HirCudaWork *work, gboolean sends, HirCommFlags *given, HirCuStream stream, GError **error)
{
  for (guint i = 0; i < work->post.messages->len; i++)
    {
      const HirCommMessage *message = &g_array_index (work->post.messages, HirCommMessage, i);
      gsize bytes = hir_value_get_size_bytes (message->value);
      HirCuAddress at = (HirCuAddress) (gsize) hir_value_get_data (message->value);
      guint64 tag;

      if (message->is_send != sends || message->peer == work->comm->base.rank || bytes == 0)
        continue;
      tag = get_tag (hir_comm_hub_get_pair (work->comm->hub, work->comm->base.rank, message));
      if (sends ? !give (work, message->value->buffer, at, bytes, message->peer, tag, stream,
                         &given[i], error)
                : !get (work, message->peer, tag, at, bytes, stream, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
hir_comm_share_messages (HirCudaWork *work, HirCuStream stream, GError **error)
{
  g_autofree HirCommFlags *given = g_new0 (HirCommFlags, work->post.messages->len);

  if (!hir_comm_move_own_messages (work, stream, error) ||
      !move_messages (work, TRUE, given, stream, error) ||
      !move_messages (work, FALSE, given, stream, error))
    return FALSE;
  for (guint i = 0; i < work->post.messages->len; i++)
    if (given[i].done != 0 && !wait_flag (work, given[i].done, given[i].turn, stream, error))
      return FALSE;
  return TRUE;
}

gboolean
hir_comm_share_prepare (HirCudaComm *comm, GError **error)
{
  HirCommHub *hub = comm->hub;
  HirCommSharing *sharing = g_new0 (HirCommSharing, 1);

  hub->sharing = sharing;
  sharing->loans = hir_comm_ipc_new (comm->device);
  sharing->board = hir_comm_mailbox_new (hub->mpi, error);
  return sharing->board != NULL && hir_comm_mailbox_attach (sharing->board, comm->device, error);
}

void
hir_comm_share_release (HirCommHub *hub)
{
  if (hub->sharing != NULL && hub->sharing->board != NULL)
    hir_comm_mailbox_release (hub->sharing->board);
}

void
hir_comm_share_leave (HirCommHub *hub)
{
  if (hub->sharing == NULL || hub->sharing->board == NULL || hub->sharing->has_left)
    return;
  hir_comm_ipc_close_imports (hub->sharing->loans);
  hir_comm_mailbox_leave (hub->sharing->board);
  hub->sharing->has_left = TRUE;
}

void
hir_comm_share_free (HirCommHub *hub)
{
  HirCommSharing *sharing = g_steal_pointer (&hub->sharing);
  gboolean all_left;

  if (sharing == NULL)
    return;
  /* After a failure the other processes are not awaited, so exported memory stays until the process
   * ends. */
  all_left = sharing->board == NULL ||
             (sharing->has_left && g_atomic_int_get (&hub->failed) == 0 &&
              hir_comm_mailbox_await_left (sharing->board, g_get_monotonic_time () + LEAVE_US));
  hir_comm_ipc_free (sharing->loans, all_left);
  g_clear_pointer (&sharing->board, hir_comm_mailbox_free);
  g_free (sharing);
}
