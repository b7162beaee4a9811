#include "schedule/schedule.h"

#include "label.h"
#include "test-ops.h"

static HirScalar *
size (HirContainer *f, gint64 n)
{
  return hir_scalar_new_int (f, n, HIR_DTYPE_INDEX);
}

static void
test_axis (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *t0 = INPUT (f, -1, -1);
  HirTensor *none = test_define (f, HIR_DTYPE_FLOAT, NULL, 0);

  t0->script_name = "inp";
  g_assert_true (hir_schedule_axis (t0, 1, NULL) == t0->loop.ids[1]);
  g_assert_true (hir_schedule_axis (t0, -2, NULL) == t0->loop.ids[0]);
  g_assert_null (hir_schedule_axis (t0, 2, &error));
  test_assert_error (&error, HIR_ERROR_REFUSED,
                     "axis: inp (T0) has 2 axes now, so there is no axis 2; use -2 to 1");
  g_assert_null (hir_schedule_axis (t0, -3, &error));
  g_clear_error (&error);
  g_assert_null (hir_schedule_axis (none, 0, &error));
  test_assert_error (&error, HIR_ERROR_REFUSED, "axis: T1 has no axes, so there is no axis 0");
}

static void
test_parallelize (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *t0 = INPUT (f, -1, -1);
  HirTensor *t1 = hir_op_set (f, t0, NULL);
  guint64 id = t1->loop.ids[1]->base.node.id;

  hir_maker_set_pos (f, (HirPos){ 12, 3 });
  g_assert_true (hir_schedule_parallelize (t1, -1, HIR_PARALLEL_STREAM, NULL));
  test_assert_tensor (t1, "T1_l_float[iS2{i0}, iStreamIdx3{i2}]");
  /* The same axis, with the position that an error would show. */
  g_assert_cmpuint (t1->loop.ids[1]->base.node.id, ==, id);
  g_assert_cmpuint (t1->loop.ids[1]->base.node.pos.line, ==, 12);
  g_assert_cmpuint (t1->base.node.pos.line, ==, TEST_LINE);
  hir_maker_set_pos (f, (HirPos){ TEST_LINE, 1 });
  g_assert_false (hir_schedule_parallelize (t1, 5, HIR_PARALLEL_STREAM, &error));
  test_assert_error (&error, HIR_ERROR_REFUSED,
                     "parallelize: T1 has 2 axes now, so there is no axis 5; use -2 to 1");
}

static void
test_split (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *t0 = INPUT (f, -1, -1);

  hir_maker_set_pos (f, (HirPos){ 9, 3 });
  g_assert_true (hir_schedule_split (t0, 0, size (f, 2), TRUE, NULL));
  test_assert_tensor (t0, "T0_g_float[iS2{( ceilDiv(i0, 2) )}, iS3{2}, iS1{i2}]");
  /* Needed by later messages: the transform and its position. */
  g_assert_cmpuint (t0->loop.ids[0]->definition->node.pos.line, ==, 9);
  g_assert_cmpuint (t0->loop.ids[0]->definition->node.id, !=, 0);
  g_assert_cmpuint (t0->logical.n, ==, 2);
  g_assert_true (hir_schedule_split (t0, -1, size (f, 3), FALSE, NULL));
  test_assert_tensor (t0, "T0_g_float[iS2{( ceilDiv(i0, 2) )}, iS3{2}, iS4{3}, iS5{( ceilDiv(i2, "
                          "3) )}]");

  hir_maker_set_pos (f, (HirPos){ TEST_LINE, 1 });
  g_assert_true (hir_schedule_parallelize (t0, 1, HIR_PARALLEL_DIDX, NULL));
  g_assert_false (hir_schedule_split (t0, 1, size (f, 2), TRUE, &error));
  test_assert_error (&error, HIR_ERROR_REFUSED,
                     "split: axis 1 of T0: only a Serial axis can be split, but this axis is "
                     "mesh_x; split it before parallelizing it");
  g_assert_false (hir_schedule_split (t0, 0, size (f, 0), TRUE, &error));
  test_assert_error (&error, HIR_ERROR_REFUSED,
                     "split: axis 0 of T0: the split factor is 0; it must be 1 or more");
}

static void
test_merge (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *t0 = INPUT (f, 4, -1, 8);
  HirTensor *t1 = hir_op_reduction (f, HIR_BINARY_ADD, t0, SHAPE (0), FALSE, HIR_DTYPE_NULL, NULL);

  /* The result has the position of the first of the two axes, whichever is the outer one. */
  g_assert_true (hir_schedule_merge (t0, 2, 0, NULL));
  test_assert_tensor (t0, "T0_g_float[iS6{32}, iS1{i2}]");
  g_assert_cmpint (t0->loop.ids[0]->definition->in[0]->base.name, ==, 2);
  g_assert_true (hir_schedule_merge (t0, 0, 1, NULL));
  test_assert_tensor (t0, "T0_g_float[iS7{( i2 * 32 )}]");

  g_assert_false (hir_schedule_merge (t1, 0, 1, &error));
  test_assert_error (&error, HIR_ERROR_REFUSED,
                     "merge: axes 0 and 1 of T1: a reduced axis cannot be merged with an axis that "
                     "is not reduced");
  g_assert_false (hir_schedule_merge (t1, 1, -2, &error));
  test_assert_error (&error, HIR_ERROR_REFUSED,
                     "merge: axis 1 of T1 cannot be merged with itself; "
                     "name two different axes");
  g_assert_true (hir_schedule_parallelize (t1, 1, HIR_PARALLEL_STREAM, NULL));
  g_assert_true (hir_schedule_parallelize (t1, 2, HIR_PARALLEL_DIDX, NULL));
  g_assert_false (hir_schedule_merge (t1, 1, 2, &error));
  test_assert_error (&error, HIR_ERROR_REFUSED,
                     "merge: axes 1 and 2 of T1: two parallelized axes (stream, mesh_x) cannot be "
                     "merged; one must be Serial");
}

static void
assert_order (const gint64 *from, const gint64 *to, guint n, const char *expected)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *t0 = INPUT (f, -1, -1, -1, -1);
  g_autoptr (GString) order = g_string_new (NULL);

  g_assert_true (hir_schedule_reorder (t0, from, to, n, NULL));
  for (guint i = 0; i < t0->loop.n; i++)
    g_string_append_printf (order, "%d", t0->loop.ids[i]->base.name);
  g_assert_cmpstr (order->str, ==, expected);
  g_assert_cmpint (t0->logical.ids[0]->base.name, ==, 0);
}

static void
test_reorder (void)
{
  assert_order (NULL, NULL, 0, "0123");
  assert_order ((const gint64[]){ 2 }, (const gint64[]){ 0 }, 1, "2013");
  assert_order ((const gint64[]){ 0 }, (const gint64[]){ -1 }, 1, "1230");
  assert_order ((const gint64[]){ 0, 3 }, (const gint64[]){ 1, 0 }, 2, "3012");
  assert_order ((const gint64[]){ 0, 1, 2, 3 }, (const gint64[]){ 3, 2, 1, 0 }, 4, "3210");
}

static void
test_reorder_errors (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *t0 = INPUT (f, -1, -1);
  const gint64 same[] = { 0, 0 }, both[] = { 0, 1 }, far[] = { 4, 1 };

  g_assert_false (hir_schedule_reorder (t0, same, both, 2, &error));
  test_assert_error (&error, HIR_ERROR_REFUSED,
                     "reorder: axis 0 of T0 is moved twice; name each axis once");
  g_assert_false (hir_schedule_reorder (t0, both, same, 2, &error));
  test_assert_error (&error, HIR_ERROR_REFUSED,
                     "reorder: two axes of T0 are moved to position 0; give each axis a different "
                     "position");
  g_assert_false (hir_schedule_reorder (t0, far, both, 2, &error));
  test_assert_error (&error, HIR_ERROR_REFUSED,
                     "reorder: T0 has 2 axes now, so there is no axis 4; use -2 to 1");
  test_assert_tensor (t0, "T0_g_float[iS0{i0}, iS1{i2}]");
}

static void
test_mesh_and_allocation (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  const gint64 devices[] = { 0, 1, 2 };
  const gint64 shape = 3;
  const gint8 contiguity[] = { HIR_CONTIGUITY_FALSE, HIR_CONTIGUITY_FALSE };
  HirTensor *t0 = hir_define_tensor (f, (const gint64[]){ -1, -1 }, 2, contiguity, HIR_DTYPE_FLOAT,
                                     FALSE, NULL, NULL);

  hir_schedule_set_device_mesh (t0, hir_mesh_new (f->arena, devices, 3, &shape, 1, NULL));
  test_assert_tensor (t0, "T0_g_float[iS0{i0}, iS1{i2}] (DeviceMesh{0 1 2})");
  hir_schedule_set_device_mesh (t0, NULL);
  g_assert_true (hir_schedule_split (t0, 0, size (f, 3), FALSE, NULL));
  hir_schedule_set_allocation_as_loop (t0);
  g_assert_true (t0->has_allocation);
  g_assert_cmpuint (t0->allocation.n, ==, 3);
  g_assert_true (t0->allocation.ids[1] == t0->loop.ids[1]);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (t0->contiguity[i], ==, HIR_CONTIGUITY_TRUE);
}

static void
test_memory_type (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *t0 = INPUT (f, -1);
  HirTensor *t1 = hir_op_set (f, t0, NULL);

  g_assert_true (hir_schedule_set_memory_type (t1, HIR_MEMORY_SHARED, NULL));
  test_assert_tensor (t1, "T1_s_float[iS1{i0}]");
  g_assert_true (hir_schedule_set_memory_type (t0, HIR_MEMORY_SYMMETRIC, NULL));
  g_assert_false (hir_schedule_set_memory_type (t0, HIR_MEMORY_LOCAL, &error));
  test_assert_error (&error, HIR_ERROR_REFUSED,
                     "set_memory_type: T0 is an input of the fusion, which cannot be in register "
                     "memory; leave it in global memory");
  hir_container_add_output (f, HIR_VAL (t1));
  g_assert_false (hir_schedule_set_memory_type (t1, HIR_MEMORY_SHARED, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_REFUSED);
}

static void
test_labels (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *t0 = INPUT (f, 1, -1);
  HirTensor *t1 = hir_op_reduction (f, HIR_BINARY_ADD, t0, SHAPE (1), FALSE, HIR_DTYPE_NULL, NULL);
  g_autofree char *plain = hir_tensor_dup_label (t0);
  g_autofree char *shape = hir_tensor_dup_shape_text (t0);
  g_autofree char *reduced = hir_tensor_dup_shape_text (t1);
  g_autofree char *named = NULL, *same = NULL;

  g_assert_cmpstr (plain, ==, "T0");
  g_assert_cmpstr (shape, ==, "[1, i2]");
  g_assert_cmpstr (reduced, ==, "[1]");
  t0->script_name = "x";
  named = hir_tensor_dup_label (t0);
  g_assert_cmpstr (named, ==, "x (T0)");
  t0->script_name = "T0";
  same = hir_tensor_dup_label (t0);
  g_assert_cmpstr (same, ==, "T0");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/schedule/axis", test_axis);
  g_test_add_func ("/schedule/parallelize", test_parallelize);
  g_test_add_func ("/schedule/split", test_split);
  g_test_add_func ("/schedule/merge", test_merge);
  g_test_add_func ("/schedule/reorder", test_reorder);
  g_test_add_func ("/schedule/reorder-errors", test_reorder_errors);
  g_test_add_func ("/schedule/mesh-and-allocation", test_mesh_and_allocation);
  g_test_add_func ("/schedule/memory-type", test_memory_type);
  g_test_add_func ("/schedule/labels", test_labels);
  return g_test_run ();
}
