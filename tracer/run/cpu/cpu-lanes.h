/* Building blocks of the CPU back end's loops: contiguous arrays ("lanes") of one compute type.
 * Half and bfloat16 are computed in float, integral types and bool in 64-bit integers. */
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

#define HIR_LANE_COUNT 1024 /* elements computed at once */

/* Returns the size of one lane. */
gsize hir_compute_class_get_size_bytes (HirComputeClass klass);

/* Returns the class in which an operation on these types is computed. @scalar_is_float: an operand
 * is a floating-point scalar. @result does not matter for comparisons: pass HIR_DTYPE_BOOL. */
HirComputeClass hir_compute_class_for (const HirDType *operands,
                                       guint n,
                                       HirDType result,
                                       gboolean scalar_is_float);

/* Converts @n elements, @stride elements apart, to lanes. */
void hir_lanes_load (HirComputeClass klass,
                     HirDType dtype,
                     gconstpointer in,
                     gint64 stride,
                     gsize n,
                     gpointer lanes);
/* Converts @n lanes to elements, @stride elements apart. Saturates from floating point to integers
 * and wraps from integers to narrower ones. */
void hir_lanes_store (HirComputeClass klass,
                      HirDType dtype,
                      gpointer out,
                      gint64 stride,
                      gsize n,
                      gconstpointer lanes);

/* Computes @op lane by lane; @out may be an operand. Returns FALSE if the class does not have the
 * op: functions like sin need a floating-point class, bitwise ops an integer class. Integer
 * division by zero gives 0. */
gboolean
hir_lanes_unary (HirComputeClass klass, HirUnaryOp op, gpointer out, gconstpointer a, gsize n);
/* Like hir_lanes_unary(), for two operands. */
gboolean hir_lanes_binary (
    HirComputeClass klass, HirBinaryOp op, gpointer out, gconstpointer a, gconstpointer b, gsize n);
/* Like hir_lanes_unary(), for three or four operands. */
gboolean hir_lanes_ternary (
    HirComputeClass klass, HirTernaryOp op, gpointer out, const gconstpointer *operands, gsize n);

/* Sets accumulator[i] = accumulator[i] op a[i], for ADD, MUL, MAX, MIN. MAX and MIN propagate NaN.
 */
gboolean hir_lanes_accumulate (
    HirComputeClass klass, HirBinaryOp op, gpointer accumulator, gconstpointer a, gsize n);
/* Reduces all lanes of @a into one lane, with 8 partial results. */
gboolean hir_lanes_fold (
    HirComputeClass klass, HirBinaryOp op, gpointer accumulator, gconstpointer a, gsize n);
/* Sets @n lanes to the neutral element of @op. */
void hir_lanes_neutral (HirComputeClass klass, HirBinaryOp op, gpointer lanes, gsize n);

/* Defined once per class, in cpu-lanes-*.c. */
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
