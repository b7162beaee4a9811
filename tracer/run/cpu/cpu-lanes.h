/* What the CPU back end's loops are made of: arrays ("lanes") of one compute type, all contiguous.
 * Half and bfloat16 are computed as float; every integral type and bool as a 64-bit integer. */
#pragma once

#include "expr.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_CLASS_F32,
  HIR_CLASS_F64,
  HIR_CLASS_I64,
  HIR_CLASS_U64,
} HirComputeClass;

#define HIR_LANE_COUNT 1024 /* elements that are computed at once */

/* Of one lane. */
gsize hir_compute_class_get_size_bytes (HirComputeClass klass);

/* What an operation on these types is computed in. @scalar_is_float: one of the operands is a
 * floating-point scalar. @result of a comparison is not asked: pass HIR_DTYPE_BOOL. */
HirComputeClass hir_compute_class_for (const HirDType *operands,
                                       guint n,
                                       HirDType result,
                                       gboolean scalar_is_float);

/* Converts @n elements @stride elements apart to lanes, and back. Stores saturate from floating
 * point to integers and wrap from integers to narrower ones. */
void hir_lanes_load (HirComputeClass klass,
                     HirDType dtype,
                     gconstpointer in,
                     gint64 stride,
                     gsize n,
                     gpointer lanes);
void hir_lanes_store (HirComputeClass klass,
                      HirDType dtype,
                      gpointer out,
                      gint64 stride,
                      gsize n,
                      gconstpointer lanes);

/* Lane by lane; @out may be one of the operands. FALSE where the class has no such op (sin of
 * integers are computed in a floating-point class; a bitwise op of floats is none). Division of
 * integers by zero gives 0. */
gboolean
hir_lanes_unary (HirComputeClass klass, HirUnaryOp op, gpointer out, gconstpointer a, gsize n);
gboolean hir_lanes_binary (
    HirComputeClass klass, HirBinaryOp op, gpointer out, gconstpointer a, gconstpointer b, gsize n);
gboolean hir_lanes_ternary (
    HirComputeClass klass, HirTernaryOp op, gpointer out, const gconstpointer *operands, gsize n);

/* accumulator[i] = accumulator[i] op a[i], for ADD, MUL, MAX, MIN. MAX and MIN pass NaN on. */
gboolean hir_lanes_accumulate (
    HirComputeClass klass, HirBinaryOp op, gpointer accumulator, gconstpointer a, gsize n);
/* All of @a into one lane, by 8 partial results. */
gboolean hir_lanes_fold (
    HirComputeClass klass, HirBinaryOp op, gpointer accumulator, gconstpointer a, gsize n);
/* The neutral element of the op into @n lanes. */
void hir_lanes_neutral (HirComputeClass klass, HirBinaryOp op, gpointer lanes, gsize n);

/* One file a class makes these. */
#define HIR_DECLARE_LANES(K)                                                                       \
  gboolean hir_lanes_unary_##K (HirUnaryOp op, gpointer out, gconstpointer a, gsize n);            \
  gboolean hir_lanes_binary_##K (HirBinaryOp op, gpointer out, gconstpointer a, gconstpointer b,   \
                                 gsize n);                                                         \
  gboolean hir_lanes_ternary_##K (HirTernaryOp op, gpointer out, const gconstpointer *operands,    \
                                  gsize n);                                                        \
  gboolean hir_lanes_accumulate_##K (HirBinaryOp op, gpointer accumulator, gconstpointer a,        \
                                     gsize n);                                                     \
  gboolean hir_lanes_fold_##K (HirBinaryOp op, gpointer accumulator, gconstpointer a, gsize n);    \
  void hir_lanes_neutral_##K (HirBinaryOp op, gpointer lanes, gsize n);

HIR_DECLARE_LANES (f32)
HIR_DECLARE_LANES (f64)
HIR_DECLARE_LANES (i64)
HIR_DECLARE_LANES (u64)

G_END_DECLS
