/* Tests the scenarios of docs/host-ir.md#table-46 (nvFuser's test_multidevice_lower_communication),
 * under the names there, with the default passes. */
#include <string.h>

#include "fixture-devices.h"

#define DX HIR_PARALLEL_DIDX

/* Compares the lowered program of @rank. */
static void
assert_lowered (HirContainer *fusion, gint64 rank, const char *brief)
{
  g_autoptr (HirContainer) program = fix_program (fusion, NULL, rank);
  g_autofree char *got = fix_brief (&program->top);

  g_assert_cmpstr (got, ==, brief);
}

static void
assert_refused (HirContainer *fusion, const char *pass, guint line, const char *fragments)
{
  g_autoptr (GError) error = fix_refusal_of (fusion, NULL, 0, pass);

  fix_assert_refusal (error, line, fragments);
}

/* Creates a set, or a sum over axis 0, each tensor on its own mesh; axis -1: not sharded. */
static HirContainer *
op_new (guint rank,
        gboolean is_sum,
        const char *in_mesh,
        int in_axis,
        const char *out_mesh,
        int out_axis,
        HirTensor **out)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *in = fix_input (fusion, rank);

  *out = is_sum ? fix_sum (fusion, in, 0) : fix_set (fusion, in);
  fix_output (fusion, *out);
  fix_on_mesh (fusion, in, in_mesh);
  fix_on_mesh (fusion, *out, out_mesh);
  if (in_axis >= 0)
    fix_parallelize (fusion, in, in_axis, DX);
  if (out_axis >= 0)
    fix_parallelize (fusion, *out, out_axis, DX);
  return fusion;
}

typedef struct
{
  const char *in_mesh, *out_mesh;
  gint64 rank;
  const char *brief;
} MeshCase;

static void
assert_mesh_cases (const MeshCase *cases, guint n, int in_axis, int out_axis)
{
  for (guint i = 0; i < n; i++)
    {
      HirTensor *out;
      g_autoptr (HirContainer) fusion =
          op_new (2, FALSE, cases[i].in_mesh, in_axis, cases[i].out_mesh, out_axis, &out);

      assert_lowered (fusion, cases[i].rank, cases[i].brief);
    }
}

static void
test_lower_gather (void)
{
  static const MeshCase cases[] = {
    { "0 1", "0", 0, "ALLOCATE(T1) Gather(0 1)@0 Wait" },
    { "0 1", "1", 0, "Gather(0 1)@1 Wait" },
    { "0 1", "0 2", 2, "ALLOCATE(T1) Gather(0 1)@0 Wait ALLOCATE(T1) Gather(0 1 2)@2 Wait" },
    { "1 2", "0", 0, "ALLOCATE(T1) Gather(1 2 0)@0 Wait" },
    { "1 2", "1", 2, "Gather(1 2)@1 Wait" },
    { "1 2", "0 2", 0, "ALLOCATE(T1) Gather(1 2 0)@0 Wait ALLOCATE(T1) Gather(1 2)@2 Wait" },
  };

  assert_mesh_cases (cases, G_N_ELEMENTS (cases), 0, -1);
}

static void
test_lower_scatter (void)
{
  static const MeshCase cases[] = {
    { "0", "0 1", 1, "ALLOCATE(T1) Scatter(0 1)@0 Wait" },
    { "1", "0 1", 1, "ALLOCATE(T1) Scatter(0 1)@1 Wait" },
    { "0 2", "1 2", 0, "Scatter(1 2)@2 Wait" },
    { "0 2", "1 2", 1, "ALLOCATE(T1) Scatter(1 2)@2 Wait" },
  };

  assert_mesh_cases (cases, G_N_ELEMENTS (cases), -1, 0);
}

static void
test_lower_send_recv (void)
{
  static const MeshCase cases[] = {
    /* A tensor on a mesh of one device is not sharded: its only shard is the whole tensor. */
    { "0", "1", 1, "ALLOCATE(T1) Broadcast(1 0)@0 Wait" },
    { "1", "0", 1, "Broadcast(0 1)@1 Wait" },
    { "1 2", "0 1", 1, "ALLOCATE(T1) SendRecv(1 0)@1 Wait ALLOCATE(T1) SendRecv(2 1)@2 Wait" },
    { "1 2", "1 0", 0, "ALLOCATE(T1) SendRecv(1 1)@1 Wait ALLOCATE(T1) SendRecv(2 0)@2 Wait" },
  };

  assert_mesh_cases (cases, G_N_ELEMENTS (cases), 0, 0);
}

static void
test_simple (void)
{
  HirTensor *out;
  g_autoptr (HirContainer) allgather = op_new (2, FALSE, "0 1 2", 0, "0 1 2", -1, &out);
  g_autoptr (HirContainer) broadcast = op_new (2, FALSE, "0", -1, "0 1 2", -1, &out);
  g_autoptr (HirContainer) reduce = op_new (2, TRUE, "0 1 2", 0, "0", -1, &out);
  g_autoptr (HirContainer) allreduce = op_new (2, TRUE, "0 1 2", 0, "0 1 2", -1, &out);
  g_autoptr (HirContainer) reduce_scatter = op_new (3, TRUE, "0 1 2", 0, "0 1 2", 1, &out);

  assert_lowered (allgather, 1, "ALLOCATE(T1) Allgather(0 1 2) Wait");
  assert_lowered (broadcast, 1, "ALLOCATE(T1) Broadcast(0 1 2)@0 Wait");
  assert_lowered (reduce, 0, "ALLOCATE(T1) Reduce(0 1 2)@0:add Wait");
  assert_lowered (reduce, 2, "Reduce(0 1 2)@0:add Wait");
  assert_lowered (allreduce, 2, "ALLOCATE(T1) Allreduce(0 1 2):add Wait");
  /* ReduceScatter_LogicalSplit */
  assert_lowered (reduce_scatter, 2, "ALLOCATE(T1) ReduceScatter(0 1 2):add Wait");
}

/* With one device, the reduced axis is a broadcast, and there is nothing to add. */
static void
test_allreduce_concrete (void)
{
  for (gint64 n = 1; n <= 2; n++)
    {
      const gint64 shape[] = { n, -1 };
      g_autoptr (HirContainer) fusion = fix_fusion ();
      HirTensor *in = fix_input_of (fusion, shape, 2, HIR_DTYPE_FLOAT);
      HirTensor *out = fix_sum (fusion, in, 0);

      fix_output (fusion, out);
      fix_on_mesh (fusion, in, n == 1 ? "0" : "0 1");
      fix_on_mesh (fusion, out, n == 1 ? "0" : "0 1");
      fix_parallelize (fusion, in, 0, DX);
      assert_lowered (fusion, 0,
                      n == 1 ? "PostOnStream(T1)" : "ALLOCATE(T1) Allreduce(0 1):add Wait");
    }
}

static void
test_reduce_scatter_allgather (void)
{
  HirTensor *scattered, *gathered;
  g_autoptr (HirContainer) fusion = op_new (3, TRUE, "0 1", 0, "0 1", 1, &scattered);

  gathered = fix_set (fusion, scattered);
  fix_output (fusion, gathered);
  fix_on_mesh (fusion, gathered, "0 1");
  fix_parallelize (fusion, gathered, 0, HIR_PARALLEL_SERIAL); /* inherited at definition */
  assert_lowered (fusion, 1,
                  "ALLOCATE(T1) ReduceScatter(0 1):add Wait ALLOCATE(T2) Allgather(0 1) Wait");
}

static void
outer_split (HirContainer *fusion, HirTensor *tensor, gint64 axis, gint64 factor)
{
  GError *error = NULL;

  fix_line (fusion, fusion->maker.pos.line + 1);
  hir_schedule_split (tensor, axis, hir_scalar_new_int (fusion, factor, HIR_DTYPE_INDEX), FALSE,
                      &error);
  g_assert_no_error (error);
}

static void
test_allgather_loop_split (void)
{
  HirTensor *out;
  g_autoptr (HirContainer) fusion = op_new (1, FALSE, "0 1 2 3", -1, "0 1 2 3", -1, &out);
  HirTensor *in = fusion->inputs.items[0];

  outer_split (fusion, in, 0, 4);
  fix_parallelize (fusion, in, 0, DX);
  hir_schedule_set_allocation_as_loop (in);
  assert_lowered (fusion, 3, "ALLOCATE(T1) Allgather(0 1 2 3) Wait");
}

/* The result's own split is over devices. */
static void
test_reduce_scatter_static_shape (void)
{
  static const gint64 shape[] = { 2, -1 };
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *in = fix_input_of (fusion, shape, 2, HIR_DTYPE_FLOAT), *out = fix_sum (fusion, in, 0);

  fix_output (fusion, out);
  fix_on_mesh (fusion, in, "0 1");
  fix_on_mesh (fusion, out, "0 1");
  fix_parallelize (fusion, in, 0, DX);
  outer_split (fusion, out, -1, 2);
  fix_parallelize (fusion, out, -2, DX);
  assert_lowered (fusion, 1, "ALLOCATE(T1) ReduceScatter(0 1):add Wait");
}

/* The operand is split over devices along the reduced axis: a local sum first, then the scatter. */
static void
test_reduce_scatter (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *in = fix_input (fusion, 2), *out = fix_sum (fusion, in, 1);
  g_autoptr (HirContainer) program = NULL;
  g_autofree char *brief = NULL;
  const HirExpr *comm;

  fix_output (fusion, out);
  fix_on_mesh (fusion, in, "0 1");
  fix_on_mesh (fusion, out, "0 1");
  outer_split (fusion, in, 1, 2);
  fix_parallelize (fusion, in, 1, DX);
  outer_split (fusion, out, 1, 2);
  fix_parallelize (fusion, out, 1, DX);
  outer_split (fusion, out, 0, 2);
  fix_parallelize (fusion, out, 0, DX);
  program = fix_program (fusion, NULL, 1);
  brief = fix_brief (&program->top);
  comm = program->top.exprs.items[2];
  g_assert_cmpstr (brief, ==, "reduction(T2) ALLOCATE(T1) ReduceScatter(0 1):add Wait");
  g_assert_cmpuint (HIR_TENSOR (comm->inputs[0])->loop.n, ==, 3);
}

/* The last axis of both is the outermost in memory, and is gathered. */
static void
test_allgather_compliant_allocation (void)
{
  HirTensor *out;
  g_autoptr (HirContainer) fusion = op_new (2, FALSE, "0 1", 1, "0 1", -1, &out);
  HirTensor *tensors[] = { fusion->inputs.items[0], out };

  for (guint i = 0; i < 2; i++)
    hir_tensor_set_allocation (tensors[i],
                               (HirIterDomain *[]){ tensors[i]->logical.ids[1],
                                                    tensors[i]->logical.ids[0] },
                               2);
  assert_lowered (fusion, 1, "ALLOCATE(T1) Allgather(0 1) Wait");
}

/* nvFuser of 2026 copies to another layout first; 2025 has no such pass and rejects the program. */
static void
test_allgather_non_compliant_allocation (void)
{
  HirTensor *out;
  g_autoptr (HirContainer) fusion = op_new (2, FALSE, "0 1", 1, "0 1", -1, &out);

  assert_refused (fusion, "ConvertOpToCommunication", 6,
                  "axis ideviceIdx.x1{i2} of T0|not the outermost axis in memory");
}

static void
test_allgather_noncontiguous_output (void)
{
  HirTensor *out;
  g_autoptr (HirContainer) fusion = op_new (2, FALSE, "0 1", 0, "0 1", -1, &out);

  out->contiguity[1] = HIR_CONTIGUITY_FALSE;
  assert_refused (fusion, "FinalizeMultideviceDomains", 2, "T1|contiguous");
}

static void
test_allreduce_noncontig (void)
{
  HirTensor *out;
  g_autoptr (HirContainer) fusion = op_new (2, TRUE, "0 1", 0, "0 1", -1, &out);
  HirTensor *in = fusion->inputs.items[0];

  in->contiguity[1] = HIR_CONTIGUITY_FALSE;
  assert_refused (fusion, "FinalizeMultideviceDomains", 1, "T0|contiguous");
}

/* The result is scattered along its last axis. */
static void
test_reduce_scatter_noncontig (void)
{
  static const gint64 shape[] = { 5, 6, 14 };
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *in = fix_input_of (fusion, shape, 3, HIR_DTYPE_FLOAT), *out = fix_sum (fusion, in, 1);

  fix_output (fusion, out);
  fix_on_mesh (fusion, in, "0 1");
  fix_on_mesh (fusion, out, "0 1");
  outer_split (fusion, in, 1, 2);
  fix_parallelize (fusion, in, 1, DX);
  outer_split (fusion, out, 1, 2);
  fix_parallelize (fusion, out, 1, DX);
  outer_split (fusion, out, -1, 2);
  fix_parallelize (fusion, out, -2, DX);
  assert_refused (fusion, "ConvertOpToCommunication", 11, "T1|not the outermost axis in memory");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lower-communication/LowerGather", test_lower_gather);
  g_test_add_func ("/lower-communication/LowerScatter", test_lower_scatter);
  g_test_add_func ("/lower-communication/LowerSendRecv", test_lower_send_recv);
  g_test_add_func ("/lower-communication/simple", test_simple);
  g_test_add_func ("/lower-communication/Allreduce_Concrete", test_allreduce_concrete);
  g_test_add_func ("/lower-communication/ReduceScatter_Allgather", test_reduce_scatter_allgather);
  g_test_add_func ("/lower-communication/Allgather_LoopSplit", test_allgather_loop_split);
  g_test_add_func ("/lower-communication/ReduceScatter_StaticShape",
                   test_reduce_scatter_static_shape);
  g_test_add_func ("/lower-communication/ReduceScatter", test_reduce_scatter);
  g_test_add_func ("/lower-communication/Allgather_CompliantAllocation",
                   test_allgather_compliant_allocation);
  g_test_add_func ("/lower-communication/Allgather_NonCompliantAllocation",
                   test_allgather_non_compliant_allocation);
  g_test_add_func ("/lower-communication/Allgather_NoncontiguousOutput",
                   test_allgather_noncontiguous_output);
  g_test_add_func ("/lower-communication/AllreduceNoncontig", test_allreduce_noncontig);
  g_test_add_func ("/lower-communication/ReduceScatterNoncontig", test_reduce_scatter_noncontig);
  return g_test_run ();
}
