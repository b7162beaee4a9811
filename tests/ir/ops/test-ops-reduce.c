#include "test-ops.h"

#include <math.h>

#define DIMS(...) SHAPE (__VA_ARGS__)

static HirTensor *
sum (HirContainer *f, HirTensor *in, gint64 dim)
{
  return hir_op_reduction (f, HIR_BINARY_ADD, in, &dim, 1, FALSE, HIR_DTYPE_NULL, NULL);
}

static void
test_sum (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *t0 = INPUT (f, -1, -1, -1);
  HirTensor *t1 = sum (f, t0, 2);
  HirTensor *t2 = sum (f, t1, -2);

  test_assert_tensor (t1, "T1_l_float[iS3{i0}, iS4{i2}, rS5{i3}]");
  g_assert_cmpint (t1->definition->u.reduction.op, ==, HIR_BINARY_ADD);
  g_assert_false (t1->definition->u.reduction.allreduce);
  g_assert_cmpint (t1->definition->u.reduction.init->base.dtype, ==, HIR_DTYPE_FLOAT);
  g_assert_cmpfloat (t1->definition->u.reduction.init->d, ==, 0.0);
  /* A reduced axis is not an axis of the next op. */
  test_assert_tensor (t2, "T2_l_float[rS6{i0}, iS7{i2}]");
}

static void
test_all_and_keepdim (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *t0 = INPUT (f, -1, -1);

  test_assert_tensor (hir_op_reduction (f, HIR_BINARY_MAX, t0, NULL, 0, FALSE, HIR_DTYPE_NULL,
                                        NULL),
                      "T1_l_float[rS2{i0}, rS3{i2}]");
  test_assert_tensor (hir_op_reduction (f, HIR_BINARY_MAX, t0, DIMS (0), TRUE, HIR_DTYPE_NULL,
                                        NULL),
                      "T3_l_float[bS6{1}, iS7{i2}]");
  test_assert_exprs (f, "T1=max(T0) T2=max(T0) T3=broadcast(T2)");
}

static void
test_integers (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *t0 = DEFINE (f, INT32, -1);
  HirTensor *t1 = DEFINE (f, BOOL, -1);
  HirTensor *out;

  out = sum (f, t0, 0);
  test_assert_exprs (f, "T2=cast(T0) T3=sum(T2)");
  g_assert_cmpint (out->base.dtype, ==, HIR_DTYPE_INT);
  g_assert_cmpint (out->definition->u.reduction.init->base.dtype, ==, HIR_DTYPE_INT);
  g_assert_cmpint (sum (f, t1, 0)->base.dtype, ==, HIR_DTYPE_INT);
  out = hir_op_reduction (f, HIR_BINARY_MIN, t0, DIMS (0), FALSE, HIR_DTYPE_NULL, NULL);
  g_assert_cmpint (out->base.dtype, ==, HIR_DTYPE_INT32);
  g_assert_cmpint (out->definition->u.reduction.init->i, ==, G_MAXINT32);
  out = hir_op_reduction (f, HIR_BINARY_MUL, t0, DIMS (0), FALSE, HIR_DTYPE_DOUBLE, NULL);
  g_assert_cmpint (out->base.dtype, ==, HIR_DTYPE_DOUBLE);
  g_assert_cmpfloat (out->definition->u.reduction.init->d, ==, 1.0);
  out = hir_op_reduction (f, HIR_BINARY_MAX, INPUT (f, -1), DIMS (0), FALSE, HIR_DTYPE_NULL, NULL);
  g_assert_true (isinf (out->definition->u.reduction.init->d) < 0);
}

/* A sum over a broadcast is a squeeze (docs/host-ir.md#op-outputs). */
static void
test_broadcast_axes (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *t0 = INPUT (f, -1, 1, -1);
  HirTensor *out;

  test_assert_tensor (sum (f, t0, 1), "T1_l_float[iS3{i0}, iS4{i3}]");
  out = hir_op_reduction (f, HIR_BINARY_ADD, t0, DIMS (1, 2), FALSE, HIR_DTYPE_NULL, NULL);
  test_assert_tensor (out, "T3_l_float[iS7{i0}, rS8{i3}]");
  out = hir_op_reduction (f, HIR_BINARY_ADD, t0, DIMS (1), TRUE, HIR_DTYPE_NULL, NULL);
  test_assert_exprs (f, "T1=squeeze(T0) T2=squeeze(T0) T3=sum(T2) T4=squeeze(T0) T5=broadcast(T4)");
  g_assert_true (HIR_TENSOR (f->tensors.items[1])->definition->u.squeeze.flags[1]);
  g_assert_false (HIR_TENSOR (f->tensors.items[1])->definition->u.squeeze.flags[0]);
}

/* The expanded elements count for a sum, but not for a maximum. */
static void
test_expanded_axis (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  const gint8 contiguity[] = { HIR_CONTIGUITY_TRUE, HIR_CONTIGUITY_NONE };
  HirTensor *t0 = hir_define_tensor (f, (const gint64[]){ -1, 8 }, 2, contiguity, HIR_DTYPE_FLOAT,
                                     FALSE, NULL, NULL);
  HirTensor *out;

  test_assert_tensor (t0, "T0_g_float[iS0{i0}, bS1{1 ex 8}]");
  test_assert_tensor (sum (f, t0, 1), "T1_l_float[iS2{i0}, rS3{8}]");
  out = hir_op_reduction (f, HIR_BINARY_MAX, t0, DIMS (1), FALSE, HIR_DTYPE_NULL, NULL);
  g_assert_cmpint (out->definition->kind, ==, HIR_EXPR_SQUEEZE);
}

static void
test_inheritance (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *t0 = INPUT (f, -1, -1);

  /* Kept axes keep any type, reduced ones none. */
  t0->logical.ids[0]->parallel_type = HIR_PARALLEL_STREAM;
  t0->logical.ids[1]->parallel_type = HIR_PARALLEL_DIDX;
  test_assert_tensor (sum (f, t0, 1), "T1_l_float[iStreamIdx2{i0}, rS3{i2}]");
}

static void
test_zero_dims (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *t0 = test_define (f, HIR_DTYPE_FLOAT, NULL, 0);
  HirTensor *t1 = hir_op_reduction (f, HIR_BINARY_ADD, t0, NULL, 0, FALSE, HIR_DTYPE_NULL, NULL);

  g_assert_cmpint (t1->definition->kind, ==, HIR_EXPR_SET);
  g_assert_cmpint (sum (f, t0, -1)->definition->kind, ==, HIR_EXPR_SET);
  g_assert_null (sum (f, t0, 1));
}

static void
test_errors (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *t0 = INPUT (f, -1, -1);
  HirIterDomain *swapped[] = { t0->logical.ids[1], t0->logical.ids[0] };

  g_assert_null (hir_op_reduction (f, HIR_BINARY_ADD, t0, DIMS (2), FALSE, HIR_DTYPE_NULL, &error));
  test_assert_error (&error, HIR_ERROR_INPUT, "sum: T0 has no axis 2; use -2 to 1");
  g_assert_null (
      hir_op_reduction (f, HIR_BINARY_ADD, t0, DIMS (1, -1), FALSE, HIR_DTYPE_NULL, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "sum: axis 1 of T0 is given twice; name each axis once");
  g_assert_null (
      hir_op_reduction (f, HIR_BINARY_MAX, t0, DIMS (1), FALSE, HIR_DTYPE_DOUBLE, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "max: the result has the type of the operand, so dtype=Double is not "
                     "possible; cast the result");
  hir_tensor_set_loop (t0, swapped, 2);
  g_assert_null (hir_op_reduction (f, HIR_BINARY_ADD, t0, DIMS (1), FALSE, HIR_DTYPE_NULL, &error));
  test_assert_error (&error, HIR_ERROR_REFUSED,
                     "sum: the loop domain of T0 was split, merged or reordered; reduce it first, "
                     "then schedule");
}

static void
test_squeeze (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *t0 = INPUT (f, 1, -1, 1);

  test_assert_tensor (hir_op_squeeze (f, t0, DIMS (0, -1), FALSE, NULL), "T1_l_float[iS3{i2}]");
  test_assert_tensor (hir_op_squeeze (f, t0, DIMS (2), FALSE, NULL), "T2_l_float[bS4{1}, iS5{i2}]");
  g_assert_null (hir_op_squeeze (f, t0, DIMS (1), FALSE, &error));
  test_assert_error (
      &error, HIR_ERROR_INPUT,
      "squeeze: axis 1 of T0 [1, i2, 1] is not a broadcast; only an axis of size 1 can "
      "be removed");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ops/reduce/sum", test_sum);
  g_test_add_func ("/ops/reduce/all-and-keepdim", test_all_and_keepdim);
  g_test_add_func ("/ops/reduce/integers", test_integers);
  g_test_add_func ("/ops/reduce/broadcast-axes", test_broadcast_axes);
  g_test_add_func ("/ops/reduce/expanded-axis", test_expanded_axis);
  g_test_add_func ("/ops/reduce/inheritance", test_inheritance);
  g_test_add_func ("/ops/reduce/zero-dims", test_zero_dims);
  g_test_add_func ("/ops/reduce/errors", test_errors);
  g_test_add_func ("/ops/reduce/squeeze", test_squeeze);
  return g_test_run ();
}
