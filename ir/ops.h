/* Defining ops: each makes the output (axes, types, mesh inherited as reference 1.6 says) and the
 * Expr, adds it to the fusion, and gives the output. Errors: HIR_ERROR_INPUT with the maker's
 * position, naming the operands and what does not fit. Fusions only. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* An input tensor. shape: -1 symbolic, 1 broadcast, else constant; contiguity as reference 5.2, one
 * an axis; NONE on an axis of size > 1 is an expanded broadcast. @stride_order is NULL or one an
 * axis (0 = fastest). */
HirTensor *hir_define_tensor (HirContainer *fusion,
                              const gint64 *shape,
                              guint n,
                              const gint8 *contiguity,
                              HirDType dtype,
                              gboolean is_cpu,
                              const int *stride_order,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* A symbolic scalar input. */
HirScalar *hir_define_scalar (HirContainer *fusion, HirDType dtype);

HirTensor *hir_op_set (HirContainer *fusion, HirTensor *in, GError **error);
HirTensor *hir_op_segment_set (HirContainer *fusion, HirTensor *in, GError **error);
HirTensor *hir_op_unary (HirContainer *fusion, HirUnaryOp op, HirTensor *in, GError **error);
HirTensor *hir_op_cast (HirContainer *fusion, HirTensor *in, HirDType dtype, GError **error);
/* One of the two may be a scalar; the lower-ranked tensor is broadcast first by an Expr of its own.
 */
HirTensor *
hir_op_binary (HirContainer *fusion, HirBinaryOp op, HirVal *a, HirVal *b, GError **error);
HirTensor *hir_op_ternary (HirContainer *fusion,
                           HirTernaryOp op,
                           HirVal *const *operands,
                           guint n_operands,
                           GError **error);
/* @dims may be negative; n = 0 reduces all. A reduced broadcast axis is squeezed instead. @dtype
 * NULL: as the input (ints and bool: Int, for sum and prod). */
HirTensor *hir_op_reduction (HirContainer *fusion,
                             HirBinaryOp op,
                             HirTensor *in,
                             const gint64 *dims,
                             guint n_dims,
                             gboolean keepdim,
                             HirDType dtype,
                             GError **error);
HirTensor *hir_op_matmul (HirContainer *fusion, HirTensor *a, HirTensor *b, GError **error);
HirTensor *hir_op_linear (HirContainer *fusion,
                          HirTensor *in,
                          HirTensor *weight,
                          HirTensor *bias /* nullable */,
                          GError **error);
HirTensor *hir_op_broadcast (
    HirContainer *fusion, HirTensor *in, const gboolean *flags, guint n, GError **error);
/* @shape: -1 keeps; entries are scalars or NULL for -1. */
HirTensor *hir_op_broadcast_in_dim (HirContainer *fusion,
                                    HirTensor *in,
                                    HirScalar *const *shape,
                                    guint n,
                                    const gint64 *dims,
                                    guint n_dims,
                                    GError **error);
HirTensor *hir_op_expand (
    HirContainer *fusion, HirTensor *in, HirScalar *const *shape, guint n, GError **error);
HirTensor *hir_op_squeeze (HirContainer *fusion,
                           HirTensor *in,
                           const gint64 *dims,
                           guint n_dims,
                           gboolean squeeze_expanded,
                           GError **error);
HirTensor *
hir_op_permute (HirContainer *fusion, HirTensor *in, const gint64 *dims, guint n, GError **error);
/* @shape: NULL entries are -1 (at most one). Splits and merges of the root; each changed axis must
 * be derivable: constant sizes, or symbolic ones that pass through. */
HirTensor *hir_op_reshape (
    HirContainer *fusion, HirTensor *in, HirScalar *const *shape, guint n, GError **error);
/* Constant bounds; negative ones count from the end where the extent is constant. NULL @strides:
 * 1s; others than 1 are refused. */
HirTensor *hir_op_slice (HirContainer *fusion,
                         HirTensor *in,
                         const gint64 *start,
                         const gint64 *stop,
                         const gint64 *strides,
                         guint n,
                         GError **error);
/* @widths: 2 an axis, from the innermost axis as torch has it; @value NULL: 0. */
HirTensor *hir_op_pad (HirContainer *fusion,
                       HirTensor *in,
                       const gint64 *widths,
                       guint n,
                       HirScalar *value,
                       GError **error);
HirTensor *
hir_op_cat (HirContainer *fusion, HirTensor *const *tensors, guint n, gint64 dim, GError **error);
HirTensor *
hir_op_select (HirContainer *fusion, HirTensor *in, HirScalar *index, gint64 dim, GError **error);
HirTensor *hir_op_full (HirContainer *fusion,
                        HirScalar *const *shape,
                        guint n,
                        HirScalar *value,
                        HirDType dtype,
                        GError **error);
HirTensor *hir_op_iota (HirContainer *fusion,
                        HirScalar *length,
                        HirScalar *start,
                        HirScalar *step,
                        HirDType dtype,
                        GError **error);

/* The pairwise logical domain map (reference 3.0): for each of @producer's logical axes without
 * reductions, the axis of @consumer's root (or logical) domain that it maps to through @expr, or
 * NULL. Newly allocated array of *@n pairs' consumer side, in producer order. If one tensor is both
 * operands of a matmul it is mapped as A only. */
HirIterDomain **hir_expr_dup_logical_map (const HirExpr *expr,
                                          const HirTensor *producer,
                                          const HirTensor *consumer,
                                          HirIterDomain ***producer_ids,
                                          guint *n);

G_END_DECLS
