/* Internal declarations of the ops. */
#pragma once

#include "ops/ops.h"

G_BEGIN_DECLS

/* One axis of an operand. @axis does not count reductions. */
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

/* op-domain.c: axes of the output (docs/host-ir.md#op-outputs). */

/* Returns FALSE and @error if constant extents contradict each other. @what (nullable) names the
 * axes in the message: "K". @allow_one: a broadcast matches any extent. */
gboolean hir_op_check_extents (HirContainer *fusion,
                               const char *op,
                               const char *what,
                               const HirOpAxisGroup *group,
                               gboolean allow_one,
                               GError **error);
/* Returns FALSE and @error if an axis has a parallel type that op outputs cannot inherit, or if the
 * types of two axes differ. */
gboolean hir_op_check_parallel (HirContainer *fusion,
                                const char *op,
                                const HirOpAxisGroup *group,
                                GError **error);
/* Creates the output axis of @group with the promoted type, extent, expanded extent and DID type.
 */
HirIterDomain *hir_op_join_axes (HirContainer *fusion, const HirOpAxisGroup *group);
/* Like hir_op_join_axes(), but creates the axis that the op reduces: Serial. */
HirIterDomain *hir_op_join_reduced (HirContainer *fusion, const HirOpAxisGroup *group);
/* Returns TRUE if every axis of @group is a broadcast. */
gboolean hir_op_is_all_broadcast (const HirOpAxisGroup *group);
/* Sets *@normalized to @axis, counted from the end if negative. Returns FALSE and @error if @tensor
 * has no such axis. */
gboolean hir_op_normalize_axis (HirContainer *fusion,
                                const char *op,
                                const HirTensor *tensor,
                                gint64 axis,
                                guint *normalized,
                                GError **error);
guint hir_op_get_rank (const HirTensor *tensor); /* without reductions */
/* Returns the number of elements along @id: the expanded extent of an expanded broadcast. */
HirScalar *hir_op_get_size (const HirIterDomain *id);

/* Sets the mesh of @out, and whether it is a CPU scalar, from its operands. */
void hir_op_inherit (HirTensor *out, HirVal *const *inputs, guint n_inputs);
/* Creates the Expr and adds it to the fusion. */
HirExpr *hir_op_add (
    HirContainer *fusion, HirExprKind kind, HirVal *const *inputs, guint n_inputs, HirTensor *out);
/* Copies @scalars into the fusion's arena. */
HirScalar **hir_op_dup_scalars (HirContainer *fusion, HirScalar *const *scalars, guint n);

/* op-types.c: element types. */

/* Returns the type to which torch promotes @vals: tensors with axes take precedence over those
 * without, these over scalars. */
HirDType hir_op_get_common_dtype (HirVal *const *vals, guint n);
/* Returns @scalar converted to the category of @dtype, or @scalar itself if it has that category or
 * is not a constant. */
HirScalar *hir_op_cast_scalar (HirContainer *fusion, HirScalar *scalar, HirDType dtype);

/* Removes the axes (all broadcasts) for which @flags, one per input axis, is TRUE. */
HirTensor *hir_op_squeeze_flags (HirContainer *fusion, HirTensor *in, const gboolean *flags);

G_END_DECLS
