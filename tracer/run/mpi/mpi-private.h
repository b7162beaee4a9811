/* Internal declarations of the MPI module. */
#pragma once

#include "run/mpi/mpi-module.h"
#include "run/mpi/mpi-wire.h"
#include "run/values/value.h"

G_BEGIN_DECLS

/* Types of messages between modules. */
typedef enum
{
  HIR_MPI_BYTES, /* of a collective function of mpi-module.h */
  HIR_MPI_ABORT,
  HIR_MPI_HEARTBEAT,
  HIR_MPI_COMM, /* between communicators */
  HIR_N_MPI_MESSAGES,
} HirMpiMessageType;

/* Identity of a process; sent as bytes. */
typedef struct
{
  char host[128], boot_id[64], pid_namespace[64];
  gint64 pid;
  guint64 start_time; /* distinguishes it from a later process with the same pid */
} HirMpiPeer;

/* A transfer of data. */
typedef struct
{
  gboolean is_send;
  int peer, tag;
  gpointer data;
  gsize size;
} HirMpiTransfer;

typedef struct
{
  gatomicrefcount ref_count;
  GArray *transfers; /* HirMpiTransfer */
  GPtrArray *keep;   /* HirBuffer*: references to the memory of the transfers */
  guint n_left;      /* guarded by the lock */
  gboolean cancelled, failed;
} HirMpiBatch;

/* A queued message. */
typedef struct
{
  int to;
  GBytes *bytes;
} HirMpiOutgoing;

typedef struct _HirMpi HirMpi;

/* Called on the progress thread with the lock. */
typedef void (*HirMpiHandler) (int from, GVariant *payload, gpointer user_data);
/* Called on the progress thread without the lock. */
typedef void (*HirMpiCall) (HirMpi *mpi, gpointer user_data);

struct _HirMpi
{
  HirMpiModule base;
  HirMpiWire *wire;
  HirMpiPeer *peers;                       /* one per rank; constant once started */
  gint64 clock_sent_ns, clock_received_ns; /* buffers for the measurement of clocks */
  gint64 skew_ns;                          /* test hook: offset of this rank's clock */
  GMutex lock;                             /* guards the following fields */
  GCond changed;                           /* signalled on any change */
  GCond wake;                              /* signalled if the progress thread has work */
  gboolean is_idle;                        /* the progress thread waits for wake */
  GThread *thread;
  int n_launched;
  double timeout_s;
  gboolean started, is_connected, stopping, draining;
  GQueue outgoing;       /* HirMpiOutgoing* */
  GQueue batches;        /* HirMpiBatch*, not started */
  GHashTable *inbox;     /* "generation key from" -> GBytes */
  GHashTable *sequences; /* key -> count */
  gint64 *heard_us;      /* per rank: time of the last message */
  gint64 beat_us;        /* time of the last heartbeat */
  guint next_tag;
  guint generation;    /* number of the run; an abort ends one run */
  gboolean is_aborted; /* this run was aborted */
  gboolean is_mine;    /* this rank aborted it */
  GError *aborted;     /* nullable: reason of the abort */
  GError *early;       /* nullable: abort of a later run, by a faster rank */
  guint early_generation;
  GError *broken; /* nullable: a rank died; all later calls fail */
  HirMpiHandler handler;
  gpointer handler_data;
  GQueue unhandled; /* Unhandled*: received before there was a handler */
  HirMpiCall call;  /* nullable: function for the progress thread to run */
  gpointer call_data;
  gboolean call_done;
};

static inline HirMpi *
hir_mpi_from_module (HirMpiModule *module)
{
  return (HirMpi *) module;
}

/* mpi-launcher.c. Loads the shared module. The result is never freed. */
HirMpiWire *hir_mpi_wire_load (int n_launched, GError **error);

/* mpi-peers.c */
void hir_mpi_peer_init (HirMpiPeer *peer); /* Sets @peer to the identity of this process. */
/* Returns TRUE if @a and @b run on the same machine. */
gboolean hir_mpi_peer_same_host (const HirMpiPeer *a, const HirMpiPeer *b);
/* Returns TRUE if the process of @peer is known to have ended. */
gboolean hir_mpi_peer_is_gone (const HirMpiPeer *self, const HirMpiPeer *peer);

/* mpi-module.c: like hir_mpi_module_new(), over any wire (borrowed). */
HirMpiModule *hir_mpi_module_new_on_wire (HirMpiWire *wire, int n_launched, GError **error);

/* mpi-progress.c: starts the progress thread and MPI. */
gboolean hir_mpi_progress_start (HirMpi *mpi, GError **error);
/* Stops MPI together with the other ranks, unless one has died, and the progress thread. */
void hir_mpi_progress_stop (HirMpi *mpi);
/* Sets the handler of messages between communicators; passes it the ones received so far. */
void hir_mpi_set_handler (HirMpi *mpi, HirMpiHandler handler, gpointer user_data);
/* Runs @func on the progress thread, which does nothing else meanwhile. Blocks. */
void hir_mpi_call (HirMpi *mpi, HirMpiCall func, gpointer user_data);

/* mpi-heartbeat.c: checks the other ranks and sends heartbeats. Call on the progress thread.
 * @signals: a signalfd of SIGTERM, or -1. */
void hir_mpi_check_peers (HirMpi *mpi, int signals, gint64 now_us);
/* Appends the silent ranks: "rank 1 (process 12 on a) has said nothing for 3.0 s: ...". Appends
 * nothing if all ranks were heard recently. Call with the lock; any thread. */
void hir_mpi_append_silent_locked (HirMpi *mpi, GString *text);

/* mpi-queue.c; any thread. Wakes the progress thread. Call with the lock. */
void hir_mpi_wake_locked (HirMpi *mpi);
/* Queues a message to rank @to, or to all other ranks if @to is -1. Sinks @payload. Call with the
 * lock. */
void hir_mpi_send_locked (HirMpi *mpi, int to, HirMpiMessageType type, GVariant *payload);
/* Creates an empty batch of transfers. */
HirMpiBatch *hir_mpi_batch_new (void);
void hir_mpi_batch_unref (HirMpiBatch *batch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirMpiBatch, hir_mpi_batch_unref)
/* Adds a transfer to @batch. */
void hir_mpi_batch_add (
    HirMpiBatch *batch, gboolean is_send, int peer, int tag, gpointer data, gsize size);
/* Starts the transfers of @batch, which stays referenced until they are done. */
void hir_mpi_batch_submit (HirMpi *mpi, HirMpiBatch *batch);
/* Cancels the receives of @batch, for which no thread waits any longer. */
void hir_mpi_batch_cancel (HirMpi *mpi, HirMpiBatch *batch);

/* mpi-abort.c: aborts this run on all ranks; the first reason is kept. Any thread. */
void hir_mpi_abort (HirMpi *mpi, const GError *error);
/* Like hir_mpi_abort(), with the lock. */
void hir_mpi_abort_locked (HirMpi *mpi, const GError *error);
/* Handles an abort of rank @from. */
void hir_mpi_take_abort (HirMpi *mpi, int from, guint generation, GVariant *payload);
/* Sets the error with which all later calls fail (takes ownership). Call with the lock. */
void hir_mpi_break_locked (HirMpi *mpi, GError *error);
/* Returns FALSE and sets @error if the run was aborted or a rank died. Call with the lock. */
gboolean hir_mpi_check_locked (HirMpi *mpi, GError **error);
/* Returns a copy of the error of the run, or NULL. Sets *@is_mine (nullable) if this rank caused
 * it. */
GError *hir_mpi_dup_error (HirMpi *mpi, gboolean *is_mine);
/* Ends the current run and starts the next one. */
void hir_mpi_next_generation (HirMpi *mpi);

G_END_DECLS
