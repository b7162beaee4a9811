/* Collectives with copy engines. Each rank copies its data out of the memory of the other ranks,
 * over NVLink if available. Events order the copies:
 *
 *   my stream: [ready] -- wait for the senders' ready --> copies [done] -->
 *              my own part -- wait for the readers' done -->
 *
 * ready: my input is computed, and all earlier reads of my output are done. After the last wait, my
 * input may be overwritten.
 *
 * A copy between devices uses a copy engine, but a copy within a device uses SMs. Next to a matmul
 * it waits for the matmul's last wave, so it comes last and does not delay the other ranks.
 *
 * A host thread must not issue a wait for an event that is not recorded yet, so the host threads
 * have two rendezvous. */
#include "cuda/comm/comm-private.h"

gboolean
hir_comm_copy_own (HirCudaWork *work,
                   HirCuAddress to,
                   HirCuAddress from,
                   gsize bytes,
                   HirCuStream stream,
                   GError **error)
{
  HirCommHub *hub = work->comm->hub;

  if (bytes == 0 || to == from)
    return TRUE;
  return hir_comm_cu_done (work, hub->libs->cuda.memcpy_async (to, from, bytes, stream),
                           "cuMemcpyAsync", error);
}

gboolean
hir_comm_copy_from (HirCudaWork *work,
                    HirCuAddress to,
                    const HirCommMember *card,
                    gsize offset,
                    gsize bytes,
                    HirCuStream stream,
                    GError **error)
{
  HirCommHub *hub = work->comm->hub;
  HirCuContext own = work->comm->device->context;
  HirCuAddress from = card->in + (HirCuAddress) offset;

  if (card->context == own)
    return hir_comm_copy_own (work, to, from, bytes, stream, error);
  if (bytes == 0)
    return TRUE;
  /* All devices share one address space. */
  if (!hub->has_no_peers)
    return hir_comm_cu_done (work, hub->libs->cuda.memcpy_async (to, from, bytes, stream),
                             "cuMemcpyAsync", error);
  return hir_comm_cu_done (work,
                           hub->libs->cuda.memcpy_peer_async (to, own, from, card->context, bytes,
                                                              stream),
                           "cuMemcpyPeerAsync", error);
}

gboolean
hir_comm_record (HirCudaWork *work, HirCuEvent *event, HirCuStream stream, GError **error)
{
  HirCommHub *hub = work->comm->hub;

  *event = hir_comm_take_event (work->comm, error);
  return *event != NULL && hir_comm_cu_done (work, hub->libs->cuda.event_record (*event, stream),
                                             "cuEventRecord", error);
}

gboolean
hir_comm_wait_for (HirCudaWork *work, HirCuEvent event, HirCuStream stream, GError **error)
{
  HirCommHub *hub = work->comm->hub;

  return hir_comm_cu_done (work, hub->libs->cuda.stream_wait_event (stream, event, 0),
                           "cuStreamWaitEvent", error);
}

/* Copies the piece of member @from for this rank, if there is one. */
static gboolean
pull_from (HirCommCall *call, HirCommRendezvous *place, guint from, GError **error)
{
  const HirCommMember *card = &place->cards[from];
  HirCommPiece piece;

  if (!hir_comm_call_get_piece (call, from, call->place, &piece))
    return TRUE;
  return (from == call->place ||
          hir_comm_wait_for (call->work, card->ready, call->stream, error)) &&
         hir_comm_copy_from (call->work, call->out + (HirCuAddress) piece.at, card, piece.offset,
                             piece.bytes, call->stream, error);
}

/* Copies the data of the other members. Starts with the next member, so that the ranks do not all
 * read from the same one. */
static gboolean
pull (HirCommCall *call, HirCommRendezvous *place, GError **error)
{
  for (guint k = 1; k < call->team->n; k++)
    if (!pull_from (call, place, (call->place + k) % call->team->n, error))
      return FALSE;
  return TRUE;
}

/* Makes the stream wait for all members that read from this rank. */
static gboolean
wait_for_readers (HirCommCall *call, HirCommRendezvous *place, GError **error)
{
  HirCommPiece piece;

  for (guint to = 0; to < call->team->n; to++)
    if (to != call->place && hir_comm_call_get_piece (call, call->place, to, &piece) &&
        !hir_comm_wait_for (call->work, place->cards[to].done, call->stream, error))
      return FALSE;
  return TRUE;
}

gboolean
hir_comm_copy_collective (HirCommCall *call, GError **error)
{
  HirCudaWork *work = call->work;
  HirCommHub *hub = work->comm->hub;
  HirCommRendezvous *place;
  HirCommMember *card;
  guint side;

  g_mutex_lock (&hub->lock);
  place = hir_comm_hub_enter_locked (hub, call->team, work->comm->base.rank, FALSE, &side);
  g_mutex_unlock (&hub->lock);
  card = &place->cards[side];
  card->in = call->in;
  card->context = work->comm->device->context;
  if (!hir_comm_record (work, &card->ready, call->stream, error) ||
      !hir_comm_hub_rendezvous (hub, &(HirCommWait){ work, &place, &side, 1, 1 }, error) ||
      !pull (call, place, error) || !hir_comm_record (work, &card->done, call->stream, error) ||
      !pull_from (call, place, call->place, error) ||
      !hir_comm_hub_rendezvous (hub, &(HirCommWait){ work, &place, &side, 1, 2 }, error) ||
      !wait_for_readers (call, place, error))
    return FALSE;
  hir_comm_hub_leave (hub, call->team, place);
  return TRUE;
}
