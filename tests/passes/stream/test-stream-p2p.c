/* Tests StreamParallelType with an operand that is over devices along the loop's axis. */
#include "fixture-devices.h"

#include <string.h>

#define PASSES "SegmentFusion StreamParallelType ConvertOpToCommunication"

/* A set from [DIDx, n] to [Stream, n]: lines 1 and 2; line 3 the output; then meshes and types. */
static HirContainer *
gather_new (const char *in_mesh, const char *out_mesh, HirTensor **in, HirTensor **out)
{
  HirContainer *fusion = fix_fusion ();

  *in = fix_input (fusion, 2);
  *out = fix_set (fusion, *in);
  (*in)->script_name = "tv0";
  (*out)->script_name = "tv1";
  fix_output (fusion, *out);
  fix_on_mesh (fusion, *in, in_mesh);
  fix_on_mesh (fusion, *out, out_mesh);
  fix_parallelize (fusion, *in, 0, HIR_PARALLEL_DIDX);
  fix_parallelize (fusion, *out, 0, HIR_PARALLEL_STREAM);
  return fusion;
}

static void
test_golden (void)
{
  HirTensor *in, *out;
  g_autoptr (HirContainer) fusion = gather_new ("0 1 2 3 4 5 6 7", "0 1 2 3 4 5 6 7", &in, &out);
  g_autoptr (HirContainer) first = fix_program (fusion, PASSES, 0);
  g_autoptr (HirContainer) last = fix_program (fusion, PASSES, 7);
  g_autoptr (HirContainer) alone = fix_program (fusion, "SegmentFusion StreamParallelType", 0);
  g_autofree char *a = hir_container_print (first, HIR_FORMAT_2025, NULL);
  g_autofree char *b = hir_container_print (last, HIR_FORMAT_2025, NULL);
  g_autofree char *c = hir_container_print (alone, HIR_FORMAT_2025, NULL);

  fix_assert_golden (first, "allgather_p2p.txt");
  /* All devices have the same program, and nothing is left to convert. */
  g_assert_cmpstr (a, ==, b);
  g_assert_cmpstr (a, ==, c);
  /* Numbers as in nvFuser: the slice of the input is created first. */
  g_assert_nonnull (strstr (a, "T3_l_float[iS5{i2}]"));
  g_assert_nonnull (strstr (a, "T2_l_float[iS4{i2}]"));
}

static void
test_ids (void)
{
  HirTensor *in, *out;
  g_autoptr (HirContainer) fusion = gather_new ("0 1", "0 1", &in, &out);
  HirExpr *set = out->definition, *branch, *recv;
  g_autoptr (HirContainer) program = fix_program (fusion, PASSES, 0);
  HirScope *body = &fix_last_loop (program)->u.loop.body;

  branch = body->exprs.items[2];
  g_assert_cmpint (branch->kind, ==, HIR_EXPR_IF);
  recv = branch->u.branch.else_body.exprs.items[1];
  g_assert_cmpuint (recv->node.n_origins, ==, 1);
  g_assert_cmphex (recv->node.origins[0], ==, set->node.id);
  g_assert_cmpuint (recv->node.pos.line, ==, 2);
}

/* Two gathers of one tensor: the slice of its only shard is one tensor, selected in each IF. */
static void
test_shared_slice (void)
{
  HirTensor *in, *out, *other;
  g_autoptr (HirContainer) fusion = gather_new ("0 1", "0 1", &in, &out);
  g_autoptr (HirContainer) program = NULL;
  g_autofree char *brief = NULL;

  other = fix_set (fusion, in);
  fix_output (fusion, other);
  fix_on_mesh (fusion, other, "0 1");
  fix_parallelize (fusion, other, 0, HIR_PARALLEL_STREAM);
  program = fix_program (fusion, PASSES, 1);
  brief = fix_brief_loop (program);
  g_assert_cmpstr (
      brief, ==,
      "SetCurrentStream HirAliasSelect(T4) IF{HirAliasSelect(T3) Set(T4)}ELSE{StartCoalescing "
      "recv(T4) send(T0) EndCoalescing Wait} HirAliasSelect(T5) IF{HirAliasSelect(T3) "
      "Set(T5)}ELSE{StartCoalescing recv(T5) send(T0) EndCoalescing Wait} SetCurrentStream "
      "Synchronize");
}

/* Also in another loop: the same shard, at index 0. */
static void
test_shared_between_loops (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *in = fix_input (fusion, 2), *out = fix_set (fusion, in);
  HirTensor *copy = fix_set (fusion, out), *other = fix_set (fusion, in);
  HirTensor *all[] = { in, out, copy, other };
  g_autoptr (HirContainer) program = NULL;
  g_autofree char *brief = NULL;

  fix_output (fusion, copy);
  fix_output (fusion, other);
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    fix_on_mesh (fusion, all[i], "0 1");
  fix_parallelize (fusion, in, 0, HIR_PARALLEL_DIDX);
  fix_parallelize (fusion, out, 0, HIR_PARALLEL_STREAM);
  fix_parallelize (fusion, other, 0, HIR_PARALLEL_STREAM);
  program = fix_program (fusion, PASSES, 1);
  brief = fix_brief (&program->top);
  g_assert_cmpstr (
      brief, ==,
      "ALLOCATE(T1) GetCurrentStream FOR{SetCurrentStream Synchronize} FOR{SetCurrentStream "
      "HirAliasSelect(T5) IF{HirAliasSelect(T4) Set(T5)}ELSE{StartCoalescing recv(T5) send(T0) "
      "EndCoalescing Wait} SetCurrentStream Synchronize} Set(T2) ALLOCATE(T3) GetCurrentStream "
      "FOR{SetCurrentStream Synchronize} FOR{SetCurrentStream HirAliasSelect(T6) "
      "IF{HirAliasSelect(T4) Set(T6)}ELSE{StartCoalescing recv(T6) send(T0) EndCoalescing Wait} "
      "SetCurrentStream Synchronize}");
}

/* A reader of the gathered tensor in the same loop uses the existing slice. */
static void
test_consumer (void)
{
  HirTensor *in, *out, *weight, *product;
  g_autoptr (HirContainer) fusion = fix_fusion ();
  g_autoptr (HirContainer) program = NULL;
  g_autofree char *top = NULL, *brief = NULL;

  in = fix_input (fusion, 3);
  weight = fix_input (fusion, 2);
  out = fix_set (fusion, in);
  product = fix_matmul (fusion, out, weight);
  fix_output (fusion, product);
  fix_on_mesh (fusion, in, "0 1 2");
  fix_on_mesh (fusion, weight, "0 1 2");
  fix_on_mesh (fusion, out, "0 1 2");
  fix_on_mesh (fusion, product, "0 1 2");
  fix_parallelize (fusion, in, 0, HIR_PARALLEL_DIDX);
  fix_parallelize (fusion, out, 0, HIR_PARALLEL_STREAM);
  fix_parallelize (fusion, product, 0, HIR_PARALLEL_STREAM);
  program = fix_program (fusion, PASSES, 2);
  top = fix_kinds (&program->top);
  brief = fix_brief_loop (program);
  g_assert_cmpstr (top, ==, "ALLOCATE ALLOCATE GetCurrentStream FOR FOR");
  g_assert_cmpstr (
      brief, ==,
      "SetCurrentStream HirAliasSelect(T5) IF{HirAliasSelect(T4) Set(T5)}ELSE{StartCoalescing "
      "recv(T5) send(T0) EndCoalescing Wait} HirAliasSelect(T6) matmul(T6) SetCurrentStream "
      "Synchronize");
}

static void
assert_refused (HirContainer *fusion, guint line, const char *fragments)
{
  g_autoptr (GError) error = fix_refusal_of (fusion, PASSES, 0, "StreamParallelType");

  fix_assert_refusal (error, line, fragments);
}

/* Refusal 8 of docs/host-ir.md#refusals: not a set. */
static void
test_refused_op (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *in = fix_input (fusion, 2), *out = fix_sum (fusion, in, 1);

  fix_output (fusion, out);
  fix_on_mesh (fusion, in, "0 1");
  fix_on_mesh (fusion, out, "0 1");
  fix_parallelize (fusion, in, 0, HIR_PARALLEL_DIDX);
  fix_parallelize (fusion, out, 0, HIR_PARALLEL_STREAM);
  in->script_name = "tv0";
  assert_refused (fusion, 6, "axis ideviceIdx.x0{i0} of tv0 (T0)|sum of T1 is not a set");
}

/* #8: not the first axis of the input or of the output. */
static void
test_refused_input_axis (void)
{
  HirTensor *in, *out;
  g_autoptr (HirContainer) fusion = gather_new ("0 1", "0 1", &in, &out);
  static const gint64 first[] = { 0 }, second[] = { 1 };
  GError *error = NULL;

  g_assert_true (hir_schedule_reorder (in, first, second, 1, &error));
  g_assert_no_error (error);
  assert_refused (fusion, 6,
                  "axis ideviceIdx.x0{i0} of tv0 (T0)|iS1{i2} precedes the axis|the first one");
}

static void
test_refused_output_axis (void)
{
  HirTensor *in, *out;
  g_autoptr (HirContainer) fusion = gather_new ("0 1", "0 1", &in, &out);
  static const gint64 first[] = { 0 }, second[] = { 1 };
  GError *error = NULL;

  g_assert_true (hir_schedule_reorder (out, first, second, 1, &error));
  g_assert_no_error (error);
  assert_refused (fusion, 6, "tv1 (T1)|iS3{i2} precedes its stream axis iStreamIdx2{i0}");
}

/* Programs that nvFuser accepts and then exchanges with incorrect devices. */
static void
test_refused_meshes (void)
{
  static const struct
  {
    const char *in, *out, *fragment;
  } cases[] = {
    { "0 1", "1 0", "tv1 (T1) is on another mesh" },
    { "0 1", "0 1 2", "tv1 (T1) is on another mesh" },
    { "1 2", "1 2", "DeviceMesh{1 2} is not the one-dimensional mesh" },
    { "1 0", "1 0", "DeviceMesh{1 0} is not the one-dimensional mesh" },
    { "0 1|2 3", "0 1|2 3", "DeviceMesh{{0 1}{2 3}} is not the one-dimensional mesh" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      HirTensor *in, *out;
      g_autoptr (HirContainer) fusion = gather_new (cases[i].in, cases[i].out, &in, &out);
      g_autoptr (GError) error = fix_refusal_of (fusion, PASSES, 1, "StreamParallelType");

      fix_assert_refusal (error, 6, cases[i].fragment);
    }
}

static void
test_refused_second_axis (void)
{
  HirTensor *in, *out;
  g_autoptr (HirContainer) fusion = gather_new ("0 1", "0 1", &in, &out);

  fix_parallelize (fusion, out, 1, HIR_PARALLEL_DIDX);
  assert_refused (fusion, 6, "axis ideviceIdx.x3{i2} of tv1 (T1) is over devices too");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/p2p/golden", test_golden);
  g_test_add_func ("/passes/p2p/ids", test_ids);
  g_test_add_func ("/passes/p2p/shared-slice", test_shared_slice);
  g_test_add_func ("/passes/p2p/shared-between-loops", test_shared_between_loops);
  g_test_add_func ("/passes/p2p/consumer", test_consumer);
  g_test_add_func ("/passes/p2p/refused/op", test_refused_op);
  g_test_add_func ("/passes/p2p/refused/input-axis", test_refused_input_axis);
  g_test_add_func ("/passes/p2p/refused/output-axis", test_refused_output_axis);
  g_test_add_func ("/passes/p2p/refused/meshes", test_refused_meshes);
  g_test_add_func ("/passes/p2p/refused/second-axis", test_refused_second_axis);
  return g_test_run ();
}
