/* Shared by the files of the CUDA back end. */
#pragma once

#include "cuda/backend/backend-cuda.h"
#include "cuda/backend/matmul.h"
#include "cuda/codegen/codegen.h"
#include "cuda/driver/nvrtc.h"
#include "cuda/driver/pool.h"

G_BEGIN_DECLS

/* What is remembered of work on a stream, to name what hangs or has failed. */
#define HIR_CUDA_RECENT 256
#define HIR_CUDA_MARKS 16
#define HIR_CUDA_MARK_INTERVAL 32

typedef struct
{
  char label[48];
  gint32 iteration;
} HirCudaRecent;

/* Of the host thread, as all that counts references to it. */
typedef struct
{
  guint n_refs;
  HirCuEvent event;
  guint stream;
} HirCudaEvent;

typedef struct
{
  guint64 n; /* tasks before it */
  HirCudaEvent *event;
} HirCudaMark;

typedef struct
{
  HirCuStream stream;
  HirBuffer *workspace;                  /* nullable: of cuBLASLt */
  guint64 n_issued;                      /* tasks */
  guint64 n_marked;                      /* tasks before the last mark */
  HirCudaRecent recent[HIR_CUDA_RECENT]; /* task k is at k % RECENT */
  HirCudaMark marks[HIR_CUDA_MARKS];     /* a ring */
  guint n_marks;
} HirCudaStream;

/* A launch that is ready to go: only addresses and scalars change. */
typedef struct
{
  HirUnitPartKind kind;
  HirCuFunction function;
  HirCudaMatmul *matmul;
  GArray *args; /* HirKernelArg */
  guint grid, block;
  HirCuAddress *values; /* of the arguments; scalars by their bits */
  gpointer *pointers;   /* to those */
} HirCudaLaunch;

/* An instruction with operands of certain shapes. */
typedef struct
{
  gint64 *signature;
  guint n_signature;
  HirCudaLaunch *launches;
  guint n_launches;
  gsize *scratch;
  guint n_scratch;
} HirCudaPlan;

typedef struct
{
  HirBackend base;
  HirBackendOptions options;
  HirCudaBackendOptions cuda_options;
  HirCudaDevice *device;
  const HirCudaApi *cuda;
  GPtrArray *streams; /* HirCudaStream*; only the host thread adds */
  HirCudaPool *pool;
  HirKernelCache *kernels;
  HirLtHandle lt;
  GHashTable *plans;       /* const HirExpr* -> GPtrArray of HirCudaPlan* */
  GArray *signature;       /* gint64: room */
  guint last_used;         /* the stream of the last hir_cuda_backend_use() */
  GPtrArray *spare_events; /* HirCudaEvent* */
  HirCudaCounts counts;
  gint stopped; /* atomic: failed or cancelled */
  GMutex lock;  /* guards what follows */
  GError *error;
  gulong cancel_handler;
} HirCudaBackend;

static inline HirCudaStream *
hir_cuda_get_stream (HirCudaBackend *backend, guint index)
{
  return g_ptr_array_index (backend->streams, index);
}
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

/* backend-cuda-launch.c: the task's ops onto stream @index. */
gboolean
hir_cuda_launch_calls (HirCudaBackend *backend, guint index, HirTask *task, GError **error);
void hir_cuda_plans_free (gpointer plans);
/* The plan that @task was issued by before, with values of these shapes; NULL: none. */
HirCudaPlan *hir_cuda_lookup_plan (HirCudaBackend *backend, HirTask *task);
/* What @arg is the address, or the value, of. */
const HirValue *hir_cuda_get_operand (const HirTask *task, const HirKernelArg *arg);
/* @launch, whose values are there. */
gboolean
hir_cuda_launch (HirCudaBackend *backend, guint index, HirCudaLaunch *launch, GError **error);

/* backend-cuda-ready.c */
HirPreparedTask *hir_cuda_get_ready (HirBackend *base, HirTask *task);
HirPreparedResult hir_cuda_issue_ready (
    HirBackend *base, guint index, HirPreparedTask *ready, gint32 iteration, GError **error);
void hir_cuda_free_ready (HirBackend *base, HirPreparedTask *ready);

/* backend-cuda-wait.c */
HirCudaEvent *hir_cuda_event_take (HirCudaBackend *backend, guint stream);
void hir_cuda_event_drop (HirCudaBackend *backend, HirCudaEvent *event);
/* The task is issued: remembered by name; now and then a mark. */
void hir_cuda_note_task (HirCudaBackend *backend, guint index, const HirTask *task);
void hir_cuda_note_recent (HirCudaBackend *backend, guint index, const HirCudaRecent *recent);
void hir_cuda_add_mark (HirCudaBackend *backend, HirCudaStream *stream, HirCudaEvent *event);
gboolean hir_cuda_wait_idle (HirCudaBackend *backend, GError **error);

/* Keeps the first error and tells who is to know. Takes @error. */
void hir_cuda_stop_with (HirCudaBackend *backend, GError *error);
/* Stops the back end with @cause (transfer full), and names @task if @cause does not. Copies the
 * error that stopped the back end to @error. */
void hir_cuda_stop_at (HirCudaBackend *backend, const HirTask *task, GError *cause, GError **error);
/* TRUE where it has stopped; a copy of why. */
gboolean hir_cuda_give_error (HirCudaBackend *backend, GError **error);

/* backend-cuda-memory.c */
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
