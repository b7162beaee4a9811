/* Tests the reference of host programs: each instruction, executed in sequence, against numbers
 * computed by hand. */
#include <string.h>

#include "dump/read-dump.h"
#include "run-fixture.h"
#include "run/reference/reference-host.h"

#define MAX_PARTS 4

/* A program of @n ranks; @inputs[rank] are the elements of its part of the only input. */
static GPtrArray *
evaluate (const char *text, guint n, HirValue *const *inputs, guint64 max_steps, GError **error)
{
  HirSource *source = hir_source_new ("dump.txt", text, -1);
  g_autoptr (GError) local = NULL;
  HirFormat format;
  g_autoptr (HirContainer) program = hir_dump_read (source, &format, &local);
  HirReferenceRank ranks[MAX_PARTS];

  hir_source_unref (source);
  g_assert_no_error (local);
  for (guint i = 0; i < n; i++)
    ranks[i] = (HirReferenceRank){ program, (int) i, inputs != NULL ? &inputs[i] : NULL,
                                   inputs != NULL ? 1 : 0, NULL };
  return hir_reference_evaluate_host (ranks, n, 4, max_steps, NULL, error);
}

static void
assert_output (GPtrArray *result, guint rank, guint n, const double *wanted)
{
  const HirRefTensor *tensor =
      g_ptr_array_index ((GPtrArray *) g_ptr_array_index (result, rank), 0);

  g_assert_nonnull (tensor);
  g_assert_cmpint (tensor->count, ==, n);
  for (guint k = 0; k < n; k++)
    g_assert_cmpfloat (tensor->values[k], ==, wanted[k]);
}

#define TENSOR(name, axes, mesh) "T" #name "_g_float[" axes "] (DeviceMesh{" mesh "})"
#define ALLOCATE(tensor)                                                                           \
  "  " tensor " = ALLOCATE(buffer=" tensor                                                         \
  ", mem_type=global, size=2, zero_init=false, resets_to_zero=false)\n"
#define COLLECTIVE(type, root, in, out)                                                            \
  "%HostIrContainer { (" in ") -> (" out                                                           \
  ") :\n" ALLOCATE (out) "  Communication 7 (type=" type ", team=(0 1 2), " root "input=" in       \
                         ", output=" out ", backend=NCCL)\n"                                       \
                         "  Wait Communication 7\n"                                                \
                         "} // %HostIrContainer\n"

/* Two elements per rank: 1 2, 10 20, 100 200. */
static void
make_parts (HirValue **parts, guint n_dims, const gint64 *sizes)
{
  for (guint i = 0; i < 3; i++)
    {
      const double scale = i == 0 ? 1 : i == 1 ? 10 : 100;
      const double elements[] = { scale, 2 * scale, 3 * scale, 4 * scale, 5 * scale, 6 * scale };

      parts[i] = value_of (HIR_DTYPE_FLOAT, n_dims, sizes, elements);
    }
}

static void
clear_parts (HirValue **parts)
{
  for (guint i = 0; i < 3; i++)
    hir_value_unref (parts[i]);
}

static GPtrArray *
run_collective (const char *text, guint n_dims, const gint64 *sizes)
{
  HirValue *parts[3];
  g_autoptr (GError) error = NULL;
  GPtrArray *result;

  make_parts (parts, n_dims, sizes);
  result = evaluate (text, 3, parts, 0, &error);
  g_assert_no_error (error);
  clear_parts (parts);
  return result;
}

#define SHARDED TENSOR (0, "ideviceIdx.x0{3}, iS1{2}", "0 1 2")
#define WHOLE TENSOR (1, "iS2{3}, iS3{2}", "0 1 2")

static const gint64 part_sizes[] = { 1, 2 }, whole_sizes[] = { 3, 2 };

static void
test_allgather (void)
{
  g_autoptr (GPtrArray) result =
      run_collective (COLLECTIVE ("Allgather", "", SHARDED, WHOLE), 2, part_sizes);

  for (guint rank = 0; rank < 3; rank++)
    assert_output (result, rank, 6, (const double[]){ 1, 2, 10, 20, 100, 200 });
}

static void
test_gather (void)
{
  const HirRefTensor *other;
  g_autoptr (GPtrArray) result =
      run_collective (COLLECTIVE ("Gather", "root=1, ", SHARDED, TENSOR (1, "iS2{3}, iS3{2}", "1")),
                      2, part_sizes);

  assert_output (result, 1, 6, (const double[]){ 1, 2, 10, 20, 100, 200 });
  /* The other ranks receive nothing: poison. */
  other = g_ptr_array_index ((GPtrArray *) g_ptr_array_index (result, 0), 0);
  for (gint64 k = 0; k < other->count; k++)
    g_assert_true (other->values[k] != other->values[k]);
}

static void
test_scatter (void)
{
  g_autoptr (GPtrArray) result =
      run_collective (COLLECTIVE ("Scatter", "root=0, ", TENSOR (0, "iS0{3}, iS1{2}", "0"),
                                  TENSOR (1, "ideviceIdx.x2{3}, iS3{2}", "0 1 2")),
                      2, whole_sizes);

  assert_output (result, 0, 2, (const double[]){ 1, 2 });
  assert_output (result, 1, 2, (const double[]){ 3, 4 });
  assert_output (result, 2, 2, (const double[]){ 5, 6 });
}

static void
test_broadcast (void)
{
  g_autoptr (GPtrArray) result =
      run_collective (COLLECTIVE ("Broadcast", "root=2, ", TENSOR (0, "iS0{3}, iS1{2}", "2"),
                                  WHOLE),
                      2, whole_sizes);

  for (guint rank = 0; rank < 3; rank++)
    assert_output (result, rank, 6, (const double[]){ 100, 200, 300, 400, 500, 600 });
}

/* Sums have the bound of three terms in float. */
static void
test_allreduce (void)
{
  g_autoptr (GPtrArray) result =
      run_collective (COLLECTIVE ("Allreduce", "", SHARDED, TENSOR (1, "rS2{3}, iS3{2}", "0 1 2")),
                      2, part_sizes);

  for (guint rank = 0; rank < 3; rank++)
    {
      const HirRefTensor *tensor =
          g_ptr_array_index ((GPtrArray *) g_ptr_array_index (result, rank), 0);

      assert_output (result, rank, 2, (const double[]){ 111, 222 });
      g_assert_nonnull (tensor->errors);
      g_assert_cmpfloat (tensor->errors[0], >=, 5 * 0x1p-24 * 111);
      g_assert_cmpfloat (tensor->errors[0], <=, 12 * 0x1p-24 * 111);
      g_assert_false (tensor->is_copy);
    }
}

static void
test_reduce (void)
{
  g_autoptr (GPtrArray) result =
      run_collective (COLLECTIVE ("Reduce", "root=2, ", SHARDED, TENSOR (1, "rS2{3}, iS3{2}", "2")),
                      2, part_sizes);

  assert_output (result, 2, 2, (const double[]){ 111, 222 });
}

static void
test_reduce_scatter (void)
{
  static const gint64 sizes[] = { 1, 3, 2 };
  g_autoptr (GPtrArray) result =
      run_collective (COLLECTIVE ("ReduceScatter", "",
                                  TENSOR (0, "ideviceIdx.x0{3}, iS1{3}, iS2{2}", "0 1 2"),
                                  TENSOR (1, "rS3{3}, ideviceIdx.x4{3}, iS5{2}", "0 1 2")),
                      3, sizes);

  assert_output (result, 0, 2, (const double[]){ 111, 222 });
  assert_output (result, 1, 2, (const double[]){ 333, 444 });
  assert_output (result, 2, 2, (const double[]){ 555, 666 });
}

/* A ring in a loop: rank r ends with the data of rank r - 1. Peers are positions in the team, not
 * devices. */
static void
test_collective_permute (void)
{
  static const char text[] =
      "%HostIrContainer { (" SHARDED
      ") -> (" TENSOR (1, "ideviceIdx.x2{3}, iS3{2}", "0 1 2") ") :\n" ALLOCATE (
          TENSOR (1, "ideviceIdx.x2{3}, iS3{2}",
                  "0 1 2")) "  CollectivePermute 9 (team=(0 1 2), send_peer=( ( rank + 1 ) % 3 ), "
                            "recv_peer=( ( rank + 2 ) "
                            "% 3 ), input=" SHARDED
                            ", output=" TENSOR (1, "ideviceIdx.x2{3}, iS3{2}",
                                                "0 1 2") ", backend=NCCL)\n"
                                                         "  Wait(Communication 9)\n"
                                                         "} // %HostIrContainer\n";
  g_autoptr (GPtrArray) result = run_collective (text, 2, part_sizes);

  assert_output (result, 0, 2, (const double[]){ 100, 200 });
  assert_output (result, 1, 2, (const double[]){ 1, 2 });
  assert_output (result, 2, 2, (const double[]){ 10, 20 });
}

#define P2P(kind, tensor, peer)                                                                    \
  "    P2PCommunication " kind ", buffer=" tensor ", peer=" peer ", backend=NCCL)\n"

/* Rank 0 sends before it receives, rank 1 the other way round: messages wait for their receive and
 * arrive in order. */
static void
test_messages (void)
{
  static const char text[] =
      "%HostIrContainer { (" TENSOR (0, "ideviceIdx.x0{2}, iS1{2}", "0 1") ") -> (" TENSOR (1, "ideviceIdx.x2{2}, iS3{2}", "0 1") ") :\n" ALLOCATE (
          TENSOR (
              1, "ideviceIdx.x2{2}, iS3{2}",
              "0 1")) "  IF Manual ( rank == 0 ):\n" P2P ("1 (type=send",
                                                          TENSOR (0, "ideviceIdx.x0{2}, iS1{2}",
                                                                  "0 1"),
                                                          "1") "    Wait Communication "
                                                               "1\n" P2P (
                                                                   "2 (type=recv",
                                                                   TENSOR (1,
                                                                           "ideviceIdx."
                                                                           "x2{2}, "
                                                                           "iS3{2}",
                                                                           "0 1"),
                                                                   "1") "    Wait "
                                                                        "Communication "
                                                                        "2\n"
                                                                        "  ELSE:\n" P2P (
                                                                            "3 "
                                                                            "(type=recv",
                                                                            TENSOR (1,
                                                                                    "idevice"
                                                                                    "Idx.x2{"
                                                                                    "2}, "
                                                                                    "iS3{2}",
                                                                                    "0 1"),
                                                                            "0") "    "
                                                                                 "Wait "
                                                                                 "Commun"
                                                                                 "icatio"
                                                                                 "n "
                                                                                 "3"
                                                                                 "\n" P2P (
                                                                                     "4 (type=send",
                                                                                     TENSOR (
                                                                                         0,
                                                                                         "ideviceId"
                                                                                         "x.x0{2}, "
                                                                                         "iS1{2}",
                                                                                         "0 1"),
                                                                                     "0") "    "
                                                                                          "Wait "
                                                                                          "Communic"
                                                                                          "ation "
                                                                                          "4\n"
                                                                                          "} // "
                                                                                          "%HostIrC"
                                                                                          "ontainer"
                                                                                          "\n";
  HirValue *parts[3];
  g_autoptr (GPtrArray) result = NULL;
  g_autoptr (GError) error = NULL;

  make_parts (parts, 2, part_sizes);
  result = evaluate (text, 2, parts, 0, &error);
  g_assert_no_error (error);
  assert_output (result, 0, 2, (const double[]){ 10, 20 });
  assert_output (result, 1, 2, (const double[]){ 1, 2 });
  clear_parts (parts);
}

/* Both ranks receive first. */
static void
test_stuck (void)
{
  static const char text[] =
      "%HostIrContainer { (" TENSOR (0, "ideviceIdx.x0{2}, iS1{2}", "0 1") ") -> (" TENSOR (
          1, "ideviceIdx.x2{2}, iS3{2}",
          "0 1") ") :\n" ALLOCATE (TENSOR (1, "ideviceIdx.x2{2}, iS3{2}",
                                           "0 1")) "  IF Manual ( rank == 0 "
                                                   "):\n" P2P ("3 (type=recv",
                                                               TENSOR (1,
                                                                       "idevice"
                                                                       "Idx.x2{"
                                                                       "2}, "
                                                                       "iS3{2}",
                                                                       "0 1"),
                                                               "1") "    Wait "
                                                                    "Communicat"
                                                                    "ion 3\n"
                                                                    "  "
                                                                    "ELSE:"
                                                                    "\n" P2P ("4 "
                                                                              "(type="
                                                                              "recv",
                                                                              TENSOR (1,
                                                                                      "id"
                                                                                      "ev"
                                                                                      "ic"
                                                                                      "eI"
                                                                                      "dx"
                                                                                      ".x"
                                                                                      "2{"
                                                                                      "2}"
                                                                                      ", "
                                                                                      "iS"
                                                                                      "3{"
                                                                                      "2"
                                                                                      "}",
                                                                                      "0 "
                                                                                      "1"),
                                                                              "0") " "
                                                                                   " "
                                                                                   " "
                                                                                   " "
                                                                                   "W"
                                                                                   "a"
                                                                                   "i"
                                                                                   "t"
                                                                                   " "
                                                                                   "C"
                                                                                   "o"
                                                                                   "m"
                                                                                   "m"
                                                                                   "u"
                                                                                   "n"
                                                                                   "i"
                                                                                   "c"
                                                                                   "a"
                                                                                   "t"
                                                                                   "i"
                                                                                   "o"
                                                                                   "n"
                                                                                   " "
                                                                                   "4"
                                                                                   "\n"
                                                                                   "}"
                                                                                   " "
                                                                                   "/"
                                                                                   "/"
                                                                                   " "
                                                                                   "%"
                                                                                   "H"
                                                                                   "o"
                                                                                   "s"
                                                                                   "t"
                                                                                   "I"
                                                                                   "r"
                                                                                   "C"
                                                                                   "o"
                                                                                   "n"
                                                                                   "t"
                                                                                   "a"
                                                                                   "i"
                                                                                   "n"
                                                                                   "e"
                                                                                   "r"
                                                                                   "\n";
  HirValue *parts[3];
  g_autoptr (GPtrArray) result = NULL;
  g_autoptr (GError) error = NULL;

  make_parts (parts, 2, part_sizes);
  result = evaluate (text, 2, parts, 0, &error);
  g_assert_null (result);
  g_assert_true (g_error_matches (error, HIR_ERROR, HIR_ERROR_UNSUPPORTED));
  g_assert_nonnull (strstr (error->message, "rank 0 waits here"));
  g_assert_cmpuint (hir_error_get_pos (error).line, ==, 5);
  clear_parts (parts);
}

/* Slices of one buffer, written in a loop; slices that no iteration writes stay poisoned. */
static void
test_loop (void)
{
  static const char text[] =
      "%HostIrContainer { (T0_g_float[iS0{3}, iS1{2}]) -> (T1_g_float[iS2{3}, iS3{2}]) :\n"
      "  T1_g_float[iS2{3}, iS3{2}] = ALLOCATE(buffer=T1_g_float[iS2{3}, iS3{2}], mem_type=global, "
      "size=6, zero_init=false, resets_to_zero=false)\n"
      "  FOR i9 from 0 to 2:\n"
      "    T2_l_float[iS4{2}]\n"
      "       = HirAliasSelect( T0_g_float[iS0{3}, iS1{2}], axis = iS0{3}, index = i9 )\n"
      "    T3_l_float[iS5{2}]\n"
      "       = HirAliasSelect( T1_g_float[iS2{3}, iS3{2}], axis = iS2{3}, index = i9 )\n"
      "    T3_l_float[iS5{2}]\n"
      "       = Set( T2_l_float[iS4{2}], cache_op=Streaming )\n"
      "} // %HostIrContainer\n";
  HirValue *parts[3];
  g_autoptr (GPtrArray) result = NULL;
  g_autoptr (GError) error = NULL;
  const HirRefTensor *tensor;

  make_parts (parts, 2, whole_sizes);
  result = evaluate (text, 1, parts, 0, &error);
  g_assert_no_error (error);
  tensor = g_ptr_array_index ((GPtrArray *) g_ptr_array_index (result, 0), 0);
  for (guint k = 0; k < 4; k++)
    g_assert_cmpfloat (tensor->values[k], ==, k + 1);
  g_assert_true (tensor->values[4] != tensor->values[4]);
  g_assert_true (tensor->is_copy);
  g_clear_pointer (&result, g_ptr_array_unref);
  result = evaluate (text, 1, parts, 5, &error);
  g_assert_null (result);
  g_assert_true (g_error_matches (error, HIR_ERROR, HIR_ERROR_LIMIT));
  clear_parts (parts);
}

/* A Set to a tensor without memory is a view: later writes are visible through it. */
static void
test_views (void)
{
  static const char text[] =
      "%HostIrContainer { (T0_g_float[iS0{2}]) -> (T2_g_float[iS2{2}]) :\n"
      "  T1_g_float[iS1{2}] = ALLOCATE(buffer=T1_g_float[iS1{2}], mem_type=global, size=2, "
      "zero_init=true, resets_to_zero=false)\n"
      "  T2_g_float[iS2{2}]\n"
      "     = Set( T1_g_float[iS1{2}] )\n"
      "  T1_g_float[iS1{2}]\n"
      "     = T0_g_float[iS0{2}]\n"
      "     + T0_g_float[iS0{2}];\n"
      "} // %HostIrContainer\n";
  static const gint64 sizes[] = { 2 };
  HirValue *parts[3];
  g_autoptr (GPtrArray) result = NULL;
  g_autoptr (GError) error = NULL;

  make_parts (parts, 1, sizes);
  result = evaluate (text, 1, parts, 0, &error);
  g_assert_no_error (error);
  assert_output (result, 0, 2, (const double[]){ 2, 4 });
  clear_parts (parts);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reference-host/allgather", test_allgather);
  g_test_add_func ("/reference-host/gather", test_gather);
  g_test_add_func ("/reference-host/scatter", test_scatter);
  g_test_add_func ("/reference-host/broadcast", test_broadcast);
  g_test_add_func ("/reference-host/allreduce", test_allreduce);
  g_test_add_func ("/reference-host/reduce", test_reduce);
  g_test_add_func ("/reference-host/reduce-scatter", test_reduce_scatter);
  g_test_add_func ("/reference-host/collective-permute", test_collective_permute);
  g_test_add_func ("/reference-host/messages", test_messages);
  g_test_add_func ("/reference-host/stuck", test_stuck);
  g_test_add_func ("/reference-host/loop", test_loop);
  g_test_add_func ("/reference-host/views", test_views);
  return g_test_run ();
}
