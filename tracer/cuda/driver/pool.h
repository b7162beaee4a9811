/* Memory of a GPU, kept and given again: a block that was freed is used again by work behind its
 * last use on the same stream, or by any stream once the host has seen the device idle. So a loop,
 * and a run in a row, take what the first turn took. */
#pragma once

#include "cuda/driver/share.h"
#include "run/values/value.h"

G_BEGIN_DECLS

typedef struct _HirCudaPool HirCudaPool;

#define HIR_POOL_MAX_STREAMS 128

/* @device is referenced. */
HirCudaPool *hir_cuda_pool_new (HirCudaDevice *device);
/* No stream of it has work any more, now or later; memory that is not in use goes back to the
 * driver, the rest with its last buffer. */
void hir_cuda_pool_close (HirCudaPool *pool);

/* Stream @index is @stream. Host thread. */
void hir_cuda_pool_add_stream (HirCudaPool *pool, guint index, HirCuStream stream);
/* For use on stream @index. HIR_ERROR_LIMIT where the GPU has no more. Its context is current. */
HirBuffer *
hir_cuda_pool_allocate (HirCudaPool *pool, guint index, gsize size_bytes, GError **error);
/* Stream @index uses @buffer, too. A buffer of the pool; others are left alone. */
void hir_cuda_pool_use (HirCudaPool *pool, HirBuffer *buffer, guint index);
/* What it allocates from now on can be shared: each block is one of the driver's own, of 2 MiB or
 * more. Host thread. */
void hir_cuda_pool_set_shareable (HirCudaPool *pool);
/* The allocation that @buffer is; borrowed: it lives with the allocation, or longer where somebody
 * holds it. From now on it is not given back to the driver while the pool lives. Host thread;
 * HIR_ERROR_UNSUPPORTED where @buffer is none of the pool's. */
HirCudaShare *hir_cuda_pool_share (HirCudaPool *pool, HirBuffer *buffer, GError **error);
/* All streams were idle just now, and the host has waited for that. */
void hir_cuda_pool_set_idle (HirCudaPool *pool);
/* Blocks and bytes taken from the driver so far and not given back. Any thread. */
void hir_cuda_pool_get_counts (HirCudaPool *pool, guint64 *n_blocks, guint64 *n_bytes);

G_END_DECLS
