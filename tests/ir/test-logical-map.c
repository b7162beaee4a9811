#include "logical-map.h"
#include "test-ops.h"

/* Returns the map as text: for each producer axis the number of the consumer's axis, or `-`. */
static char *
dup_map (const HirExpr *expr, const HirTensor *producer, const HirTensor *consumer)
{
  HirIterDomain **producer_ids = NULL;
  guint n;
  g_autofree HirIterDomain **map =
      hir_expr_dup_logical_map (expr, producer, consumer, &producer_ids, &n);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    {
      g_string_append (text, i > 0 ? " " : "");
      if (map[i] == NULL)
        g_string_append_c (text, '-');
      else
        g_string_append_printf (text, "%d", map[i]->base.name);
      g_assert_false (hir_iter_domain_is_reduction (producer_ids[i]));
    }
  g_free (producer_ids);
  return g_string_free (text, FALSE);
}

static void
assert_map (const HirTensor *producer, const HirTensor *consumer, const char *expected)
{
  g_autofree char *text = dup_map (consumer->definition, producer, consumer);

  g_assert_cmpstr (text, ==, expected);
}

/* Slices like StreamParallelType: new axes for all logical ones except @axis, no root. */
static HirTensor *
slice (HirContainer *f, const HirTensor *in, guint axis)
{
  HirIterDomain *ids[8];
  guint n = 0;

  for (guint i = 0; i < in->logical.n; i++)
    {
      if (i != axis)
        ids[n++] = hir_iter_domain_dup (f, in->logical.ids[i], TRUE);
    }
  return hir_tensor_new (f, in->base.dtype, ids, n);
}

/* Replaces the operands and the output of @out's Expr, as in a stream loop. NULL keeps an operand.
 */
static HirTensor *
rewrite (HirContainer *f, HirTensor *out, HirTensor *new_out, HirTensor *const *operands, guint n)
{
  HirExpr *old = out->definition;
  HirVal *inputs[4];
  HirExpr *expr;

  for (guint i = 0; i < n; i++)
    inputs[i] = operands[i] != NULL ? HIR_VAL (operands[i]) : old->inputs[i];
  expr = hir_expr_new (f, old->kind, inputs, n, (HirVal *[]){ HIR_VAL (new_out) }, 1);
  expr->u = old->u;
  return new_out;
}

static void
test_elementwise (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *t0 = INPUT (f, -1, -1);
  HirTensor *t1 = INPUT (f, 1, -1);
  HirTensor *t2 = hir_op_binary (f, HIR_BINARY_ADD, HIR_VAL (t0), HIR_VAL (t1), NULL);

  assert_map (t0, t2, "4 5");
  assert_map (t1, t2, "4 5"); /* a broadcast is mapped too: the graph is BROADCAST */
  /* Not an operand: nothing is mapped. */
  assert_map (t2, t2, "- -");
}

static void
test_reduction (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *t0 = INPUT (f, -1, -1, -1);
  HirTensor *t1 = hir_op_reduction (f, HIR_BINARY_ADD, t0, SHAPE (1), FALSE, HIR_DTYPE_NULL, NULL);
  HirTensor *t2 = hir_op_unary (f, HIR_UNARY_EXP, t1, NULL);
  HirTensor *sliced_in = slice (f, t0, 0);
  HirTensor *sliced = rewrite (f, t1, slice (f, t1, 0), &sliced_in, 1);

  assert_map (t0, t1, "3 4 5"); /* the reduced axis maps to the reduction axis */
  assert_map (t1, t2, "6 7");   /* which has no consumer */
  test_assert_tensor (sliced, "T4_l_float[rS10{i2}, iS11{i3}]");
  assert_map (sliced_in, sliced, "10 11");
}

static void
test_shape_ops (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  const gboolean flags[] = { FALSE, TRUE, FALSE };
  HirTensor *t0 = INPUT (f, 6, 4);
  HirTensor *t1 = hir_op_broadcast (f, t0, flags, 3, NULL);
  HirTensor *t2 = hir_op_squeeze (f, t1, SHAPE (1), FALSE, NULL);
  HirTensor *t3 = hir_op_permute (f, t0, SHAPE (1, 0), NULL);
  HirTensor *t4 = hir_op_unary (f, HIR_UNARY_EXP, t3, NULL);
  HirScalar *shape[] = { hir_scalar_new_int (f, 24, HIR_DTYPE_INDEX) };
  HirTensor *t5 = hir_op_reshape (f, t0, shape, 1, NULL);
  HirScalar *sizes[] = { NULL, hir_scalar_new_int (f, 9, HIR_DTYPE_INDEX), NULL };
  HirTensor *t6 = hir_op_expand (f, t1, sizes, 3, NULL);

  assert_map (t0, t1, "2 4");
  assert_map (t1, t2, "5 - 6");
  assert_map (t0, t3, "7 8"); /* to the root domain */
  g_assert_cmpint (t3->logical.ids[0]->base.name, ==, 8);
  assert_map (t3, t4, "9 10"); /* from the logical domain */
  g_assert_true (t5->has_root);
  assert_map (t0, t5, "11 12");
  assert_map (t1, t6, "14 15 16");
}

static void
test_resize_ops (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  const gint64 start[] = { 0, 1 }, stop[] = { 6, 3 };
  HirTensor *t0 = INPUT (f, 6, 4);
  HirTensor *t1 = hir_op_pad (f, t0, SHAPE (1, 1), NULL, NULL);
  HirTensor *t2 = hir_op_slice (f, t0, start, stop, NULL, 2, NULL);
  HirTensor *t3 = hir_op_cat (f, (HirTensor *[]){ t0, t2 }, 2, 1, NULL);
  HirTensor *t4 = hir_op_select (f, t0, hir_scalar_get_zero (f), 0, NULL);
  HirTensor *sliced_in, *sliced;

  assert_map (t0, t1, "2 3");
  assert_map (t0, t2, "5 6");
  /* Elements move along the joined axis. */
  assert_map (t0, t3, "8 -");
  assert_map (t2, t3, "8 -");
  assert_map (t0, t4, "- 10");
  /* In a slice the selected axis is another object. */
  t0 = INPUT (f, -1, -1, -1);
  t1 = hir_op_select (f, t0, hir_scalar_get_zero (f), 1, NULL);
  sliced_in = slice (f, t0, 0);
  sliced = rewrite (f, t1, slice (f, t1, 0), &sliced_in, 1);
  assert_map (t0, t1, "14 - 15");
  assert_map (sliced_in, sliced, "- 18");
}

static void
test_matmul (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *mk = INPUT (f, -1, -1);
  HirTensor *kn = INPUT (f, -1, -1);
  HirTensor *k = INPUT (f, -1);
  HirTensor *bmk = INPUT (f, -1, -1, -1);
  HirTensor *cbkn = INPUT (f, -1, -1, -1, -1);
  HirTensor *plain = hir_op_matmul (f, mk, kn, NULL);
  HirTensor *batched = hir_op_matmul (f, bmk, cbkn, NULL);
  HirTensor *right = hir_op_matmul (f, bmk, k, NULL);
  HirTensor *left = hir_op_matmul (f, k, cbkn, NULL);
  HirTensor *dot = hir_op_matmul (f, k, k, NULL);
  HirTensor *square = hir_op_matmul (f, mk, mk, NULL);

  test_assert_tensor (plain, "T5_l_float[iS12{i0}, iS13{i4}, rS14{i2}]");
  assert_map (mk, plain, "12 14");
  assert_map (kn, plain, "14 13");
  /* [C, B, M, N, K] */
  assert_map (bmk, batched, "16 17 19");
  assert_map (cbkn, batched, "15 16 19 18");
  assert_map (bmk, right, "20 21 22");
  assert_map (k, right, "22");
  assert_map (cbkn, left, "23 24 26 25");
  assert_map (k, left, "26");
  assert_map (k, dot, "27");
  /* One tensor as both operands is mapped as A. */
  assert_map (mk, square, "28 30");
}

/* If K is a broadcast on both sides, there is no reduction axis to map to. */
static void
test_matmul_without_k (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *a = INPUT (f, -1, 1);
  HirTensor *b = INPUT (f, 1, -1);
  HirTensor *c = hir_op_matmul (f, a, b, NULL);

  assert_map (a, c, "4 -");
  assert_map (b, c, "- 5");
}

static void
test_sliced_matmul (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *bmk = INPUT (f, -1, -1, -1);
  HirTensor *kn = INPUT (f, -1, -1);
  HirTensor *c = hir_op_matmul (f, bmk, kn, NULL); /* 5 6 7 r8 */
  HirTensor *a, *b, *out;

  /* Batch: [M, K] x [K, N]. */
  a = slice (f, bmk, 0);
  out = rewrite (f, c, slice (f, c, 0), (HirTensor *[]){ a, NULL }, 2);
  test_assert_tensor (out, "T4_l_float[iS11{i2}, iS12{i5}, rS13{i3}]");
  assert_map (a, out, "11 13");
  assert_map (kn, out, "13 12");
  /* M: [B, K] x [K, N], where B has the position of M. */
  a = slice (f, bmk, 1);
  out = rewrite (f, c, slice (f, c, 1), (HirTensor *[]){ a, NULL }, 2);
  assert_map (a, out, "16 18");
  assert_map (kn, out, "18 17");
  /* N: [B, M, K] x [K]. */
  b = slice (f, kn, 1);
  out = rewrite (f, c, slice (f, c, 2), (HirTensor *[]){ NULL, b }, 2);
  assert_map (bmk, out, "20 21 22");
  assert_map (b, out, "22");
}

static void
test_linear (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, -1, -1, -1);
  HirTensor *weight = INPUT (f, -1, -1);
  HirTensor *bias = INPUT (f, -1);
  HirTensor *batched = INPUT (f, 2, -1, -1);
  HirTensor *batched_bias = INPUT (f, 2, -1);
  HirTensor *plain = hir_op_linear (f, in, weight, bias, NULL);
  HirTensor *with_batch = hir_op_linear (f, in, batched, batched_bias, NULL);
  HirTensor *mixed = hir_op_linear (f, in, batched, bias, NULL);

  test_assert_tensor (plain, "T5_l_float[iS11{i0}, iS12{i2}, iS13{i4}, rS14{i3}]");
  assert_map (in, plain, "11 12 14");
  assert_map (weight, plain, "13 14");
  assert_map (bias, plain, "13");
  /* [batch of the weight, in..., N, K] */
  assert_map (in, with_batch, "16 17 19");
  assert_map (batched, with_batch, "15 18 19");
  assert_map (batched_bias, with_batch, "15 18");
  assert_map (bias, mixed, "23");
}

static void
test_sliced_linear (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, -1, -1, -1);
  HirTensor *weight = INPUT (f, -1, -1);
  HirTensor *bias = INPUT (f, -1);
  HirTensor *plain = hir_op_linear (f, in, weight, bias, NULL); /* 6 7 8 r9 */
  HirTensor *a, *w, *b, *out;

  a = slice (f, in, 0);
  out = rewrite (f, plain, slice (f, plain, 0), (HirTensor *[]){ a, NULL, NULL }, 3);
  test_assert_tensor (out, "T5_l_float[iS12{i2}, iS13{i4}, rS14{i3}]");
  assert_map (a, out, "12 14");
  assert_map (weight, out, "13 14");
  assert_map (bias, out, "13");
  /* N: a weight [K] and a bias []: only K maps (docs/host-ir.md#logical-domain-map). */
  w = slice (f, weight, 0);
  b = slice (f, bias, 0);
  out = rewrite (f, plain, slice (f, plain, 2), (HirTensor *[]){ NULL, w, b }, 3);
  assert_map (in, out, "16 17 18");
  assert_map (w, out, "18");
  assert_map (b, out, "");
  /* A bias that is not sliced has no N to map to. */
  out = rewrite (f, plain, slice (f, plain, 2), (HirTensor *[]){ NULL, w, NULL }, 3);
  assert_map (bias, out, "-");
}

/* Flags that do not match their operands map nothing. */
static void
test_stale_flags (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  const gboolean flags[] = { FALSE, TRUE, FALSE };
  HirTensor *t0 = INPUT (f, -1, -1);
  HirTensor *t1 = hir_op_broadcast (f, t0, flags, 3, NULL);
  HirTensor *sliced_in = slice (f, t0, 0);
  HirTensor *sliced = rewrite (f, t1, slice (f, t1, 0), &sliced_in, 1);

  assert_map (sliced_in, sliced, "-");
}

static void
test_host_ops (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *t0 = INPUT (f, -1);
  HirTensor *t1 = hir_op_set (f, t0, NULL);
  HirExpr *post = hir_expr_new (f, HIR_EXPR_POST_ON_STREAM, (HirVal *[]){ HIR_VAL (t0) }, 1,
                                (HirVal *[]){ HIR_VAL (t1) }, 1);
  g_autofree char *text = dup_map (post, t0, t1);

  g_assert_cmpstr (text, ==, "-");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/logical-map/elementwise", test_elementwise);
  g_test_add_func ("/logical-map/reduction", test_reduction);
  g_test_add_func ("/logical-map/shape-ops", test_shape_ops);
  g_test_add_func ("/logical-map/resize-ops", test_resize_ops);
  g_test_add_func ("/logical-map/matmul", test_matmul);
  g_test_add_func ("/logical-map/matmul-without-k", test_matmul_without_k);
  g_test_add_func ("/logical-map/sliced-matmul", test_sliced_matmul);
  g_test_add_func ("/logical-map/linear", test_linear);
  g_test_add_func ("/logical-map/sliced-linear", test_sliced_linear);
  g_test_add_func ("/logical-map/stale-flags", test_stale_flags);
  g_test_add_func ("/logical-map/host-ops", test_host_ops);
  return g_test_run ();
}
