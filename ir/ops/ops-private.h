/* What the files of ops share; no other file includes it. */
#pragma once

#include "ops/ops.h"

G_BEGIN_DECLS

/* One axis of an operand, counted without reductions, as people count. */
typedef struct
{
  HirTensor *tensor;
  guint axis;
  HirIterDomain *id;
} HirOpAxis;

/* Axes of operands that become one axis of the output. */
typedef struct
{
  HirOpAxis *items;
  guint n;
} HirOpAxisGroup;

#define HIR_OP_POS(fusion) (&(fusion)->maker.pos)

/* op-domain.c: the output's axes (docs/host-ir.md#op-outputs). */

/* FALSE where constant extents contradict. @what (nullable) names the axes: "K". @allow_one: a
 * broadcast fits everything. */
gboolean hir_op_check_extents (HirContainer *fusion,
                               const char *op,
                               const char *what,
                               const HirOpAxisGroup *group,
                               gboolean allow_one,
                               GError **error);
/* FALSE where an axis is parallelized as something that no op output inherits, or two differ. */
gboolean hir_op_check_parallel (HirContainer *fusion,
                                const char *op,
                                const HirOpAxisGroup *group,
                                GError **error);
/* The promoted axis: type, extent, expanded extent, and DID type. */
HirIterDomain *hir_op_join_axes (HirContainer *fusion, const HirOpAxisGroup *group);
/* Likewise as the axis that the op reduces: Serial. */
HirIterDomain *hir_op_join_reduced (HirContainer *fusion, const HirOpAxisGroup *group);
/* TRUE where every axis of the group is a broadcast. */
gboolean hir_op_is_all_broadcast (const HirOpAxisGroup *group);
/* Counts @axis from the end where negative; FALSE with @error where @tensor has no such axis. */
gboolean hir_op_normalize_axis (HirContainer *fusion,
                                const char *op,
                                const HirTensor *tensor,
                                gint64 axis,
                                guint *normalized,
                                GError **error);
guint hir_op_get_rank (const HirTensor *tensor); /* without reductions */
/* How many elements along the axis: the expanded extent of an expanded broadcast. */
HirScalar *hir_op_get_size (const HirIterDomain *id);

/* The output's mesh, and whether it is a CPU scalar, as its operands are. */
void hir_op_inherit (HirTensor *out, HirVal *const *inputs, guint n_inputs);
/* Makes the Expr and adds it to the fusion. */
HirExpr *hir_op_add (
    HirContainer *fusion, HirExprKind kind, HirVal *const *inputs, guint n_inputs, HirTensor *out);
/* A copy in the fusion's arena. */
HirScalar **hir_op_dup_scalars (HirContainer *fusion, HirScalar *const *scalars, guint n);

/* op-types.c: element types. */

/* The type that torch gives @vals together: tensors with axes first, then those without, then
 * scalars. */
HirDType hir_op_get_common_dtype (HirVal *const *vals, guint n);
/* @scalar where it is of @dtype's category or no constant; else a new constant. */
HirScalar *hir_op_cast_scalar (HirContainer *fusion, HirScalar *scalar, HirDType dtype);

/* Flags one an input axis: TRUE where it goes. All are broadcasts. */
HirTensor *hir_op_squeeze_flags (HirContainer *fusion, HirTensor *in, const gboolean *flags);

G_END_DECLS
