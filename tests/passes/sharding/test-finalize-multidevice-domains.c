/* Tests FinalizeMultideviceDomains: loop and allocation domains of programs for several devices. */
#include "fixture-devices.h"

#define PASS "FinalizeMultideviceDomains"
#define DX HIR_PARALLEL_DIDX

static void
split_outer (HirContainer *fusion, HirTensor *tensor, gint64 axis, gint64 factor)
{
  GError *error = NULL;

  fix_line (fusion, fusion->maker.pos.line + 1);
  hir_schedule_split (tensor, axis, hir_scalar_new_int (fusion, factor, HIR_DTYPE_INDEX), FALSE,
                      &error);
  g_assert_no_error (error);
}

static const HirTensor *
find (HirContainer *program, const HirTensor *tensor)
{
  return hir_container_lookup_tensor (program, tensor->base.node.id);
}

static void
assert_tensor (HirContainer *program, const HirTensor *tensor, const char *expected)
{
  g_autofree char *text = hir_tensor_to_string (find (program, tensor));

  g_assert_cmpstr (text, ==, expected);
}

static gboolean
has_own_allocation (HirContainer *program, const HirTensor *tensor)
{
  const HirTensor *own = find (program, tensor);

  if (!own->has_allocation)
    return FALSE;
  g_assert_cmpuint (own->allocation.n, ==, own->loop.n);
  for (guint i = 0; i < own->loop.n; i++)
    g_assert_true (own->allocation.ids[i] == own->loop.ids[i]);
  return TRUE;
}

static HirTensor *
on_mesh (HirContainer *fusion, HirTensor *tensor)
{
  fix_on_mesh (fusion, tensor, "0 1");
  return tensor;
}

/* The original dump of matmul_AR: an operand of an op that does not reshard has its device axis
 * first; a resharding op leaves it in place. */
static void
test_devices_first (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = on_mesh (f, fix_input (f, 2)), *b = on_mesh (f, fix_unary (f, HIR_UNARY_ABS, a));
  HirTensor *c = on_mesh (f, fix_set (f, b));
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, c);
  fix_parallelize (f, a, 1, DX);
  fix_parallelize (f, b, 1, DX);
  program = fix_program (f, PASS, 0);
  assert_tensor (program, a, "T0_g_float[ideviceIdx.x1{i2}, iS0{i0}] (DeviceMesh{0 1})");
  assert_tensor (program, b, "T1_l_float[ideviceIdx.x3{i2}, iS2{i0}] (DeviceMesh{0 1})");
  assert_tensor (program, c, "T2_g_float[iS4{i0}, iS5{i2}] (DeviceMesh{0 1})");
  g_assert_true (has_own_allocation (program, a));
  g_assert_true (has_own_allocation (program, b));
  g_assert_false (has_own_allocation (program, c));
  g_assert_cmpuint (find (program, a)->logical.ids[0]->base.name, ==, 0);
}

static void
test_resharding_stays (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = on_mesh (f, fix_input (f, 2)), *b = on_mesh (f, fix_set (f, a));
  g_autoptr (HirLowering) lowering = NULL;

  fix_output (f, b);
  fix_parallelize (f, a, 1, DX);
  fix_stream (f, b, 0);
  lowering = fix_lower_by (f, PASS, 0);
  g_assert_no_error (lowering->error);
  g_assert_false (hir_lowering_get_last (lowering)->changed);
}

/* An input that both kinds of op read is changed. */
static void
test_input_of_both (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = on_mesh (f, fix_input (f, 2)), *b = on_mesh (f, fix_set (f, a));
  HirTensor *c = on_mesh (f, fix_unary (f, HIR_UNARY_ABS, a));
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, b);
  fix_output (f, c);
  fix_parallelize (f, a, 1, DX);
  fix_parallelize (f, c, 1, DX);
  program = fix_program (f, PASS, 0);
  assert_tensor (program, a, "T0_g_float[ideviceIdx.x1{i2}, iS0{i0}] (DeviceMesh{0 1})");
}

static void
test_reduced_devices (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = on_mesh (f, fix_input (f, 2)), *b = on_mesh (f, fix_sum (f, a, 1));
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, b);
  fix_parallelize (f, b, 1, DX);
  program = fix_program (f, PASS, 0);
  assert_tensor (program, b, "T1_g_float[rdeviceIdx.x3{i2}, iS2{i0}] (DeviceMesh{0 1})");
  g_assert_cmpint (find (program, b)->contiguity[0], ==, HIR_CONTIGUITY_NONE);
  g_assert_cmpint (find (program, b)->contiguity[1], ==, HIR_CONTIGUITY_TRUE);
}

/* Splits are applied to the allocation domain, with the resulting contiguity. */
static void
test_split (void)
{
  static const gint64 shape[] = { -1, -1 };
  static const gint8 contiguity[] = { HIR_CONTIGUITY_TRUE, HIR_CONTIGUITY_FALSE };
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = hir_define_tensor (f, shape, 2, contiguity, HIR_DTYPE_FLOAT, FALSE, NULL, NULL);
  HirTensor *b = on_mesh (f, fix_unary (f, HIR_UNARY_ABS, on_mesh (f, a)));
  const HirTensor *own;
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, b);
  split_outer (f, a, 1, 2);
  fix_parallelize (f, a, 1, DX);
  split_outer (f, b, 1, 2);
  fix_parallelize (f, b, 1, DX);
  program = fix_program (f, PASS, 0);
  assert_tensor (program, a,
                 "T0_g_float[ideviceIdx.x4{2}, iS0{i0}, iS5{( ceilDiv(i2, 2) )}] "
                 "(DeviceMesh{0 1})");
  g_assert_true (has_own_allocation (program, a));
  own = find (program, a);
  g_assert_cmpint (own->contiguity[0], ==, HIR_CONTIGUITY_TRUE);
  g_assert_cmpint (own->contiguity[1], ==, HIR_CONTIGUITY_TRUE);
  g_assert_cmpint (own->contiguity[2], ==, HIR_CONTIGUITY_FALSE);
}

/* A reorder in the schedule is lost: the loop domain follows the memory order. */
static void
test_memory_order (void)
{
  static const gint64 shape[] = { -1, -1, -1 }, from = 0, to = 2;
  static const gint8 contiguity[] = { 1, 1, 1 };
  static const int stride_order[] = { 0, 2, 1 };
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a =
      hir_define_tensor (f, shape, 3, contiguity, HIR_DTYPE_FLOAT, FALSE, stride_order, NULL);
  HirTensor *b = on_mesh (f, fix_unary (f, HIR_UNARY_ABS, on_mesh (f, a)));
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, b);
  g_assert_true (hir_schedule_reorder (b, &from, &to, 1, NULL));
  program = fix_program (f, PASS, 0);
  assert_tensor (program, a, "T0_g_float[iS1{i2}, iS2{i3}, iS0{i0}] (DeviceMesh{0 1})");
  assert_tensor (program, b, "T1_g_float[iS3{i0}, iS4{i2}, iS5{i3}] (DeviceMesh{0 1})");
}

static void
test_allocation_as_loop (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = on_mesh (f, fix_input (f, 1)), *b = on_mesh (f, fix_set (f, a));
  g_autoptr (HirLowering) lowering = NULL;

  fix_output (f, b);
  split_outer (f, a, 0, 2);
  fix_parallelize (f, a, 0, DX);
  hir_schedule_set_allocation_as_loop (a);
  lowering = fix_lower_by (f, PASS, 0);
  g_assert_no_error (lowering->error);
  g_assert_false (hir_lowering_get_last (lowering)->changed);
}

static void
test_no_mesh (void)
{
  static const gint64 from = 0, to = 1;
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *b = fix_set (f, a);
  g_autoptr (HirLowering) lowering = NULL;

  fix_output (f, b);
  g_assert_true (hir_schedule_reorder (b, &from, &to, 1, NULL));
  fix_merge (f, b, 0);
  lowering = fix_lower_by (f, PASS, 0);
  g_assert_no_error (lowering->error);
  g_assert_false (hir_lowering_get_last (lowering)->changed);
}

static void
assert_refused (HirContainer *fusion, guint line, const char *fragments)
{
  g_autoptr (GError) error = fix_refusal_of (fusion, PASS, 0, PASS);

  fix_assert_refusal (error, line, fragments);
}

/* Refusal 10 of docs/host-ir.md#refusals. */
static void
test_refuse_some_meshes (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = on_mesh (f, fix_input (f, 2));
  HirTensor *b;

  fix_line (f, 20);
  b = hir_op_matmul (f, a, a, NULL);
  b->script_name = "out";
  fix_output (f, b);
  assert_refused (f, 20, "out (T1) is on no mesh, but T0 is on DeviceMesh{0 1}");
}

/* A scalar on the CPU may have no mesh. */
static void
test_cpu_scalar (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *scalar = hir_define_tensor (f, NULL, 0, NULL, HIR_DTYPE_FLOAT, TRUE, NULL, NULL);
  HirTensor *a = on_mesh (f, fix_input (f, 1));
  HirTensor *sum = fix_add (f, a, scalar);
  HirTensor *broadcast = HIR_TENSOR (sum->definition->inputs[1]);
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, sum);
  on_mesh (f, broadcast);
  program = fix_program (f, PASS, 0);
  g_assert_null (find (program, scalar)->mesh);
}

/* Refusal 11 of docs/host-ir.md#refusals. */
static void
test_refuse_not_contiguous (void)
{
  static const gint64 shape[] = { -1, -1 };
  static const gint8 contiguity[] = { HIR_CONTIGUITY_FALSE, HIR_CONTIGUITY_TRUE };
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a, *b;

  fix_line (f, 3);
  a = hir_define_tensor (f, shape, 2, contiguity, HIR_DTYPE_FLOAT, FALSE, NULL, NULL);
  b = on_mesh (f, fix_set (f, on_mesh (f, a)));
  fix_output (f, b);
  fix_parallelize (f, a, 0, DX);
  assert_refused (f, 3,
                  "T0 takes part in the communication of Set|not contiguous|"
                  "ideviceIdx.x0{i0}");
}

static void
test_refuse_merge (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = on_mesh (f, fix_input (f, 2)), *b = on_mesh (f, fix_set (f, a));

  fix_output (f, b);
  fix_line (f, 40);
  fix_merge (f, b, 0);
  assert_refused (f, 41, "T1 is on a mesh|Merge: iS2{i0} and iS3{i2}");
}

static void
test_refuse_other_allocation (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = on_mesh (f, fix_input (f, 1)), *b = on_mesh (f, fix_set (f, a));

  fix_output (f, b);
  split_outer (f, b, 0, 2);
  hir_schedule_set_allocation_as_loop (b);
  hir_tensor_set_loop (b, b->logical.ids, b->logical.n);
  assert_refused (f, 3, "the memory layout of T1 is split differently|iS2{2}");
}

static void
test_refuse_device_axes (void)
{
  static const gint64 shape[] = { 4, 4 };
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input_of (f, shape, 2, HIR_DTYPE_FLOAT), *b = fix_set (f, a);

  fix_output (f, b);
  fix_line (f, 50);
  fix_parallelize (f, b, 1, DX);
  assert_refused (f, 51, "axis ideviceIdx.x3{4} of T1 is mesh_x|on no mesh|set_device_mesh");
  on_mesh (f, a);
  on_mesh (f, b);
  assert_refused (f, 51, "4 elements for 2 devices|outer_split the axis by 2");
  fix_line (f, 60);
  fix_parallelize (f, b, 1, HIR_PARALLEL_DIDY);
  assert_refused (f, 61, "axis ideviceIdx.y3{4} of T1 is mesh_y|its mesh has 1 dimension;");
}

/* Refusal 15 of docs/host-ir.md#refusals, with InsertReshardings disabled. */
static void
test_refuse_two_axes (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = on_mesh (f, fix_input (f, 2)), *b = on_mesh (f, fix_set (f, a));

  fix_output (f, b);
  fix_parallelize (f, b, 0, DX);
  fix_line (f, 70);
  fix_parallelize (f, b, 1, DX);
  assert_refused (f, 71, "T1 has two mesh_x axes");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/finalize/devices-first", test_devices_first);
  g_test_add_func ("/finalize/resharding-stays", test_resharding_stays);
  g_test_add_func ("/finalize/input-of-both", test_input_of_both);
  g_test_add_func ("/finalize/reduced-devices", test_reduced_devices);
  g_test_add_func ("/finalize/split", test_split);
  g_test_add_func ("/finalize/memory-order", test_memory_order);
  g_test_add_func ("/finalize/allocation-as-loop", test_allocation_as_loop);
  g_test_add_func ("/finalize/no-mesh", test_no_mesh);
  g_test_add_func ("/finalize/cpu-scalar", test_cpu_scalar);
  g_test_add_func ("/finalize/refuse-some-meshes", test_refuse_some_meshes);
  g_test_add_func ("/finalize/refuse-not-contiguous", test_refuse_not_contiguous);
  g_test_add_func ("/finalize/refuse-merge", test_refuse_merge);
  g_test_add_func ("/finalize/refuse-other-allocation", test_refuse_other_allocation);
  g_test_add_func ("/finalize/refuse-device-axes", test_refuse_device_axes);
  g_test_add_func ("/finalize/refuse-two-axes", test_refuse_two_axes);
  return g_test_run ();
}
