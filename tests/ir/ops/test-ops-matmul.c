#include "test-ops.h"

static void
test_matmul (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *a = INPUT (f, -1, -1);
  HirTensor *b = INPUT (f, -1, -1);
  HirTensor *c = hir_op_matmul (f, a, b, NULL);

  test_assert_tensor (c, "T2_l_float[iS4{i0}, iS5{i4}, rS6{i2}]");
  g_assert_cmpint (c->definition->kind, ==, HIR_EXPR_MATMUL);
  g_assert_cmpuint (c->definition->n_inputs, ==, 2);
}

/* The axes of T2 in the AG_matmul dump. */
static void
test_four_by_two (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  const gint64 devices[] = { 0, 1 };
  const gint64 size = 2;
  HirTensor *a = INPUT (f, -1, -1, -1, -1);
  HirTensor *b = INPUT (f, -1, -1);

  a->mesh = b->mesh = hir_mesh_new (f->arena, devices, 2, &size, 1, NULL);
  a->logical.ids[1]->parallel_type = HIR_PARALLEL_DIDX;
  /* DID types are inherited, the mesh is not (docs/host-ir.md#op-outputs). */
  test_assert_tensor (hir_op_matmul (f, a, b, NULL),
                      "T2_l_float[iS6{i0}, ideviceIdx.x7{i2}, iS8{i3}, iS9{i6}, rS10{i4}]");
}

static void
test_batch (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *a = INPUT (f, 1, 5, -1, -1);
  HirTensor *b = INPUT (f, -1, -1, -1);
  HirTensor *ones = INPUT (f, 7, 1, -1, -1);

  test_assert_tensor (hir_op_matmul (f, a, b, NULL),
                      "T3_l_float[bS11{1}, iS12{5}, iS13{i3}, iS14{i7}, rS15{i4}]");
  test_assert_tensor (hir_op_matmul (f, b, ones, NULL),
                      "T4_l_float[iS16{7}, iS17{i5}, iS18{i6}, iS19{i10}, rS20{i7}]");
}

static void
test_one_dim (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *k = INPUT (f, -1);
  HirTensor *mk = INPUT (f, -1, -1);
  HirTensor *bkn = INPUT (f, -1, -1, -1);

  test_assert_tensor (hir_op_matmul (f, k, k, NULL), "T3_l_float[rS6{i0}]");
  test_assert_tensor (hir_op_matmul (f, mk, k, NULL), "T4_l_float[iS7{i2}, rS8{i3}]");
  test_assert_tensor (hir_op_matmul (f, k, bkn, NULL), "T5_l_float[iS9{i4}, iS10{i6}, rS11{i0}]");
}

static void
test_k (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *known = INPUT (f, 2, 4);
  HirTensor *unknown = INPUT (f, -1, -1);
  HirTensor *other = INPUT (f, 8, 3);
  HirTensor *ones = INPUT (f, 3, 1);
  HirTensor *ones_t = INPUT (f, 1, 5);

  test_assert_tensor (hir_op_matmul (f, unknown, known, NULL),
                      "T5_l_float[iS10{i3}, iS11{4}, rS12{2}]");
  test_assert_tensor (hir_op_matmul (f, ones, ones_t, NULL), "T6_l_float[iS13{3}, iS14{5}]");
  test_assert_tensor (hir_op_matmul (f, ones, unknown, NULL),
                      "T7_l_float[iS15{3}, iS16{i4}, rS17{i3}]");

  g_assert_null (hir_op_matmul (f, known, other, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "matmul: the K axes differ: T0 axis 1 is 4, T2 axis 0 is 8; make them equal");
  /* An extent of 1 is not broadcast here. */
  g_assert_null (hir_op_matmul (f, ones, other, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "matmul: the K axes differ: T3 axis 1 is 1, T2 axis 0 is 8; make them equal");
}

static void
test_matmul_errors (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *a = INPUT (f, 3, 2, 4);
  HirTensor *b = INPUT (f, 5, 4, 2);
  HirTensor *zero_dim = test_define (f, HIR_DTYPE_FLOAT, NULL, 0);
  HirTensor *half = DEFINE (f, HALF, 4, 2);

  g_assert_null (hir_op_matmul (f, a, b, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "matmul: the batch axes differ: T0 axis 0 is 3, T1 axis 0 is 5; make them "
                     "equal, or one of them 1");
  g_assert_null (hir_op_matmul (f, a, zero_dim, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "matmul: T2 has no axes; both operands need at least one");
  g_assert_null (hir_op_matmul (f, a, half, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "matmul: T0 is Float, but T3 is Half; cast one of "
                     "them");
  a->logical.ids[1]->parallel_type = HIR_PARALLEL_STREAM;
  g_assert_null (hir_op_matmul (f, a, a, &error));
  g_clear_error (&error);
  g_assert_cmpuint (f->exprs.len, ==, 0);
}

static void
test_linear (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, 8, 2, 64, 1024);
  HirTensor *weight = INPUT (f, 512, 1024);
  HirTensor *bias = INPUT (f, -1);
  HirTensor *out;

  out = hir_op_linear (f, in, weight, bias, NULL);
  test_assert_tensor (out, "T3_l_float[iS7{8}, iS8{2}, iS9{64}, iS10{512}, rS11{1024}]");
  g_assert_cmpuint (out->definition->n_inputs, ==, 3);
  out = hir_op_linear (f, in, weight, NULL, NULL);
  g_assert_cmpuint (out->definition->n_inputs, ==, 2);
}

static void
test_linear_batch (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, -1, -1);
  HirTensor *weight = INPUT (f, 2, -1, -1);
  HirTensor *bias = INPUT (f, 2, -1);
  HirTensor *vector = INPUT (f, -1);
  HirTensor *none = test_define (f, HIR_DTYPE_FLOAT, NULL, 0);

  test_assert_tensor (hir_op_linear (f, in, weight, bias, NULL),
                      "T5_l_float[iS8{2}, iS9{i0}, iS10{i4}, rS11{i2}]");
  test_assert_tensor (hir_op_linear (f, in, weight, vector, NULL),
                      "T6_l_float[iS12{2}, iS13{i0}, iS14{i4}, rS15{i2}]");
  test_assert_tensor (hir_op_linear (f, in, vector, none, NULL), "T7_l_float[iS16{i0}, rS17{i2}]");
}

static void
test_linear_errors (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *in = INPUT (f, -1, 4);
  HirTensor *weight = INPUT (f, 6, 8);
  HirTensor *good = INPUT (f, 6, 4);
  HirTensor *bias = INPUT (f, 5);

  g_assert_null (hir_op_linear (f, in, weight, NULL, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "linear: the K axes differ: T0 axis 1 is 4, T1 axis 1 is 8; make them equal");
  g_assert_null (hir_op_linear (f, in, good, bias, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "linear: the N axes differ: T2 axis 0 is 6, T3 axis 0 is 5; make them equal, "
                     "or one of them 1");
  g_assert_null (hir_op_linear (f, in, good, good, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "linear: the bias T2 has 2 axes; it needs 1, one fewer than the weight");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ops/matmul/plain", test_matmul);
  g_test_add_func ("/ops/matmul/four-by-two", test_four_by_two);
  g_test_add_func ("/ops/matmul/batch", test_batch);
  g_test_add_func ("/ops/matmul/one-dim", test_one_dim);
  g_test_add_func ("/ops/matmul/k", test_k);
  g_test_add_func ("/ops/matmul/errors", test_matmul_errors);
  g_test_add_func ("/ops/linear/plain", test_linear);
  g_test_add_func ("/ops/linear/batch", test_linear_batch);
  g_test_add_func ("/ops/linear/errors", test_linear_errors);
  return g_test_run ();
}
