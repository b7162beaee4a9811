/* Tests StreamParallelType with the cases of docs/host-ir.md#table-41, by dump and by structure,
 * and with some others. */
#include <string.h>

#include "fixture.h"
#include "structural-hash.h"

static const char *const in_loop = "StreamParallelType.initial_sync=in_loop";

static HirContainer *
last_program (HirLowering *lowering)
{
  return hir_lowering_get_last (lowering)->program;
}

static void
assert_top (HirLowering *lowering, const char *expected)
{
  g_autofree char *kinds = fix_kinds (&last_program (lowering)->top);

  g_assert_cmpstr (kinds, ==, expected);
}

static void
assert_body (HirLowering *lowering, const char *expected)
{
  g_autofree char *kinds = fix_kinds (&fix_last_loop (last_program (lowering))->u.loop.body);

  g_assert_cmpstr (kinds, ==, expected);
}

/* Lowers @fusion (taken) in both modes and checks the one loop at the end of the program. */
static HirLowering *
assert_one_loop (HirContainer *fusion, const char *before, const char *ops)
{
  g_autofree char *top = g_strdup_printf ("%s GetCurrentStream FOR FOR", before);
  g_autofree char *top_in_loop = g_strdup_printf ("%s FOR", before);
  g_autofree char *body = g_strdup_printf ("SetCurrentStream %s SetCurrentStream Synchronize", ops);
  g_autofree char *body_in_loop = g_strdup_printf (
      "GetCurrentStream SetCurrentStream Synchronize %s SetCurrentStream Synchronize", ops);
  HirLowering *lowering = fix_lower (fusion, NULL);
  g_autoptr (HirLowering) other = fix_lower (fusion, in_loop);

  assert_top (lowering, top);
  assert_body (lowering, body);
  assert_top (other, top_in_loop);
  assert_body (other, body_in_loop);
  hir_container_unref (fusion);
  return lowering;
}

static HirContainer *
sets (guint n, guint streamed)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *tensors[8] = { fix_input (fusion, 2) };

  for (guint i = 1; i <= n; i++)
    tensors[i] = fix_set (fusion, tensors[i - 1]);
  fix_output (fusion, tensors[n]);
  for (guint i = 1; i <= n; i++)
    {
      if ((streamed & (1u << i)) != 0)
        fix_stream (fusion, tensors[i], 0);
    }
  return fusion;
}

static void
test_single_set_op (void)
{
  g_autoptr (HirContainer) fusion = sets (1, 1 << 1);
  g_autoptr (HirLowering) lowering = fix_lower (fusion, in_loop);
  g_autoptr (HirLowering) separate = NULL;

  fix_assert_golden (last_program (lowering), "single_set_op.in_loop.txt");
  separate =
      assert_one_loop (hir_container_ref (fusion), "ALLOCATE", "HirAliasSelect HirAliasSelect Set");
  g_assert_true (hir_lowering_lookup (separate, "StreamParallelType")->changed);
}

static void
test_two_set_ops (void)
{
  g_autoptr (HirContainer) fusion = sets (2, 1 << 1 | 1 << 2);
  g_autoptr (HirLowering) lowering = fix_lower (fusion, in_loop);
  g_autoptr (HirLowering) separate = NULL;

  fix_assert_golden (last_program (lowering), "two_set_ops.in_loop.txt");
  /* The tensor between the two is sliced once. */
  separate = assert_one_loop (hir_container_ref (fusion), "ALLOCATE ALLOCATE",
                              "HirAliasSelect HirAliasSelect Set HirAliasSelect Set");
}

static void
test_three_set_ops (void)
{
  g_autoptr (HirContainer) fusion = sets (3, 1 << 1 | 1 << 3);
  g_autoptr (HirLowering) lowering = fix_lower (fusion, in_loop);
  g_autoptr (HirLowering) separate = fix_lower (fusion, NULL);

  fix_assert_golden (last_program (lowering), "three_set_ops_disjoint_loops.in_loop.txt");
  assert_top (separate, "ALLOCATE GetCurrentStream FOR FOR Set ALLOCATE GetCurrentStream FOR FOR");
}

/* Numbers of tensors and axes equal nvFuser's, not only up to renaming. */
static void
test_numbers (void)
{
  g_autoptr (HirContainer) fusion = sets (2, 1 << 1 | 1 << 2);
  g_autoptr (HirLowering) lowering = fix_lower (fusion, NULL);
  g_autofree char *text = hir_container_print (last_program (lowering), HIR_FORMAT_2025, NULL);

  g_assert_nonnull (strstr (text, "T2_g_float[iStreamIdx4{i0}, iS5{i2}] = ALLOCATE"));
  g_assert_nonnull (strstr (text, "T5_l_float[iS8{i2}]\n"));
  g_assert_nonnull (strstr (text, "FOR StreamIdx in iStreamIdx2{i0}:"));
  g_assert_nonnull (strstr (text, "= Set( T4_l_float[iS7{i2}], cache_op=Streaming )"));
}

static void
test_non_outermost (void)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *out = fix_set (fusion, fix_input (fusion, 2));
  g_autoptr (HirLowering) lowering = NULL;

  fix_output (fusion, out);
  fix_stream (fusion, out, 1);
  lowering = assert_one_loop (fusion, "ALLOCATE", "HirAliasSelect HirAliasSelect Set");
}

static void
test_binary (void)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *a = fix_input (fusion, 2);
  HirTensor *out = fix_add (fusion, a, fix_input (fusion, 2));
  g_autoptr (HirLowering) lowering = NULL;

  fix_output (fusion, out);
  fix_stream (fusion, out, 0);
  lowering =
      assert_one_loop (fusion, "ALLOCATE", "HirAliasSelect HirAliasSelect HirAliasSelect binary");
}

static void
test_reduction (void)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *out = fix_sum (fusion, fix_input (fusion, 3), 2);
  g_autoptr (HirLowering) lowering = NULL;
  HirExpr *reduction;

  fix_output (fusion, out);
  fix_stream (fusion, out, 0);
  lowering = assert_one_loop (fusion, "ALLOCATE", "HirAliasSelect HirAliasSelect reduction");
  /* The slice of the result keeps the reduced axis. */
  reduction = fix_last_loop (last_program (lowering))->u.loop.body.exprs.items[3];
  g_assert_cmpuint (HIR_TENSOR (reduction->outputs[0])->logical.n, ==, 2);
  g_assert_true (hir_iter_domain_is_reduction (HIR_TENSOR (reduction->outputs[0])->logical.ids[1]));
}

static HirLowering *
lower_matmul (guint rank, gint64 axis, const char *ops)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *a = fix_input (fusion, rank);
  HirTensor *out = fix_matmul (fusion, a, fix_input (fusion, 2));

  fix_output (fusion, out);
  fix_stream (fusion, out, axis);
  return assert_one_loop (fusion, "ALLOCATE", ops);
}

static void
test_matmul (void)
{
  g_autoptr (HirLowering) m = lower_matmul (2, 0, "HirAliasSelect HirAliasSelect matmul");
  g_autoptr (HirLowering) n = lower_matmul (2, 1, "HirAliasSelect HirAliasSelect matmul");
  g_autoptr (HirLowering) batch = lower_matmul (3, 0, "HirAliasSelect HirAliasSelect matmul");
  g_autoptr (HirLowering) batched_m = lower_matmul (3, 1, "HirAliasSelect HirAliasSelect matmul");
  HirExpr *select = fix_last_loop (last_program (n))->u.loop.body.exprs.items[1];

  /* Streamed on N, the second operand is sliced along its last axis. */
  g_assert_cmpint (HIR_TENSOR (select->inputs[0])->base.name, ==, 1);
  g_assert_cmpint (select->u.alias_select.axis, ==, 1);
}

static void
test_linear_n (void)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *in = fix_input (fusion, 2);
  HirTensor *weight = fix_input (fusion, 2);
  HirTensor *out = fix_linear (fusion, in, weight, fix_input (fusion, 1));
  g_autoptr (HirLowering) lowering = NULL;
  HirExpr *linear;

  fix_output (fusion, out);
  fix_stream (fusion, out, 1);
  lowering =
      assert_one_loop (fusion, "ALLOCATE", "HirAliasSelect HirAliasSelect HirAliasSelect linear");
  linear = fix_last_loop (last_program (lowering))->u.loop.body.exprs.items[4];
  g_assert_cmpuint (HIR_TENSOR (linear->inputs[0])->logical.n, ==, 2);
  g_assert_cmpuint (HIR_TENSOR (linear->inputs[1])->logical.n, ==, 1);
  g_assert_cmpuint (HIR_TENSOR (linear->inputs[2])->logical.n, ==, 0);
}

/* Two adjacent ops with different stream axes: two loops. */
static void
test_other_axis (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *first = fix_set (fusion, fix_input (fusion, 2));
  HirTensor *second = fix_set (fusion, first);
  g_autoptr (HirLowering) lowering = NULL;

  fix_output (fusion, second);
  fix_stream (fusion, first, 0);
  fix_stream (fusion, second, 1);
  lowering = fix_lower (fusion, NULL);
  assert_top (lowering, "ALLOCATE GetCurrentStream FOR FOR ALLOCATE GetCurrentStream FOR FOR");
}

/* Ops inside a HostUnit relate no axes (docs/host-ir.md#axis-map): sets of `in` and of abs(in)
 * share no loop. */
static void
test_host_unit_between (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *in = fix_input (fusion, 2);
  HirTensor *a = fix_set (fusion, in);
  HirTensor *b = fix_set (fusion, fix_unary (fusion, HIR_UNARY_ABS, in));
  g_autoptr (HirLowering) lowering = NULL;

  fix_output (fusion, a);
  fix_output (fusion, b);
  fix_stream (fusion, a, 0);
  fix_stream (fusion, b, 0);
  lowering = fix_lower (fusion, in_loop);
  assert_top (lowering, "ALLOCATE FOR PostOnStream ALLOCATE FOR");
}

/* A loop over a broadcast axis has one iteration: ops with another axis do not join it. */
static void
test_broadcast_axis (void)
{
  static const gint64 row[] = { 1, -1 };
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *one = fix_set (fusion, fix_input_of (fusion, row, 2, HIR_DTYPE_FLOAT));
  HirTensor *all = fix_input (fusion, 2);
  HirTensor *out = fix_add (fusion, all, one);
  g_autoptr (HirLowering) lowering = NULL;

  fix_output (fusion, out);
  fix_stream (fusion, one, 0);
  fix_stream (fusion, out, 0);
  lowering = fix_lower (fusion, in_loop);
  assert_top (lowering, "ALLOCATE FOR ALLOCATE FOR");
}

/* Two axes that are each mapped to a broadcast axis may differ in extent. */
static void
test_broadcast_relates (void)
{
  static const gint64 row[] = { 1, -1 };
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *one = fix_input_of (fusion, row, 2, HIR_DTYPE_FLOAT);
  HirTensor *a = fix_add (fusion, fix_input (fusion, 2), one);
  HirTensor *b = fix_add (fusion, fix_input (fusion, 2), one);
  g_autoptr (HirLowering) lowering = NULL;

  fix_output (fusion, a);
  fix_output (fusion, b);
  fix_stream (fusion, a, 0);
  fix_stream (fusion, b, 0);
  lowering = fix_lower (fusion, in_loop);
  assert_top (lowering, "ALLOCATE FOR ALLOCATE FOR");
}

/* Extents with different names, but axes related by ops: one loop, as in nvFuser. */
static void
test_same_axis_other_extent (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *a = fix_input (fusion, 2);
  HirTensor *b = fix_input (fusion, 2);
  HirTensor *sum = fix_add (fusion, a, b);
  HirTensor *copy = fix_set (fusion, b);
  g_autoptr (HirLowering) lowering = NULL;

  fix_output (fusion, sum);
  fix_output (fusion, copy);
  fix_stream (fusion, sum, 0);
  fix_stream (fusion, copy, 0);
  lowering = fix_lower (fusion, in_loop);
  assert_top (lowering, "ALLOCATE ALLOCATE FOR");
}

/* An axis that the slice does not cut: its bounds match the sliced operand. */
static void
test_slice_op (void)
{
  static const gint64 shape[] = { 4, 6 }, start[] = { 0, 1 }, stop[] = { 4, 5 };
  HirContainer *fusion = fix_fusion ();
  HirTensor *in = fix_input_of (fusion, shape, 2, HIR_DTYPE_FLOAT);
  g_autoptr (HirLowering) lowering = NULL;
  GError *error = NULL;
  HirTensor *out = hir_op_slice (fusion, in, start, stop, NULL, 2, &error);
  HirExpr *slice;

  g_assert_no_error (error);
  fix_output (fusion, out);
  fix_stream (fusion, out, 0);
  lowering = assert_one_loop (fusion, "ALLOCATE", "HirAliasSelect HirAliasSelect slice");
  slice = fix_last_loop (last_program (lowering))->u.loop.body.exprs.items[3];
  g_assert_cmpuint (slice->u.slice.n, ==, 1);
  g_assert_true (hir_scalar_is_const_int (slice->u.slice.start[0], 1));
  g_assert_true (hir_scalar_is_const_int (slice->u.slice.stop[0], 5));
}

/* Select of an axis other than the stream's: selects from the slice. */
static void
test_select_op (void)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *in = fix_input (fusion, 3);
  g_autoptr (HirLowering) lowering = NULL;
  GError *error = NULL;
  HirTensor *out =
      hir_op_select (fusion, in, hir_scalar_new_int (fusion, 1, HIR_DTYPE_INDEX), 2, &error);
  HirExpr *select;

  g_assert_no_error (error);
  fix_output (fusion, out);
  fix_stream (fusion, out, 0);
  lowering = assert_one_loop (fusion, "ALLOCATE", "HirAliasSelect HirAliasSelect select");
  select = fix_last_loop (last_program (lowering))->u.loop.body.exprs.items[3];
  g_assert_true (select->u.select.axis == HIR_TENSOR (select->inputs[0])->logical.ids[1]);
}

/* Without stream axes the pass does nothing, and the snapshot shows this. */
static void
test_nothing_to_do (void)
{
  g_autoptr (HirContainer) fusion = sets (2, 0);
  g_autoptr (HirLowering) lowering = fix_lower (fusion, NULL);
  HirSnapshot *snapshot = hir_lowering_lookup (lowering, "StreamParallelType");

  g_assert_false (snapshot->changed);
  g_assert_cmpuint (snapshot->n_created + snapshot->n_changed + snapshot->n_removed, ==, 0);
}

/* The pass does not change its own result. */
static void
test_again (void)
{
  g_autoptr (HirContainer) fusion = sets (2, 1 << 1 | 1 << 2);
  g_autoptr (HirLowering) lowering = fix_lower (fusion, NULL);
  g_autoptr (GHashTable) options = g_hash_table_new (g_str_hash, g_str_equal);
  HirPassContext context = { .pass = &hir_pass_stream_parallel_type, .options = options };
  HirContainer *once = last_program (lowering);
  g_autoptr (HirContainer) twice = hir_container_clone (once);
  GError *error = NULL;

  g_hash_table_insert (options, (char *) "initial_sync", (char *) "separate");
  hir_maker_begin (twice, "StreamParallelType", 0);
  twice = hir_pass_stream_parallel_type.run (twice, &context, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hir_container_hash (twice), ==, hir_container_hash (once));
}

static gboolean
has_origin (const HirNode *node, guint64 id)
{
  for (guint i = 0; i < node->n_origins; i++)
    {
      if (node->origins[i] == id)
        return TRUE;
    }
  return FALSE;
}

/* Every new node has its origins and its script line. */
static void
test_origins (void)
{
  g_autoptr (HirContainer) fusion = sets (1, 1 << 1);
  g_autoptr (HirLowering) lowering = fix_lower (fusion, NULL);
  HirContainer *program = last_program (lowering);
  HirTensor *out = HIR_TENSOR (program->outputs.items[0]);
  HirExpr *set = hir_lowering_lookup (lowering, "SegmentFusion")->program->top.exprs.items[0];
  HirExpr *allocate = program->top.exprs.items[0];
  HirExpr *sync = program->top.exprs.items[2];
  HirExpr *loop = program->top.exprs.items[3];
  HirExpr *select = loop->u.loop.body.exprs.items[1];
  HirExpr *rewritten = loop->u.loop.body.exprs.items[3];

  g_assert_true (has_origin (&allocate->node, out->base.node.id));
  g_assert_true (has_origin (&loop->node, out->loop.ids[0]->base.node.id));
  g_assert_true (has_origin (&loop->node, set->node.id));
  g_assert_true (has_origin (&sync->node, loop->node.id));
  g_assert_true (has_origin (&select->node, set->node.id));
  g_assert_true (has_origin (&select->node, select->inputs[0]->node.id));
  g_assert_true (has_origin (&select->u.alias_select.out->base.node, select->inputs[0]->node.id));
  g_assert_true (has_origin (&rewritten->node, set->node.id));
  g_assert_cmpuint (rewritten->node.pos.line, ==, 2);
  g_assert_cmpuint (loop->node.pos.line, ==, 4);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/stream/single-set-op", test_single_set_op);
  g_test_add_func ("/passes/stream/two-set-ops", test_two_set_ops);
  g_test_add_func ("/passes/stream/three-set-ops", test_three_set_ops);
  g_test_add_func ("/passes/stream/numbers", test_numbers);
  g_test_add_func ("/passes/stream/non-outermost", test_non_outermost);
  g_test_add_func ("/passes/stream/binary", test_binary);
  g_test_add_func ("/passes/stream/reduction", test_reduction);
  g_test_add_func ("/passes/stream/matmul", test_matmul);
  g_test_add_func ("/passes/stream/linear-n", test_linear_n);
  g_test_add_func ("/passes/stream/other-axis", test_other_axis);
  g_test_add_func ("/passes/stream/host-unit-between", test_host_unit_between);
  g_test_add_func ("/passes/stream/broadcast-axis", test_broadcast_axis);
  g_test_add_func ("/passes/stream/broadcast-relates", test_broadcast_relates);
  g_test_add_func ("/passes/stream/same-axis-other-extent", test_same_axis_other_extent);
  g_test_add_func ("/passes/stream/slice", test_slice_op);
  g_test_add_func ("/passes/stream/select", test_select_op);
  g_test_add_func ("/passes/stream/nothing-to-do", test_nothing_to_do);
  g_test_add_func ("/passes/stream/again", test_again);
  g_test_add_func ("/passes/stream/origins", test_origins);
  return g_test_run ();
}
