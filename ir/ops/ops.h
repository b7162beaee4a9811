/* Functions that define ops. Each creates the output (axes, types and mesh by
 * docs/host-ir.md#op-outputs) and the Expr, adds the Expr to the fusion, and returns the output, or
 * NULL and @error. Some ops need several Exprs: a cast of an operand with another type, a broadcast
 * of one with fewer axes, a squeeze in addition to a reduction. An op that would change nothing
 * becomes a set. For fusions only.
 *
 * Axes are counted without the reduction axes of the operand, as in torch; negative ones count from
 * the end. Errors have the maker's position and name the operands: HIR_ERROR_INPUT if operands do
 * not match, HIR_ERROR_REFUSED if an operand is scheduled in a way that an op cannot inherit
 * (define first, then schedule), HIR_ERROR_UNSUPPORTED where noted. After an error, the fusion is
 * valid but may contain unused Exprs. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* Defines an input tensor. @shape: -1 symbolic, 1 broadcast, otherwise constant. @contiguity
 * (docs/host-ir.md#definitions): one per axis in memory order, outermost first, which differs from
 * the order of @shape if there is a @stride_order. NONE for an axis whose size is not 1 makes it an
 * expanded broadcast. @stride_order (nullable): one per axis, 0 = fastest. */
HirTensor *hir_define_tensor (HirContainer *fusion,
                              const gint64 *shape,
                              guint n,
                              const gint8 *contiguity,
                              HirDType dtype,
                              gboolean is_cpu,
                              const int *stride_order,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Defines a symbolic scalar input. */
HirScalar *hir_define_scalar (HirContainer *fusion, HirDType dtype);

/* Copies @in. */
HirTensor *hir_op_set (HirContainer *fusion, HirTensor *in, GError **error);
/* Copies @in so that the expanded broadcasts with a flag become axes of that size, which can be
 * merged, split and padded. @flags: one per axis without reductions. */
HirTensor *hir_op_concretize (HirContainer *fusion, HirTensor *in, const gboolean *flags);
/* Copies @in and ends the segment. */
HirTensor *hir_op_segment_set (HirContainer *fusion, HirTensor *in, GError **error);
/* Applies a unary op other than CAST. Functions like exp convert integers and bool to Float;
 * predicates like isnan return Bool. */
HirTensor *hir_op_unary (HirContainer *fusion, HirUnaryOp op, HirTensor *in, GError **error);
/* Casts @in to @dtype; a set if it has that type. */
HirTensor *hir_op_cast (HirContainer *fusion, HirTensor *in, HirDType dtype, GError **error);
/* Applies a binary op. At most one operand may be a scalar. Types are promoted as in torch:
 * comparisons return Bool, truediv of integers returns Float, div of integers truncates. Then the
 * lower-ranked tensor gets leading axes by a broadcast. A constant scalar of another category is
 * converted to the type of the tensors. */
HirTensor *
hir_op_binary (HirContainer *fusion, HirBinaryOp op, HirVal *a, HirVal *b, GError **error);
/* Applies a ternary op with the operands in torch's order: where (condition, a, b), lerp (start,
 * end, weight), clamp (in, low, high), threshold (in, limit, value). addcmul (a, b, c, value)
 * becomes three binary ops, as in nvFuser. */
HirTensor *hir_op_ternary (HirContainer *fusion,
                           HirTernaryOp op,
                           HirVal *const *operands,
                           guint n_operands,
                           GError **error);
/* Reduces @in by ADD, MUL, MAX or MIN over @dims; without @dims over all axes. A reduced broadcast
 * axis is squeezed instead. @in is first cast to @dtype; HIR_DTYPE_NULL means the type of @in, but
 * Int for a sum or product of integers or bool. @error: HIR_ERROR_REFUSED if the loop domain of @in
 * is not its logical domain. */
HirTensor *hir_op_reduction (HirContainer *fusion,
                             HirBinaryOp op,
                             HirTensor *in,
                             const gint64 *dims,
                             guint n_dims,
                             gboolean keepdim,
                             HirDType dtype,
                             GError **error);
/* Multiplies [batch..., M, K] by [batch..., K, N]; batch axes are broadcast; either operand may be
 * [K]. Output axes: batch, M, N, and K as a reduction unless it is a broadcast in both operands.
 * The output has no mesh. */
HirTensor *hir_op_matmul (HirContainer *fusion, HirTensor *a, HirTensor *b, GError **error);
/* Computes a linear layer of @in [..., K], @weight [batch..., N, K] or [K], and @bias [batch..., N]
 * or [N]. Output axes: batch of the weight, axes of @in except the last, N, K as a reduction. The
 * output has no mesh. */
HirTensor *hir_op_linear (HirContainer *fusion,
                          HirTensor *in,
                          HirTensor *weight,
                          HirTensor *bias /* nullable */,
                          GError **error);
/* Inserts broadcast axes. @flags: one per axis of the output, TRUE if it is new. */
HirTensor *hir_op_broadcast (
    HirContainer *fusion, HirTensor *in, const gboolean *flags, guint n, GError **error);
/* Broadcasts @in to @n axes. @dims: the output position of each axis of @in. @shape: sizes for the
 * new and broadcast axes of the output; NULL (-1) keeps a size. */
HirTensor *hir_op_broadcast_in_dim (HirContainer *fusion,
                                    HirTensor *in,
                                    HirScalar *const *shape,
                                    guint n,
                                    const gint64 *dims,
                                    guint n_dims,
                                    GError **error);
/* Expands broadcast axes of @in. @shape: one size per axis; NULL (-1) keeps a size. */
HirTensor *hir_op_expand (
    HirContainer *fusion, HirTensor *in, HirScalar *const *shape, guint n, GError **error);
/* Removes the broadcast axes @dims, expanded ones only if @squeeze_expanded. Without @dims, removes
 * nothing. */
HirTensor *hir_op_squeeze (HirContainer *fusion,
                           HirTensor *in,
                           const gint64 *dims,
                           guint n_dims,
                           gboolean squeeze_expanded,
                           GError **error);
/* Permutes the axes of @in. @dims: for each output position, the axis of @in. The root domain of
 * the output is in the order of @in. */
HirTensor *
hir_op_permute (HirContainer *fusion, HirTensor *in, const gint64 *dims, guint n, GError **error);
/* Reshapes @in by merges and splits, plus a squeeze and a broadcast of axes of size 1. @shape: at
 * most one size may be NULL (-1). Sizes must be numbers, sizes of @in, products of these, or the
 * single -1. Other sizes, and merges of expanded axes, return HIR_ERROR_UNSUPPORTED. */
HirTensor *hir_op_reshape (
    HirContainer *fusion, HirTensor *in, HirScalar *const *shape, guint n, GError **error);
/* Takes a slice. Bounds are as in Python: negative ones count from the end, and all are clamped to
 * the size; G_MAXINT64 is the end. For a symbolic axis they become expressions of its extent.
 * @strides must be NULL or all 1. */
HirTensor *hir_op_slice (HirContainer *fusion,
                         HirTensor *in,
                         const gint64 *start,
                         const gint64 *stop,
                         const gint64 *strides,
                         guint n,
                         GError **error);
/* Pads @in with @value (NULL: 0). @widths: two per axis, starting with the innermost axis as in
 * torch; negative widths cut. Expanded axes return HIR_ERROR_UNSUPPORTED. */
HirTensor *hir_op_pad (HirContainer *fusion,
                       HirTensor *in,
                       const gint64 *widths,
                       guint n,
                       HirScalar *value,
                       GError **error);
/* Concatenates @tensors along @dim by one CatOp. nvFuser first pads each operand to the full size,
 * which is visible in its dumps but not in the result. */
HirTensor *
hir_op_cat (HirContainer *fusion, HirTensor *const *tensors, guint n, gint64 dim, GError **error);
/* Selects one element of axis @dim and removes the axis. A negative constant @index counts from the
 * end. */
HirTensor *
hir_op_select (HirContainer *fusion, HirTensor *in, HirScalar *index, gint64 dim, GError **error);
/* Creates a tensor filled with @value. The operands of the Expr are the sizes, then the value. A
 * size of 1 makes a broadcast axis. */
HirTensor *hir_op_full (HirContainer *fusion,
                        HirScalar *const *shape,
                        guint n,
                        HirScalar *value,
                        HirDType dtype,
                        GError **error);
/* Creates a vector of @length elements: start, start + step, .... */
HirTensor *hir_op_iota (HirContainer *fusion,
                        HirScalar *length,
                        HirScalar *start,
                        HirScalar *step,
                        HirDType dtype,
                        GError **error);

/* What hir_op_opaque() needs for one output of an op. */
typedef struct
{
  const char *name;
  guint output;
  guint dim; /* see HirExpr */
  HirVal **inputs;
  guint n_inputs;
  gint8 *map;          /* n_inputs * HIR_OPAQUE_MAX_AXES: see HirExpr */
  HirScalar **extents; /* one per axis of the output; NULL if it comes from axes of operands */
  guint n_axes;
  HirDType dtype;
} HirOpaqueSpec;

/* Creates an output of an op that the IR knows only by name. Axes that come from operands have
 * their extents and device types. */
HirTensor *hir_op_opaque (HirContainer *fusion, const HirOpaqueSpec *spec, GError **error);

G_END_DECLS
