/* Tests InsertReshardings: positions and shardings of the inserted sets, and split reductions. */
#include <string.h>

#include "fixture-devices.h"
#include "schedule/sharding.h"

#define PASS "InsertReshardings"
#define DX HIR_PARALLEL_DIDX

static HirContainer *
inserted (HirContainer *fusion)
{
  return fix_program (fusion, PASS, 0);
}

static const HirTensor *
find (HirContainer *program, int name)
{
  for (guint i = 0; i < program->tensors.len; i++)
    {
      const HirTensor *tensor = program->tensors.items[i];

      if (tensor->base.name == name)
        return tensor;
    }
  g_assert_not_reached ();
}

static void
assert_tensor (HirContainer *program, int name, const char *expected)
{
  g_autofree char *text = hir_tensor_to_string (find (program, name));

  g_assert_cmpstr (text, ==, expected);
}

/* Compares the Exprs in program order: `T2=Set(T0) T3=matmul(T2,T1)`. */
static void
assert_exprs (HirContainer *program, const char *expected)
{
  g_autoptr (GPtrArray) exprs = hir_fusion_dup_exprs (program);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < exprs->len; i++)
    {
      const HirExpr *expr = exprs->pdata[i];

      g_string_append_printf (text, "%sT%d=%s(", i > 0 ? " " : "", expr->outputs[0]->name,
                              hir_expr_get_op_name (expr));
      for (guint k = 0; k < expr->n_inputs; k++)
        g_string_append_printf (text, "%sT%d", k > 0 ? "," : "", expr->inputs[k]->name);
      g_string_append_c (text, ')');
    }
  g_assert_cmpstr (text->str, ==, expected);
}

static void
split_outer (HirContainer *fusion, HirTensor *tensor, gint64 axis, gint64 factor)
{
  GError *error = NULL;

  hir_schedule_split (tensor, axis, hir_scalar_new_int (fusion, factor, HIR_DTYPE_INDEX), FALSE,
                      &error);
  g_assert_no_error (error);
}

/* Checks that every op that still reshards is a communication. */
static void
assert_all_lowerable (HirContainer *program)
{
  g_autoptr (GPtrArray) exprs = hir_fusion_dup_exprs (program);

  for (guint i = 0; i < exprs->len; i++)
    g_assert_true (hir_expr_can_lower (exprs->pdata[i], TRUE, NULL));
}

/* docs/host-ir.md#table-47: c = a + b on {0, 1}, c on {2}; after the pass, the operands of c have
 * the sharding of c. */
static void
test_before (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *b = fix_input (f, 2), *c = fix_add (f, a, b);
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, c);
  fix_on_mesh (f, a, "0 1");
  fix_on_mesh (f, b, "0 1");
  fix_on_mesh (f, c, "2");
  fix_parallelize (f, a, 0, DX);
  fix_parallelize (f, c, 1, DX);
  program = inserted (f);
  assert_exprs (program, "T3=Set(T0) T4=Set(T1) T2=add(T3,T4)");
  assert_tensor (program, 2, "T2_g_float[iS4{i0}, ideviceIdx.x5{i2}] (DeviceMesh{2})");
  assert_tensor (program, 3, "T3_l_float[iS6{i0}, ideviceIdx.x7{i2}] (DeviceMesh{2})");
  assert_tensor (program, 4, "T4_l_float[iS8{i3}, ideviceIdx.x9{i4}] (DeviceMesh{2})");
  assert_all_lowerable (program);
}

/* docs/host-ir.md#table-47: b = relu (a); the last Expr is a set whose operand has the sharding of
 * a. */
static void
test_after (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *b = fix_unary (f, HIR_UNARY_RELU, a);
  g_autoptr (HirContainer) program = NULL;
  const HirTensor *set;

  fix_output (f, b);
  fix_on_mesh (f, a, "0 1");
  fix_on_mesh (f, b, "2");
  fix_parallelize (f, a, 0, DX);
  fix_parallelize (f, b, 1, DX);
  program = inserted (f);
  assert_exprs (program, "T1=relu(T0) T2=Set(T1)");
  assert_tensor (program, 1, "T1_l_float[ideviceIdx.x2{i0}, iS3{i2}] (DeviceMesh{0 1})");
  assert_tensor (program, 2, "T2_g_float[iS4{i0}, ideviceIdx.x5{i2}] (DeviceMesh{2})");
  set = find (program, 2);
  g_assert_true (program->outputs.items[0] == set);
  g_assert_cmpuint (set->base.node.n_origins, ==, 2);
  g_assert_cmpuint (set->base.node.origins[1], ==, b->base.node.id);
  g_assert_cmpuint (set->base.node.pos.line, ==, b->base.node.pos.line);
}

/* The numbers and the stream axis of the golden ag_matmul. */
static void
test_ag_matmul (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 4), *b = fix_input (f, 2), *c = fix_matmul (f, a, b);
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, c);
  fix_on_mesh (f, a, "0 1 2 3");
  fix_on_mesh (f, b, "0 1 2 3");
  fix_on_mesh (f, c, "0 1 2 3");
  fix_parallelize (f, a, 1, DX);
  fix_stream (f, c, 0);
  program = inserted (f);
  assert_exprs (program, "T3=Set(T0) T2=matmul(T3,T1)");
  assert_tensor (program, 3,
                 "T3_l_float[iStreamIdx11{i0}, iS12{i2}, iS13{i3}, iS14{i4}] (DeviceMesh{0 1 2 "
                 "3})");
}

/* Readers of the result read the set's result. */
static void
test_after_with_readers (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *b = fix_unary (f, HIR_UNARY_ABS, a);
  HirTensor *c = fix_add (f, b, b), *tensors[] = { a, b, c };
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, b);
  fix_output (f, c);
  for (guint i = 0; i < 3; i++)
    fix_on_mesh (f, tensors[i], "0 1");
  fix_parallelize (f, a, 0, DX);
  program = inserted (f);
  assert_exprs (program, "T1=abs(T0) T3=Set(T1) T2=add(T3,T3)");
  g_assert_cmpuint (program->outputs.len, ==, 2);
  g_assert_true (program->outputs.items[0] == find (program, 3));
  g_assert_cmpint (find (program, 1)->memory, ==, HIR_MEMORY_LOCAL);
  g_assert_cmpint (find (program, 3)->memory, ==, HIR_MEMORY_GLOBAL);
}

/* A tensor used as both operands gets one set. */
static void
test_operand_twice (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *c = fix_add (f, a, a);
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, c);
  fix_on_mesh (f, a, "0 1");
  fix_on_mesh (f, c, "0 1");
  fix_parallelize (f, a, 0, DX);
  program = inserted (f);
  assert_exprs (program, "T2=Set(T0) T1=add(T2,T2)");
}

/* Sets after ops come first, in reverse order, then sets before ops; so do the numbers. */
static void
test_order (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *b = fix_input (f, 2), *sum = fix_add (f, a, b);
  HirTensor *x = fix_unary (f, HIR_UNARY_ABS, a), *y = fix_unary (f, HIR_UNARY_ABS, b);
  HirTensor *tensors[] = { a, b, sum, x, y };
  g_autoptr (HirContainer) program = NULL;

  for (guint i = 2; i < 5; i++)
    fix_output (f, tensors[i]);
  for (guint i = 0; i < 5; i++)
    fix_on_mesh (f, tensors[i], "0 1");
  fix_parallelize (f, a, 0, DX);
  fix_parallelize (f, b, 0, DX);
  program = inserted (f);
  assert_exprs (program, "T7=Set(T0) T8=Set(T1) T2=add(T7,T8) T3=abs(T0) T6=Set(T3) T4=abs(T1) "
                         "T5=Set(T4)");
}

/* Ops that are communications get no set: gather, scatter, allreduce. */
static void
test_communications (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 3), *g = fix_set (f, a), *s = fix_set (f, g), *r = fix_sum (f, s, 0);
  HirTensor *tensors[] = { a, g, s, r };
  g_autoptr (HirLowering) lowering = NULL;

  fix_output (f, r);
  for (guint i = 0; i < 4; i++)
    fix_on_mesh (f, tensors[i], "0 1");
  fix_parallelize (f, a, 1, DX);
  fix_parallelize (f, s, 0, DX);
  lowering = fix_lower_by (f, PASS, 0);
  g_assert_no_error (lowering->error);
  g_assert_false (hir_lowering_get_last (lowering)->changed);
}

/* A fusion without a mesh does not change, with or without device axes. */
static void
test_no_mesh (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *b = fix_unary (f, HIR_UNARY_ABS, a);
  g_autoptr (HirLowering) lowering = NULL;

  fix_output (f, b);
  fix_parallelize (f, b, 0, DX);
  lowering = fix_lower_by (f, PASS, 0);
  g_assert_no_error (lowering->error);
  g_assert_false (hir_lowering_get_last (lowering)->changed);
}

/* A reduced axis split over devices: a local sum, and a sum over devices. */
static void
test_rfactor (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *b = fix_sum (f, a, 1);
  g_autoptr (HirContainer) program = NULL;
  const HirTensor *local;

  fix_output (f, b);
  fix_on_mesh (f, a, "0 1");
  fix_on_mesh (f, b, "0 1");
  split_outer (f, a, 1, 2);
  fix_parallelize (f, a, 1, DX);
  split_outer (f, b, 1, 2);
  fix_parallelize (f, b, 1, DX);
  program = inserted (f);
  assert_exprs (program, "T2=sum(T0) T1=sum(T2)");
  assert_tensor (program, 2,
                 "T2_l_float[iS8{i0}, ideviceIdx.x10{2}rf, rS11{( ceilDiv(i2, 2) )}rf] "
                 "(DeviceMesh{0 1})");
  assert_tensor (program, 1, "T1_g_float[iS2{i0}, rdeviceIdx.x12{2}] (DeviceMesh{0 1})");
  local = find (program, 2);
  g_assert_true (local->has_root);
  g_assert_cmpuint (local->root.n, ==, 2);
  assert_all_lowerable (program);
}

/* ReduceScatter of docs/host-ir.md#table-47: the kept axis is split over devices as well; in the
 * local sum, only the reduced axis is. */
static void
test_rfactor_reduce_scatter (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *b = fix_sum (f, a, 1);
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, b);
  fix_on_mesh (f, a, "0 1");
  fix_on_mesh (f, b, "0 1");
  split_outer (f, a, 1, 2);
  fix_parallelize (f, a, 1, DX);
  split_outer (f, b, 1, 2);
  fix_parallelize (f, b, 1, DX);
  split_outer (f, b, 0, 2);
  fix_parallelize (f, b, 0, DX);
  program = inserted (f);
  assert_exprs (program, "T2=sum(T0) T1=sum(T2)");
  assert_tensor (program, 2,
                 "T2_l_float[iS10{i0}, ideviceIdx.x12{2}rf, rS13{( ceilDiv(i2, 2) )}rf] "
                 "(DeviceMesh{0 1})");
  assert_tensor (program, 1,
                 "T1_g_float[ideviceIdx.x8{2}, iS9{( ceilDiv(i0, 2) )}, rdeviceIdx.x14{2}] "
                 "(DeviceMesh{0 1})");
  assert_all_lowerable (program);
}

static void
test_rfactor_matmul (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *b = fix_input (f, 2), *c = fix_matmul (f, a, b);
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, c);
  fix_on_mesh (f, a, "0 1");
  fix_on_mesh (f, b, "0 1");
  fix_on_mesh (f, c, "0 1");
  split_outer (f, a, 1, 2);
  fix_parallelize (f, a, 1, DX);
  split_outer (f, b, 0, 2);
  fix_parallelize (f, b, 0, DX);
  split_outer (f, c, 2, 2);
  fix_parallelize (f, c, 2, DX);
  program = inserted (f);
  assert_exprs (program, "T3=matmul(T0,T1) T2=sum(T3)");
  g_assert_true (HIR_EXPR_REDUCTION == find (program, 2)->definition->kind);
  assert_all_lowerable (program);
}

/* Each device would add the bias: it is added once, to the sum of all devices. */
static void
test_row_parallel_bias (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *w = fix_input (f, 2), *bias = fix_input (f, 1);
  HirTensor *c = fix_linear (f, a, w, bias), *tensors[] = { a, w, bias, c };
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, c);
  for (guint i = 0; i < 4; i++)
    fix_on_mesh (f, tensors[i], "0 1");
  split_outer (f, a, 1, 2);
  fix_parallelize (f, a, 1, DX);
  split_outer (f, w, 1, 2);
  fix_parallelize (f, w, 1, DX);
  split_outer (f, c, 2, 2);
  fix_parallelize (f, c, 2, DX);
  program = inserted (f);
  assert_exprs (program, "T6=linear(T0,T1) T3=sum(T6) T4=broadcast(T2) T5=add(T3,T4)");
  g_assert_true (find (program, 5) == program->outputs.items[0]);
  assert_all_lowerable (program);
}

/* Refusal 22 of docs/host-ir.md#refusals: [DIDx(i0), i1] -> sum over i1 -> [Stream(i0)]. */
static void
test_refuse_stream_after (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *b = fix_sum (f, a, 1);
  g_autoptr (GError) error = NULL;

  b->script_name = "out";
  fix_output (f, b);
  fix_on_mesh (f, a, "0 1");
  fix_on_mesh (f, b, "0 1");
  fix_parallelize (f, a, 0, DX);
  fix_stream (f, b, 0);
  error = fix_refusal_of (f, PASS, 0, PASS);
  fix_assert_refusal (error, 7, "sum reshards|set of out (T1)|after it|iStreamIdx2{i0}|stream");
}

/* Refusal 22 of docs/host-ir.md#refusals: an operand that is streamed. */
static void
test_refuse_stream_before (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *b = fix_set (f, a), *c = fix_add (f, b, b);
  HirTensor *tensors[] = { a, b, c };
  g_autoptr (GError) error = NULL;

  fix_output (f, c);
  for (guint i = 0; i < 3; i++)
    fix_on_mesh (f, tensors[i], "0 1");
  fix_stream (f, b, 0);
  fix_parallelize (f, c, 1, DX);
  error = fix_refusal_of (f, PASS, 0, PASS);
  fix_assert_refusal (error, 8, "add reshards|set of T1|before it|iStreamIdx2{i0}");
}

/* Refusal 15 of docs/host-ir.md#refusals. */
static void
test_refuse_two_axes (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *b = fix_set (f, a);
  g_autoptr (GError) error = NULL;

  fix_output (f, b);
  fix_on_mesh (f, a, "0 1");
  fix_on_mesh (f, b, "0 1");
  fix_parallelize (f, b, 0, DX);
  fix_parallelize (f, b, 1, DX);
  error = fix_refusal_of (f, PASS, 0, PASS);
  fix_assert_refusal (error, 7, "T1 has two mesh_x axes|ideviceIdx.x2{i0}|ideviceIdx.x3{i2}");
}

/* Refusal 16 of docs/host-ir.md#refusals: no op has two results here, so one is built by hand. */
static void
test_refuse_two_outputs (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *b = fix_unary (f, HIR_UNARY_ABS, a), *c = fix_set (f, a);
  HirExpr *expr = b->definition;
  HirVal *outputs[] = { HIR_VAL (b), HIR_VAL (c) };
  g_autoptr (GError) error = NULL;
  const HirPass *pass = hir_pass_lookup (HIR_PIPELINE_EXECUTOR, PASS);
  HirPassContext context = { .pass = pass };

  fix_output (f, b);
  fix_output (f, c);
  fix_on_mesh (f, a, "0 1");
  fix_on_mesh (f, b, "0 1");
  fix_on_mesh (f, c, "0 1");
  fix_parallelize (f, b, 0, DX);
  expr->outputs = outputs;
  expr->n_outputs = 2;
  c->definition = expr;
  g_assert_null (pass->run (hir_container_ref (f), &context, &error));
  fix_assert_refusal (error, 2, "abs reshards and has several results (T1, T2)");
}

/* A sum without a sharding that adds up over devices: the rest is a gather after it. */
static void
test_sum_of_kept (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *b = fix_sum (f, a, 1);
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, b);
  fix_on_mesh (f, a, "0 1");
  fix_on_mesh (f, b, "0 1");
  fix_parallelize (f, a, 0, DX);
  program = inserted (f);
  assert_exprs (program, "T1=sum(T0) T2=Set(T1)");
  assert_tensor (program, 1, "T1_l_float[ideviceIdx.x2{i0}, rS3{i2}] (DeviceMesh{0 1})");
  assert_tensor (program, 2, "T2_g_float[iS4{i0}] (DeviceMesh{0 1})");
}

/* A set repeats splits over devices. */
static void
test_split (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 1), *b = fix_input (f, 1), *c = fix_add (f, a, b);
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, c);
  fix_on_mesh (f, a, "0 1");
  fix_on_mesh (f, b, "0 1");
  fix_on_mesh (f, c, "0 1");
  split_outer (f, a, 0, 2);
  fix_parallelize (f, a, 0, DX);
  split_outer (f, c, 0, 2);
  fix_parallelize (f, c, 0, DX);
  program = inserted (f);
  assert_exprs (program, "T3=Set(T1) T2=add(T0,T3)");
  assert_tensor (program, 3,
                 "T3_l_float[ideviceIdx.x8{2}, iS9{( ceilDiv(i2, 2) )}] (DeviceMesh{0 1})");
}

static void
test_select (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 3);
  HirTensor *b = hir_op_select (f, a, hir_scalar_new_int (f, 0, HIR_DTYPE_INT), 0, NULL);
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, b);
  fix_on_mesh (f, a, "0 1");
  fix_on_mesh (f, b, "1");
  program = inserted (f);
  g_assert_cmpuint (program->outputs.len, ==, 1);
  assert_all_lowerable (program);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/insert-reshardings/InsertResharding_Before", test_before);
  g_test_add_func ("/insert-reshardings/InsertResharding_After", test_after);
  g_test_add_func ("/insert-reshardings/ag-matmul", test_ag_matmul);
  g_test_add_func ("/insert-reshardings/after-with-readers", test_after_with_readers);
  g_test_add_func ("/insert-reshardings/operand-twice", test_operand_twice);
  g_test_add_func ("/insert-reshardings/order", test_order);
  g_test_add_func ("/insert-reshardings/communications", test_communications);
  g_test_add_func ("/insert-reshardings/no-mesh", test_no_mesh);
  g_test_add_func ("/insert-reshardings/rfactor", test_rfactor);
  g_test_add_func ("/insert-reshardings/rfactor-reduce-scatter", test_rfactor_reduce_scatter);
  g_test_add_func ("/insert-reshardings/rfactor-matmul", test_rfactor_matmul);
  g_test_add_func ("/insert-reshardings/sum-of-kept", test_sum_of_kept);
  g_test_add_func ("/insert-reshardings/split", test_split);
  g_test_add_func ("/insert-reshardings/select", test_select);
  g_test_add_func ("/insert-reshardings/row-parallel-bias", test_row_parallel_bias);
  g_test_add_func ("/insert-reshardings/refuse-stream-after", test_refuse_stream_after);
  g_test_add_func ("/insert-reshardings/refuse-stream-before", test_refuse_stream_before);
  g_test_add_func ("/insert-reshardings/refuse-two-axes", test_refuse_two_axes);
  g_test_add_func ("/insert-reshardings/refuse-two-outputs", test_refuse_two_outputs);
  return g_test_run ();
}
