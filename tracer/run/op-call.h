/* One tensor op with everything it needs evaluated: what a back end executes. The host thread makes
 * it; after that only the back end's thread reads it. */
#pragma once

#include "run/env.h"

G_BEGIN_DECLS

typedef struct
{
  const HirExpr *expr; /* borrowed: the program outlives its calls */
  HirValue **inputs;   /* owned; tensors, and scalars of pointwise ops */
  guint n_inputs;
  HirValue *output; /* owned; nullable until set */
  gint64 *params; /* slice: start, stop, step an axis; pad: two widths an axis; select: axis, index;
                     permute, reduction: see op-call.c */
  guint n_params;
  HirValue *fill; /* full, pad: the value; iota: the start */
  HirValue *step; /* iota */
  double planted; /* > 0: an error to plant in the result, for tests of --check */
} HirOpCall;

/* Looks the operands up in @env. Errors: HIR_ERROR_RUN ("must be computed before it is read")
 * naming the tensor; HIR_ERROR_UNSUPPORTED for an Expr that is no tensor op. */
HirOpCall *hir_op_call_new (const HirExpr *expr, HirEnv *env, GError **error);
void hir_op_call_free (HirOpCall *call);
/* The same call with the operands and attributes that @env has now; the output is as it was. FALSE
 * as above, then nothing of it may be used before it was renewed. */
gboolean hir_op_call_renew (HirOpCall *call, HirEnv *env, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Lets go of all values, so that their memory can be used again; the call can be renewed. */
void hir_op_call_release (HirOpCall *call);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirOpCall, hir_op_call_free)
void hir_op_call_set_output (HirOpCall *call, HirValue *output);

/* The result as a view of an input, where the op is one (Set, permute, broadcast, squeeze, expand,
 * slice, select, reshape of contiguous data); NULL without an error where it is not; NULL and
 * HIR_ERROR_RUN where the shapes do not fit. */
HirValue *hir_op_call_new_view (const HirOpCall *call, GError **error);

/* Finds the run-time axis that the AliasSelect @expr cuts. Returns FALSE if the run-time tensor has no
 * such axis and is taken whole. */
gboolean hir_alias_select_find_axis (const HirExpr *expr, guint *axis);

/* Bytes read and written, and floating-point operations, from the sizes. */
void hir_op_call_get_cost (const HirOpCall *call, gint64 *bytes, gint64 *flops);

G_END_DECLS
