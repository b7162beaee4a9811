/* A CUDA driver for tests, without a GPU: the symbols of cuda/abi-cuda.h, memory from malloc,
 * kernels that do nothing. Built as libcuda.so.1; HIRSCOPE_CUDA_LIBRARY_PATH points to its folder.
 * What can be set by the environment, before cuInit():
 *
 *   FAKE_CUDA_DEVICES=2      how many GPUs (default 1)
 *   FAKE_CUDA_QUEUED=1       each stream is a thread; else all is done when the call returns
 *   FAKE_CUDA_IDLE=1         nothing is done on a stream, and calls cost next to nothing: for
 * measuring what is around them (cuBLASLt's and NCCL's too) FAKE_CUDA_SHARED=1       device memory
 * can be opened by other processes, which then must have closed it before it is freed; the driver
 * may share this, but not open a thing twice FAKE_CUDA_MEMORY=1000    bytes that a GPU has (default
 * 1 GiB) FAKE_CUDA_FAIL=cuMemAlloc_v2:3:2,cuLaunchKernel:1:700! the third cuMemAlloc_v2 gives 2;
 * the first launch gives 700, and with the ! everything after it too, as a sticky error does
 *   FAKE_CUDA_NO_PEERS=1     GPUs do not see each other's memory
 *   FAKE_CUDA_HANG=T5_mul    a kernel of that name never ends (queued streams only)
 *
 * Other fakes (libcupti, libnccl) find the functions below by dlsym() in the library that is open.
 */
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
  FAKE_STREAM_MEMORY, /* the observer is not told: no record says of it */
  FAKE_SYNCHRONIZE,   /* the host waits: in the calling thread */
} FakeKind;

/* What a call of the driver or a piece of device work was. */
typedef struct
{
  FakeKind kind;
  const char *call; /* "cuLaunchKernel" */
  const char *name; /* of a kernel */
  guint device;
  HirCuContext context;
  guint32 stream; /* CUPTI's number of it */
  guint32 correlation;
  guint32 event;      /* of records and waits */
  guint64 event_sync; /* counts the records of all events */
  guint64 bytes;
  guint8 copy_kind; /* CUpti_ActivityMemcpyKind */
  gint64 start_ns, end_ns;
} FakeActivity;

/* Told of each call, on the thread that makes it before the work starts, and of each piece of work
 * when it is done. The clock gives the times. */
typedef struct
{
  gint64 (*now_ns) (void);
  void (*called) (const FakeActivity *activity);
  void (*worked) (const FakeActivity *activity);
} FakeObserver;

/* One; NULL: none. */
typedef void (*FakeSetObserver) (const FakeObserver *observer);
void fake_cuda_set_observer (const FakeObserver *observer);
/* Runs @run on @stream as a kernel called @name. Frees @data by @destroy (nullable). */
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
/* TRUE with FAKE_CUDA_IDLE. */
static inline gboolean
fake_cuda_is_idle (void)
{
  static gsize state;

  if (g_once_init_enter (&state))
    g_once_init_leave (&state, g_strcmp0 (g_getenv ("FAKE_CUDA_IDLE"), "1") == 0 ? 2 : 1);
  return state == 2;
}
/* CUPTI's number of @stream. */
typedef guint32 (*FakeGetStreamId) (HirCuStream stream);
guint32 fake_cuda_get_stream_id (HirCuStream stream);
typedef guint (*FakeGetDevice) (HirCuContext context);
guint fake_cuda_get_device (HirCuContext context);

G_END_DECLS
