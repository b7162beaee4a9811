/* Runs matmul and linear with cuBLASLt, which writes directly to the output. */
#pragma once

#include "cuda/driver/device.h"
#include "run/op-call.h"

G_BEGIN_DECLS

/* Size of the workspace for hir_cuda_matmul_run(). */
#define HIR_MATMUL_WORKSPACE_BYTES ((gsize) 32 << 20)

/* Returns TRUE if cuBLASLt can run @call. Data types: float (full float32, no TF32), half and
 * bfloat16 (accumulated in float32), double. One stride of each matrix must be 1. Excluded: an
 * empty output, a sum over nothing, a double or batched bias, and calls with an injected error. */
gboolean hir_cuda_matmul_takes (const HirOpCall *call);

/* Returns lines that describe the cuBLASLt call for @call, which hir_cuda_matmul_takes() accepts:
 * sizes, types and layouts (transfer full). */
char *hir_cuda_matmul_describe (const HirOpCall *call);

/* A prepared product: the layouts, and the first algorithm that cuBLASLt suggests. Reused for every
 * launch. */
typedef struct _HirCudaMatmul HirCudaMatmul;

/* Prepares @call, which hir_cuda_matmul_takes() accepts. @addresses: see hir_cuda_matmul_run(); the
 * algorithm depends on their alignment, so that later addresses must have at least the same.
 * Returns NULL without an error if cuBLASLt has no algorithm. */
HirCudaMatmul *hir_cuda_matmul_new (const HirCudaLibs *libs,
                                    HirLtHandle handle,
                                    const HirOpCall *call,
                                    const HirCuAddress *addresses,
                                    GError **error);
void hir_cuda_matmul_free (HirCudaMatmul *matmul);
/* Launches the product on @stream. @addresses: of element 0 of each input, then of the output.
 * Increases *@n_launches by the number of cuBLASLt calls. */
gboolean hir_cuda_matmul_run (HirCudaMatmul *matmul,
                              const HirCuAddress *addresses,
                              HirCuAddress workspace,
                              HirCuStream stream,
                              guint64 *n_launches,
                              GError **error);

G_END_DECLS
