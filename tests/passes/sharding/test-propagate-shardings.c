/* Tests PropagateShardings: forward, backward, splits, reshapes. */
#include "fixture-devices.h"

#define PASS "PropagateShardings"
#define DX HIR_PARALLEL_DIDX
#define DY HIR_PARALLEL_DIDY

static void
split_outer (HirContainer *fusion, HirTensor *tensor, gint64 axis, gint64 factor)
{
  GError *error = NULL;

  hir_schedule_split (tensor, axis, hir_scalar_new_int (fusion, factor, HIR_DTYPE_INDEX), FALSE,
                      &error);
  g_assert_no_error (error);
}

static void
assert_tensor (HirContainer *program, const HirTensor *tensor, const char *expected)
{
  g_autofree char *text =
      hir_tensor_to_string (hir_container_lookup_tensor (program, tensor->base.node.id));

  g_assert_cmpstr (text, ==, expected);
}

static HirTensor *
reshape (HirContainer *f, HirTensor *in, const gint64 *shape, guint n)
{
  HirScalar *sizes[4];
  HirTensor *out;

  for (guint i = 0; i < n; i++)
    sizes[i] = hir_scalar_new_int (f, shape[i], HIR_DTYPE_INDEX);
  out = hir_op_reshape (f, in, sizes, n, NULL);
  g_assert_nonnull (out);
  return out;
}

static void
test_forward (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *b = fix_unary (f, HIR_UNARY_ABS, a), *c = fix_sum (f, b, 0);
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, c);
  fix_on_mesh (f, a, "0 1");
  fix_parallelize (f, a, 0, DX);
  program = fix_program (f, PASS, 0);
  assert_tensor (program, b, "T1_l_float[ideviceIdx.x2{i0}, iS3{i2}] (DeviceMesh{0 1})");
  /* The reduced axis too: it shows that the result is replicated. */
  assert_tensor (program, c, "T2_g_float[rdeviceIdx.x4{i0}, iS5{i2}] (DeviceMesh{0 1})");
}

/* The forward pass does not change tensors on a mesh, and adds nothing that an operand lacks. */
static void
test_keeps_annotations (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *b = fix_set (f, a);
  g_autoptr (HirLowering) lowering = NULL;

  fix_output (f, b);
  fix_on_mesh (f, a, "0 1");
  fix_on_mesh (f, b, "0 1");
  fix_parallelize (f, a, 1, DX);
  fix_stream (f, b, 0);
  lowering = fix_lower_by (f, PASS, 0);
  g_assert_no_error (lowering->error);
  g_assert_false (hir_lowering_get_last (lowering)->changed);
}

static void
test_splits (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *b = fix_set (f, a);
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, b);
  fix_on_mesh (f, a, "0 1");
  split_outer (f, a, 1, 2);
  fix_parallelize (f, a, 1, DX);
  program = fix_program (f, PASS, 0);
  assert_tensor (program, b,
                 "T1_g_float[iS2{i0}, ideviceIdx.x6{2}, iS7{( ceilDiv(i2, 2) )}] "
                 "(DeviceMesh{0 1})");
}

/* Two splits of one axis, over both dimensions of a mesh. */
static void
test_nested_splits (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 1), *b = fix_set (f, a);
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, b);
  fix_on_mesh (f, a, "0 1|2 3");
  split_outer (f, a, 0, 2);
  fix_parallelize (f, a, 0, DY);
  split_outer (f, a, 1, 2);
  fix_parallelize (f, a, 1, DX);
  program = fix_program (f, PASS, 0);
  assert_tensor (program, b,
                 "T1_g_float[ideviceIdx.y6{2}, ideviceIdx.x8{2}, iS9{( ceilDiv(( ceilDiv(i0, 2) "
                 "), 2) )}] (DeviceMesh{{0 1}{2 3}})");
}

/* B before A: N is sharded, and M therefore is not. */
static void
test_matmul (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *b = fix_input (f, 2), *c = fix_matmul (f, a, b);
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, c);
  fix_on_mesh (f, a, "0 1");
  fix_on_mesh (f, b, "2 3");
  fix_parallelize (f, a, 0, DX);
  fix_parallelize (f, b, 1, DX);
  program = fix_program (f, PASS, 0);
  /* The mesh of the last operand wins. */
  assert_tensor (program, c, "T2_g_float[iS4{i0}, ideviceIdx.x5{i4}, rS6{i2}] (DeviceMesh{0 1})");
}

/* K over devices does not count: A may still shard M. */
static void
test_reduced_not_present (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *b = fix_input (f, 2), *c = fix_matmul (f, a, b);
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, c);
  fix_on_mesh (f, a, "0 1");
  fix_on_mesh (f, b, "0 1");
  fix_parallelize (f, a, 0, DX);
  fix_parallelize (f, b, 0, DX);
  program = fix_program (f, PASS, 0);
  assert_tensor (program, c,
                 "T2_g_float[ideviceIdx.x4{i0}, iS5{i4}, rdeviceIdx.x6{i2}] (DeviceMesh{0 1})");
}

/* The operand over most devices first. */
static void
test_most_devices (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *b = fix_input (f, 2), *c = fix_add (f, a, b);
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, c);
  fix_on_mesh (f, a, "0 1|2 3");
  fix_on_mesh (f, b, "0 1|2 3");
  fix_parallelize (f, a, 1, DX);
  fix_parallelize (f, b, 0, DX);
  fix_parallelize (f, b, 1, DY);
  program = fix_program (f, PASS, 0);
  assert_tensor (program, c,
                 "T2_g_float[ideviceIdx.x4{i0}, ideviceIdx.y5{i2}] (DeviceMesh{{0 1}{2 3}})");
}

/* If only the last tensor is sharded, the scatter happens at the first
 * (docs/host-ir.md#propagateshardings). */
static void
test_backward (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *in = fix_input (f, 2), *t1 = fix_set (f, in), *t2 = fix_set (f, t1);
  HirTensor *tensors[] = { in, t1, t2 };
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, t2);
  for (guint i = 0; i < 3; i++)
    fix_on_mesh (f, tensors[i], "0 1");
  fix_parallelize (f, t2, 0, DX);
  fix_stream (f, t1, 0);
  program = fix_program (f, PASS, 0);
  assert_tensor (program, in, "T0_g_float[iS0{i0}, iS1{i2}] (DeviceMesh{0 1})");
  /* The stream axis is overwritten. */
  assert_tensor (program, t1, "T1_l_float[ideviceIdx.x2{i0}, iS3{i2}] (DeviceMesh{0 1})");
}

/* Inputs get a mesh only. */
static void
test_backward_inputs (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *b = fix_input (f, 2), *c = fix_add (f, a, b);
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, c);
  fix_on_mesh (f, c, "0 1");
  fix_parallelize (f, c, 0, DX);
  program = fix_program (f, PASS, 0);
  assert_tensor (program, a, "T0_g_float[iS0{i0}, iS1{i2}] (DeviceMesh{0 1})");
  assert_tensor (program, b, "T1_g_float[iS2{i3}, iS3{i4}] (DeviceMesh{0 1})");
}

/* A pipeline stage keeps its mesh. */
static void
test_other_mesh_stays (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *in = fix_input (f, 1), *first = fix_unary (f, HIR_UNARY_ABS, in);
  HirTensor *second = fix_set (f, first);
  g_autoptr (HirLowering) lowering = NULL;

  fix_output (f, second);
  fix_on_mesh (f, in, "0");
  fix_on_mesh (f, first, "0");
  fix_on_mesh (f, second, "1 2");
  fix_parallelize (f, second, 0, DX);
  lowering = fix_lower_by (f, PASS, 0);
  g_assert_no_error (lowering->error);
  g_assert_false (hir_lowering_get_last (lowering)->changed);
}

static void
test_reshape (void)
{
  static const gint64 shape[] = { 8, 3 }, split[] = { 4, 2, 3 }, merged[] = { 24 };
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input_of (f, shape, 2, HIR_DTYPE_FLOAT);
  HirTensor *b = reshape (f, a, split, 3), *c = reshape (f, a, merged, 1);
  g_autoptr (HirContainer) program = NULL;
  g_autofree char *split_text = NULL, *merged_text = NULL;

  fix_output (f, b);
  fix_output (f, c);
  fix_on_mesh (f, a, "0 1");
  split_outer (f, a, 0, 2);
  fix_parallelize (f, a, 0, DX);
  program = fix_program (f, PASS, 0);
  split_text = hir_tensor_to_string (hir_container_lookup_tensor (program, b->base.node.id));
  merged_text = hir_tensor_to_string (hir_container_lookup_tensor (program, c->base.node.id));
  g_assert_true (
      g_regex_match_simple ("\\[ideviceIdx.x\\d+\\{2\\}, iS\\d+\\{2\\}, iS\\d+\\{2\\}rf, "
                            "iS\\d+\\{3\\}\\] \\(DeviceMesh\\{0 1\\}\\)",
                            split_text, 0, 0));
  g_assert_true (
      g_regex_match_simple ("\\[ideviceIdx.x\\d+\\{2\\}, iS\\d+\\{12\\}\\]", merged_text, 0, 0));
}

/* An inner part, or a number that does not divide the axis, is not propagated across a reshape. */
static void
test_reshape_otherwise (void)
{
  static const gint64 shape[] = { 9, 2 }, merged[] = { 18 };
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input_of (f, shape, 2, HIR_DTYPE_FLOAT), *b = reshape (f, a, merged, 1);
  HirTensor *c = fix_input_of (f, shape, 2, HIR_DTYPE_FLOAT), *d = reshape (f, c, merged, 1);
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, b);
  fix_output (f, d);
  fix_on_mesh (f, a, "0 1");
  fix_on_mesh (f, c, "0 1 2 3");
  fix_parallelize (f, a, 1, DX);
  split_outer (f, c, 0, 4);
  fix_parallelize (f, c, 0, DX);
  program = fix_program (f, PASS, 0);
  g_assert_cmpuint (hir_container_lookup_tensor (program, b->base.node.id)->loop.n, ==, 1);
  g_assert_nonnull (hir_container_lookup_tensor (program, b->base.node.id)->mesh);
  g_assert_cmpuint (hir_container_lookup_tensor (program, d->base.node.id)->loop.n, ==, 1);
}

static void
test_reshape_backward (void)
{
  static const gint64 shape[] = { 24 }, split[] = { 8, 3 };
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input_of (f, shape, 1, HIR_DTYPE_FLOAT);
  HirTensor *b = fix_unary (f, HIR_UNARY_ABS, a), *c = reshape (f, b, split, 2);
  g_autoptr (HirContainer) program = NULL;
  const HirTensor *own;

  fix_output (f, c);
  fix_on_mesh (f, c, "0 1");
  split_outer (f, c, 0, 2);
  fix_parallelize (f, c, 0, DX);
  program = fix_program (f, PASS, 0);
  own = hir_container_lookup_tensor (program, b->base.node.id);
  g_assert_cmpuint (own->loop.n, ==, 2);
  g_assert_cmpint (own->loop.ids[0]->parallel_type, ==, DX);
  g_assert_cmpint (own->loop.ids[0]->extent->i, ==, 2);
  g_assert_cmpint (own->loop.ids[1]->extent->i, ==, 12);
  g_assert_nonnull (own->mesh);
}

static void
test_full (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 1);
  HirScalar *shape[] = { a->logical.ids[0]->extent };
  HirTensor *full = hir_op_full (f, shape, 1, hir_scalar_new_double (f, 1.0, HIR_DTYPE_DOUBLE),
                                 HIR_DTYPE_FLOAT, NULL);
  HirTensor *out = fix_add (f, a, full);
  g_autoptr (HirContainer) program = NULL;

  fix_output (f, out);
  fix_on_mesh (f, a, "0 1");
  fix_parallelize (f, a, 0, DX);
  program = fix_program (f, PASS, 0);
  assert_tensor (program, full, "T1_l_float[ideviceIdx.x1{i0}] (DeviceMesh{0 1})");
}

static void
test_no_mesh (void)
{
  g_autoptr (HirContainer) f = fix_fusion ();
  HirTensor *a = fix_input (f, 2), *b = fix_set (f, a);
  g_autoptr (HirLowering) lowering = NULL;

  fix_output (f, b);
  fix_parallelize (f, a, 0, DX);
  lowering = fix_lower_by (f, PASS, 0);
  g_assert_no_error (lowering->error);
  g_assert_false (hir_lowering_get_last (lowering)->changed);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/propagate/forward", test_forward);
  g_test_add_func ("/propagate/keeps-annotations", test_keeps_annotations);
  g_test_add_func ("/propagate/splits", test_splits);
  g_test_add_func ("/propagate/nested-splits", test_nested_splits);
  g_test_add_func ("/propagate/matmul", test_matmul);
  g_test_add_func ("/propagate/reduced-not-present", test_reduced_not_present);
  g_test_add_func ("/propagate/most-devices", test_most_devices);
  g_test_add_func ("/propagate/backward", test_backward);
  g_test_add_func ("/propagate/backward-inputs", test_backward_inputs);
  g_test_add_func ("/propagate/other-mesh-stays", test_other_mesh_stays);
  g_test_add_func ("/propagate/reshape", test_reshape);
  g_test_add_func ("/propagate/reshape-otherwise", test_reshape_otherwise);
  g_test_add_func ("/propagate/reshape-backward", test_reshape_backward);
  g_test_add_func ("/propagate/full", test_full);
  g_test_add_func ("/propagate/no-mesh", test_no_mesh);
  return g_test_run ();
}
