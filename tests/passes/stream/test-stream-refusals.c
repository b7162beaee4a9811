/* Tests what StreamParallelType rejects: each with a separate message that names tensor, axis and
 * reason, at the script line of the schedule (docs/host-ir.md#refusals). */
#include <string.h>

#include "fixture.h"

/* The message must contain every part of @expected, separated by `|`. */
static void
assert_refused (HirContainer *fusion, guint line, const char *expected)
{
  g_autoptr (GError) error = fix_refusal (fusion);
  g_auto (GStrv) parts = g_strsplit (expected, "|", -1);

  g_assert_error (error, HIR_ERROR, HIR_ERROR_REFUSED);
  g_assert_cmpuint (hir_error_get_pos (error).line, ==, line);
  for (guint i = 0; parts[i] != NULL; i++)
    {
      if (strstr (error->message, parts[i]) == NULL)
        g_error ("no '%s' in: %s", parts[i], error->message);
    }
  g_assert_null (strchr (error->message, '\n'));
  hir_container_unref (fusion);
}

/* A fusion whose only op is a set of an input: lines 1 (input), 2 (set), 3 (output). */
static HirContainer *
one_set (HirTensor **in, HirTensor **out)
{
  HirContainer *fusion = fix_fusion ();

  *in = fix_input (fusion, 2);
  *out = fix_set (fusion, *in);
  (*in)->script_name = "tv0";
  (*out)->script_name = "tv1";
  fix_output (fusion, *out);
  return fusion;
}

static void
test_input (void)
{
  HirTensor *in, *out;
  HirContainer *fusion = one_set (&in, &out);

  fix_stream (fusion, in, 0);
  assert_refused (fusion, 4, "T0|tv0|iStreamIdx0{i0}|input of the fusion");
}

static void
test_split (void)
{
  HirTensor *in, *out;
  HirContainer *fusion = one_set (&in, &out);

  fix_split (fusion, out, 0, 2);
  fix_stream (fusion, out, 0);
  assert_refused (fusion, 5,
                  "T1|tv1|iStreamIdx4{( ceilDiv(i0, 2) )}|result of the split of iS2{i0} by 2 at "
                  "line 4");
}

static void
test_merge (void)
{
  HirTensor *in, *out;
  HirContainer *fusion = one_set (&in, &out);

  fix_merge (fusion, out, 0);
  fix_stream (fusion, out, 0);
  assert_refused (fusion, 5, "T1|tv1|result of the merge of iS2{i0} and iS3{i2} at line 4");
}

static void
test_reduction (void)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *out = fix_sum (fusion, fix_input (fusion, 2), 0);

  fix_output (fusion, out);
  fix_stream (fusion, out, 0);
  assert_refused (fusion, 4, "T1|rStreamIdx2{i0}|reduced by sum");
}

static void
test_matmul_k (void)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *a = fix_input (fusion, 2);
  HirTensor *out = fix_matmul (fusion, a, fix_input (fusion, 2));

  fix_output (fusion, out);
  fix_stream (fusion, out, -1);
  assert_refused (fusion, 5, "T2|rStreamIdx|K axis that matmul sums over");
}

static void
test_op_in_host_unit (void)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *out = fix_unary (fusion, HIR_UNARY_ABS, fix_input (fusion, 2));

  fix_output (fusion, out);
  fix_stream (fusion, out, 0);
  assert_refused (fusion, 4,
                  "T1|iStreamIdx2{i0}|computed inside HostUnit0 by abs (line 2)|matmul, linear");
}

static void
test_two_axes (void)
{
  HirTensor *in, *out;
  HirContainer *fusion = one_set (&in, &out);

  fix_stream (fusion, out, 0);
  fix_stream (fusion, out, 1);
  assert_refused (fusion, 5, "T1|tv1|two stream axes, iStreamIdx2{i0} and iStreamIdx3{i2}");
}

static void
test_two_outputs (void)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *abs = fix_unary (fusion, HIR_UNARY_ABS, fix_set (fusion, fix_input (fusion, 2)));
  HirTensor *neg = fix_unary (fusion, HIR_UNARY_NEG, abs);

  fix_output (fusion, abs);
  fix_output (fusion, neg);
  fix_stream (fusion, neg, 0);
  assert_refused (fusion, 3, "HostUnit0 has 2 results, T2 and T3");
}

static void
test_two_mapped (void)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *a = fix_input (fusion, 2);
  HirTensor *sum, *out;

  /* add and matmul relate all four axes to each other. */
  sum = fix_add (fusion, a, fix_input (fusion, 2));
  out = fix_matmul (fusion, a, sum);
  fix_output (fusion, out);
  fix_stream (fusion, out, 0);
  assert_refused (fusion, 6, "two axes of T|belong to the stream axis iStreamIdx");
}

static void
test_batched_matmul (void)
{
  for (gint64 axis = 1; axis <= 2; axis++)
    {
      HirContainer *fusion = fix_fusion ();
      HirTensor *a = fix_input (fusion, 3);
      HirTensor *out = fix_matmul (fusion, a, fix_input (fusion, 3));

      fix_output (fusion, out);
      fix_stream (fusion, out, axis);
      assert_refused (fusion, 5, axis == 1 ? "M axis|batched" : "N axis|batched");
    }
}

static void
test_matmul_with_itself (void)
{
  static const gint64 square[] = { 4, 4 };
  HirContainer *fusion = fix_fusion ();
  HirTensor *a = fix_input_of (fusion, square, 2, HIR_DTYPE_FLOAT);
  HirTensor *out = fix_matmul (fusion, a, a);

  fix_output (fusion, out);
  fix_stream (fusion, out, 0);
  assert_refused (fusion, 4, "matmul of T0 with itself");
}

/* The operand's axis was split, so that the loop cannot slice it; nvFuser would use it whole. */
static void
test_operand_split (void)
{
  HirTensor *in, *out;
  HirContainer *fusion = one_set (&in, &out);

  fix_split (fusion, in, 0, 2);
  fix_stream (fusion, out, 0);
  assert_refused (fusion, 5, "Set would need a slice of|T0|iS0{i0}|split or merged");
}

static void
test_cut_axis (void)
{
  static const gint64 shape[] = { 4, 6 }, start[] = { 1, 0 }, stop[] = { 4, 6 };
  HirContainer *fusion = fix_fusion ();
  HirTensor *in = fix_input_of (fusion, shape, 2, HIR_DTYPE_FLOAT);
  GError *error = NULL;
  HirTensor *out = hir_op_slice (fusion, in, start, stop, NULL, 2, &error);

  g_assert_no_error (error);
  fix_output (fusion, out);
  fix_stream (fusion, out, 0);
  assert_refused (fusion, 3, "slice cuts it");
}

/* The pass requires a host program (refusal 9 of docs/host-ir.md#refusals). */
static void
test_no_host_program (void)
{
  HirTensor *in, *out;
  g_autoptr (HirContainer) fusion = one_set (&in, &out);
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);
  g_autoptr (HirLowering) lowering = NULL;
  GError *error = NULL;

  g_assert_true (hir_pipeline_set_enabled (pipeline, "SegmentFusion", FALSE, &error));
  lowering = hir_pipeline_run (pipeline, fusion, 0, 1, NULL);
  g_assert_error (lowering->error, HIR_ERROR, HIR_ERROR_REFUSED);
  g_assert_nonnull (strstr (lowering->error->message, "SegmentFusion"));
  g_assert_true (lowering->failed_pass ==
                 hir_pass_lookup (HIR_PIPELINE_EXECUTOR, "StreamParallelType"));
  g_assert_true (lowering->failed_snapshot == hir_lowering_get_last (lowering));
  g_assert_cmpint (lowering->failed_snapshot->program->kind, ==, HIR_CONTAINER_FUSION);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/refused/input", test_input);
  g_test_add_func ("/passes/refused/split", test_split);
  g_test_add_func ("/passes/refused/merge", test_merge);
  g_test_add_func ("/passes/refused/reduction", test_reduction);
  g_test_add_func ("/passes/refused/matmul-k", test_matmul_k);
  g_test_add_func ("/passes/refused/op-in-host-unit", test_op_in_host_unit);
  g_test_add_func ("/passes/refused/two-axes", test_two_axes);
  g_test_add_func ("/passes/refused/two-outputs", test_two_outputs);
  g_test_add_func ("/passes/refused/two-mapped", test_two_mapped);
  g_test_add_func ("/passes/refused/batched-matmul", test_batched_matmul);
  g_test_add_func ("/passes/refused/matmul-with-itself", test_matmul_with_itself);
  g_test_add_func ("/passes/refused/operand-split", test_operand_split);
  g_test_add_func ("/passes/refused/cut-axis", test_cut_axis);
  g_test_add_func ("/passes/refused/no-host-program", test_no_host_program);
  return g_test_run ();
}
