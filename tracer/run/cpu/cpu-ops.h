/* Executes tensor ops on host memory, on the calling thread. */
#pragma once

#include "run/op-call.h"

G_BEGIN_DECLS

/* Computes the output of @call, whose deferred buffer is allocated if necessary. Strides are
 * arbitrary; half and bfloat16 are computed in float. Errors, which name the op: HIR_ERROR_RUN if
 * shapes do not match, HIR_ERROR_LIMIT if memory is short, HIR_ERROR_UNSUPPORTED. Any thread. */
gboolean hir_cpu_execute (const HirOpCall *call, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Copies @in to @out, converting elements. Returns FALSE if the sizes differ. The buffers must have
 * memory, here and below. */
gboolean hir_cpu_copy (const HirValue *out, const HirValue *in);
/* Sets all elements of @out to @scalar. */
gboolean hir_cpu_fill (const HirValue *out, const HirValue *scalar);
/* Executes a unary, binary or ternary op. */
gboolean hir_cpu_pointwise (const HirOpCall *call, GError **error);
/* Executes a reduction. */
gboolean hir_cpu_reduction (const HirOpCall *call, GError **error);
/* Executes a matmul. */
gboolean hir_cpu_matmul (const HirOpCall *call, GError **error);
/* Executes a linear. */
gboolean hir_cpu_linear (const HirOpCall *call, GError **error);
/* Executes a gather, take_along_axis, index_select or scatter. */
gboolean hir_cpu_index (const HirOpCall *call, GError **error);
/* Sets the error "add of float[4], float[8] into float[4]: @why". Returns FALSE. */
gboolean hir_cpu_fail (const HirOpCall *call, const char *why, GError **error);

G_END_DECLS
