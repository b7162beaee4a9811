#include "test-ops.h"

static HirScalar *
size (HirContainer *f, gint64 n)
{
  return hir_scalar_new_int (f, n, HIR_DTYPE_INDEX);
}

static void
test_broadcast (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  const gboolean flags[] = { TRUE, FALSE, TRUE, FALSE };
  const gboolean none[] = { FALSE, FALSE };
  HirTensor *t0 = INPUT (f, -1, -1);
  HirTensor *out;

  t0->logical.ids[0]->parallel_type = HIR_PARALLEL_DIDX;
  out = hir_op_broadcast (f, t0, flags, 4, NULL);
  /* All become Serial (docs/host-ir.md#op-outputs). */
  test_assert_tensor (out, "T1_l_float[bS2{1}, iS3{i0}, bS4{1}, iS5{i2}]");
  g_assert_cmpmem (out->definition->u.broadcast.flags, sizeof flags, flags, sizeof flags);
  g_assert_cmpint (hir_op_broadcast (f, t0, none, 2, NULL)->definition->kind, ==, HIR_EXPR_SET);
  g_assert_null (hir_op_broadcast (f, t0, flags, 3, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "broadcast: 1 of the 3 flags are false, but T0 has 2 axes; exactly one flag "
                     "per axis must be false");
}

static void
test_permute (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *t0 = INPUT (f, -1, -1, -1);
  HirTensor *t1 = hir_op_permute (f, t0, SHAPE (2, 0, -2), NULL);

  test_assert_tensor (t1, "T1_l_float[iS5{i3}, iS3{i0}, iS4{i2}]");
  g_assert_true (t1->has_root);
  g_assert_cmpuint (t1->root.n, ==, 3);
  g_assert_cmpint (t1->root.ids[0]->base.name, ==, 3);
  g_assert_true (t1->root.ids[2] == t1->logical.ids[0]);
  g_assert_true (t1->definition->u.set.streaming);
  g_assert_false (hir_expr_is_standalone (t1->definition));
}

static void
test_permute_errors (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *t0 = INPUT (f, -1, -1);

  g_assert_null (hir_op_permute (f, t0, SHAPE (0), &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "permute: got 1 axes, but T0 has 2; name each axis once");
  g_assert_null (hir_op_permute (f, t0, SHAPE (1, -1), &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "permute: axis 1 of T0 is given twice; name each once");
}

static void
test_expand (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *t0 = INPUT (f, 1, -1, 4);
  HirScalar *shape[] = { size (f, 8), NULL, NULL };
  HirScalar *same[] = { size (f, 1), NULL, size (f, 4) };
  HirScalar *wrong[] = { NULL, NULL, size (f, 5) };
  HirTensor *out = hir_op_expand (f, t0, shape, 3, NULL);

  test_assert_tensor (out, "T1_l_float[bS3{1 ex 8}, iS4{i2}, iS5{4}]");
  g_assert_cmpint (out->definition->u.expand.extents[0]->i, ==, 8);
  g_assert_true (out->definition->u.expand.extents[1] == t0->logical.ids[1]->extent);
  g_assert_cmpint (hir_op_expand (f, t0, same, 3, NULL)->definition->kind, ==, HIR_EXPR_SET);
  g_assert_null (hir_op_expand (f, t0, wrong, 3, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "expand: axis 2 of T0 has 4 elements, not 5; only an axis of size 1 can be "
                     "expanded");
  g_assert_null (hir_op_expand (f, out, wrong, 2, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "expand: got 2 sizes, but T1 has 3 axes; give one size per axis, or -1 to "
                     "keep an axis");
}

static void
test_broadcast_in_dim (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *t0 = INPUT (f, -1, 1);
  HirScalar *shape[] = { size (f, 2), size (f, 3), size (f, 1), size (f, 5) };
  HirTensor *fixed = INPUT (f, 7);
  HirScalar *ones[] = { size (f, 1), size (f, 7) };

  test_assert_tensor (hir_op_broadcast_in_dim (f, t0, shape, 4, SHAPE (1, 3), NULL),
                      "T3_l_float[bS7{1 ex 2}, iS8{i0}, bS9{1}, bS10{1 ex 5}]");
  test_assert_exprs (f, "T2=broadcast(T0) T3=expand(T2)");
  /* Without a size to expand to: only the broadcast. */
  test_assert_tensor (hir_op_broadcast_in_dim (f, fixed, ones, 2, SHAPE (1), NULL),
                      "T4_l_float[bS11{1}, iS12{7}]");
  g_assert_null (hir_op_broadcast_in_dim (f, t0, shape, 4, SHAPE (3, 1), &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "broadcast_in_dim: axis 1 of T0 cannot map to dimension 1; the dimensions "
                     "must increase and be below 4");
  g_assert_null (hir_op_broadcast_in_dim (f, fixed, shape, 4, SHAPE (1), &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ops/shape/broadcast", test_broadcast);
  g_test_add_func ("/ops/shape/permute", test_permute);
  g_test_add_func ("/ops/shape/permute-errors", test_permute_errors);
  g_test_add_func ("/ops/shape/expand", test_expand);
  g_test_add_func ("/ops/shape/broadcast-in-dim", test_broadcast_in_dim);
  return g_test_run ();
}
