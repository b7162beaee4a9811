/* The CUDA back end: streams are the device's, work is launched on the thread that issues it, and
 * memory comes from a pool that is reused across iterations and repeats. It records nothing itself:
 * the device's own records do, with a launch tracer that says whose they are. */
#pragma once

#include "cuda/driver/pool.h"
#include "run/backend.h"

G_BEGIN_DECLS

typedef struct
{
  gboolean channels_high; /* streams of communicators get the top priority */
} HirCudaBackendOptions;

/* @device is referenced. */
HirBackend *hir_cuda_backend_new (HirCudaDevice *device,
                                  const HirBackendOptions *options,
                                  const HirCudaBackendOptions *cuda_options,
                                  GError **error);

HirCudaDevice *hir_cuda_backend_get_device (HirBackend *backend); /* borrowed */
/* Work that the back end did not launch itself, on @stream (one of its own), reads or writes
 * @value: its memory is not given to another stream before that is done. Host thread, before the
 * work that frees the value can be issued. */
void hir_cuda_backend_use (HirBackend *backend, const HirValue *value, HirCuStream stream);
/* As hir_cuda_pool_set_shareable(), hir_cuda_pool_share(). */
void hir_cuda_backend_set_shareable (HirBackend *backend);
HirCudaShare *hir_cuda_backend_share (HirBackend *backend, const HirValue *value, GError **error);

typedef struct
{
  guint64 n_kernels, n_memcpys, n_memsets, n_matmuls;
  guint64 n_waits;  /* events that a stream waits for */
  guint64 n_blocks; /* of the pool, from the driver */
  guint64 n_bytes;  /* of those */
} HirCudaCounts;

/* What it has launched since it was made: kernels of our own, memcpys, memsets, calls of cuBLASLt,
 * waits; and what the pool has of the driver. */
void hir_cuda_backend_get_counts (HirBackend *backend, HirCudaCounts *counts);

G_END_DECLS
