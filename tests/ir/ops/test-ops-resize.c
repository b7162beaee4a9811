#include "test-ops.h"

static HirTensor *
slice (HirContainer *f, HirTensor *in, gint64 start, gint64 stop)
{
  return hir_op_slice (f, in, &start, &stop, NULL, 1, NULL);
}

static void
test_slice_constant (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *t0 = INPUT (f, 8);
  HirTensor *t1 = slice (f, t0, 2, 6);

  test_assert_tensor (t1, "T1_l_float[iS2{4}rf]");
  g_assert_true (t1->has_root);
  g_assert_cmpint (t1->root.ids[0]->base.name, ==, 1);
  g_assert_cmpint (t1->logical.ids[0]->definition->kind, ==, HIR_TRANSFORM_RESIZE);
  g_assert_cmpint (t1->logical.ids[0]->definition->left->i, ==, -2);
  g_assert_cmpint (t1->logical.ids[0]->definition->right->i, ==, -2);
  g_assert_cmpint (t1->definition->u.slice.start[0]->i, ==, 2);
  g_assert_cmpint (t1->definition->u.slice.stop[0]->i, ==, 6);
  g_assert_cmpint (t1->definition->u.slice.step[0]->i, ==, 1);
  test_assert_tensor (slice (f, t0, -3, -1), "T2_l_float[iS4{2}rf]");
  test_assert_tensor (slice (f, t0, 6, 100), "T3_l_float[iS6{2}rf]");
  test_assert_tensor (slice (f, t0, 5, 3), "T4_l_float[iS8{0}rf]");
  test_assert_tensor (slice (f, t0, 3, 4), "T5_l_float[bS10{1}rf]");
  g_assert_cmpint (slice (f, t0, 0, 8)->definition->kind, ==, HIR_EXPR_SET);
  g_assert_cmpint (slice (f, t0, -20, G_MAXINT64)->definition->kind, ==, HIR_EXPR_SET);
}

static gboolean
lookup (const HirScalar *leaf, gint64 *value, gpointer user_data)
{
  if (leaf->kind != HIR_SCALAR_SYMBOL)
    return FALSE;
  *value = *(const gint64 *) user_data;
  return TRUE;
}

/* The extent of a slice of a symbolic axis equals that of Python's slice, for bounds inside and
 * outside the size. */
static void
test_slice_symbolic (void)
{
  static const gint64 bounds[][2] = { { 0, 4 },  { 2, 6 },  { -3, -1 },        { 1, G_MAXINT64 },
                                      { -2, 5 }, { 5, 3 },  { 0, -2 },         { 3, -1 },
                                      { 9, 12 }, { -9, 2 }, { -4, G_MAXINT64 } };

  for (guint i = 0; i < G_N_ELEMENTS (bounds); i++)
    for (gint64 n = 0; n < 12; n++)
      {
        g_autoptr (HirContainer) f = test_fusion ();
        HirTensor *out = slice (f, INPUT (f, -1), bounds[i][0], bounds[i][1]);
        const HirExpr *expr = out->definition;
        gint64 start = bounds[i][0] < 0 ? MAX (bounds[i][0] + n, 0) : MIN (bounds[i][0], n);
        gint64 stop = bounds[i][1] < 0 ? MAX (bounds[i][1] + n, 0) : MIN (bounds[i][1], n);
        gint64 value;

        g_assert_cmpint (expr->kind, ==, HIR_EXPR_SLICE);
        g_assert_true (hir_scalar_evaluate (out->logical.ids[0]->extent, lookup, &n, &value, NULL));
        g_assert_cmpint (value, ==, MAX (stop - start, 0));
        g_assert_true (hir_scalar_evaluate (expr->u.slice.start[0], lookup, &n, &value, NULL));
        g_assert_cmpint (value, ==, start);
        g_assert_true (hir_scalar_evaluate (expr->u.slice.stop[0], lookup, &n, &value, NULL));
        g_assert_cmpint (value, ==, MAX (stop, start));
      }
}

static void
test_slice_errors (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *t0 = INPUT (f, 8, -1);
  const gint64 start[] = { 0, 0 }, stop[] = { 8, 4 }, strides[] = { 1, 2 };

  g_assert_null (hir_op_slice (f, t0, start, stop, strides, 2, &error));
  test_assert_error (&error, HIR_ERROR_REFUSED,
                     "slice: axis 1 of T0 has stride 2; only stride 1 is supported");
  g_assert_null (hir_op_slice (f, t0, start, stop, NULL, 1, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "slice: got 1 bounds, but T0 has 2 axes; give one bound per axis");
}

static void
test_pad (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *t0 = INPUT (f, 4, 1, 6);
  HirTensor *t1 = hir_op_pad (f, t0, SHAPE (1, 2, 0, 3), NULL, NULL);
  HirExpr *expr = t1->definition;

  /* Widths are given from the innermost axis, as in torch; the Expr has them from the outermost. */
  test_assert_tensor (t1, "T1_l_float[iS3{4}, iS6{4}rf, iS7{9}rf]");
  g_assert_cmpuint (expr->u.pad.n, ==, 6);
  g_assert_cmpint (expr->u.pad.widths[0]->i, ==, 0);
  g_assert_cmpint (expr->u.pad.widths[3]->i, ==, 3);
  g_assert_cmpint (expr->u.pad.widths[4]->i, ==, 1);
  g_assert_cmpint (expr->u.pad.widths[5]->i, ==, 2);
  g_assert_cmpint (expr->u.pad.value->base.dtype, ==, HIR_DTYPE_FLOAT);
  test_assert_tensor (hir_op_pad (f, t0, SHAPE (-2, -3), NULL, NULL),
                      "T2_l_float[iS8{4}, bS9{1}, bS11{1}rf]");
  g_assert_cmpint (hir_op_pad (f, t0, SHAPE (0, 0), NULL, NULL)->definition->kind, ==,
                   HIR_EXPR_SET);
}

static void
test_pad_errors (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *t0 = INPUT (f, 4);

  g_assert_null (hir_op_pad (f, t0, SHAPE (-2, -3), NULL, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "pad: axis 0 of T0 has 4 elements, and widths -2 and -3 give an invalid size; "
                     "the padded size must be 0 or more");
  g_assert_null (hir_op_pad (f, t0, SHAPE (1, 1, 1, 1), NULL, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "pad: got 4 widths, but T0 has 1 axes; give two widths per axis, starting "
                     "with the last axis");
  g_assert_null (hir_op_pad (f, t0, SHAPE (G_MAXINT64, 1), NULL, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
}

static void
test_cat (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *a = INPUT (f, -1, 4);
  HirTensor *b = INPUT (f, 8, 2);
  HirTensor *c = INPUT (f, 7, 2);
  HirTensor *half = DEFINE (f, HALF, -1, 2);
  HirTensor *out = hir_op_cat (f, (HirTensor *[]){ a, b, b }, 3, -1, NULL);

  test_assert_tensor (out, "T4_l_float[iS8{8}, iS9{8}]");
  g_assert_cmpint (out->definition->u.cat.dim, ==, 1);
  g_assert_cmpint (hir_op_cat (f, &a, 1, 0, NULL)->definition->kind, ==, HIR_EXPR_SET);
  g_assert_null (hir_op_cat (f, (HirTensor *[]){ b, c }, 2, 1, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "cat: the axes differ: T1 axis 0 is 8, T2 axis 0 is 7; make them equal");
  g_assert_null (hir_op_cat (f, (HirTensor *[]){ a, half }, 2, 1, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "cat: T0 is Float with 2 axes, but T3 is Half with 2; all tensors must "
                     "have the same type and number of axes");
}

static void
test_select (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *t0 = INPUT (f, -1, 4, -1);
  HirScalar *last = hir_scalar_new_int (f, -1, HIR_DTYPE_INT);
  HirScalar *four = hir_scalar_new_int (f, 4, HIR_DTYPE_INT);
  HirTensor *out = hir_op_select (f, t0, last, -2, NULL);

  test_assert_tensor (out, "T1_l_float[iS3{i0}, iS4{i3}]");
  g_assert_true (out->definition->u.select.axis == t0->logical.ids[1]);
  g_assert_cmpint (out->definition->u.select.index->i, ==, 3);
  g_assert_null (hir_op_select (f, t0, four, 1, &error));
  test_assert_error (&error, HIR_ERROR_INPUT,
                     "select: axis 1 of T0 has 4 elements, so there is no index 4");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ops/resize/slice-constant", test_slice_constant);
  g_test_add_func ("/ops/resize/slice-symbolic", test_slice_symbolic);
  g_test_add_func ("/ops/resize/slice-errors", test_slice_errors);
  g_test_add_func ("/ops/resize/pad", test_pad);
  g_test_add_func ("/ops/resize/pad-errors", test_pad_errors);
  g_test_add_func ("/ops/resize/cat", test_cat);
  g_test_add_func ("/ops/resize/select", test_select);
  return g_test_run ();
}
