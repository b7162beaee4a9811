/* Tests the changes that resharding ops make, and which ops are communications
 * (docs/host-ir.md#sharding-changes). */
#include <string.h>

#include "test-sharding.h"

/* Refusal 15 of docs/host-ir.md#refusals. */
static void
test_two_axes_of_a_type (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *in = INPUT (f, 2, 2);
  HirTensor *out = hir_op_set (f, in, NULL);
  gboolean found;

  in->script_name = "x";
  on_square (in);
  on_square (out);
  shard (in, 0, DX);
  shard (in, 1, DX);
  g_assert_false (hir_expr_is_resharding (out->definition, &found, &error));
  test_assert_error (&error, HIR_ERROR_REFUSED,
                     "x (T0) has two mesh_x axes, ideviceIdx.x0{2} and ideviceIdx.x1{2}; give it "
                     "one, or parallelize them over different axes of the mesh");
  g_assert_false (find_sharded (in, &found, &error));
  g_clear_error (&error);
  shard (in, 0, DY);
  g_assert_true (reshards (out));
  g_assert_true (find_sharded (in, &found, NULL));
  g_assert_true (found);
}

static gboolean
is_inner (const HirTensor *tensor)
{
  GError *error = NULL;
  gboolean inner;

  g_assert_true (hir_expr_is_inner_resharding (tensor->definition, &inner, &error));
  g_assert_no_error (error);
  return inner;
}

/* InsertShardedAxisReordering: before that pass, an axis is inner. */
static void
test_inner (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *a = INPUT (f, -1, -1), *b = hir_op_unary (f, HIR_UNARY_RELU, a, NULL);
  HirTensor *c = add (f, b, b);
  HirTensor *d = hir_op_set (f, c, NULL);

  on_mesh (a, 0, 1);
  on_mesh (b, 0, 1);
  on_mesh (c, 0, 1);
  on_mesh (d, 0, 1);
  shard (b, 1, DX);
  shard (c, 1, DX);
  g_assert_true (is_inner (b));
  g_assert_false (is_inner (c));
  g_assert_true (is_inner (d));
  shard (a, 0, STREAM); /* counts like any other axis */
  g_assert_true (is_inner (b));
}

/* The device axis may have been moved to the front; then the other side shows the change. */
static void
test_inner_moved (void)
{
  static const gint64 from = 1, to = 0;
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, -1, 2, -1);
  HirTensor *out = hir_op_set (f, in, NULL), *scattered = hir_op_set (f, out, NULL);

  on_mesh (in, 0, 1);
  on_mesh (out, 0, 1);
  on_mesh (scattered, 0, 1);
  shard (in, 1, DX);
  shard (scattered, 1, DX);
  g_assert_true (hir_schedule_reorder (in, &from, &to, 1, NULL));
  g_assert_true (hir_schedule_reorder (scattered, &from, &to, 1, NULL));
  g_assert_true (is_inner (out));
  g_assert_true (is_inner (scattered));
}

static void
test_inner_split (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *outer = INPUT (f, -1, -1), *cyclic = INPUT (f, -1, -1);
  HirTensor *a = hir_op_set (f, outer, NULL), *b = hir_op_set (f, cyclic, NULL);

  on_mesh (outer, 0, 1);
  on_mesh (cyclic, 0, 1);
  on_mesh (a, 0, 1);
  on_mesh (b, 0, 1);
  split_and_shard (outer, 0, 2);
  g_assert_true (
      hir_schedule_split (cyclic, 0, hir_scalar_new_int (f, 2, HIR_DTYPE_INDEX), TRUE, NULL));
  shard (cyclic, 1, DX);
  g_assert_false (is_inner (a));
  g_assert_true (is_inner (b));
}

static void
test_change (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *in = INPUT (f, 2, 2, 8);
  HirTensor *out = hir_op_set (f, in, NULL);
  HirShardingChange change;
  gboolean found;

  on_square (in);
  on_square (out);
  g_assert_true (hir_expr_get_sharding_change (out->definition, &found, &change, NULL));
  g_assert_false (found);
  shard (in, 0, DX);
  g_assert_true (hir_expr_get_sharding_change (out->definition, &found, &change, NULL));
  g_assert_true (found && change.is_gather);
  g_assert_true (change.device_axis == in->loop.ids[0]);
  g_assert_true (change.consumer_axis == out->logical.ids[0]);

  shard (out, 0, DY);
  g_assert_false (hir_expr_get_sharding_change (out->definition, &found, &change, &error));
  test_assert_error (&error, HIR_ERROR_REFUSED,
                     "axis ideviceIdx.x0{2} of T0 is mesh_x, but the corresponding axis in T1, "
                     "ideviceIdx.y3{2}, is mesh_y; no communication goes from one mesh axis to "
                     "another, so gather the axis first with a set");
  shard (out, 0, HIR_PARALLEL_SERIAL);
  shard (out, 1, DX);
  g_assert_true (hir_expr_get_sharding_change (out->definition, &found, &change, NULL));
  g_assert_true (found && change.is_gather && change.scattered == out->logical.ids[1]);
}

/* Two axes change, but not to an all-to-all: the second axis is over other devices. */
static void
test_two_changes (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  g_autoptr (GError) error = NULL;
  HirTensor *in = INPUT (f, 2, 2, 8);
  HirTensor *out = hir_op_set (f, in, NULL);
  HirShardingChange change;
  gboolean found;

  on_square (in);
  on_square (out);
  shard (in, 0, DX);
  shard (out, 1, DY);
  g_assert_false (hir_expr_get_sharding_change (out->definition, &found, &change, &error));
  test_assert_error (&error, HIR_ERROR_REFUSED,
                     "Set changes the sharding of two axes at once, from T0 to T1 (gathers "
                     "ideviceIdx.x0{2}, scatters ideviceIdx.y4{2}), but a communication can change "
                     "only one; insert a set that changes one axis");
}

static void
assert_refused (const HirTensor *tensor, gboolean ignore_inner, const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (hir_expr_can_lower (tensor->definition, ignore_inner, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_REFUSED);
  g_assert_nonnull (strstr (error->message, part));
  g_assert_cmpuint (hir_error_get_pos (error).line, ==, TEST_LINE);
}

static void
test_can_lower (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, 2, 2, -1);
  HirTensor *gathered = hir_op_set (f, in, NULL), *inner = hir_op_set (f, in, NULL);
  HirTensor *relu = hir_op_unary (f, HIR_UNARY_RELU, in, NULL), *all, *scattered, *other, *both;

  on_mesh (in, 0, 1);
  on_mesh (gathered, 0, 1);
  on_mesh (inner, 0, 1);
  on_mesh (relu, 0, 1);
  shard (in, 0, DX);
  all = sum (f, in, 0);
  scattered = sum (f, in, 0);
  shard (scattered, 1, DX);
  other = sum (f, in, 1);
  shard (other, 0, HIR_PARALLEL_SERIAL);
  both = hir_op_reduction (f, HIR_BINARY_ADD, in, SHAPE (0, 1), FALSE, HIR_DTYPE_NULL, NULL);
  g_assert_true (hir_expr_can_lower (gathered->definition, FALSE, NULL));
  g_assert_true (hir_expr_can_lower (all->definition, FALSE, NULL));
  g_assert_true (hir_expr_can_lower (scattered->definition, FALSE, NULL));
  assert_refused (other, TRUE, "sum of T0 changes its sharding");
  assert_refused (both, TRUE, "it reduces 2, of which 1 are over devices");
  assert_refused (relu, TRUE, "relu gives T3 a different sharding than its operands have");

  shard (inner, 0, DX);
  g_assert_true (hir_expr_can_lower (inner->definition, FALSE, NULL)); /* no resharding */
  shard (in, 0, HIR_PARALLEL_SERIAL);
  shard (in, 1, DX);
  shard (inner, 0, HIR_PARALLEL_SERIAL);
  g_assert_true (hir_expr_can_lower (inner->definition, TRUE, NULL));
  assert_refused (inner, FALSE, "axis ideviceIdx.x1{2} of T0, which is not the outermost axis");
}

/* A gather copies contiguous memory. */
static void
test_order (void)
{
  static const gint64 from = 1, to = 2;
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, 2, 4, 8);
  HirTensor *out = hir_op_set (f, in, NULL);

  on_mesh (in, 0, 1);
  on_mesh (out, 0, 1);
  shard (in, 0, DX);
  g_assert_true (hir_schedule_reorder (out, &from, &to, 1, NULL));
  g_assert_true (hir_expr_can_lower (out->definition, TRUE, NULL));
  assert_refused (out, FALSE, "whose axes have different orders in memory");
  g_assert_true (hir_schedule_reorder (in, &from, &to, 1, NULL));
  g_assert_true (hir_expr_can_lower (out->definition, FALSE, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sharding-change/two-axes-of-a-type", test_two_axes_of_a_type);
  g_test_add_func ("/sharding-change/InsertShardedAxisReordering", test_inner);
  g_test_add_func ("/sharding-change/inner-moved", test_inner_moved);
  g_test_add_func ("/sharding-change/inner-split", test_inner_split);
  g_test_add_func ("/sharding-change/change", test_change);
  g_test_add_func ("/sharding-change/two-changes", test_two_changes);
  g_test_add_func ("/sharding-change/can-lower", test_can_lower);
  g_test_add_func ("/sharding-change/order", test_order);
  return g_test_run ();
}
