/* matmul and linear by cuBLASLt, straight into the output. */
#pragma once

#include "cuda/driver/device.h"
#include "run/op-call.h"

G_BEGIN_DECLS

#define HIR_MATMUL_WORKSPACE_BYTES ((gsize) 32 << 20)

/* TRUE for float (computed as full float32, no TF32), half and bfloat16 (accumulated in float32)
 * and double with layouts that the library takes: one of a matrix's strides is 1. Not: integers,
 * nothing to sum over, a bias of double, an error that is to be planted. */
gboolean hir_cuda_matmul_takes (const HirOpCall *call);

/* What does not change from launch to launch: layouts and the algorithm that the library suggests
 * first. */
typedef struct _HirCudaMatmul HirCudaMatmul;

/* NULL without an error where the library has no algorithm for it. The operands' addresses tell how
 * they are aligned: later ones must be as well aligned. */
HirCudaMatmul *hir_cuda_matmul_new (const HirCudaLibs *libs,
                                    HirLtHandle handle,
                                    const HirOpCall *call,
                                    const HirCuAddress *addresses,
                                    GError **error);
void hir_cuda_matmul_free (HirCudaMatmul *matmul);
/* @addresses: of the inputs' elements 0, then the output's. @n_launches: calls of the library. */
gboolean hir_cuda_matmul_run (HirCudaMatmul *matmul,
                              const HirCuAddress *addresses,
                              HirCuAddress workspace,
                              HirCuStream stream,
                              guint64 *n_launches,
                              GError **error);

G_END_DECLS
