/* Pool of device memory. A freed block is reused by later work on the same stream, or by any stream
 * after the host has seen the device idle. Later iterations and repetitions therefore reuse the
 * memory of the first one. */
#pragma once

#include "cuda/driver/share.h"
#include "run/values/value.h"

G_BEGIN_DECLS

typedef struct _HirCudaPool HirCudaPool;

#define HIR_POOL_MAX_STREAMS 128

/* Creates an empty pool. Takes a reference to @device. */
HirCudaPool *hir_cuda_pool_new (HirCudaDevice *device);
/* Frees the pool. Its streams must be idle and stay idle. Unused memory is freed at once, the rest
 * together with its last buffer. */
void hir_cuda_pool_close (HirCudaPool *pool);

/* Registers @stream under @index. Call on the host thread. */
void hir_cuda_pool_add_stream (HirCudaPool *pool, guint index, HirCuStream stream);
/* Allocates a buffer for use on stream @index. The device's context must be current. Returns NULL
 * and sets HIR_ERROR_LIMIT if the GPU is out of memory. */
HirBuffer *
hir_cuda_pool_allocate (HirCudaPool *pool, guint index, gsize size_bytes, GError **error);
/* Notes that stream @index uses @buffer, too. Ignores buffers of other owners. */
void hir_cuda_pool_use (HirCudaPool *pool, HirBuffer *buffer, guint index);
/* Makes later allocations shareable: each block is then a separate driver allocation of at least
 * 2 MiB. Call on the host thread. */
void hir_cuda_pool_set_shareable (HirCudaPool *pool);
/* Returns the allocation of @buffer (borrowed; take a reference to keep it longer than the
 * allocation). The pool does not free it before the pool itself is closed. Call on the host thread.
 * Returns NULL and sets HIR_ERROR_UNSUPPORTED if @buffer does not belong to the pool. */
HirCudaShare *hir_cuda_pool_share (HirCudaPool *pool, HirBuffer *buffer, GError **error);
/* Call after the host has waited until all streams are idle. Any stream can then reuse any freed
 * block. */
void hir_cuda_pool_set_idle (HirCudaPool *pool);
/* Returns the number of blocks and bytes currently allocated from the driver. Any thread. */
void hir_cuda_pool_get_counts (HirCudaPool *pool, guint64 *n_blocks, guint64 *n_bytes);

G_END_DECLS
