#include "fixture-devices.h"

#include <string.h>

#define PASSES "SegmentFusion StreamParallelType ConvertOpToCommunication"
#define NONE -1

/* An op from [i0, i1, i2] to the same axes, or a sum over axis 0. */
typedef struct
{
  const char *name;
  gboolean is_sum;
  const char *in_mesh;
  int in_axis;
  const char *out_mesh;
  int out_axis; /* index into the loop domain, including reduced axes */
  gint64 rank;
  const char *brief; /* summary of the top level */
} Choice;

/* The table of docs/host-ir.md#communication-choice, row by row. */
static const Choice choices[] = {
  /* Set, sharded to whole, one mesh */
  { "allgather", FALSE, "0 1 2", 0, "0 1 2", NONE, 1, "ALLOCATE(T1) Allgather(0 1 2) Wait" },
  { "allgather-row", FALSE, "0 1|2 3", 0, "0 1|2 3", NONE, 1, "ALLOCATE(T1) Allgather(0 1) Wait" },
  { "allgather-next-row", FALSE, "0 1|2 3", 0, "0 1|2 3", NONE, 2,
    "ALLOCATE(T1) Allgather(2 3) Wait" },
  /* another mesh: one communication per receiver, which joins the team if needed */
  { "gather", FALSE, "0 1", 0, "0", NONE, 0, "ALLOCATE(T1) Gather(0 1)@0 Wait" },
  { "gather-outside", FALSE, "1 2", 0, "0", NONE, 0, "ALLOCATE(T1) Gather(1 2 0)@0 Wait" },
  { "gather-sender", FALSE, "1 2", 0, "0", NONE, 1, "Gather(1 2 0)@0 Wait" },
  { "gather-two", FALSE, "1 2", 0, "0 2", NONE, 2,
    "ALLOCATE(T1) Gather(1 2 0)@0 Wait ALLOCATE(T1) Gather(1 2)@2 Wait" },
  { "gather-two-dimensions", FALSE, "0 1", 0, "0 1|2 3", NONE, 5,
    "" }, /* device 5 does not take part */
  { "gather-to-one-piece", FALSE, "0 1", 0, "1", 0, 1, "ALLOCATE(T1) Gather(0 1)@1 Wait" },
  /* Set, whole to sharded */
  { "scatter", FALSE, "0", NONE, "0 1", 0, 1, "ALLOCATE(T1) Scatter(0 1)@0 Wait" },
  { "scatter-root", FALSE, "1", NONE, "0 1", 0, 0, "ALLOCATE(T1) Scatter(0 1)@1 Wait" },
  { "scatter-common", FALSE, "0 2", NONE, "1 2", 0, 0, "Scatter(1 2)@2 Wait" },
  { "scatter-one-mesh", FALSE, "2 1", NONE, "2 1", 0, 1, "ALLOCATE(T1) Scatter(2 1)@2 Wait" },
  { "scatter-from-one-piece", FALSE, "1", 0, "0 1", 0, 1, "ALLOCATE(T1) Scatter(0 1)@1 Wait" },
  /* Set, sharded to sharded: pairs */
  { "send-recv", FALSE, "1 2", 0, "0 1", 0, 1,
    "ALLOCATE(T1) SendRecv(1 0)@1 Wait ALLOCATE(T1) SendRecv(2 1)@2 Wait" },
  { "send-recv-to-itself", FALSE, "1 2", 0, "1 0", 0, 2,
    "SendRecv(1 1)@1 Wait SendRecv(2 0)@2 Wait" },
  /* Set, whole to whole */
  { "broadcast", FALSE, "0", NONE, "0 1 2", NONE, 2, "ALLOCATE(T1) Broadcast(0 1 2)@0 Wait" },
  { "broadcast-outside", FALSE, "3 1", NONE, "0 2", NONE, 3, "Broadcast(0 2 3)@3 Wait" },
  { "broadcast-one-piece", FALSE, "0", 0, "1", 0, 1, "ALLOCATE(T1) Broadcast(1 0)@0 Wait" },
  { "broadcast-alone", FALSE, "0", 0, "0", NONE, 0, "ALLOCATE(T1) Broadcast(0)@0 Wait" },
  /* Reduction */
  { "allreduce", TRUE, "0 1 2", 0, "0 1 2", NONE, 0, "ALLOCATE(T1) Allreduce(0 1 2):add Wait" },
  { "allreduce-row", TRUE, "0 1|2 3", 0, "0 1|2 3", NONE, 3,
    "ALLOCATE(T1) Allreduce(2 3):add Wait" },
  { "allreduce-alone", TRUE, "2", 0, "2", NONE, 2, "ALLOCATE(T1) Allreduce(2):add Wait" },
  { "reduce", TRUE, "0 1", 0, "0", NONE, 0, "ALLOCATE(T1) Reduce(0 1)@0:add Wait" },
  { "reduce-outside", TRUE, "0 1", 0, "2", NONE, 1, "Reduce(0 1 2)@2:add Wait" },
  { "reduce-two", TRUE, "0 1", 0, "1 2", NONE, 1,
    "ALLOCATE(T1) Reduce(0 1)@1:add Wait ALLOCATE(T1) Reduce(0 1 2)@2:add Wait" },
  { "reduce-scatter", TRUE, "0 1 2", 0, "0 1 2", 1, 1,
    "ALLOCATE(T1) ReduceScatter(0 1 2):add Wait" },
  { "reduce-scatter-row", TRUE, "0 1|2 3", 0, "0 1|2 3", 1, 1,
    "ALLOCATE(T1) ReduceScatter(0 1):add Wait" },
  /* No change: no communication */
  { "local", FALSE, "0 1", 1, "0 1", 1, 0, "Set(T1)" },
  { "local-sum", TRUE, "0 1", 1, "0 1", 1, 0, "reduction(T1)" },
};

/* Lines: 1 input, 2 op, 3 output, 4 and 5 the meshes, 6 and 7 the axes. */
static HirContainer *
choice_new (const Choice *choice, HirTensor **in, HirTensor **out)
{
  HirContainer *fusion = fix_fusion ();

  *in = fix_input (fusion, 3);
  *out = choice->is_sum ? fix_sum (fusion, *in, 0) : fix_set (fusion, *in);
  (*in)->script_name = "tv0";
  (*out)->script_name = "tv1";
  fix_output (fusion, *out);
  fix_on_mesh (fusion, *in, choice->in_mesh);
  fix_on_mesh (fusion, *out, choice->out_mesh);
  fix_line (fusion, 5);
  if (choice->in_axis != NONE)
    fix_parallelize (fusion, *in, choice->in_axis, HIR_PARALLEL_DIDX);
  fix_line (fusion, 6);
  if (choice->out_axis != NONE)
    fix_parallelize (fusion, *out, choice->out_axis, HIR_PARALLEL_DIDX);
  return fusion;
}

static void
test_choice (gconstpointer data)
{
  HirTensor *in, *out;
  g_autoptr (HirContainer) fusion = choice_new (data, &in, &out);
  HirExpr *op = out->definition;
  g_autoptr (HirContainer) program = fix_program (fusion, PASSES, ((const Choice *) data)->rank);
  g_autofree char *brief = fix_brief (&program->top);

  g_assert_cmpstr (brief, ==, ((const Choice *) data)->brief);
  for (guint i = 0; i < program->top.exprs.len; i++)
    {
      const HirExpr *expr = program->top.exprs.items[i];

      if (hir_expr_kind_get_info (expr->kind)->is_tensor_op)
        continue;
      /* The target of a click on the communication. */
      g_assert_cmpuint (expr->node.n_origins, ==, 1);
      g_assert_cmphex (expr->node.origins[0], ==, op->node.id);
      g_assert_cmpuint (expr->node.pos.line, ==, 2);
    }
}

static void
test_goldens (void)
{
  static const char *const names[] = { "allgather", "allreduce", "reduce_scatter" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (HirContainer) fusion = fix_fusion ();
      g_autoptr (HirContainer) program = NULL;
      g_autofree char *file = g_strconcat (names[i], ".txt", NULL);
      HirTensor *in = fix_input (fusion, i + 2);
      HirTensor *out = i == 0 ? fix_set (fusion, in) : fix_sum (fusion, in, 1);

      fix_output (fusion, out);
      fix_on_mesh (fusion, in, "0 1 2 3 4 5 6 7");
      fix_on_mesh (fusion, out, "0 1 2 3 4 5 6 7");
      fix_parallelize (fusion, in, 1, HIR_PARALLEL_DIDX);
      fix_parallelize (fusion, out, 0, HIR_PARALLEL_STREAM);
      if (i == 2)
        fix_parallelize (fusion, out, 2, HIR_PARALLEL_DIDX);
      program = fix_program (fusion, PASSES, 0);
      fix_assert_golden (program, file);
    }
}

/* nvFuser builds all teams along mesh_x. */
static void
test_other_mesh_axis (void)
{
  Choice choice = { "", FALSE, "0 1|2 3", NONE, "0 1|2 3", NONE, 0, NULL };
  HirTensor *in, *out;
  g_autoptr (HirContainer) fusion = choice_new (&choice, &in, &out);
  g_autoptr (HirContainer) program = NULL;
  g_autofree char *brief = NULL;

  fix_parallelize (fusion, in, 0, HIR_PARALLEL_DIDY);
  fix_parallelize (fusion, in, 1, HIR_PARALLEL_DIDX);
  fix_parallelize (fusion, out, 1, HIR_PARALLEL_DIDX);
  program = fix_program (fusion, PASSES, 3);
  brief = fix_brief (&program->top);
  g_assert_cmpstr (brief, ==, "ALLOCATE(T1) Allgather(1 3) Wait");
}

/* Converts the body of a top-level loop but not nested ones, and sets the memory type. */
static void
test_scopes (void)
{
  Choice choice = { "", FALSE, "0 1", 1, "0 1", NONE, 0, NULL };
  HirTensor *in, *out;
  g_autoptr (HirContainer) fusion = choice_new (&choice, &in, &out);
  g_autoptr (HirContainer) before = NULL;
  g_autoptr (HirContainer) program = NULL;
  g_autofree char *brief = NULL;
  const HirExpr *comm;

  fix_parallelize (fusion, out, 0, HIR_PARALLEL_STREAM);
  before = fix_program (fusion, "SegmentFusion StreamParallelType", 0);
  program = fix_program (fusion, PASSES, 0);
  brief = fix_brief_loop (program);
  g_assert_cmpstr (brief, ==,
                   "SetCurrentStream HirAliasSelect(T2) HirAliasSelect(T3) ALLOCATE(T3) "
                   "Allgather(0 1) Wait SetCurrentStream Synchronize");
  comm = fix_last_loop (program)->u.loop.body.exprs.items[4];
  g_assert_cmpint (HIR_TENSOR (comm->inputs[0])->memory, ==, HIR_MEMORY_GLOBAL);
  g_assert_cmpint (HIR_TENSOR (comm->outputs[0])->memory, ==, HIR_MEMORY_GLOBAL);
  comm = fix_last_loop (before)->u.loop.body.exprs.items[3];
  g_assert_cmpint (HIR_TENSOR (comm->inputs[0])->memory, ==, HIR_MEMORY_LOCAL);
}

/* A device that has only one of the two tensors. */
static void
test_half_in_loop (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *in = fix_input (fusion, 2), *a = fix_set (fusion, in), *out = fix_set (fusion, a);
  static const char *const briefs[] = {
    "Set(T1) GetCurrentStream FOR{SetCurrentStream Synchronize} FOR{SetCurrentStream "
    "HirAliasSelect(T3) Gather(0 1)@1 Wait SetCurrentStream Synchronize}",
    "Set(T1) ALLOCATE(T2) GetCurrentStream FOR{SetCurrentStream Synchronize} FOR{SetCurrentStream "
    "HirAliasSelect(T3) HirAliasSelect(T4) ALLOCATE(T4) Gather(0 1)@1 Wait SetCurrentStream "
    "Synchronize}",
    "ALLOCATE(T2) GetCurrentStream FOR{SetCurrentStream Synchronize} FOR{SetCurrentStream "
    "HirAliasSelect(T4) ALLOCATE(T4) Gather(0 1 2)@2 Wait SetCurrentStream Synchronize}",
  };

  fix_output (fusion, out);
  fix_on_mesh (fusion, in, "0 1");
  fix_on_mesh (fusion, a, "0 1");
  fix_on_mesh (fusion, out, "1");
  fix_parallelize (fusion, in, 1, HIR_PARALLEL_DIDX);
  fix_parallelize (fusion, a, 1, HIR_PARALLEL_DIDX);
  fix_parallelize (fusion, out, 0, HIR_PARALLEL_STREAM);
  for (gint64 rank = 0; rank < 3; rank++)
    {
      g_autoptr (HirContainer) program = NULL;
      g_autofree char *brief = NULL;

      if (rank == 2)
        fix_on_mesh (fusion, out, "2");
      program = fix_program (fusion, PASSES, rank);
      brief = fix_brief (&program->top);
      g_assert_cmpstr (brief, ==, briefs[rank]);
    }
}

/* The loop leaves linear a weight with one axis and a bias with none; nvFuser reads past their ends
 * to check whether they are sharded. */
static void
test_linear_streamed_on_n (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *in = fix_input (fusion, 2), *weight = fix_input (fusion, 2);
  HirTensor *bias = fix_input (fusion, 1), *out = fix_linear (fusion, in, weight, bias);
  HirTensor *all[] = { in, weight, bias, out };
  g_autoptr (HirContainer) program = NULL;
  g_autofree char *brief = NULL;

  fix_output (fusion, out);
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    fix_on_mesh (fusion, all[i], "0 1");
  fix_parallelize (fusion, in, 0, HIR_PARALLEL_DIDX);
  fix_parallelize (fusion, out, 0, HIR_PARALLEL_DIDX);
  fix_parallelize (fusion, out, 1, HIR_PARALLEL_STREAM);
  program = fix_program (fusion, PASSES, 1);
  brief = fix_brief_loop (program);
  g_assert_cmpstr (brief, ==,
                   "SetCurrentStream HirAliasSelect(T4) HirAliasSelect(T5) HirAliasSelect(T6) "
                   "linear(T6) SetCurrentStream Synchronize");
}

/* A program for one device does not change. */
static void
test_nothing_to_do (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *in = fix_input (fusion, 2), *out = fix_set (fusion, in);
  g_autoptr (HirLowering) lowering = NULL;

  fix_output (fusion, out);
  fix_stream (fusion, out, 0);
  lowering = fix_lower_by (fusion, PASSES, 0);
  g_assert_no_error (lowering->error);
  g_assert_false (hir_lowering_lookup (lowering, "ConvertOpToCommunication")->changed);
}

static void
assert_refused (HirContainer *fusion, guint line, const char *fragments)
{
  g_autoptr (GError) error = fix_refusal_of (fusion, PASSES, 0, "ConvertOpToCommunication");

  fix_assert_refusal (error, line, fragments);
}

typedef struct
{
  Choice choice;
  guint line;
  const char *fragments;
} Refusal;

/* Refusals 12 and 14 of docs/host-ir.md#refusals. */
static const Refusal refusals[] = {
  { { "inner-gather", FALSE, "0 1", 1, "0 1", NONE, 0, NULL },
    6,
    "axis ideviceIdx.x1{i2} of tv0 (T0)|not the outermost axis" },
  { { "inner-scatter", FALSE, "0 1", NONE, "0 1", 1, 0, NULL },
    7,
    "axis ideviceIdx.x4{i2} of tv1 (T1)|not the outermost axis" },
  { { "local-axis-reduced", TRUE, "0 1", 1, "0 1", NONE, 0, NULL }, 2, "sum of tv0 (T0)" },
  { { "reduce-scatter-meshes", TRUE, "0 1", 0, "0 2", 1, 0, NULL },
    7,
    "the sum that computes tv1 (T1)|axis ideviceIdx.x4{i2} of tv1 (T1)|has only one mesh" },
  { { "scatter-nothing-common", FALSE, "0", NONE, "1 2", 0, 0, NULL },
    7,
    "axis ideviceIdx.x3{i0} of tv1 (T1)|DeviceMesh{1 2}|DeviceMesh{0}|a device in both as its root" },
  { { "send-recv-sizes", FALSE, "0 1", 0, "0 1 2", 0, 0, NULL },
    7,
    "axis ideviceIdx.x3{i0} of tv1 (T1)|DeviceMesh{0 1} to DeviceMesh{0 1 2}|the same number of devices" },
  { { "gather-dimensions", FALSE, "0 1|2 3", 0, "0", NONE, 0, NULL },
    6,
    "axis ideviceIdx.x0{i0} of tv0 (T0) is on DeviceMesh{{0 1}{2 3}}|a Gather supports" },
  { { "scatter-dimensions", FALSE, "0", NONE, "0 1|2 3", 0, 0, NULL },
    7,
    "axis ideviceIdx.x3{i0} of tv1 (T1) is on DeviceMesh{{0 1}{2 3}}|a Scatter supports" },
  { { "reduce-dimensions", TRUE, "0 1|2 3", 0, "0", NONE, 0, NULL },
    6,
    "tv0 (T0) is on DeviceMesh{{0 1}{2 3}}|a Reduce supports" },
  { { "reduce-receivers-dimensions", TRUE, "0 1", 0, "0 1|2 3", NONE, 0, NULL },
    2,
    "tv1 (T1) is on DeviceMesh{{0 1}{2 3}}|a Reduce supports" },
  { { "broadcast-dimensions", FALSE, "0", NONE, "0 1|2 3", NONE, 0, NULL },
    2,
    "tv1 (T1) is on DeviceMesh{{0 1}{2 3}}|a Broadcast supports" },
  { { "send-recv-dimensions", FALSE, "0 1|2 3", 0, "0 1", 0, 0, NULL },
    6,
    "tv0 (T0) is on DeviceMesh{{0 1}{2 3}}|a SendRecv supports" },
};

static void
test_refusal (gconstpointer data)
{
  const Refusal *refusal = data;
  HirTensor *in, *out;
  g_autoptr (HirContainer) fusion = choice_new (&refusal->choice, &in, &out);

  assert_refused (fusion, refusal->line, refusal->fragments);
}

/* #12: mesh_x becomes mesh_y. */
static void
test_refused_type_change (void)
{
  Choice choice = { "", FALSE, "0 1|2 3", 0, "0 1|2 3", NONE, 0, NULL };
  HirTensor *in, *out;
  g_autoptr (HirContainer) fusion = choice_new (&choice, &in, &out);

  fix_parallelize (fusion, out, 0, HIR_PARALLEL_DIDY);
  assert_refused (fusion, 7, "mesh_x|mesh_y|tv0 (T0)|tv1 (T1)");
}

/* mesh_y of a one-dimensional mesh. */
static void
test_refused_mesh_axis (void)
{
  Choice choice = { "", FALSE, "0 1", NONE, "0 1", NONE, 0, NULL };
  HirTensor *in, *out;
  g_autoptr (HirContainer) fusion = choice_new (&choice, &in, &out);

  fix_parallelize (fusion, in, 0, HIR_PARALLEL_DIDY);
  assert_refused (fusion, 7,
                  "axis ideviceIdx.y0{i0} of tv0 (T0) is over mesh_y|DeviceMesh{0 1} has 1 "
                  "dimension");
}

/* #12: an op that is not a communication, with one or two operands. */
static void
test_refused_ops (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *a = fix_input (fusion, 2), *b = fix_input (fusion, 2), *sum = fix_add (fusion, a, b);

  sum->script_name = "total";
  fix_output (fusion, sum);
  fix_on_mesh (fusion, a, "0 1");
  fix_on_mesh (fusion, b, "0 1");
  fix_on_mesh (fusion, sum, "0 1");
  fix_parallelize (fusion, a, 0, HIR_PARALLEL_DIDX);
  assert_refused (fusion, 3, "the add that computes total (T2)|2 operands|InsertReshardings");
}

static void
test_refused_no_mesh (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *in = fix_input (fusion, 2), *out = fix_set (fusion, in);

  fix_output (fusion, out);
  fix_on_mesh (fusion, in, "0 1");
  assert_refused (fusion, 2, "the Set that computes T1|T1 is on no mesh|set_device_mesh");
}

/* #13: over devices by its loop domain, but whole in memory. */
static void
test_refused_whole_operand (void)
{
  Choice choice = { "", TRUE, "0 1", NONE, "0 1", NONE, 0, NULL };
  HirTensor *in, *out;
  g_autoptr (HirContainer) fusion = choice_new (&choice, &in, &out);
  HirDomain logical = in->logical;

  fix_split (fusion, in, 0, 2);
  hir_schedule_set_allocation_as_loop (in);
  hir_tensor_set_loop (in, logical.ids, logical.n);
  fix_line (fusion, 19);
  fix_parallelize (fusion, in, 0, HIR_PARALLEL_DIDX);
  assert_refused (fusion, 2, "the sum that computes tv1 (T1)|tv0 (T0) is not allocated in shards");
}

/* #19: no script leads here, but a host program from a dump may. */
static void
test_refused_reduction (void)
{
  Choice choice = { "", TRUE, "0 1", 0, "0 1", NONE, 0, NULL };
  HirTensor *in, *out;
  g_autoptr (HirContainer) fusion = choice_new (&choice, &in, &out);

  out->definition->u.reduction.op = HIR_BINARY_SUB;
  assert_refused (fusion, 6, "axis ideviceIdx.x0{i0} of tv0 (T0) is reduced by sub");
}

/* A slice has no name in the script: the message names the tensor it was cut from. */
static void
test_refused_slice (void)
{
  Choice choice = { "", FALSE, "0 1", 2, "0 1", NONE, 0, NULL };
  HirTensor *in, *out;
  g_autoptr (HirContainer) fusion = choice_new (&choice, &in, &out);

  fix_parallelize (fusion, out, 0, HIR_PARALLEL_STREAM);
  assert_refused (fusion, 6, "of T2 (from tv0), which is not the outermost axis");
}

/* #9 */
static void
test_refused_fusion (void)
{
  Choice choice = { "", FALSE, "0 1", 0, "0 1", NONE, 0, NULL };
  HirTensor *in, *out;
  g_autoptr (HirContainer) fusion = choice_new (&choice, &in, &out);
  g_autoptr (GError) error =
      fix_refusal_of (fusion, "ConvertOpToCommunication", 0, "ConvertOpToCommunication");

  fix_assert_refusal (error, 2, "Set must become|SegmentFusion");
}

static void
add_table (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (choices); i++)
    {
      g_autofree char *path = g_strconcat ("/passes/communication/", choices[i].name, NULL);

      g_test_add_data_func (path, &choices[i], test_choice);
    }
  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      g_autofree char *path =
          g_strconcat ("/passes/communication/refused/", refusals[i].choice.name, NULL);

      g_test_add_data_func (path, &refusals[i], test_refusal);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_table ();
  g_test_add_func ("/passes/communication/goldens", test_goldens);
  g_test_add_func ("/passes/communication/other-mesh-axis", test_other_mesh_axis);
  g_test_add_func ("/passes/communication/scopes", test_scopes);
  g_test_add_func ("/passes/communication/half-in-loop", test_half_in_loop);
  g_test_add_func ("/passes/communication/linear-streamed-on-n", test_linear_streamed_on_n);
  g_test_add_func ("/passes/communication/nothing-to-do", test_nothing_to_do);
  g_test_add_func ("/passes/communication/refused/type-change", test_refused_type_change);
  g_test_add_func ("/passes/communication/refused/mesh-axis", test_refused_mesh_axis);
  g_test_add_func ("/passes/communication/refused/ops", test_refused_ops);
  g_test_add_func ("/passes/communication/refused/no-mesh", test_refused_no_mesh);
  g_test_add_func ("/passes/communication/refused/whole-operand", test_refused_whole_operand);
  g_test_add_func ("/passes/communication/refused/reduction", test_refused_reduction);
  g_test_add_func ("/passes/communication/refused/slice", test_refused_slice);
  g_test_add_func ("/passes/communication/refused/fusion", test_refused_fusion);
  return g_test_run ();
}
