/* Fake CUDA driver for tests without a GPU: the symbols of cuda/driver/abi-cuda.h, host memory, and
 * kernels without effect unless FAKE_CUDA_KERNELS is set. Built as libcuda.so.1;
 * HIRSCOPE_CUDA_LIBRARY_PATH points to its folder. Environment variables, read by cuInit():
 *
 *   FAKE_CUDA_DEVICES=2      number of GPUs (default 1)
 *   FAKE_CUDA_KERNELS=1      generated kernels are compiled by cc and executed
 *   FAKE_CUDA_QUEUED=1       each stream is a thread; otherwise work is done during the call
 *   FAKE_CUDA_IDLE=1         streams do nothing and calls return at once, to measure the overhead
 *                            of the caller; also for the fake cuBLASLt and NCCL
 *   FAKE_CUDA_SHARED=1       other processes can open device memory, each allocation once; they
 *                            must close it before it is freed
 *   FAKE_CUDA_MEMORY=1000    memory of a GPU in bytes (default 1 GiB)
 *   FAKE_CUDA_FAIL=cuMemAlloc_v2:3:2,cuLaunchKernel:1:700!
 *                            the third cuMemAlloc_v2 returns 2; the first launch returns 700,
 *                            and so do all later calls because of the "!" (a sticky error)
 *   FAKE_CUDA_NO_PEERS=1     GPUs cannot access each other's memory
 *   FAKE_CUDA_HANG=T5_mul    a kernel of that name never ends (only with FAKE_CUDA_QUEUED)
 *
 * Other fakes (libcupti, libnccl) find the functions below in the open library with dlsym(). */
#pragma once

#include "cuda/driver/abi-cuda.h"

G_BEGIN_DECLS

typedef enum
{
  FAKE_KERNEL,
  FAKE_MEMCPY,
  FAKE_MEMCPY_PEER,
  FAKE_MEMSET,
  FAKE_EVENT_RECORD,
  FAKE_STREAM_WAIT,
  FAKE_STREAM_MEMORY, /* not reported: CUPTI has no record for it */
  FAKE_SYNCHRONIZE,   /* wait of the host, on the calling thread */
} FakeKind;

/* Describes a call of the driver or a task on the device. */
typedef struct
{
  FakeKind kind;
  const char *call; /* "cuLaunchKernel" */
  const char *name; /* name of a kernel */
  guint device;
  HirCuContext context;
  guint32 stream; /* CUPTI's stream id */
  guint32 correlation;
  guint32 event;      /* id of the event, for records and waits */
  guint64 event_sync; /* number of the record, counted over all events */
  guint64 bytes;
  guint8 copy_kind; /* CUpti_ActivityMemcpyKind */
  gint64 start_ns, end_ns;
} FakeActivity;

/* Callbacks for each call (on the calling thread, before its work starts) and for each finished
 * task. now_ns() is the clock of all times. */
typedef struct
{
  gint64 (*now_ns) (void);
  void (*called) (const FakeActivity *activity);
  void (*worked) (const FakeActivity *activity);
} FakeObserver;

/* Sets the only observer; NULL removes it. */
typedef void (*FakeSetObserver) (const FakeObserver *observer);
void fake_cuda_set_observer (const FakeObserver *observer);
/* Runs @run on @stream as a kernel named @name, then frees @data with @destroy (nullable). */
typedef HirCuResult (*FakeLaunch) (HirCuStream stream,
                                   const char *call,
                                   const char *name,
                                   void (*run) (gpointer data),
                                   gpointer data,
                                   GDestroyNotify destroy);
HirCuResult fake_cuda_launch (HirCuStream stream,
                              const char *call,
                              const char *name,
                              void (*run) (gpointer data),
                              gpointer data,
                              GDestroyNotify destroy);
/* Returns TRUE if FAKE_CUDA_IDLE is 1. */
static inline gboolean
fake_cuda_is_idle (void)
{
  static gsize state;

  if (g_once_init_enter (&state))
    g_once_init_leave (&state, g_strcmp0 (g_getenv ("FAKE_CUDA_IDLE"), "1") == 0 ? 2 : 1);
  return state == 2;
}
/* Returns CUPTI's id of @stream. */
typedef guint32 (*FakeGetStreamId) (HirCuStream stream);
guint32 fake_cuda_get_stream_id (HirCuStream stream);
typedef guint (*FakeGetDevice) (HirCuContext context);
guint fake_cuda_get_device (HirCuContext context);

G_END_DECLS
