/* Tests isResharding with its truth table (docs/host-ir.md#table-47; rows before 2026, under their
 * names). */
#include "test-sharding.h"

static HirTensor *
reshape (HirContainer *f, HirTensor *in, const gint64 *shape, guint n)
{
  HirScalar *sizes[8];
  HirTensor *out;

  for (guint i = 0; i < n; i++)
    sizes[i] = shape[i] < 0 ? NULL : hir_scalar_new_int (f, shape[i], HIR_DTYPE_INDEX);
  out = hir_op_reshape (f, in, sizes, n, NULL);
  g_assert_nonnull (out);
  return out;
}

static void
test_splitting_view (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, 2, 3, 96);
  HirTensor *out = reshape (f, in, SHAPE (2, 3, 8, 12));

  on_mesh (in, 0, 1);
  on_mesh (out, 0, 1);
  split_and_shard (in, 2, 2);
  split_and_shard (out, 2, 2);
  g_assert_false (reshards (out));
}

/* The inner axis or another factor gives other shards. */
static void
test_splitting_view_otherwise (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, 2, 3, 96);
  HirTensor *inner = reshape (f, in, SHAPE (2, 3, 8, 12));
  HirTensor *cut = reshape (f, in, SHAPE (2, 3, 8, 12));

  on_mesh (in, 0, 1);
  on_mesh (inner, 0, 1);
  on_mesh (cut, 0, 1);
  split_and_shard (in, 2, 2);
  split_and_shard (inner, 3, 2);
  split_and_shard (cut, 2, 4);
  g_assert_true (reshards (inner));
  g_assert_true (reshards (cut));
}

static void
test_merging_view (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, 2, 3, 8, 12);
  HirTensor *out = reshape (f, in, SHAPE (2, 3, 96));

  on_mesh (in, 0, 1);
  on_mesh (out, 0, 1);
  split_and_shard (in, 2, 2);
  split_and_shard (out, 2, 2);
  g_assert_false (reshards (out));
}

static void
test_set (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, -1, -1);
  HirTensor *same = hir_op_set (f, in, NULL), *moved = hir_op_set (f, in, NULL);
  HirTensor *scattered = hir_op_set (f, in, NULL), *nowhere = hir_op_set (f, in, NULL);

  on_mesh (in, 0, 1);
  on_mesh (same, 0, 1);
  on_mesh (moved, 0, 2);
  on_mesh (scattered, 0, 1);
  shard (scattered, 0, DX);
  g_assert_false (reshards (same));     /* Set_SameMesh_NoParallelTypes */
  g_assert_true (reshards (moved));     /* Set_DifferentMeshes */
  g_assert_true (reshards (scattered)); /* Set_DifferentParallelTypes */
  g_assert_true (reshards (nowhere));   /* a mesh on one side only */

  shard (same, 1, STREAM);
  g_assert_false (reshards (same)); /* streams are not devices */
  shard (in, 0, DX);
  g_assert_false (reshards (scattered)); /* Set_SameMesh_SameParallelType */
  shard (scattered, 1, DX);
  shard (scattered, 0, HIR_PARALLEL_SERIAL);
  g_assert_true (reshards (scattered)); /* over another axis */
}

static void
test_set_without_mesh (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, -1);
  HirTensor *out = hir_op_set (f, in, NULL);

  shard (out, 0, DX);
  g_assert_false (reshards (out));
}

static void
test_sum (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, -1, -1, -1);
  HirTensor *same = sum (f, in, 0), *moved = sum (f, in, 0), *kept, *reduced, *scattered;

  on_mesh (in, 0, 1);
  on_mesh (same, 0, 1);
  on_mesh (moved, 0, 2);
  g_assert_false (reshards (same)); /* Sum_SameMesh_NoParallelTypes */
  g_assert_true (reshards (moved)); /* Sum_DifferentMeshes */

  shard (in, 0, DX);
  kept = sum (f, in, 1);
  reduced = sum (f, in, 0);
  scattered = sum (f, in, 0);
  shard (scattered, 1, DX);
  test_assert_tensor (kept, "T3_l_float[ideviceIdx.x9{i0}, rS10{i2}, iS11{i3}] (DeviceMesh{0 1})");
  g_assert_false (reshards (kept));     /* Sum_UnshardedAxis */
  g_assert_true (reshards (reduced));   /* Sum_ShardedAxis: an allreduce */
  g_assert_true (reshards (scattered)); /* a reduce-scatter */
}

typedef struct
{
  HirTensor *x, *y, *z;
} Sum;

static Sum
new_add (HirContainer *f, gboolean y_is_broadcast)
{
  Sum s;

  s.x = INPUT (f, -1, -1);
  s.y = y_is_broadcast ? INPUT (f, 1, -1) : INPUT (f, -1, -1);
  s.z = add (f, s.x, s.y);
  on_mesh (s.x, 0, 1);
  on_mesh (s.y, 0, 1);
  on_mesh (s.z, 0, 1);
  return s;
}

static void
test_add (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  Sum same = new_add (f, FALSE), moved = new_add (f, FALSE), out = new_add (f, FALSE);
  Sum in = new_add (f, FALSE), all = new_add (f, FALSE), two = new_add (f, FALSE);
  Sum broadcast = new_add (f, TRUE);

  on_mesh (moved.z, 0, 2);
  shard (out.z, 0, DX);
  shard (in.x, 0, DX);
  shard (in.y, 0, DX);
  shard (all.x, 0, DX);
  shard (all.y, 0, DX);
  shard (all.z, 0, DX);
  shard (two.x, 0, DX);
  shard (two.z, 0, DX);
  shard (broadcast.x, 0, DX);
  shard (broadcast.z, 0, DX);
  g_assert_false (reshards (same.z));      /* Add_SameMesh_NoParallelTypes */
  g_assert_true (reshards (moved.z));      /* Add_OutputDifferentMesh */
  g_assert_true (reshards (out.z));        /* Add_OutputSharded */
  g_assert_true (reshards (in.z));         /* Add_InputsSharded */
  g_assert_false (reshards (all.z));       /* Add_AllSharded */
  g_assert_true (reshards (two.z));        /* x and z sharded, y not */
  g_assert_false (reshards (broadcast.z)); /* y is a broadcast there */
}

static void
test_matmul (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *x = INPUT (f, -1, -1), *y = INPUT (f, -1, -1);
  HirTensor *z = hir_op_matmul (f, x, y, NULL);

  on_mesh (x, 0, 1);
  on_mesh (y, 0, 1);
  on_mesh (z, 0, 1);
  shard (x, 0, DX);
  shard (z, 0, DX);
  g_assert_false (reshards (z)); /* Matmul_NoResharding */
  shard (y, 1, DX);
  g_assert_true (reshards (z)); /* Matmul_Resharding */
  shard (y, 1, HIR_PARALLEL_SERIAL);
  shard (x, 0, HIR_PARALLEL_SERIAL);
  shard (x, 1, DX);
  shard (y, 0, DX);
  shard (z, 0, HIR_PARALLEL_SERIAL);
  g_assert_true (reshards (z)); /* K over devices */
}

static void
test_allgather (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, -1);
  HirTensor *out = hir_op_set (f, in, NULL), *alike = hir_op_set (f, in, NULL);

  on_mesh (in, 0, 1);
  on_mesh (out, 0, 1);
  on_mesh (alike, 0, 1);
  split_and_shard (in, 0, 2);
  split_and_shard (alike, 0, 2);
  g_assert_true (reshards (out));
  g_assert_false (reshards (alike));
}

/* An inner split by the same factor takes every second element. */
static void
test_other_split (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, -1);
  HirTensor *out = hir_op_set (f, in, NULL);

  on_mesh (in, 0, 1);
  on_mesh (out, 0, 1);
  split_and_shard (in, 0, 2);
  g_assert_true (
      hir_schedule_split (out, 0, hir_scalar_new_int (f, 2, HIR_DTYPE_INDEX), TRUE, NULL));
  shard (out, 1, DX);
  g_assert_true (reshards (out));
}

/* Manual rfactor: the local sum keeps the device axis, the second sum reduces it. */
static void
test_reduce_scatter_and_allreduce (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, -1, 2, -1);
  HirTensor *local, *scattered, *all, *after;

  on_mesh (in, 0, 1);
  shard (in, 1, DX);
  local = sum (f, in, 2);
  all = sum (f, local, 1);
  scattered = sum (f, local, 1);
  split_and_shard (scattered, 0, 2);
  after = add (f, all, all);
  g_assert_false (reshards (local));
  g_assert_true (reshards (all));       /* Allreduce */
  g_assert_true (reshards (scattered)); /* ReduceScatter */
  g_assert_false (reshards (after));    /* add after the allreduce */
}

/* The reduced axis is over devices in the result too: it counts as replicated. */
static void
test_reduced_device_axis (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, 2, -1);
  HirTensor *out, *after;
  gboolean sharded;

  on_mesh (in, 0, 1);
  shard (in, 0, DX);
  out = sum (f, in, 0);
  after = add (f, out, out);
  shard (out, 0, DX);
  test_assert_tensor (out, "T1_l_float[rdeviceIdx.x2{2}, iS3{i2}] (DeviceMesh{0 1})");
  g_assert_true (reshards (out));
  g_assert_false (reshards (after));
  g_assert_true (find_sharded (out, &sharded, NULL));
  g_assert_false (sharded);
  g_assert_true (find_sharded (in, &sharded, NULL));
  g_assert_true (sharded);
}

static void
test_broadcast (void)
{
  static const gboolean flags[] = { TRUE, FALSE };
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, -1);
  HirTensor *out = hir_op_broadcast (f, in, flags, 2, NULL);

  on_mesh (in, 0, 1);
  on_mesh (out, 0, 1);
  shard (out, 0, DX);
  g_assert_false (reshards (out));
  shard (out, 0, HIR_PARALLEL_SERIAL);
  shard (out, 1, DX);
  g_assert_true (reshards (out));
}

static void
test_resharding_squeeze (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, -1, 1);
  HirTensor *out = hir_op_squeeze (f, in, SHAPE (1), FALSE, NULL);
  HirTensor *alike = hir_op_squeeze (f, in, SHAPE (1), FALSE, NULL);

  on_mesh (in, 0, 1);
  on_mesh (out, 0, 1);
  on_mesh (alike, 0, 1);
  g_assert_true (hir_schedule_merge (in, 0, 1, NULL));
  shard (in, 0, DX);
  shard (alike, 0, DX);
  g_assert_true (reshards (out));
  g_assert_false (reshards (alike)); /* i * 1 + 0 is i */
}

static void
test_select (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, -1, -1, -1);
  HirScalar *zero = hir_scalar_new_int (f, 0, HIR_DTYPE_INT);
  HirTensor *kept = hir_op_select (f, in, zero, 0, NULL);
  HirTensor *lost = hir_op_select (f, in, zero, 0, NULL);
  HirTensor *into = hir_op_select (f, in, zero, 1, NULL);

  on_mesh (in, 0, 1);
  on_mesh (kept, 0, 1);
  on_mesh (lost, 0, 1);
  on_mesh (into, 0, 1);
  shard (in, 1, DX);
  shard (kept, 0, DX);
  g_assert_false (reshards (kept)); /* select (0), D(1) -> D(0) */
  g_assert_true (reshards (lost));
  g_assert_true (reshards (into));
}

static void
test_cpu_scalar (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, 2);
  HirTensor *scalar = hir_define_tensor (f, NULL, 0, NULL, HIR_DTYPE_FLOAT, TRUE, NULL, NULL);
  HirTensor *out = add (f, in, scalar);

  on_mesh (in, 0, 1);
  on_mesh (out, 0, 1);
  g_assert_null (scalar->mesh);
  g_assert_cmpint (out->definition->inputs[1]->kind, ==, HIR_VAL_TENSOR);
  /* It is broadcast by a separate Expr. */
  g_assert_false (reshards (HIR_TENSOR (out->definition->inputs[1])));
}

static void
test_permute (void)
{
  static const gint64 dims[] = { 1, 0 };
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, -1, -1);
  HirTensor *out = hir_op_permute (f, in, dims, 2, NULL);

  on_mesh (in, 0, 1);
  on_mesh (out, 0, 1);
  shard (in, 0, DX);
  g_assert_true (reshards (out));
  shard (out, 1, DX);
  g_assert_false (reshards (out));
}

static void
test_slice_of_sharded (void)
{
  static const gint64 start[] = { 1, 0 }, stop[] = { 3, 4 };
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, 4, 4);
  HirTensor *out = hir_op_slice (f, in, start, stop, NULL, 2, NULL);

  on_mesh (in, 0, 1);
  on_mesh (out, 0, 1);
  shard (in, 1, DX);
  shard (out, 1, DX);
  g_assert_false (reshards (out));
  shard (in, 1, HIR_PARALLEL_SERIAL);
  shard (out, 1, HIR_PARALLEL_SERIAL);
  shard (in, 0, DX);
  shard (out, 0, DX);
  g_assert_true (reshards (out)); /* other rows remain */
}

static void
test_stream_types (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, -1, -1);
  HirTensor *out = hir_op_set (f, in, NULL);
  const HirParallelSet stream = HIR_PARALLEL_BIT (STREAM);
  gboolean different;

  shard (in, 0, STREAM);
  g_assert_true (
      hir_expr_have_different_shardings (out->definition, in, out, stream, &different, NULL));
  g_assert_true (different);
  shard (out, 0, STREAM);
  g_assert_true (
      hir_expr_have_different_shardings (out->definition, in, out, stream, &different, NULL));
  g_assert_false (different);
}

/* A merge followed by the inverse split, with symbolic sizes. */
static void
test_symbolic_pieces (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, -1, -1);
  HirTensor *out = hir_op_set (f, in, NULL), *off = hir_op_set (f, in, NULL);

  on_mesh (in, 0, 1);
  on_mesh (out, 0, 1);
  on_mesh (off, 0, 1);
  shard (in, 0, DX);
  g_assert_true (hir_schedule_merge (out, 0, 1, NULL));
  g_assert_true (hir_schedule_split (out, 0, in->logical.ids[1]->extent, TRUE, NULL));
  shard (out, 0, DX);
  g_assert_false (reshards (out)); /* (i * n + j) / n is i */
  g_assert_true (hir_schedule_merge (off, 0, 1, NULL));
  g_assert_true (hir_schedule_split (off, 0, in->logical.ids[0]->extent, TRUE, NULL));
  shard (off, 0, DX);
  g_assert_true (reshards (off));
}

/* A derivation of any length can be compared, at least as different. */
static void
test_deep_derivation (void)
{
  g_autoptr (HirContainer) f = test_fusion ();
  HirTensor *in = INPUT (f, -1);
  HirTensor *out = hir_op_set (f, in, NULL);
  HirScalar *two = hir_scalar_new_int (f, 2, HIR_DTYPE_INDEX);

  on_mesh (in, 0, 1);
  on_mesh (out, 0, 1);
  for (guint i = 0; i < 3000; i++)
    g_assert_true (hir_schedule_split (out, 0, two, TRUE, NULL) &&
                   hir_schedule_merge (out, 0, 1, NULL));
  shard (in, 0, DX);
  shard (out, 0, DX);
  g_assert_true (reshards (out));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sharding/SplittingView", test_splitting_view);
  g_test_add_func ("/sharding/splitting-view-otherwise", test_splitting_view_otherwise);
  g_test_add_func ("/sharding/MergingView", test_merging_view);
  g_test_add_func ("/sharding/Set", test_set);
  g_test_add_func ("/sharding/set-without-mesh", test_set_without_mesh);
  g_test_add_func ("/sharding/Sum", test_sum);
  g_test_add_func ("/sharding/Add", test_add);
  g_test_add_func ("/sharding/Matmul", test_matmul);
  g_test_add_func ("/sharding/Allgather", test_allgather);
  g_test_add_func ("/sharding/other-split", test_other_split);
  g_test_add_func ("/sharding/ReduceScatter-Allreduce", test_reduce_scatter_and_allreduce);
  g_test_add_func ("/sharding/reduced-device-axis", test_reduced_device_axis);
  g_test_add_func ("/sharding/Broadcast", test_broadcast);
  g_test_add_func ("/sharding/ReshardingSqueeze", test_resharding_squeeze);
  g_test_add_func ("/sharding/Select", test_select);
  g_test_add_func ("/sharding/cpu-scalar", test_cpu_scalar);
  g_test_add_func ("/sharding/permute", test_permute);
  g_test_add_func ("/sharding/slice", test_slice_of_sharded);
  g_test_add_func ("/sharding/stream-types", test_stream_types);
  g_test_add_func ("/sharding/symbolic-pieces", test_symbolic_pieces);
  g_test_add_func ("/sharding/deep-derivation", test_deep_derivation);
  return g_test_run ();
}
