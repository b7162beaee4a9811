/* What the processes of one machine share, so that each copies out of the memory of the others'
 * GPUs: for each pair of ranks a ring of slots in memory of the host that all of them see, and
 * their GPUs too. In a slot the sender's host thread offers data; streams of both GPUs tell each
 * other by two numbers in it that the data is there, and that it has been read (stream memory
 * operations). Not events between processes: a wait takes the record that was made last, so that
 * each would have to be told between the hosts first, and nobody could end the wait for a process
 * that is gone. A number may be waited for before it is written, and written by the host. */
#pragma once

#include "cuda/driver/device.h"
#include "run/mpi/mpi-module.h"

G_BEGIN_DECLS

typedef struct _HirCommMailbox HirCommMailbox;

/* Where a sender's data lies. */
typedef struct
{
  guint64 tag;        /* which transfer between the two it is */
  guint64 number;     /* of the allocation, see HirCudaShare */
  HirCuIpcMem handle; /* of it */
  guint64 offset;     /* of the data in it */
  guint64 bytes;      /* of the data */
} HirCommOffer;

/* What the streams of both write and wait for: at least @turn. Addresses for this GPU. */
typedef struct
{
  HirCuAddress ready, done;
  guint32 turn;
} HirCommFlags;

/* All ranks come here: makes the memory, or opens what the first rank made. HIR_ERROR_UNSUPPORTED
 * where the ranks are on several machines, or can't share memory, on all of them. Borrows @mpi. */
HirCommMailbox *hir_comm_mailbox_new (HirMpiModule *mpi, GError **error);
/* @device, which is referenced, reads and writes the flags. */
gboolean hir_comm_mailbox_attach (HirCommMailbox *board, HirCudaDevice *device, GError **error);
/* Gives the memory back. The device must be idle. */
void hir_comm_mailbox_free (HirCommMailbox *board);

/* Sender's host thread: room for one more transfer to @rank; FALSE: there is none before the
 * receiver has read one of the earlier ones. *@slot: for hir_comm_mailbox_offer(). */
gboolean
hir_comm_mailbox_begin (HirCommMailbox *board, int rank, gpointer *slot, HirCommFlags *flags);
/* Shows the receiver @offer. What writes flags->ready is on its stream already, so that no stream
 * waits for what is not on its way. */
void hir_comm_mailbox_offer (gpointer slot, const HirCommOffer *offer);
/* Receiver's host thread: takes what rank @rank offers under @tag; FALSE: nothing yet. */
gboolean hir_comm_mailbox_take (
    HirCommMailbox *board, int rank, guint64 tag, HirCommOffer *offer, HirCommFlags *flags);

/* The run has failed: no stream of this process waits for a flag any longer. To be repeated while
 * some are not idle, since a peer's stream may write, too. Any thread. */
void hir_comm_mailbox_release (HirCommMailbox *board);
/* This process has nothing of the others open any more. */
void hir_comm_mailbox_leave (HirCommMailbox *board);
/* TRUE once all others have left; FALSE past @until_us (monotonic), or where one is gone. */
gboolean hir_comm_mailbox_await_left (HirCommMailbox *board, gint64 until_us);

G_END_DECLS
