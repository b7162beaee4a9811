/* Defining ops: each makes the output (axes, types and mesh by docs/host-ir.md#op-outputs) and the
 * Expr, adds it to the fusion, and gives the output. Some need several Exprs: a cast of an operand
 * whose type differs, a broadcast of one with fewer axes, a squeeze beside a reduction. An op that
 * would change nothing is a set. Fusions only.
 *
 * Axes count without the reduction axes of the operand, as torch counts them; negative ones count
 * from the end. Errors, with the maker's position and the names of the operands: HIR_ERROR_INPUT
 * for what does not fit, HIR_ERROR_REFUSED for operands that are scheduled already in a way that an
 * op can't inherit (define first, schedule then), HIR_ERROR_UNSUPPORTED where the op says so. After
 * an error the fusion is whole, but may hold Exprs that nothing uses. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* An input tensor. @shape: -1 symbolic, 1 broadcast, else constant. @contiguity
 * (docs/host-ir.md#definitions): one an axis in memory order, outermost first, which differs from
 * that of @shape where there is a @stride_order; NONE on an axis of another size than 1 is an
 * expanded broadcast. @stride_order is NULL or one an axis (0 = fastest). */
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

/* A copy; the second one also ends a segment. */
HirTensor *hir_op_set (HirContainer *fusion, HirTensor *in, GError **error);
HirTensor *hir_op_segment_set (HirContainer *fusion, HirTensor *in, GError **error);
/* Not CAST. Functions such as exp take integers and bool as Float; questions such as isnan give
 * Bool. */
HirTensor *hir_op_unary (HirContainer *fusion, HirUnaryOp op, HirTensor *in, GError **error);
/* To the type that it has: a set. */
HirTensor *hir_op_cast (HirContainer *fusion, HirTensor *in, HirDType dtype, GError **error);
/* One of the two may be a scalar. Types are promoted as torch does (comparisons give Bool, truediv
 * of integers Float; div of integers truncates); then the lower-ranked tensor gets leading axes by
 * a broadcast. A constant scalar of another category is replaced by one of the tensors' type. */
HirTensor *
hir_op_binary (HirContainer *fusion, HirBinaryOp op, HirVal *a, HirVal *b, GError **error);
/* In torch's order: where (condition, a, b), lerp (start, end, weight), clamp (in, low, high),
 * threshold (in, limit, value); addcmul (a, b, c, value) becomes three binary ops, as in nvFuser.
 */
HirTensor *hir_op_ternary (HirContainer *fusion,
                           HirTernaryOp op,
                           HirVal *const *operands,
                           guint n_operands,
                           GError **error);
/* ADD, MUL, MAX or MIN over @dims; none: over all axes. A reduced broadcast axis is squeezed
 * instead.
 * @dtype HIR_DTYPE_NULL: as the operand, but Int for a sum or product of integers or bool; the
 * operand is cast to it first. Refused on an operand whose loop domain is not its logical one. */
HirTensor *hir_op_reduction (HirContainer *fusion,
                             HirBinaryOp op,
                             HirTensor *in,
                             const gint64 *dims,
                             guint n_dims,
                             gboolean keepdim,
                             HirDType dtype,
                             GError **error);
/* [batch..., M, K] x [batch..., K, N], batch axes broadcast; [K] stands for either. Axes: batch, M,
 * N, and K as a reduction unless it is a broadcast in both. The output gets no mesh. */
HirTensor *hir_op_matmul (HirContainer *fusion, HirTensor *a, HirTensor *b, GError **error);
/* @in [..., K], @weight [batch..., N, K] or [K], @bias as the weight without K, or [N]. Axes: batch
 * of the weight, those of @in but its last, N, K as a reduction. The output gets no mesh. */
HirTensor *hir_op_linear (HirContainer *fusion,
                          HirTensor *in,
                          HirTensor *weight,
                          HirTensor *bias /* nullable */,
                          GError **error);
/* @flags: one an axis of the output, TRUE where it is new. */
HirTensor *hir_op_broadcast (
    HirContainer *fusion, HirTensor *in, const gboolean *flags, guint n, GError **error);
/* @dims: where each axis of @in stands among the @n of the output. @shape: the output's sizes, of
 * which new and broadcast axes take theirs; NULL for -1, which keeps. */
HirTensor *hir_op_broadcast_in_dim (HirContainer *fusion,
                                    HirTensor *in,
                                    HirScalar *const *shape,
                                    guint n,
                                    const gint64 *dims,
                                    guint n_dims,
                                    GError **error);
/* @shape: one an axis, NULL for -1, which keeps. */
HirTensor *hir_op_expand (
    HirContainer *fusion, HirTensor *in, HirScalar *const *shape, guint n, GError **error);
/* Drops broadcast axes, expanded ones only where @squeeze_expanded. No @dims: none. */
HirTensor *hir_op_squeeze (HirContainer *fusion,
                           HirTensor *in,
                           const gint64 *dims,
                           guint n_dims,
                           gboolean squeeze_expanded,
                           GError **error);
/* @dims: which axis of @in stands at each place. The output has a root domain in the order of @in.
 */
HirTensor *
hir_op_permute (HirContainer *fusion, HirTensor *in, const gint64 *dims, guint n, GError **error);
/* @shape: at most one NULL, for -1. A view by merges and splits, beside a squeeze and a broadcast
 * of axes of size 1. Sizes must be numbers, sizes of @in or products of those, or the -1 that is
 * left; others, and a merge of expanded axes, are HIR_ERROR_UNSUPPORTED. */
HirTensor *hir_op_reshape (
    HirContainer *fusion, HirTensor *in, HirScalar *const *shape, guint n, GError **error);
/* Bounds as Python's: from the end where negative, cut to the size; G_MAXINT64 is the end. On a
 * symbolic axis they become expressions of its extent. NULL @strides: 1s; others are refused. */
HirTensor *hir_op_slice (HirContainer *fusion,
                         HirTensor *in,
                         const gint64 *start,
                         const gint64 *stop,
                         const gint64 *strides,
                         guint n,
                         GError **error);
/* @widths: 2 an axis, from the innermost axis as torch has it, negative ones cut; @value NULL: 0.
 * An expanded axis is HIR_ERROR_UNSUPPORTED. */
HirTensor *hir_op_pad (HirContainer *fusion,
                       HirTensor *in,
                       const gint64 *widths,
                       guint n,
                       HirScalar *value,
                       GError **error);
/* One CatOp of the operands as they are; nvFuser pads each to the full size first, which shows in
 * its dumps and not in the result. */
HirTensor *
hir_op_cat (HirContainer *fusion, HirTensor *const *tensors, guint n, gint64 dim, GError **error);
/* The axis goes. A negative constant @index counts from the end. */
HirTensor *
hir_op_select (HirContainer *fusion, HirTensor *in, HirScalar *index, gint64 dim, GError **error);
/* Operands of the Expr: the sizes, then the value. A size of 1 makes a broadcast axis. */
HirTensor *hir_op_full (HirContainer *fusion,
                        HirScalar *const *shape,
                        guint n,
                        HirScalar *value,
                        HirDType dtype,
                        GError **error);
/* start, start + step, ...; @length of them. */
HirTensor *hir_op_iota (HirContainer *fusion,
                        HirScalar *length,
                        HirScalar *start,
                        HirScalar *step,
                        HirDType dtype,
                        GError **error);

G_END_DECLS
