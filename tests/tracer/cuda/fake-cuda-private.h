/* Internal declarations of the fake CUDA driver. */
#pragma once

#include "fake-cuda.h"

G_BEGIN_DECLS

#define FAKE_EXPORT __attribute__ ((visibility ("default")))
#define FAKE_MAX_DEVICES 16

struct CUctx_st
{
  guint device;
  GMutex lock; /* guards n_used_bytes */
  gsize n_used_bytes;
  HirCuStream default_stream;
};

/* A task on a stream. */
typedef struct
{
  FakeActivity activity;
  char *name;
  void (*run) (gpointer data);
  gpointer data;
  GDestroyNotify destroy;
} FakeWork;

struct CUstream_st
{
  HirCuContext context;
  guint32 id;
  GThread *thread; /* NULL: tasks run during the call */
  GAsyncQueue *queue;
  GMutex lock; /* guards n_queued */
  GCond idle;
  guint n_queued;
};

struct CUevent_st
{
  HirCuContext context; /* of its creation; streams of other contexts cannot record it */
  guint32 id;
  GMutex lock;
  GCond reached_cond;
  guint64 recorded, reached; /* number of records, and number that were reached */
  guint64 sync;              /* FakeActivity.event_sync of the last record */
};

/* Compiled text of a kernel. */
typedef struct _FakeKernel FakeKernel;

typedef struct
{
  guint8 *start;
  gsize bytes;
} FakeRange;

typedef struct
{
  guint n_devices;
  gboolean is_queued;
  gboolean is_shared;
  gboolean runs_kernels;
  GHashTable *kernels; /* char* text -> FakeKernel*; guarded by lock */
  gsize memory_bytes;
  char *hang_on;
  char *failures;
  HirCuContext contexts[FAKE_MAX_DEVICES];
  GPtrArray *streams; /* HirCuStream, of all contexts; guarded by lock */
  GMutex lock;
  GPtrArray *old_events; /* destroyed events; guarded by lock */
  GHashTable *n_calls;   /* symbol in FAKE_CUDA_FAIL -> number of calls; guarded by lock */
  HirCuResult sticky;
  const FakeObserver *observer;
  GArray *registered;   /* FakeRange of host memory; guarded by lock */
  GHashTable *openings; /* "pid fd" -> FakeRange*: memory of other processes; guarded by lock */
  guint n_correlations, n_streams, n_events;
  guint64 n_syncs;
} FakeCuda;

FakeCuda *fake_cuda_get (void);
/* Counts @call and returns its result according to FAKE_CUDA_FAIL. */
HirCuResult fake_cuda_enter (const char *call);
HirCuContext fake_cuda_get_current (void);
/* Returns @stream; if NULL, the default stream of the current context. */
HirCuStream fake_stream_get (HirCuStream stream);
HirCuStream fake_stream_new (HirCuContext context);
void fake_stream_free (HirCuStream stream);
/* Reports the call to the observer, then runs or queues @work (takes ownership). */
void fake_stream_push (HirCuStream stream, FakeWork *work);
/* Waits until all work queued before the call has finished. */
void fake_stream_drain (HirCuStream stream);
gboolean fake_stream_is_idle (HirCuStream stream);
gint64 fake_now_ns (void);
/* fake-cuda-kernels.c. Returns the kernel of @image, text that the fake NVRTC returned, or NULL if
 * kernels have no effect. Lives as long as the process. */
FakeKernel *fake_kernel_get (const char *image);
/* Returns a copy of the values of @parameters, and pointers to them. */
void **fake_kernel_dup_values (const FakeKernel *kernel, void **parameters);
void fake_kernel_free_values (void **values, const FakeKernel *kernel);
/* Executes @kernel. Any thread. */
void fake_kernel_run (FakeKernel *kernel, void **values, guint grid, guint threads);

G_END_DECLS
