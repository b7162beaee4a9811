/* A tensor op with evaluated operands and attributes, as executed by a back end. The host thread
 * creates it; afterwards only the thread of the back end reads it. */
#pragma once

#include "run/env.h"
#include "run/split-view.h"

G_BEGIN_DECLS

typedef struct
{
  const HirExpr *expr; /* borrowed */
  gpointer own_expr;   /* nullable: `expr`, a reference of g_atomic_rc_box_acquire() */
  HirValue **inputs;   /* owned; tensors; scalars of pointwise, random ops, scatter */
  guint n_inputs;
  HirValue *output; /* owned; nullable until set */
  /* slice: start, stop, step per axis; pad: two widths per axis; select: axis, index; permute,
   * reduction: see op-call.c */
  gint64 *params;
  guint n_params;
  /* NULL except for a reduction of an unevenly split operand: the axes to read inputs[0] with */
  HirSplitView *split;
  HirValue *fill; /* full, pad: the value; iota: the start */
  HirValue *step; /* iota */
  double planted; /* if positive: relative error to inject into the result, for tests of --check */
} HirOpCall;

/* Creates a call of @expr with the operands in @env. Errors: HIR_ERROR_RUN, naming the tensor, if
 * an operand has no value; HIR_ERROR_UNSUPPORTED if @expr is not a tensor op. */
HirOpCall *hir_op_call_new (const HirExpr *expr, HirEnv *env, GError **error);
/* Creates a copy from @in to @out, of equal sizes. @set is a Set in memory of
 * g_atomic_rc_box_alloc(), of which the call takes a reference. */
HirOpCall *hir_op_call_new_copy (HirExpr *set, HirValue *in, HirValue *out);
/* Creates a call of @expr, memory like that of hir_op_call_new_copy(), for its operands only. */
HirOpCall *
hir_op_call_new_opaque (HirExpr *expr, HirValue *const *inputs, guint n_inputs, HirValue *out);
void hir_op_call_free (HirOpCall *call);
/* Updates @call to the current operands and attributes in @env and keeps its output. Returns FALSE
 * on errors as above; @call must then not be used before it is renewed again. */
gboolean hir_op_call_renew (HirOpCall *call, HirEnv *env, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Releases all values, so that their memory can be reused; the call can be renewed. */
void hir_op_call_release (HirOpCall *call);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirOpCall, hir_op_call_free)
/* Sets the output of @call (nullable), with a reference. */
void hir_op_call_set_output (HirOpCall *call, HirValue *output);
/* Returns a bit mask of device axes of size 1 in the output of a sum, matmul or linear whose
 * reduction is split over devices (rFactor). The op does not have these axes
 * (docs/host-ir.md#compute). */
guint32 hir_op_find_device_axes (const HirExpr *expr);
/* Sets the output of @call to @value without its @axes of size 1. */
void hir_op_call_set_output_without (HirOpCall *call, HirValue *value, guint32 axes);

/* Returns the result as a view of an input if the op allows it (Set, permute, broadcast, squeeze,
 * expand, slice, select, reshape of contiguous data). Returns NULL without an error if it does not,
 * and NULL with HIR_ERROR_RUN if the shapes do not match. */
HirValue *hir_op_call_new_view (const HirOpCall *call, GError **error);

/* Finds the run-time axis that the AliasSelect @expr indexes. Returns FALSE if the run-time tensor
 * has no such axis; the slice is then the whole tensor. */
gboolean hir_alias_select_find_axis (const HirExpr *expr, guint *axis);

/* Computes the bytes read and written and the floating-point operations from the sizes. */
void hir_op_call_get_cost (const HirOpCall *call, gint64 *bytes, gint64 *flops);

G_END_DECLS
