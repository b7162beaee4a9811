/* NCCL for tests, without a GPU: the symbols of cuda/abi-nccl.h, over the fake driver's memory and
 * streams. A kernel waits on its stream for the other ranks' and moves the data. Built as
 * libnccl.so.2. By the environment:
 *
 *   FAKE_NCCL_FAIL=ncclAllGather:2:3   the second call of that name in the process gives 3
 *   FAKE_NCCL_LOSE=ncclAllGather:2:6   its kernel never ends; the communicator then says 6
 *   FAKE_NCCL_LOG=FILE                 a line a call: name, rank, elements
 *   FAKE_NCCL_FOLDER=FOLDER            ranks are of several processes: data goes by files there,
 * which stay
 */
#pragma once

#include <glib.h>

#include "cuda/driver/abi-nccl.h"

G_BEGIN_DECLS

#define FAKE_MAX_RANKS 16

/* Data on its way from one rank to another. */
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

/* What ranks with one id share. */
typedef struct
{
  char *id;
  int n_ranks, n_made;
  GMutex lock;
  GCond changed;
  gboolean aborted;
  GPtrArray *meetings;                         /* FakeMeeting*: the k-th collective of each rank */
  GQueue mail[FAKE_MAX_RANKS][FAKE_MAX_RANKS]; /* FakeMail*: from, to */
  const char *folder;                          /* nullable: FAKE_NCCL_FOLDER */
  guint n_mailed[FAKE_MAX_RANKS][FAKE_MAX_RANKS]; /* of this process: from, to */
} FakeWorld;

struct ncclComm
{
  FakeWorld *world;
  int rank;
  guint n_collectives;
  gint error; /* HirNcclResult, asynchronous; atomic */
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

/* A call, until its group ends. */
typedef struct
{
  FakeCallKind kind;
  gconstpointer in;
  gpointer out;
  gsize count;
  HirNcclType type;
  HirNcclOp op;
  int peer; /* or root */
  HirNcclComm comm;
  HirCuStream stream;
  HirNcclResult lost; /* its kernel never ends */
} FakeCall;

gsize fake_nccl_type_size (HirNcclType type);
/* fake-nccl-move.c: what a kernel does, on its stream: @calls are of one communicator, a collective
 * or messages. */
void fake_nccl_run (const FakeCall *calls, guint n);
/* All ranks' outputs from all their inputs. */
void fake_nccl_move_collective (const FakeCall *call, FakeMeeting *meeting);
/* fake-nccl-files.c: the same between processes. */
void fake_nccl_run_files (const FakeCall *calls, guint n);

G_END_DECLS
