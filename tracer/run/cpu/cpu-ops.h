/* Executing tensor ops on host memory, on the calling thread. */
#pragma once

#include "run/op-call.h"

G_BEGIN_DECLS

/* The result goes to the call's output, whose buffer (if deferred) is made now. Any strides; half
 * and bfloat16 by way of float. Errors: HIR_ERROR_RUN (shapes that do not fit), HIR_ERROR_LIMIT (no
 * memory), HIR_ERROR_UNSUPPORTED; all name the op. From any thread. */
gboolean hir_cpu_execute (const HirOpCall *call, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The parts, one file each. The output is there. */
gboolean hir_cpu_copy (const HirValue *out, const HirValue *in);
gboolean hir_cpu_fill (const HirValue *out, const HirValue *scalar);
gboolean hir_cpu_pointwise (const HirOpCall *call, GError **error);
gboolean hir_cpu_reduction (const HirOpCall *call, GError **error);
gboolean hir_cpu_matmul (const HirOpCall *call, GError **error);
gboolean hir_cpu_linear (const HirOpCall *call, GError **error);
/* Sets the error "add of float[4], float[8] into float[4]: @why". Returns FALSE. */
gboolean hir_cpu_fail (const HirOpCall *call, const char *why, GError **error);

G_END_DECLS
