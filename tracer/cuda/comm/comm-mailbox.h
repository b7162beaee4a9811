/* Mailboxes in shared host memory for GPU copies between processes of one machine. Each pair of
 * ranks has a ring of slots that both processes and both GPUs can access.
 *
 * The sender's host thread offers data in a slot. The streams of both GPUs then use stream memory
 * operations on two counters of the slot: `ready` reports that the data is available, `done` that
 * it has been read.
 *
 * CUDA IPC events are not used. A stream that waits for an event waits for its latest record, so
 * the hosts would have to exchange each record first, and a wait for a process that has died could
 * not be ended. A stream can wait for a counter before it is written, and the host can write it,
 * too. */
#pragma once

#include "cuda/driver/device.h"
#include "run/mpi/mpi-module.h"

G_BEGIN_DECLS

typedef struct _HirCommMailbox HirCommMailbox;

/* The location of a sender's data. */
typedef struct
{
  guint64 tag;        /* identifies the transfer between the two ranks */
  guint64 number;     /* number of the allocation, see HirCudaShare */
  HirCuIpcMem handle; /* IPC handle of the allocation */
  guint64 offset;     /* offset of the data in the allocation */
  guint64 bytes;      /* size of the data */
} HirCommOffer;

/* Counters that streams set to @turn, and wait for until they are at least @turn. Addresses for
 * this GPU. */
typedef struct
{
  HirCuAddress ready, done;
  guint32 turn;
} HirCommFlags;

/* Called by all ranks at the same time. The first rank creates the shared memory; the others open
 * it. @mpi is borrowed. Returns NULL on all ranks, with HIR_ERROR_UNSUPPORTED, if the ranks are on
 * several machines or cannot share memory. */
HirCommMailbox *hir_comm_mailbox_new (HirMpiModule *mpi, GError **error);
/* Maps the counters for @device, which is referenced. */
gboolean hir_comm_mailbox_attach (HirCommMailbox *board, HirCudaDevice *device, GError **error);
/* Unmaps and frees the memory. The device must be idle. */
void hir_comm_mailbox_free (HirCommMailbox *board);

/* Reserves a slot for a transfer to @rank. *@slot is for hir_comm_mailbox_offer(). Returns FALSE if
 * all slots are in use. Call on the sender's host thread. */
gboolean
hir_comm_mailbox_begin (HirCommMailbox *board, int rank, gpointer *slot, HirCommFlags *flags);
/* Publishes @offer to the receiver. Put the write of flags->ready on the sender's stream first, so
 * that the receiver's stream never waits for a write that is not queued. */
void hir_comm_mailbox_offer (gpointer slot, const HirCommOffer *offer);
/* Takes the offer of rank @rank with tag @tag. Returns FALSE if there is none yet. Call on the
 * receiver's host thread. */
gboolean hir_comm_mailbox_take (
    HirCommMailbox *board, int rank, guint64 tag, HirCommOffer *offer, HirCommFlags *flags);

/* Ends all waits of this process's streams after the run has failed. Repeat the call until the
 * streams are idle, because a stream of another process may overwrite a counter. Any thread. */
void hir_comm_mailbox_release (HirCommMailbox *board);
/* Declares that this process has closed all memory of the others. */
void hir_comm_mailbox_leave (HirCommMailbox *board);
/* Waits until all other processes have called hir_comm_mailbox_leave(). Returns FALSE if that takes
 * longer than @until_us (monotonic time) or if a process is lost. */
gboolean hir_comm_mailbox_await_left (HirCommMailbox *board, gint64 until_us);

G_END_DECLS
