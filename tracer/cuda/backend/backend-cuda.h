/* CUDA back end. Each stream is a CUDA stream, and the thread that issues a task launches it.
 * Memory comes from a pool that later iterations and repetitions reuse. The back end records no
 * events: a launch tracer attributes the activity records of the device to instructions. */
#pragma once

#include "cuda/driver/pool.h"
#include "run/backend.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean channels_high; /* channels get the highest stream priority */
} HirCudaBackendOptions;

/* Creates a back end on @device (takes a reference) with stream 0 open. Returns NULL and sets
 * @error if a stream or cuBLASLt cannot be created, or HIR_ERROR_UNSUPPORTED if @options sets
 * hang_on. Call on the host thread. */
HirBackend *hir_cuda_backend_new (HirCudaDevice *device,
                                  const HirBackendOptions *options,
                                  const HirCudaBackendOptions *cuda_options,
                                  GError **error);

HirCudaDevice *hir_cuda_backend_get_device (HirBackend *backend); /* borrowed */
/* Notes that work launched by another component on @stream, a stream of @backend, reads or writes
 * @value. The pool then does not reuse the memory on another stream before that work is done. Call
 * on the host thread, before the last reference to the value can be released. */
void hir_cuda_backend_use (HirBackend *backend, const HirValue *value, HirCuStream stream);
/* Call hir_cuda_pool_set_shareable() and hir_cuda_pool_share() on the pool of @backend. */
void hir_cuda_backend_set_shareable (HirBackend *backend);
HirCudaShare *hir_cuda_backend_share (HirBackend *backend, HirBuffer *buffer, GError **error);
/* Allocates memory for work on @stream, a stream of @backend. It can be released as soon as all
 * work is queued on @stream. Call on the host thread. Returns NULL and sets HIR_ERROR_LIMIT if the
 * GPU is out of memory. */
HirBuffer *hir_cuda_backend_allocate (HirBackend *backend,
                                      HirCuStream stream,
                                      gsize size_bytes,
                                      GError **error);

/* Reduction of the contributions of ranks; see hir_codegen_rank_reduction(). */
typedef struct
{
  HirDType dtype;
  HirBinaryOp op;
  HirCuAddress out, own, others;
  gint64 n; /* number of elements of a contribution */
  gint32 n_ranks, place;
} HirCudaReduction;

/* Launches @reduction on @stream. Call on the host thread. Returns FALSE and sets @error:
 * HIR_ERROR_UNSUPPORTED if there is no kernel for its type and op. */
gboolean hir_cuda_backend_reduce (HirBackend *backend,
                                  HirCuStream stream,
                                  const HirCudaReduction *reduction,
                                  GError **error);

typedef struct
{
  guint64 n_kernels, n_memcpys, n_memsets, n_matmuls;
  guint64 n_waits;  /* number of stream waits */
  guint64 n_blocks; /* memory blocks that the pool has from the driver */
  guint64 n_bytes;  /* total size of these blocks */
} HirCudaCounts;

/* Returns the number of launches since creation (generated kernels, copies, fills, cuBLASLt calls,
 * stream waits) and the current size of the pool. Call on the host thread. */
void hir_cuda_backend_get_counts (HirBackend *backend, HirCudaCounts *counts);

G_END_DECLS
