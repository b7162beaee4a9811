#include "fixture-devices.h"
#include "schedule/sharding.h"

#include <string.h>

#define REORDER "ReorderShardedAxis"
#define PASSES "ReorderShardedAxis SegmentFusion StreamParallelType ConvertOpToCommunication"

/* Lines: 1 input, 2 op, 3 output, 4 and 5 the mesh, 6 the axis of the operand, 7 of the result. */
static HirContainer *
op_new (gboolean is_sum, int in_axis, int out_axis, HirTensor **in, HirTensor **out)
{
  HirContainer *fusion = fix_fusion ();

  *in = fix_input (fusion, 3);
  *out = is_sum ? fix_sum (fusion, *in, 1) : fix_set (fusion, *in);
  (*in)->script_name = "tv0";
  (*out)->script_name = "tv1";
  fix_output (fusion, *out);
  fix_on_mesh (fusion, *in, "0 1");
  fix_on_mesh (fusion, *out, "0 1");
  if (in_axis >= 0)
    fix_parallelize (fusion, *in, in_axis, HIR_PARALLEL_DIDX);
  fix_line (fusion, 6);
  if (out_axis >= 0)
    fix_parallelize (fusion, *out, out_axis, HIR_PARALLEL_DIDX);
  return fusion;
}

static void
assert_becomes (HirContainer *fusion, const char *math, const char *host)
{
  g_autoptr (HirContainer) reordered = fix_program (fusion, REORDER, 0);
  g_autoptr (HirContainer) program = fix_program (fusion, PASSES, 0);
  g_autofree char *text = hir_container_print (reordered, HIR_FORMAT_2025, NULL);
  g_autofree char *brief = fix_brief (&program->top);
  const char *listing = strstr (text, "%kernel_math {\n");

  g_assert_nonnull (listing);
  g_assert_true (g_str_has_prefix (listing + strlen ("%kernel_math {\n"), math));
  g_assert_cmpstr (brief, ==, host);
}

#define MESH " (DeviceMesh{0 1})"

static void
test_gather (void)
{
  HirTensor *in, *out;
  g_autoptr (HirContainer) fusion = op_new (FALSE, 1, -1, &in, &out);

  assert_becomes (fusion,
                  "T2_l_float[ideviceIdx.x7{i2}, iS6{i0}, iS8{i3}]" MESH "\n"
                  "   = Set.Permute( T0_g_float[iS0{i0}, ideviceIdx.x1{i2}, iS2{i3}]" MESH
                  ", cache_op=Streaming )\n"
                  "T3_l_float[iS9{i2}, iS10{i0}, iS11{i3}]" MESH "\n"
                  "   = Set( T2_l_float[ideviceIdx.x7{i2}, iS6{i0}, iS8{i3}]" MESH
                  ", cache_op=Streaming )\n"
                  "T4_g_float[iS13{i0}, iS12{i2}, iS14{i3}]" MESH "\n"
                  "   = Set.Permute( T3_l_float[iS9{i2}, iS10{i0}, iS11{i3}]" MESH
                  ", cache_op=Streaming )\n",
                  "PostOnStream(T2) ALLOCATE(T3) Allgather(0 1) Wait PostOnStream(T4)");
}

static void
test_scatter (void)
{
  HirTensor *in, *out;
  g_autoptr (HirContainer) fusion = op_new (FALSE, -1, 2, &in, &out);

  assert_becomes (fusion,
                  "T2_l_float[iS8{i3}, iS6{i0}, iS7{i2}]" MESH "\n"
                  "   = Set.Permute( T0_g_float[iS0{i0}, iS1{i2}, iS2{i3}]" MESH
                  ", cache_op=Streaming )\n"
                  "T3_l_float[ideviceIdx.x9{i3}, iS10{i0}, iS11{i2}]" MESH "\n"
                  "   = Set( T2_l_float[iS8{i3}, iS6{i0}, iS7{i2}]" MESH ", cache_op=Streaming )\n"
                  "T4_g_float[iS13{i0}, iS14{i2}, ideviceIdx.x12{i3}]" MESH "\n"
                  "   = Set.Permute( T3_l_float[ideviceIdx.x9{i3}, iS10{i0}, iS11{i2}]" MESH
                  ", cache_op=Streaming )\n",
                  "PostOnStream(T2) ALLOCATE(T3) Scatter(0 1)@0 Wait PostOnStream(T4)");
}

/* The position of the reduced axis changes by one; the permutation back ignores it. */
static void
test_reduce_scatter (void)
{
  HirTensor *in, *out;
  g_autoptr (HirContainer) fusion = op_new (TRUE, 1, 2, &in, &out);

  assert_becomes (fusion,
                  "T2_l_float[iS8{i3}, iS6{i0}, ideviceIdx.x7{i2}]" MESH "\n"
                  "   = Set.Permute( T0_g_float[iS0{i0}, ideviceIdx.x1{i2}, iS2{i3}]" MESH
                  ", cache_op=Streaming )\n"
                  "T3_l_float[ideviceIdx.x9{i3}, iS10{i0}, rS11{i2}]" MESH "\n"
                  "   = reduction( T2_l_float[iS8{i3}, iS6{i0}, ideviceIdx.x7{i2}]" MESH
                  ", op = add, initial value = float(0), allreduce = false )\n"
                  "T4_g_float[iS13{i0}, ideviceIdx.x12{i3}]" MESH "\n"
                  "   = Set.Permute( T3_l_float[ideviceIdx.x9{i3}, iS10{i0}, rS11{i2}]" MESH
                  ", cache_op=Streaming )\n",
                  "PostOnStream(T2) ALLOCATE(T3) ReduceScatter(0 1):add Wait PostOnStream(T4)");
}

/* Readers and outputs of the fusion use the new tensor, which has the old name. */
static void
test_readers (void)
{
  HirTensor *in, *out, *more;
  g_autoptr (HirContainer) fusion = op_new (FALSE, 1, -1, &in, &out);
  g_autoptr (HirContainer) reordered = NULL;
  HirTensor *result;

  more = fix_set (fusion, out);
  fix_output (fusion, more);
  fix_on_mesh (fusion, more, "0 1");
  reordered = fix_program (fusion, REORDER, 0);
  result = HIR_TENSOR (reordered->outputs.items[0]);
  g_assert_cmpstr (result->script_name, ==, "tv1");
  g_assert_cmphex (result->base.node.origins[0], ==, out->base.node.id);
  g_assert_true (HIR_TENSOR (reordered->outputs.items[1])->definition->inputs[0] ==
                 HIR_VAL (result));
}

static void
assert_unchanged (HirContainer *fusion)
{
  g_autoptr (HirLowering) lowering = fix_lower_by (fusion, REORDER, 0);

  g_assert_no_error (lowering->error);
  g_assert_false (hir_lowering_get_last (lowering)->changed);
}

static void
test_left_alone (void)
{
  HirTensor *in, *out;
  g_autoptr (HirContainer) outer = op_new (FALSE, 0, -1, &in, &out);
  g_autoptr (HirContainer) local = op_new (FALSE, 1, 1, &in, &out);
  g_autoptr (HirContainer) reduced = op_new (TRUE, 1, -1, &in, &out);
  g_autoptr (HirContainer) streamed = op_new (FALSE, 1, -1, &in, &out);

  fix_stream (streamed, out, 0);
  assert_unchanged (outer);
  assert_unchanged (local);
  assert_unchanged (reduced);
  assert_unchanged (streamed);
}

static guint
count_inner (HirContainer *fusion)
{
  g_autoptr (GPtrArray) exprs = hir_fusion_dup_exprs (fusion);
  guint n = 0;

  for (guint i = 0; i < exprs->len; i++)
    {
      gboolean resharding, inner = FALSE;

      g_assert_true (hir_expr_is_resharding (exprs->pdata[i], &resharding, NULL));
      if (resharding)
        g_assert_true (hir_expr_is_inner_resharding (exprs->pdata[i], &inner, NULL));
      n += inner;
    }
  return n;
}

/* InsertShardedAxisReordering of docs/host-ir.md#table-47. */
static void
test_insert_sharded_axis_reordering (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion (), inserted = NULL, reordered = NULL;
  HirTensor *a = fix_input (fusion, 3), *b = fix_unary (fusion, HIR_UNARY_RELU, a);
  HirTensor *c = fix_add (fusion, a, b);

  fix_output (fusion, c);
  fix_on_mesh (fusion, a, "0 1");
  fix_on_mesh (fusion, b, "0 1");
  fix_on_mesh (fusion, c, "0 1");
  fix_parallelize (fusion, b, 1, HIR_PARALLEL_DIDX);
  fix_parallelize (fusion, c, 1, HIR_PARALLEL_DIDX);
  inserted = fix_program (fusion, "InsertReshardings", 0);
  reordered = fix_program (fusion, "InsertReshardings ReorderShardedAxis", 0);
  g_assert_cmpuint (count_inner (inserted), >=, 1);
  g_assert_cmpuint (count_inner (reordered), ==, 0);
}

static void
test_off_by_default (void)
{
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);

  g_assert_false (hir_pipeline_get_enabled (pipeline, REORDER));
}

static void
assert_refused (HirContainer *fusion, guint line, const char *fragments)
{
  g_autoptr (GError) error = fix_refusal_of (fusion, REORDER, 0, REORDER);

  fix_assert_refusal (error, line, fragments);
}

static void
test_refused_split (void)
{
  HirTensor *in, *out;
  g_autoptr (HirContainer) fusion = op_new (FALSE, -1, -1, &in, &out);

  fix_split (fusion, in, 1, 4);
  fix_parallelize (fusion, in, 1, HIR_PARALLEL_DIDX);
  assert_refused (fusion, 8,
                  "axis ideviceIdx.x6{( ceilDiv(i2, 4) )} of tv0 (T0)|results from a split");
}

static void
test_refused_changes (void)
{
  HirTensor *in, *out;
  g_autoptr (HirContainer) kind = op_new (TRUE, 0, -1, &in, &out);

  assert_refused (kind, 2, "sum of tv0 (T0)");
}

static void
test_refused_host (void)
{
  const HirPass *pass = hir_pass_lookup (HIR_PIPELINE_EXECUTOR, REORDER);
  HirPassContext context = { .pass = pass, .n_devices = 1 };
  HirTensor *in, *out;
  g_autoptr (HirContainer) fusion = op_new (FALSE, 0, 0, &in, &out);
  g_autoptr (HirContainer) host = fix_program (fusion, "SegmentFusion", 0);
  g_autoptr (GError) error = NULL;

  g_assert_null (pass->run (hir_container_clone (host), &context, &error));
  fix_assert_refusal (error, 0, "requires a fusion");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/reorder/gather", test_gather);
  g_test_add_func ("/passes/reorder/scatter", test_scatter);
  g_test_add_func ("/passes/reorder/reduce-scatter", test_reduce_scatter);
  g_test_add_func ("/passes/reorder/readers", test_readers);
  g_test_add_func ("/passes/reorder/left-alone", test_left_alone);
  g_test_add_func ("/passes/reorder/InsertShardedAxisReordering",
                   test_insert_sharded_axis_reordering);
  g_test_add_func ("/passes/reorder/off-by-default", test_off_by_default);
  g_test_add_func ("/passes/reorder/refused/split", test_refused_split);
  g_test_add_func ("/passes/reorder/refused/changes", test_refused_changes);
  g_test_add_func ("/passes/reorder/refused/host", test_refused_host);
  return g_test_run ();
}
