/* Internal declarations of the CUDA back end. */
#pragma once

#include "cuda/backend/backend-cuda.h"
#include "cuda/backend/matmul.h"
#include "cuda/codegen/codegen.h"
#include "cuda/driver/nvrtc.h"
#include "cuda/driver/pool.h"

G_BEGIN_DECLS

/* Task history of a stream, from which messages name a hanging or failed task: number of tasks and
 * of marks, and number of tasks without an event after which a mark is recorded. */
#define HIR_CUDA_RECENT 256
#define HIR_CUDA_MARKS 16
#define HIR_CUDA_MARK_INTERVAL 32

/* History entry of a task. */
typedef struct
{
  char label[48];
  gint32 iteration;
} HirCudaRecent;

/* Reference-counted event. Host thread only. */
typedef struct
{
  guint n_refs;
  HirCuEvent event;
  guint stream; /* index of the stream that it is recorded on */
} HirCudaEvent;

/* Event at a known position in a stream; shows how many tasks have finished. */
typedef struct
{
  guint64 n; /* number of tasks issued before the event */
  HirCudaEvent *event;
} HirCudaMark;

typedef struct
{
  HirCuStream stream;
  HirBuffer *workspace;                  /* nullable: workspace of cuBLASLt */
  _Atomic guint64 n_issued;              /* number of issued tasks */
  guint64 n_marked;                      /* n_issued at the last mark */
  HirCudaRecent recent[HIR_CUDA_RECENT]; /* ring: task k is at k % RECENT */
  HirCudaMark marks[HIR_CUDA_MARKS];     /* ring */
  guint n_marks;                         /* number of marks ever added */
} HirCudaStream;

/* A launch in which only addresses and scalars change between executions. */
typedef struct
{
  HirUnitPartKind kind;
  HirCuFunction function;
  HirCudaMatmul *matmul;
  GArray *args; /* HirKernelArg */
  guint grid, block;
  HirCuAddress *values; /* one per argument: address, or bits of a scalar */
  gpointer *pointers;   /* to the elements of values, for cuLaunchKernel */
} HirCudaLaunch;

/* Launches of an instruction for one signature of its operands: shapes, layouts, alignment and
 * aliasing. */
typedef struct
{
  gint64 *signature;
  guint n_signature;
  HirCudaLaunch *launches;
  guint n_launches;
  gsize *scratch; /* sizes of the scratch buffers, in bytes */
  guint n_scratch;
} HirCudaPlan;

typedef struct
{
  HirBackend base;
  HirBackendOptions options;
  HirCudaBackendOptions cuda_options;
  HirCudaDevice *device;
  const HirCudaApi *cuda;
  GPtrArray *streams; /* HirCudaStream*; appended only by the host thread */
  HirCudaPool *pool;
  HirKernelCache *kernels;
  HirLtHandle lt;
  GHashTable *plans;       /* const HirExpr* -> GPtrArray of HirCudaPlan* */
  GHashTable *reductions;  /* type << 8 | op -> HirCuFunction, see hir_cuda_backend_reduce() */
  GArray *signature;       /* gint64: signature of the last lookup */
  guint last_used;         /* stream index of the last hir_cuda_backend_use() */
  GPtrArray *spare_events; /* HirCudaEvent* without references */
  HirCudaCounts counts;
  guint16 track; /* of stream 0: that of the copies between host and device */
  gint stopped;  /* atomic: failed or cancelled */
  GMutex lock;   /* guards error, and streams against other threads */
  GError *error;
  gulong cancel_handler;
} HirCudaBackend;

/* Returns stream @index (borrowed). */
static inline HirCudaStream *
hir_cuda_get_stream (HirCudaBackend *backend, guint index)
{
  return g_ptr_array_index (backend->streams, index);
}

/* Returns the largest grid of a kernel that loops over its elements. */
static inline gint64
hir_cuda_get_max_blocks (const HirCudaBackend *backend)
{
  return (gint64) MAX (backend->device->n_sms, 1) * 16;
}

/* Attributes the launches up to the matching hir_cuda_pop() to @event. Does nothing without a
 * launch tracer. */
static inline void
hir_cuda_push (HirCudaBackend *backend, const HirEvent *event)
{
  if (backend->options.launch_tracer != NULL)
    backend->options.launch_tracer->push (backend->options.tracer, event);
}
static inline void
hir_cuda_pop (HirCudaBackend *backend)
{
  if (backend->options.launch_tracer != NULL)
    backend->options.launch_tracer->pop (backend->options.tracer);
}

/* backend-cuda-launch.c */

/* Launches the calls of @task on stream @index. Creates the plan at the first execution. */
gboolean
hir_cuda_launch_calls (HirCudaBackend *backend, guint index, HirTask *task, GError **error);
/* Frees a GPtrArray of HirCudaPlan*. */
void hir_cuda_plans_free (gpointer plans);
/* Returns the plan (borrowed) that fits the current operands of @task, or NULL if there is none. */
HirCudaPlan *hir_cuda_lookup_plan (HirCudaBackend *backend, HirTask *task);
/* Performs @launch on stream @index with the arguments in launch->values. */
gboolean
hir_cuda_launch (HirCudaBackend *backend, guint index, HirCudaLaunch *launch, GError **error);

/* backend-cuda-ready.c: see HirBackendClass. */
HirPreparedTask *hir_cuda_get_ready (HirBackend *base, HirTask *task);
HirPreparedResult hir_cuda_issue_ready (
    HirBackend *base, guint index, HirPreparedTask *ready, gint32 iteration, GError **error);
void hir_cuda_free_ready (HirBackend *base, HirPreparedTask *ready);

/* backend-cuda-wait.c */

/* Returns an event for stream @stream with one reference, reused if possible, or NULL if the driver
 * fails. The context must be current. */
HirCudaEvent *hir_cuda_event_take (HirCudaBackend *backend, guint stream);
/* Releases a reference to @event (nullable). An event without references is reused. */
void hir_cuda_event_drop (HirCudaBackend *backend, HirCudaEvent *event);
/* Adds the issued @task to the history of stream @index. Adds a mark if the last one is too old. */
void hir_cuda_note_task (HirCudaBackend *backend, guint index, const HirTask *task);
/* Like hir_cuda_note_task(), but takes the history entry. */
void hir_cuda_note_recent (HirCudaBackend *backend, guint index, const HirCudaRecent *recent);
/* Adds @event, just recorded on @stream, as a mark and takes a reference. Does nothing if a mark
 * already covers all issued tasks. */
void hir_cuda_add_mark (HirCudaBackend *backend, HirCudaStream *stream, HirCudaEvent *event);
/* Waits until all streams are idle. Returns FALSE and sets @error if the back end was stopped, a
 * task failed, or no task finished within the timeout. */
gboolean hir_cuda_wait_idle (HirCudaBackend *backend, GError **error);

/* Stops the back end with @error (takes ownership). The first error is stored and reported through
 * options.stopped; later ones are ignored. Any thread. */
void hir_cuda_stop_with (HirCudaBackend *backend, GError *error);
/* Stops the back end with @cause (takes ownership), prefixed with the name of the instruction. Sets
 * @error to the error that stopped the back end first. */
void hir_cuda_stop_at (HirCudaBackend *backend, const HirTask *task, GError *cause, GError **error);
/* Returns TRUE and sets @error to a copy of the stored error if the back end was stopped. Any
 * thread. */
gboolean hir_cuda_give_error (HirCudaBackend *backend, GError **error);

/* backend-cuda-memory.c: see HirBackendClass. */
HirBuffer *hir_cuda_allocate (HirBackend *base, guint stream, gsize size_bytes, GError **error);
gboolean hir_cuda_fill (HirBackend *base,
                        guint stream,
                        HirBuffer *buffer,
                        guint8 byte,
                        const HirEvent *event,
                        GError **error);
HirValue *hir_cuda_upload (HirBackend *base, HirValue *tensor, GError **error);
gboolean hir_cuda_read (HirBackend *base, const HirValue *tensor, gpointer host, GError **error);

G_END_DECLS
