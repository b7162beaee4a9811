/* Shared by the files that speak to other processes. */
#pragma once

#include "run/mpi/mpi-module.h"
#include "run/mpi/mpi-wire.h"
#include "run/values/value.h"

G_BEGIN_DECLS

/* What a message between the modules is. */
typedef enum
{
  HIR_MPI_BYTES, /* of a blocking call of mpi-module.h */
  HIR_MPI_ABORT,
  HIR_MPI_HEARTBEAT,
  HIR_MPI_COMM, /* the communicator's own */
  HIR_N_MPI_MESSAGES,
} HirMpiMessageType;

/* A process, as others see it; sent as it is. */
typedef struct
{
  char host[128], boot_id[64], pid_namespace[64];
  gint64 pid;
  guint64 start_time; /* tells it from a later process of that number */
} HirMpiPeer;

/* Data that moves together: receives are cancelled together, too. */
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
  GPtrArray *keep;   /* HirBuffer*: what the transfers' memory belongs to */
  guint n_left;      /* with the lock */
  gboolean cancelled, failed;
} HirMpiBatch;

/* A message to be sent. */
typedef struct
{
  int to;
  GBytes *bytes;
} HirMpiOutgoing;

typedef struct _HirMpi HirMpi;

/* On the progress thread, with the lock. */
typedef void (*HirMpiHandler) (int from, GVariant *payload, gpointer user_data);
/* On the progress thread, without the lock. */
typedef void (*HirMpiCall) (HirMpi *mpi, gpointer user_data);

struct _HirMpi
{
  HirMpiModule base;
  HirMpiWire *wire;
  HirMpiPeer *peers; /* one a rank; constant once started */
  gint64 clock_sent_ns, clock_received_ns; /* what MPI moves while clocks are measured */
  gint64 skew_ns;    /* test hook: this rank's clock is so much ahead */
  GMutex lock;       /* guards what follows */
  GCond changed;     /* anything that somebody waits for */
  GCond wake;        /* the progress thread has something to do */
  gboolean is_idle;  /* it waits for that */
  GThread *thread;
  int n_launched;
  double timeout_s;
  gboolean started, met, stopping, draining;
  GQueue outgoing;       /* HirMpiOutgoing*: to be sent */
  GQueue batches;        /* HirMpiBatch*: to be begun */
  GHashTable *inbox;     /* "generation key from" -> GBytes */
  GHashTable *sequences; /* key -> count */
  gint64 *heard_us;      /* one a rank: when something came last */
  gint64 beat_us;        /* when this rank last said that it is there */
  guint next_tag;
  guint generation;    /* of runs; an abort ends one */
  gboolean is_aborted; /* this generation is */
  gboolean is_mine;    /* here it was that it failed */
  GError *aborted;     /* why; nullable */
  GError *early;       /* nullable: a rank that is a run ahead has aborted it: this is for then */
  guint early_generation;
  GError *broken;      /* nullable: a rank is gone; nothing works any more */
  HirMpiHandler handler;
  gpointer handler_data;
  GQueue unhandled; /* Unhandled*: came before there was a handler */
  HirMpiCall call;  /* nullable: what the progress thread is to do alone */
  gpointer call_data;
  gboolean call_done;
};

static inline HirMpi *
hir_mpi_from_module (HirMpiModule *module)
{
  return (HirMpi *) module;
}

/* mpi-launcher.c. Never freed. */
HirMpiWire *hir_mpi_wire_load (int n_launched, GError **error);

/* mpi-peers.c */
void hir_mpi_peer_init (HirMpiPeer *peer); /* this process */
gboolean hir_mpi_peer_same_host (const HirMpiPeer *a, const HirMpiPeer *b);
/* TRUE: its process has ended, as far as @self can see it. */
gboolean hir_mpi_peer_is_gone (const HirMpiPeer *self, const HirMpiPeer *peer);

/* mpi-module.c: as hir_mpi_module_new() over any wire. Takes no ownership of @wire. */
HirMpiModule *hir_mpi_module_new_on_wire (HirMpiWire *wire, int n_launched, GError **error);

/* mpi-progress.c */
gboolean hir_mpi_progress_start (HirMpi *mpi, GError **error);
/* With the other ranks, unless one is gone. */
void hir_mpi_progress_stop (HirMpi *mpi);
void hir_mpi_set_handler (HirMpi *mpi, HirMpiHandler handler, gpointer user_data);
/* @func on the progress thread, which does nothing else meanwhile. Blocks. */
void hir_mpi_call (HirMpi *mpi, HirMpiCall func, gpointer user_data);

/* mpi-heartbeat.c; on the progress thread. @signals: a signalfd of SIGTERM, or -1. */
void hir_mpi_look_around (HirMpi *mpi, int signals, gint64 now_us);
/* "rank 1 (process 12 on a) has said nothing for 3.0 s: ...": any thread, with the lock. Appends
 * nothing where all ranks were heard of lately. */
void hir_mpi_append_silent_locked (HirMpi *mpi, GString *text);

/* mpi-queue.c. Any thread. */
void hir_mpi_wake_locked (HirMpi *mpi);
/* @to: -1: all others. Sinks @payload. */
void hir_mpi_send_locked (HirMpi *mpi, int to, HirMpiMessageType type, GVariant *payload);
HirMpiBatch *hir_mpi_batch_new (void);
void hir_mpi_batch_unref (HirMpiBatch *batch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirMpiBatch, hir_mpi_batch_unref)
void hir_mpi_batch_add (
    HirMpiBatch *batch, gboolean is_send, int peer, int tag, gpointer data, gsize size);
/* Begins it; keeps a reference until the last byte of it is through. */
void hir_mpi_batch_submit (HirMpi *mpi, HirMpiBatch *batch);
/* Nobody waits for it any more. */
void hir_mpi_batch_cancel (HirMpi *mpi, HirMpiBatch *batch);

/* mpi-abort.c: how a run ends early. With the lock where it says so. */
/* Tells all ranks why this run ends; the first reason stays. Any thread. */
void hir_mpi_abort (HirMpi *mpi, const GError *error);
void hir_mpi_abort_locked (HirMpi *mpi, const GError *error);
void hir_mpi_take_abort (HirMpi *mpi, int from, guint generation, GVariant *payload);
/* Takes @error. */
void hir_mpi_break_locked (HirMpi *mpi, GError *error);
/* FALSE and a copy of the reason where the run was aborted or a rank is gone. */
gboolean hir_mpi_check_locked (HirMpi *mpi, GError **error);
GError *hir_mpi_dup_error (HirMpi *mpi, gboolean *is_mine);
/* The run is over, well or not; what comes next may be asked of all ranks again. */
void hir_mpi_next_generation (HirMpi *mpi);

G_END_DECLS
