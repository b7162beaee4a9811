/* Tests the segmenter against the reference implementation, and with cases that can be checked by
 * hand. */
#include "fixture.h"
#include "reference-segmenter.h"
#include "segment/segmenter.h"

static char *
print_segments (HirContainer *fusion)
{
  GError *error = NULL;
  g_autoptr (GPtrArray) segments =
      hir_segment_fusion (fusion, &hir_segment_rules_2025, NULL, &error);
  GString *out = g_string_new (NULL);

  g_assert_no_error (error);
  for (guint i = 0; i < segments->len; i++)
    {
      const HirSegment *segment = segments->pdata[i];

      g_string_append_c (out, '[');
      for (guint k = 0; k < segment->exprs->len; k++)
        g_string_append_printf (out, " %d", ((HirExpr *) segment->exprs->pdata[k])->name);
      g_string_append (out, " ]");
      for (guint k = 0; k < segment->inputs->len; k++)
        g_string_append_printf (out, " T%d", HIR_VAL (segment->inputs->pdata[k])->name);
      g_string_append (out, " ->");
      for (guint k = 0; k < segment->outputs->len; k++)
        g_string_append_printf (out, " T%d", HIR_VAL (segment->outputs->pdata[k])->name);
      g_string_append_c (out, '\n');
    }
  return g_string_free (out, FALSE);
}

static void
assert_segments (HirContainer *fusion, const char *expected)
{
  g_autofree char *got = print_segments (fusion);
  g_autofree char *reference = reference_segment (fusion);

  g_assert_cmpstr (reference, ==, expected);
  g_assert_cmpstr (got, ==, expected);
  hir_container_unref (fusion);
}

/* One HostUnit for fused ops, one segment for each other op. */
static void
test_fuse (void)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *in = fix_input (fusion, 2);
  HirTensor *copy = fix_set (fusion, in);
  HirTensor *out = fix_unary (fusion, HIR_UNARY_NEG, fix_unary (fusion, HIR_UNARY_ABS, copy));

  fix_output (fusion, fix_set (fusion, out));
  assert_segments (fusion, "[ 0 ] T0 -> T1\n"
                           "[ 1 2 ] T1 -> T3\n"
                           "[ 3 ] T3 -> T4\n");
}

/* Two standalone readers of abs(in) get a copy each (docs/host-ir.md#forwarded-inputs). */
static void
test_chain_copied (void)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *in = fix_input (fusion, 2);
  HirTensor *abs = fix_unary (fusion, HIR_UNARY_ABS, in);
  HirTensor *a = fix_set (fusion, abs);
  HirTensor *b = fix_set (fusion, abs);

  fix_output (fusion, a);
  fix_output (fusion, b);
  assert_segments (fusion, "[ 0 ] T0 -> T1\n"
                           "[ 0 ] T0 -> T1\n"
                           "[ 1 ] T1 -> T2\n"
                           "[ 2 ] T1 -> T3\n");
}

/* An input that two ops read is not forwarded (docs/host-ir.md#forwarded-inputs). */
static void
test_used_twice (void)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *in = fix_input (fusion, 2);
  HirTensor *abs = fix_unary (fusion, HIR_UNARY_ABS, in);
  HirTensor *a = fix_set (fusion, abs);
  HirTensor *b = fix_set (fusion, abs);

  fix_output (fusion, a);
  fix_output (fusion, b);
  fix_output (fusion, fix_set (fusion, in));
  assert_segments (fusion, "[ 0 ] T0 -> T1\n"
                           "[ 1 ] T1 -> T2\n"
                           "[ 2 ] T1 -> T3\n"
                           "[ 3 ] T0 -> T4\n");
}

/* The chain goes into the HostUnit that reads it. */
static void
test_chain_merged (void)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *in = fix_input (fusion, 2);
  HirTensor *neg = fix_unary (fusion, HIR_UNARY_NEG, fix_unary (fusion, HIR_UNARY_ABS, in));
  HirTensor *a = fix_unary (fusion, HIR_UNARY_SIN, neg);
  HirTensor *b = fix_unary (fusion, HIR_UNARY_COS, neg);

  fix_output (fusion, a);
  fix_output (fusion, b);
  assert_segments (fusion, "[ 0 1 2 ] T0 -> T3\n"
                           "[ 0 1 3 ] T0 -> T4\n");
}

/* Across an output of the fusion only the final phase merges. */
static void
test_merge_over_output (void)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *in = fix_set (fusion, fix_input (fusion, 2));
  HirTensor *a = fix_unary (fusion, HIR_UNARY_ABS, in);
  HirTensor *b = fix_unary (fusion, HIR_UNARY_NEG, a);

  fix_output (fusion, a);
  fix_output (fusion, fix_set (fusion, b));
  assert_segments (fusion, "[ 0 ] T0 -> T1\n"
                           "[ 1 2 ] T1 -> T2 T3\n"
                           "[ 3 ] T3 -> T4\n");
}

/* Merging abs with where would have to wait for the set between them: a cycle. */
static void
test_no_cycle (void)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *in = fix_set (fusion, fix_input (fusion, 2));
  HirTensor *abs = fix_unary (fusion, HIR_UNARY_ABS, in);
  HirTensor *set = fix_set (fusion, abs);
  HirVal *operands[] = { HIR_VAL (abs), HIR_VAL (set), HIR_VAL (set) };
  GError *error = NULL;
  HirTensor *out = hir_op_ternary (fusion, HIR_TERNARY_LERP, operands, 3, &error);

  g_assert_no_error (error);
  fix_output (fusion, out);
  assert_segments (fusion, "[ 0 ] T0 -> T1\n"
                           "[ 1 ] T1 -> T2\n"
                           "[ 2 ] T2 -> T3\n"
                           "[ 3 ] T2 T3 -> T4\n");
}

/* Creates random fused and standalone ops over all earlier tensors; much denser than scripts are.
 */
static HirContainer *
random_graph (GRand *rand)
{
  static const gint64 shape[] = { 4 };
  HirContainer *fusion = fix_fusion ();
  g_autoptr (GPtrArray) tensors = g_ptr_array_new ();
  guint n_inputs = (guint) g_rand_int_range (rand, 1, 4);
  guint n_ops = (guint) g_rand_int_range (rand, 1, 16);
  int share_standalone = g_rand_int_range (rand, 0, 60);
  GError *error = NULL;

  for (guint i = 0; i < n_inputs; i++)
    g_ptr_array_add (tensors, fix_input_of (fusion, shape, 1, HIR_DTYPE_FLOAT));
  for (guint i = 0; i < n_ops; i++)
    {
      HirVal *operands[3];
      HirTensor *made;

      for (guint k = 0; k < 3; k++)
        operands[k] = tensors->pdata[g_rand_int_range (rand, 0, (gint32) tensors->len)];
      if (g_rand_int_range (rand, 0, 100) < share_standalone)
        made = g_rand_boolean (rand)
                   ? fix_set (fusion, HIR_TENSOR (operands[0]))
                   : fix_add (fusion, HIR_TENSOR (operands[0]), HIR_TENSOR (operands[1]));
      else if (g_rand_int_range (rand, 0, 100) < 60)
        made = fix_unary (fusion, HIR_UNARY_ABS, HIR_TENSOR (operands[0]));
      else
        made = hir_op_ternary (fusion, HIR_TERNARY_LERP, operands, 3, &error);
      g_assert_no_error (error);
      g_ptr_array_add (tensors, made);
      if (g_rand_int_range (rand, 0, 100) < 20)
        fix_output (fusion, made);
    }
  fix_output (fusion, tensors->pdata[tensors->len - 1]);
  return fusion;
}

static void
test_like_reference (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (guint i = 0; i < 4000; i++)
    {
      g_autoptr (HirContainer) fusion = random_graph (rand);
      g_autofree char *got = print_segments (fusion);
      g_autofree char *expected = reference_segment (fusion);

      g_assert_cmpstr (got, ==, expected);
    }
}

static void
test_cancelled (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GPtrArray) segments = NULL;
  g_autoptr (GError) error = NULL;

  fix_output (fusion, fix_set (fusion, fix_input (fusion, 1)));
  g_cancellable_cancel (cancellable);
  segments = hir_segment_fusion (fusion, &hir_segment_rules_2025, cancellable, &error);
  g_assert_null (segments);
  g_assert_error (error, HIR_ERROR, HIR_ERROR_CANCELLED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/segment/fuse", test_fuse);
  g_test_add_func ("/passes/segment/chain-copied", test_chain_copied);
  g_test_add_func ("/passes/segment/used-twice", test_used_twice);
  g_test_add_func ("/passes/segment/chain-merged", test_chain_merged);
  g_test_add_func ("/passes/segment/merge-over-output", test_merge_over_output);
  g_test_add_func ("/passes/segment/no-cycle", test_no_cycle);
  g_test_add_func ("/passes/segment/like-reference", test_like_reference);
  g_test_add_func ("/passes/segment/cancelled", test_cancelled);
  return g_test_run ();
}
