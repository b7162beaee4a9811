/* Tests the host program created by SegmentFusion: HostUnits and their inputs, memory types, order,
 * identity. */
#include <string.h>

#include "fixture.h"

static HirContainer *
segmented (HirLowering *lowering)
{
  return hir_lowering_lookup (lowering, "SegmentFusion")->program;
}

static char *
print (HirContainer *program)
{
  return hir_container_print (program, HIR_FORMAT_2025, NULL);
}

/* docs/host-ir.md#hostunit-inputs: relu of a matmul result reads it in the unit with new axes and
 * without the reduced one; their numbers follow all numbers of the fusion. */
static void
test_unit_input (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *a = fix_input (fusion, 2);
  HirTensor *product = fix_matmul (fusion, a, fix_input (fusion, 2));
  HirTensor *out = fix_unary (fusion, HIR_UNARY_RELU, product);
  g_autoptr (HirLowering) lowering = NULL;
  HirHostUnit *unit;
  HirTensor *input;

  fix_output (fusion, out);
  lowering = fix_lower (fusion, NULL);
  unit = segmented (lowering)->units.items[0];
  input = HIR_TENSOR (unit->fusion->inputs.items[0]);
  g_assert_cmpint (input->base.name, ==, product->base.name);
  g_assert_cmpuint (input->logical.n, ==, 2);
  g_assert_cmpint (input->logical.ids[0]->base.name, ==, 9);
  g_assert_cmpint (input->logical.ids[1]->base.name, ==, 10);
  g_assert_false (input->has_root);
  g_assert_cmpint (input->memory, ==, HIR_MEMORY_GLOBAL);
  /* Unchanged outside the unit. */
  g_assert_cmpuint (HIR_TENSOR (((HirExpr *) segmented (lowering)->top.exprs.items[1])->inputs[0])
                        ->logical.n,
                    ==, 3);
  g_assert_cmpint (segmented (lowering)->val_counter[HIR_VAL_ITER_DOMAIN], ==, 11);
}

static void
test_permuted_unit_input (void)
{
  static const gint64 dims[] = { 1, 0 };
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *in = fix_set (fusion, fix_input (fusion, 2));
  GError *error = NULL;
  HirTensor *turned = hir_op_permute (fusion, in, dims, 2, &error);
  HirTensor *set = fix_set (fusion, turned);
  HirTensor *out;
  g_autoptr (HirLowering) lowering = NULL;
  HirContainer *host;

  g_assert_no_error (error);
  out = fix_unary (fusion, HIR_UNARY_ABS, fix_add (fusion, set, turned));
  fix_output (fusion, out);
  lowering = fix_lower (fusion, NULL);
  host = segmented (lowering);
  g_assert_cmpuint (host->units.len, ==, 2);
  /* Outside the unit that permutes, the result is as it is in memory: no root domain. */
  g_assert_true (
      HIR_TENSOR (((HirHostUnit *) host->units.items[0])->fusion->outputs.items[0])->has_root);
}

/* Tensors of the container are Global; tensors inside a unit are Local. */
static void
test_memory (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *set = fix_set (fusion, fix_input (fusion, 1));
  HirTensor *hidden = fix_unary (fusion, HIR_UNARY_ABS, set);
  HirTensor *out = fix_set (fusion, fix_unary (fusion, HIR_UNARY_NEG, hidden));
  g_autoptr (HirLowering) lowering = NULL;
  HirContainer *host, *unit;

  fix_output (fusion, out);
  lowering = fix_lower (fusion, NULL);
  host = segmented (lowering);
  unit = ((HirHostUnit *) host->units.items[0])->fusion;
  for (guint i = 0; i < host->tensors.len; i++)
    g_assert_cmpint (((HirTensor *) host->tensors.items[i])->memory, ==, HIR_MEMORY_GLOBAL);
  g_assert_null (hir_container_lookup_tensor (host, 0));
  g_assert_cmpint (hir_container_lookup_tensor (unit, hidden->base.node.id)->memory, ==,
                   HIR_MEMORY_LOCAL);
  /* The number of the hidden tensor is not reused. */
  g_assert_cmpint (host->val_counter[HIR_VAL_TENSOR], ==, fusion->val_counter[HIR_VAL_TENSOR]);
}

/* A forwarded input is computed again for each standalone reader. */
static void
test_chain (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *abs = fix_unary (fusion, HIR_UNARY_ABS, fix_input (fusion, 2));
  HirTensor *a = fix_set (fusion, abs);
  HirTensor *b = fix_set (fusion, abs);
  g_autoptr (HirLowering) lowering = NULL;
  g_autofree char *kinds = NULL;
  HirExpr *first, *second;

  fix_output (fusion, a);
  fix_output (fusion, b);
  lowering = fix_lower (fusion, NULL);
  kinds = fix_kinds (&segmented (lowering)->top);
  g_assert_cmpstr (kinds, ==, "PostOnStream PostOnStream Set Set");
  first = segmented (lowering)->top.exprs.items[0];
  second = segmented (lowering)->top.exprs.items[1];
  g_assert_true (first->outputs[0] == second->outputs[0]);
  g_assert_cmpuint (first->node.id, !=, second->node.id);
  g_assert_cmpuint (first->node.origins[0], ==, abs->definition->node.id);
  g_assert_cmpuint (second->node.origins[0], ==, abs->definition->node.id);
}

/* `full` is forwarded like an input (docs/host-ir.md#forwarded-inputs), and its unit reads only
 * scalars: the value, and the extent of a tensor outside the unit. */
static void
test_full (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *in = fix_input (fusion, 1);
  HirScalar *value = hir_define_scalar (fusion, HIR_DTYPE_DOUBLE);
  HirScalar *shape[] = { in->logical.ids[0]->extent };
  GError *error = NULL;
  HirTensor *full = hir_op_full (fusion, shape, 1, value, HIR_DTYPE_FLOAT, &error);
  g_autoptr (HirLowering) lowering = NULL;
  g_autofree char *kinds = NULL;
  HirExpr *post;

  g_assert_no_error (error);
  fix_output (fusion, fix_add (fusion, in, full));
  fix_output (fusion, fix_set (fusion, full));
  fix_output (fusion, fix_unary (fusion, HIR_UNARY_ABS, full));
  lowering = fix_lower (fusion, NULL);
  kinds = fix_kinds (&segmented (lowering)->top);
  g_assert_cmpstr (kinds, ==, "PostOnStream PostOnStream PostOnStream binary Set");
  post = segmented (lowering)->top.exprs.items[0];
  g_assert_cmpuint (post->n_inputs, ==, 2);
  g_assert_cmpuint (post->inputs[0]->node.id, ==, shape[0]->base.node.id);
  g_assert_cmpuint (post->inputs[1]->node.id, ==, value->base.node.id);
}

/* nvFuser of 2025 throws here; Hirscope treats a cast as any op. */
static void
test_up_cast (void)
{
  static const gint64 shape[] = { -1, -1 };
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *in = fix_input_of (fusion, shape, 2, HIR_DTYPE_BFLOAT16);
  HirTensor *wide = fix_cast (fusion, fix_set (fusion, in), HIR_DTYPE_FLOAT);
  g_autoptr (HirLowering) lowering = NULL;
  g_autofree char *kinds = NULL;

  fix_output (fusion, fix_set (fusion, wide));
  lowering = fix_lower (fusion, NULL);
  kinds = fix_kinds (&segmented (lowering)->top);
  g_assert_cmpstr (kinds, ==, "Set PostOnStream Set");
}

/* A unit that uses a scalar input of the fusion gets it as an input. */
static void
test_scalar_input (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *in = fix_set (fusion, fix_input (fusion, 2));
  HirScalar *scalar = hir_define_scalar (fusion, HIR_DTYPE_DOUBLE);
  HirVal *operands[] = { HIR_VAL (in), HIR_VAL (in), HIR_VAL (scalar) };
  GError *error = NULL;
  HirTensor *out = hir_op_ternary (fusion, HIR_TERNARY_LERP, operands, 3, &error);
  g_autoptr (HirLowering) lowering = NULL;
  HirExpr *post;

  g_assert_no_error (error);
  fix_output (fusion, out);
  lowering = fix_lower (fusion, NULL);
  post = segmented (lowering)->top.exprs.items[1];
  g_assert_cmpuint (post->n_inputs, ==, 2);
  /* Inputs of the fusion come first. */
  g_assert_cmpuint (post->inputs[0]->node.id, ==, scalar->base.node.id);
  g_assert_cmpuint (post->u.post.unit->fusion->inputs.len, ==, 2);
}

/* Refusal 23 of docs/host-ir.md#refusals: the unit sees only the memory layout of a tensor, which
 * is undetermined here. */
static void
test_transformed_unit_input (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *set = fix_set (fusion, fix_input (fusion, 2));
  HirTensor *out = fix_unary (fusion, HIR_UNARY_ABS, set);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirLowering) lowering = NULL;

  fix_output (fusion, out);
  fix_split (fusion, set, 0, 2);
  error = fix_refusal (fusion);
  g_assert_error (error, HIR_ERROR, HIR_ERROR_REFUSED);
  g_assert_nonnull (strstr (error->message, "T1"));
  g_assert_nonnull (strstr (error->message, "HostUnit"));
  g_assert_nonnull (strstr (error->message, "abs"));
  g_assert_cmpuint (hir_error_get_pos (error).line, ==, 5);

  hir_schedule_set_allocation_as_loop (set);
  lowering = fix_lower (fusion, NULL);
  g_assert_nonnull (lowering);
}

/* Dead ops and their operands are dropped; the fusion itself does not change. */
static void
test_dead_op (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *in = fix_input (fusion, 2);
  HirTensor *dead = fix_unary (fusion, HIR_UNARY_ABS, in);
  HirTensor *out = fix_set (fusion, in);
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  g_autoptr (HirLowering) lowering = NULL;
  g_autofree char *kinds = NULL;

  fix_output (fusion, out);
  before = print (fusion);
  lowering = fix_lower (fusion, NULL);
  after = print (fusion);
  kinds = fix_kinds (&segmented (lowering)->top);
  g_assert_cmpstr (kinds, ==, "Set");
  g_assert_null (hir_container_lookup_tensor (segmented (lowering), dead->base.node.id));
  g_assert_cmpstr (before, ==, after);
}

/* Device 0 runs ops on no mesh; the other devices have nothing to do
 * (docs/host-ir.md#segmentfusion). */
static void
test_other_rank (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);
  g_autoptr (HirLowering) lowering = NULL;

  fix_output (fusion, fix_set (fusion, fix_input (fusion, 2)));
  lowering = hir_pipeline_run (pipeline, fusion, 1, 2, NULL);
  g_assert_no_error (lowering->error);
  g_assert_cmpuint (hir_lowering_get_last (lowering)->program->top.exprs.len, ==, 0);
}

/* Nodes that a pass does not change keep their ids; editing one op changes no id of another. */
static void
test_ids (void)
{
  guint64 ids[2][3];

  for (guint k = 0; k < 2; k++)
    {
      g_autoptr (HirContainer) fusion = fix_fusion ();
      HirTensor *in = fix_input (fusion, 2);
      HirTensor *a = fix_set (fusion, in);
      HirTensor *b = fix_unary (fusion, HIR_UNARY_ABS, a);
      g_autoptr (HirLowering) lowering = NULL;
      HirContainer *host;

      fix_output (fusion, b);
      if (k == 1)
        fix_output (fusion, fix_sum (fusion, a, 0));
      lowering = fix_lower (fusion, NULL);
      host = segmented (lowering);
      ids[k][0] = ((HirExpr *) host->top.exprs.items[0])->node.id;
      ids[k][1] = ((HirExpr *) host->top.exprs.items[1])->node.id;
      ids[k][2] = ((HirHostUnit *) host->units.items[0])->node.id;
      g_assert_cmpuint (ids[k][0], ==, a->definition->node.id);
    }
  g_assert_cmpmem (ids[0], sizeof ids[0], ids[1], sizeof ids[1]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/segment-fusion/unit-input", test_unit_input);
  g_test_add_func ("/passes/segment-fusion/permuted-unit-input", test_permuted_unit_input);
  g_test_add_func ("/passes/segment-fusion/memory", test_memory);
  g_test_add_func ("/passes/segment-fusion/chain", test_chain);
  g_test_add_func ("/passes/segment-fusion/full", test_full);
  g_test_add_func ("/passes/segment-fusion/up-cast", test_up_cast);
  g_test_add_func ("/passes/segment-fusion/scalar-input", test_scalar_input);
  g_test_add_func ("/passes/segment-fusion/transformed-unit-input", test_transformed_unit_input);
  g_test_add_func ("/passes/segment-fusion/dead-op", test_dead_op);
  g_test_add_func ("/passes/segment-fusion/other-rank", test_other_rank);
  g_test_add_func ("/passes/segment-fusion/ids", test_ids);
  return g_test_run ();
}
