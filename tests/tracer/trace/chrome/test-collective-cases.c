/* Tests the collectives of Kineto traces: every name, every data type, every form of a group. */
#include <string.h>

#include "test-folder.h"
#include "trace/collective.h"
#include "trace/load/import.h"

static HirTrace *
open_trace (const char *path)
{
  const char *const paths[] = { path, NULL };
  g_autoptr (GError) error = NULL;
  HirTrace *trace = hir_trace_open (paths, NULL, &error);

  g_assert_no_error (error);
  return trace;
}

/* Right answers for 1 MiB among 8 ranks in 100 µs. */
static double
get_busbw (const char *op)
{
  if (strstr (op, "allreduce") != NULL)
    return 18.35;
  if (strstr (op, "gather") != NULL || strstr (op, "scatter") != NULL ||
      strstr (op, "all_to_all") != NULL)
    return 9.175;
  return 10.486;
}

static void
test_names (void)
{
  /* Bytes of the elements of the last 13 events: all gathers of 262,144 elements. */
  static const guint sizes[] = { 1, 1, 2, 2, 1, 1, 1, 8, 4, 8, 8, 1, 1 };
  g_autofree char *path = g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "tests", "data", "cases",
                                            "traces", "coll.json", NULL);
  g_autoptr (HirTrace) trace = open_trace (path);
  guint n = hir_trace_get_track_n_events (trace, 0);

  g_assert_cmpuint (n, ==, 36);
  for (guint i = 0; i < n; i++)
    {
      HirCollective collective;

      g_assert_true (hir_trace_lookup_collective (trace, 0, i, &collective));
      g_test_message ("%u: %s", i, collective.op);
      g_assert_cmpuint (collective.n_members, ==, 8);
      if (i >= n - G_N_ELEMENTS (sizes))
        g_assert_cmpint (collective.message_bytes, ==,
                         262144 * (gint64) sizes[i - (n - G_N_ELEMENTS (sizes))]);
      else if (!g_str_equal (collective.op, "barrier"))
        {
          g_assert_cmpint (collective.message_bytes, ==, 1048576);
          g_assert_cmpfloat_with_epsilon (collective.busbw, get_busbw (collective.op), 0.005);
        }
    }
}

static void
test_kinds (void)
{
  static const struct
  {
    const char *name;
    HirCollectiveKind kind;
  } cases[] = {
    { "c10d::allreduce_", HIR_COLLECTIVE_ALL_REDUCE },
    { "nccl:_all_gather_base", HIR_COLLECTIVE_ALL_GATHER },
    { "_c10d_functional::reduce_scatter_tensor", HIR_COLLECTIVE_REDUCE_SCATTER },
    { "all_toall_single", HIR_COLLECTIVE_ALL_TO_ALL },
    { "all_to_all_single", HIR_COLLECTIVE_ALL_TO_ALL },
    { "alltoall_base", HIR_COLLECTIVE_ALL_TO_ALL },
    { "ncclDevKernel_ReduceScatter_Sum_f16_RING_LL(x)", HIR_COLLECTIVE_REDUCE_SCATTER },
    { "ncclKernel_Broadcast_RING_LL_Sum_int8_t", HIR_COLLECTIVE_BROADCAST },
    { "ncclDevKernel_SendRecv", HIR_COLLECTIVE_SEND_RECV },
    { "AllReduce", HIR_COLLECTIVE_ALL_REDUCE },
    { "Allgather", HIR_COLLECTIVE_ALL_GATHER },
    { "ReduceScatter", HIR_COLLECTIVE_REDUCE_SCATTER },
    { "AllToAll", HIR_COLLECTIVE_ALL_TO_ALL },
    { "CollectivePermute", HIR_COLLECTIVE_SEND_RECV },
    { "Reduce", HIR_COLLECTIVE_REDUCE },
    { "Gather", HIR_COLLECTIVE_GATHER },
    { "Scatter", HIR_COLLECTIVE_SCATTER },
    { "barrier", HIR_COLLECTIVE_BARRIER },
    { "isend", HIR_COLLECTIVE_SEND },
    { "Recv", HIR_COLLECTIVE_RECV },
    { "HcclAllGather", HIR_COLLECTIVE_ALL_GATHER },
    { "oneccl_allgatherv", HIR_COLLECTIVE_ALL_GATHER },
    { "MPI_Iallreduce", HIR_COLLECTIVE_ALL_REDUCE },
    { "MPI_Isend", HIR_COLLECTIVE_SEND },
    { "ncclSymkDevKernel_ReduceScatter_LD", HIR_COLLECTIVE_REDUCE_SCATTER },
    { "torch.distributed.all_reduce", HIR_COLLECTIVE_ALL_REDUCE },
    { "all-gather.3", HIR_COLLECTIVE_ALL_GATHER },
    { "ragged-all-to-all.1", HIR_COLLECTIVE_ALL_TO_ALL },
    { "coalesced", HIR_COLLECTIVE_OTHER },
    { "", HIR_COLLECTIVE_OTHER },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("%s", cases[i].name);
      g_assert_cmpint (hir_collective_get_kind (cases[i].name), ==, cases[i].kind);
    }
}

static void
test_dtypes (void)
{
  static const struct
  {
    const char *name;
    guint size;
  } cases[] = {
    { "BFloat16", 2 },
    { "torch.bfloat16", 2 },
    { "c10::BFloat16", 2 },
    { "ncclBfloat16", 2 },
    { "ncclFloat8e4m3", 1 },
    { "torch.float8_e5m2", 1 },
    { "Float8_e5m2fnuz", 1 },
    { "float64", 8 },
    { "ComplexHalf", 4 },
    { "complex128", 16 },
    { "UInt64", 8 },
    { "QInt32", 4 },
    { "Bits16", 2 },
    { "Undefined", 0 },
    { "", 0 },
    { "BFP16", 2 },
    { "HIF8", 1 },
    { "f8e4m3fn", 1 },
    { "s32", 4 },
    { "pred", 1 },
    { "fp64", 8 },
    { "float4", 0 },
    { "x9", 0 },
    { "8", 0 },
  };
  HirDType dtype;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("%s", cases[i].name);
      g_assert_cmpuint (hir_collective_lookup_dtype (cases[i].name, &dtype), ==, cases[i].size);
    }
  for (int i = 0; i < HIR_N_DTYPES; i++)
    if (strcmp (hir_collective_get_dtype_name (i), "Byte") != 0)
      {
        g_assert_cmpuint (hir_collective_lookup_dtype (hir_collective_get_dtype_name (i), &dtype),
                          >, 0);
        g_assert_cmpint (dtype, ==, i == HIR_DTYPE_INDEX ? HIR_DTYPE_INT : i);
      }
}

/* The group is a string, a list, truncated, or missing. */
static void
test_groups (TestFolder *fixture, gconstpointer data)
{
  static const struct
  {
    const char *args;
    guint n_members, n_listed;
  } cases[] = {
    { "\"Process Group Ranks\":\"[0, 1, 2, 3]\"", 4, 4 },
    { "\"Process Group Ranks\":[0,1,2,3]", 4, 4 },
    { "\"Process Group Ranks\":[0,1,2,3],\"Group size\":4", 4, 4 },
    { "\"Process Group Ranks\":\"[0, 1, ...]\",\"Group size\":4", 4, 2 },
    { "\"Process Group Ranks\":\"[0, 1, 2\",\"Group size\":4", 4, 3 },
    { "\"Process Group Ranks\":\"\",\"Group size\":4", 4, 0 },
    { "\"Process Group Name\":\"12\",\"Group size\":4", 4, 0 },
    { "\"Group size\":4", 4, 0 },
    { "\"Process Group Name\":\"12\"", 0, 0 },
    { "\"Process Group Ranks\":{\"0\":1},\"Group size\":4", 4, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"nccl\",\"pid\":0,\"tid\":7,\"ts\":0,"
          "\"dur\":100,\"args\":{\"correlation\":1,\"Collective name\":\"_allgather_base\","
          "\"In msg nelems\":100000,\"dtype\":\"Float8_e4m3fn\",%s}}]",
          cases[i].args);
      g_autofree char *path = test_folder_write (fixture->folder, "group.json", text, -1);
      g_autoptr (HirTrace) trace = open_trace (path);
      g_autofree gint64 *ranks = NULL;
      HirCollective collective;
      guint n;

      g_test_message ("%s", cases[i].args);
      g_assert_true (hir_trace_lookup_collective (trace, 0, 0, &collective));
      g_assert_cmpuint (collective.n_members, ==, cases[i].n_members);
      g_assert_cmpint (collective.message_bytes, ==, 100000 * (gint64) cases[i].n_members);
      g_assert_cmpfloat_with_epsilon (collective.busbw, cases[i].n_members > 0 ? 3 : 0, 1e-9);
      ranks = hir_comm_record_dup_key_ranks (collective.team, &n);
      g_assert_cmpuint (n, ==, cases[i].n_listed);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/collective-cases/names", test_names);
  g_test_add_func ("/collective-cases/kinds", test_kinds);
  g_test_add_func ("/collective-cases/dtypes", test_dtypes);
  TEST_FOLDER_ADD ("/collective-cases/groups", test_groups, NULL);
  return g_test_run ();
}
