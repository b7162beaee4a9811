/* Fake NCCL for tests without a GPU: the symbols of cuda/driver/abi-nccl.h on top of the fake
 * driver. A kernel waits on its stream for the kernels of the other ranks and copies the data.
 * Built as libnccl.so.2. Environment variables:
 *
 *   FAKE_NCCL_FAIL=ncclAllGather:2:3   the second call of this function in a process returns 3
 *   FAKE_NCCL_LOSE=ncclAllGather:2:6   its kernel never ends; the communicator reports error 6
 *   FAKE_NCCL_LOG=FILE                 appends one line per call: name, rank, elements
 *   FAKE_NCCL_FOLDER=FOLDER            ranks are in several processes and exchange data through
 *                                      files in this folder, which are not deleted */
#pragma once

#include <glib.h>

#include "cuda/driver/abi-nccl.h"

G_BEGIN_DECLS

#define FAKE_MAX_RANKS 16

/* A message from one rank to another. */
typedef struct
{
  gconstpointer data;
  gsize bytes;
  gboolean taken;
} FakeMail;

/* One collective of all ranks. */
typedef struct
{
  gconstpointer in[FAKE_MAX_RANKS];
  gpointer out[FAKE_MAX_RANKS];
  guint n_arrived;
  gboolean done;
} FakeMeeting;

/* State shared by the ranks with the same id. */
typedef struct
{
  char *id;
  int n_ranks, n_made;
  GMutex lock;
  GCond changed;
  gboolean aborted;
  GPtrArray *meetings; /* FakeMeeting*: element k is the k-th collective of each rank */
  GQueue mail[FAKE_MAX_RANKS][FAKE_MAX_RANKS];    /* FakeMail*: from, to */
  const char *folder;                             /* nullable: FAKE_NCCL_FOLDER */
  guint n_mailed[FAKE_MAX_RANKS][FAKE_MAX_RANKS]; /* messages of this process: from, to */
} FakeWorld;

struct ncclComm
{
  FakeWorld *world;
  int rank;
  guint n_collectives;
  gint error; /* atomic: HirNcclResult of ncclCommGetAsyncError() */
};

typedef enum
{
  FAKE_ALL_GATHER,
  FAKE_ALL_REDUCE,
  FAKE_REDUCE,
  FAKE_REDUCE_SCATTER,
  FAKE_BROADCAST,
  FAKE_SEND,
  FAKE_RECV,
} FakeCallKind;

/* A call, stored until its group ends. */
typedef struct
{
  FakeCallKind kind;
  gconstpointer in;
  gpointer out;
  gsize count;
  HirNcclType type;
  HirNcclOp op;
  int peer; /* peer or root rank */
  HirNcclComm comm;
  HirCuStream stream;
  HirNcclResult lost; /* if not success: the kernel never ends */
} FakeCall;

gsize fake_nccl_type_size (HirNcclType type);
/* fake-nccl-move.c: does the work of a kernel on its stream. @calls are one collective, or messages
 * of one communicator. */
void fake_nccl_run (const FakeCall *calls, guint n);
/* Computes the outputs of all ranks from their inputs. */
void fake_nccl_move_collective (const FakeCall *call, FakeMeeting *meeting);
/* fake-nccl-files.c: like fake_nccl_run(), between processes. */
void fake_nccl_run_files (const FakeCall *calls, guint n);

G_END_DECLS
