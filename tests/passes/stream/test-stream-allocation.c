/* Tests the stream-aware rules of October 2025: scenarios of docs/host-ir.md#table-43 under their
 * names, inspected after FinalizeMultideviceDomains. */
#include "fixture.h"
#include "schedule/sharding.h"

static HirTensor *
add_scalar (HirContainer *fusion, HirTensor *in, HirBinaryOp op, double value)
{
  GError *error = NULL;
  HirTensor *out =
      hir_op_binary (fusion, op, HIR_VAL (in),
                     HIR_VAL (hir_scalar_new_double (fusion, value, HIR_DTYPE_FLOAT)), &error);

  g_assert_no_error (error);
  return out;
}

static void
outer_split (HirContainer *fusion, HirTensor *tensor, gint64 axis, gint64 factor)
{
  GError *error = NULL;

  g_assert_true (hir_schedule_split (tensor, axis,
                                     hir_scalar_new_int (fusion, factor, HIR_DTYPE_INDEX), FALSE,
                                     &error));
  g_assert_no_error (error);
}

/* Returns the fusion after pass @last with both options on. StreamParallelType, which rejects
 * streamed inputs, does not run. */
static HirContainer *
lower_to (HirContainer *fusion, const char *last, HirLowering **lowering)
{
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);
  GError *error = NULL;
  HirSnapshot *snapshot;

  g_assert_true (hir_pipeline_set_option (pipeline,
                                          "FinalizeMultideviceDomains.stream_allocation=on",
                                          &error));
  g_assert_true (hir_pipeline_set_option (pipeline, "PropagateShardings.streams=on", &error));
  *lowering = hir_pipeline_run (pipeline, fusion, 0, 1, NULL);
  snapshot = hir_lowering_lookup (*lowering, last);
  if (snapshot != NULL)
    return snapshot->program;
  g_error ("no snapshot after %s: %s", last,
           (*lowering)->error != NULL ? (*lowering)->error->message : "");
}

static HirTensor *
same (HirContainer *program, const HirTensor *tensor)
{
  HirTensor *found = hir_container_lookup_tensor (program, tensor->base.node.id);

  g_assert_nonnull (found);
  return found;
}

static gboolean
is_same_domain (const HirDomain *a, const HirDomain *b)
{
  gboolean same_ids = a->n == b->n;

  for (guint i = 0; same_ids && i < a->n; i++)
    same_ids = a->ids[i] == b->ids[i];
  return same_ids;
}

/* Axis 0 is over streams; the allocation domain equals the loop domain or the logical one. */
static void
assert_layout (HirContainer *program, const HirTensor *tensor, gboolean as_loop)
{
  const HirTensor *found = same (program, tensor);
  const HirDomain *allocation = hir_tensor_get_maybe_allocation (found);

  g_assert_true (hir_iter_domain_is_stream (found->loop.ids[0]));
  g_assert_true (is_same_domain (allocation, as_loop ? &found->loop : &found->logical));
  g_assert_false (is_same_domain (allocation, as_loop ? &found->logical : &found->loop));
}

/* tv1 = tv0 + 1; tv2 = sum (tv1, 2); tv3 = tv1 / 2; tv0 is over 2 streams. */
typedef struct
{
  HirContainer *fusion;
  HirTensor *tv[4];
} Example;

static Example
example_new (void)
{
  static const gint64 shape[] = { 4, 6, 8 };
  Example e = { fix_fusion (), { NULL } };

  e.tv[0] = fix_input_of (e.fusion, shape, 3, HIR_DTYPE_FLOAT);
  e.tv[1] = add_scalar (e.fusion, e.tv[0], HIR_BINARY_ADD, 1);
  e.tv[2] = fix_sum (e.fusion, e.tv[1], 2);
  e.tv[3] = add_scalar (e.fusion, e.tv[1], HIR_BINARY_DIV, 2);
  fix_output (e.fusion, e.tv[2]);
  fix_output (e.fusion, e.tv[3]);
  outer_split (e.fusion, e.tv[0], 0, 2);
  fix_stream (e.fusion, e.tv[0], 0);
  return e;
}

static void
test_sharded_allocation (void)
{
  Example e = example_new ();
  g_autoptr (HirLowering) lowering = NULL;
  HirContainer *program = lower_to (e.fusion, "FinalizeMultideviceDomains", &lowering);

  for (guint i = 0; i < 4; i++)
    assert_layout (program, e.tv[i], i == 1);
  hir_container_unref (e.fusion);
}

static void
test_replicated_allocation (void)
{
  Example e = example_new ();
  g_autoptr (HirLowering) lowering = NULL;
  HirContainer *program;

  outer_split (e.fusion, e.tv[2], 1, 2);
  fix_stream (e.fusion, e.tv[2], 1);
  program = lower_to (e.fusion, "FinalizeMultideviceDomains", &lowering);
  for (guint i = 0; i < 4; i++)
    assert_layout (program, e.tv[i], FALSE);
  hir_container_unref (e.fusion);
}

/* No changes without the option. */
static void
test_off (void)
{
  Example e = example_new ();
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);
  g_autoptr (HirLowering) lowering = hir_pipeline_run (pipeline, e.fusion, 0, 1, NULL);

  for (guint i = 0; i < lowering->snapshots->len; i++)
    {
      const HirSnapshot *snapshot = lowering->snapshots->pdata[i];

      if (snapshot->program->kind == HIR_CONTAINER_FUSION)
        g_assert_false (same (snapshot->program, e.tv[1])->has_allocation);
    }
  hir_container_unref (e.fusion);
}

static gboolean
differ (const HirTensor *producer, const HirTensor *consumer)
{
  GError *error = NULL;
  gboolean different;

  g_assert_true (hir_expr_have_different_shardings (consumer->definition, producer, consumer,
                                                    HIR_PARALLEL_BIT (HIR_PARALLEL_STREAM),
                                                    &different, &error));
  g_assert_no_error (error);
  return different;
}

static void
test_have_different_shardings (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *tv1 = fix_set (fusion, fix_input (fusion, 3));
  HirTensor *tv2 = fix_set (fusion, tv1), *tv3 = fix_set (fusion, tv2);

  fix_output (fusion, tv3);
  outer_split (fusion, tv1, 0, 2);
  fix_stream (fusion, tv1, 0);
  outer_split (fusion, tv2, 0, 2);
  fix_stream (fusion, tv2, 0);
  outer_split (fusion, tv3, 1, 2);
  fix_stream (fusion, tv3, 1);
  g_assert_false (differ (tv1, tv2));
  g_assert_true (differ (tv2, tv3));
}

static void
test_forward_propagation (void)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *in = fix_input (fusion, 2), *w = fix_input (fusion, 2);
  HirTensor *out = fix_matmul (fusion, in, w);
  g_autoptr (HirLowering) lowering = NULL;
  HirContainer *program;

  fix_output (fusion, out);
  outer_split (fusion, w, 1, 2);
  fix_stream (fusion, w, 1);
  program = lower_to (fusion, "PropagateShardings", &lowering);
  g_assert_true (hir_iter_domain_is_stream (same (program, out)->loop.ids[1]));
  hir_container_unref (fusion);
}

static void
test_backward_propagation (void)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *tv0 = fix_input (fusion, 1);
  HirTensor *tv1 = add_scalar (fusion, tv0, HIR_BINARY_ADD, 1);
  HirTensor *tv2 = fix_add (fusion, tv0, tv1);
  const HirTensor *all[] = { tv0, tv1, tv2 };
  g_autoptr (HirLowering) lowering = NULL;
  HirContainer *program;

  fix_output (fusion, tv2);
  outer_split (fusion, tv2, 0, 2);
  fix_stream (fusion, tv2, 0);
  program = lower_to (fusion, "PropagateShardings", &lowering);
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    g_assert_true (hir_iter_domain_is_stream (same (program, all[i])->loop.ids[0]));
  hir_container_unref (fusion);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stream-allocation/ShardedAllocation", test_sharded_allocation);
  g_test_add_func ("/stream-allocation/ReplicatedAllocation", test_replicated_allocation);
  g_test_add_func ("/stream-allocation/off", test_off);
  g_test_add_func ("/stream-allocation/HaveDifferentShardings", test_have_different_shardings);
  g_test_add_func ("/stream-allocation/ForwardPropagation", test_forward_propagation);
  g_test_add_func ("/stream-allocation/BackwardPropagation", test_backward_propagation);
  return g_test_run ();
}
