#include "test-ops.h"

#define T HIR_CONTIGUITY_TRUE
#define F HIR_CONTIGUITY_FALSE
#define N HIR_CONTIGUITY_NONE

static HirTensor *
define (HirContainer *f,
        const gint64 *shape,
        guint n,
        const gint8 *contiguity,
        const int *stride_order,
        GError **error)
{
  return hir_define_tensor (f, shape, n, contiguity, HIR_DTYPE_FLOAT, FALSE, stride_order, error);
}

/* The shared zero takes a number after the first symbolic extent: i0, i2, i3, i4
 * (docs/host-ir.md#names-and-numbers). */
static void
test_numbers (void)
{
  g_autoptr (HirContainer) f = test_fusion ();

  test_assert_tensor (INPUT (f, -1, -1, -1, -1), "T0_g_float[iS0{i0}, iS1{i2}, iS2{i3}, iS3{i4}]");
  test_assert_tensor (INPUT (f, -1, -1), "T1_g_float[iS4{i5}, iS5{i6}]");
  test_assert_tensor (DEFINE (f, BFLOAT16, 8, 1, 64), "T2_g___bfloat[iS6{8}, bS7{1}, iS8{64}]");
  g_assert_cmpuint (f->inputs.len, ==, 3);
  g_assert_cmpuint (HIR_TENSOR (f->inputs.items[1])->base.node.pos.line, ==, TEST_LINE);
}

static void
test_contiguity (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  const gint8 contiguity[] = { F, N, N, T };
  const gint64 shape[] = { -1, 1, 5, -1 };
  HirTensor *t0 = define (f, shape, 4, contiguity, NULL, NULL);

  test_assert_tensor (t0, "T0_g_float[iS0{i0}, bS1{1}, bS2{1 ex 5}, iS3{i4}]");
  g_assert_cmpmem (t0->contiguity, 4, contiguity, 4);
  g_assert_false (t0->has_allocation);
}

/* stride_order counts from the innermost axis; contiguity is in memory order. */
static void
test_stride_order (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  const gint8 contiguity[] = { F, T, N };
  const gint64 shape[] = { 1, -1, -1 };
  HirTensor *t0 = define (f, shape, 3, contiguity, (const int[]){ 0, 2, 1 }, NULL);
  HirTensor *t1 = define (f, (const gint64[]){ -1, -1 }, 2, (const gint8[]){ F, T },
                          (const int[]){ 1, 0 }, NULL);

  test_assert_tensor (t0, "T0_g_float[bS0{1}, iS1{i2}, iS2{i3}]");
  g_assert_true (t0->has_allocation);
  g_assert_true (t0->allocation.ids[0] == t0->logical.ids[1]);
  g_assert_true (t0->allocation.ids[1] == t0->logical.ids[2]);
  g_assert_true (t0->allocation.ids[2] == t0->logical.ids[0]);
  g_assert_cmpmem (t0->contiguity, 3, contiguity, 3);
  g_assert_false (t1->has_allocation);
  g_assert_cmpint (t1->contiguity[0], ==, F);
}

static void
test_define_errors (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;

  g_assert_null (define (f, SHAPE (-2), (const gint8[]){ T }, NULL, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "define_tensor: axis 0 has size -2; give 0 or more, or -1 if the size is "
                     "known only at run time");
  g_assert_null (define (f, SHAPE (4, 1), (const gint8[]){ T, T }, NULL, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "define_tensor: axis 1 has size 1, so it is a broadcast; its contiguity must "
                     "be None");
  g_assert_null (define (f, SHAPE (0), (const gint8[]){ N }, NULL, &error));
  g_clear_error (&error);
  g_assert_null (define (f, SHAPE (4, 4), (const gint8[]){ T, T }, (const int[]){ 1, 1 }, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "define_tensor: stride_order has 1 for axis 1; it must contain each number "
                     "from 0 to 1 once, with 0 for the fastest axis");
  g_assert_null (
      hir_define_tensor (f, SHAPE (4), (const gint8[]){ T }, HIR_DTYPE_FLOAT, TRUE, NULL, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "define_tensor: is_cpu requires a tensor without axes, but this one has 1");
  g_assert_cmpuint (f->inputs.len, ==, 0);
}

static void
test_full (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *t0 = INPUT (f, -1);
  HirScalar *shape[] = { t0->logical.ids[0]->extent, hir_scalar_get_one (f),
                         hir_scalar_new_int (f, 8, HIR_DTYPE_INT) };
  HirScalar *negative = hir_scalar_new_int (f, -8, HIR_DTYPE_INT);
  HirTensor *out = hir_op_full (f, shape, 3, shape[2], HIR_DTYPE_BFLOAT16, NULL);

  test_assert_tensor (out, "T1_l___bfloat[iS1{i0}, bS2{1}, iS3{8}]");
  g_assert_cmpuint (out->definition->n_inputs, ==, 4);
  g_assert_cmpint (out->definition->u.full.value->base.dtype, ==, HIR_DTYPE_BFLOAT16);
  g_assert_cmpfloat (out->definition->u.full.value->d, ==, 8.0);
  g_assert_null (hir_op_full (f, &negative, 1, shape[2], HIR_DTYPE_INT, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "full: axis 0 would have size -8; give a whole number, 0 or more");
}

static void
test_iota (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirScalar *n = hir_define_scalar (f, HIR_DTYPE_INT);
  HirScalar *start = hir_scalar_new_int (f, 3, HIR_DTYPE_INT);
  HirTensor *out = hir_op_iota (f, n, start, hir_scalar_get_one (f), HIR_DTYPE_DOUBLE, NULL);

  test_assert_tensor (out, "T0_l_double[iS0{i0}]");
  g_assert_cmpfloat (out->definition->u.iota.start->d, ==, 3.0);
  g_assert_cmpint (out->definition->u.iota.start->base.dtype, ==, HIR_DTYPE_DOUBLE);
  g_assert_true (out->definition->u.iota.length == n);
  g_assert_true (hir_container_is_input (f, HIR_VAL (n)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ops/create/numbers", test_numbers);
  g_test_add_func ("/ops/create/contiguity", test_contiguity);
  g_test_add_func ("/ops/create/stride-order", test_stride_order);
  g_test_add_func ("/ops/create/define-errors", test_define_errors);
  g_test_add_func ("/ops/create/full", test_full);
  g_test_add_func ("/ops/create/iota", test_iota);
  return g_test_run ();
}
