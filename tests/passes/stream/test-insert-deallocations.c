#include "fixture-devices.h"

#include <string.h>

#define PASSES "SegmentFusion StreamParallelType ConvertOpToCommunication InsertDeallocations"

static char *
lower (HirContainer *fusion, gint64 rank)
{
  g_autoptr (HirContainer) program = fix_program (fusion, PASSES, rank);

  return fix_brief (&program->top);
}

/* in -> T1 -> T2 -> T3, all at the top level. */
static void
test_chain (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *in = fix_input (fusion, 1);
  HirTensor *out = fix_set (fusion, fix_set (fusion, fix_set (fusion, in)));
  g_autofree char *brief = NULL;

  fix_output (fusion, out);
  brief = lower (fusion, 0);
  g_assert_cmpstr (brief, ==, "Set(T1) Set(T2) Deallocate(T1) Set(T3) Deallocate(T2)");
}

/* Freed after the last of several uses; an output is kept although it is read. */
static void
test_last_use (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *in = fix_input (fusion, 1), *a = fix_set (fusion, in), *b = fix_set (fusion, in);
  HirTensor *sum = fix_add (fusion, b, a), *last = fix_add (fusion, sum, a);
  g_autofree char *brief = NULL;

  fix_output (fusion, last);
  fix_output (fusion, sum);
  brief = lower (fusion, 0);
  g_assert_cmpstr (brief, ==,
                   "Set(T2) Set(T1) binary(T3) Deallocate(T2) binary(T4) Deallocate(T1)");
}

/* nvFuser would free T1 before the loop that still reads it. */
static void
test_use_in_loop (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *in = fix_input (fusion, 2), *a = fix_set (fusion, in), *b = fix_set (fusion, a);
  HirTensor *streamed = fix_add (fusion, a, b);
  g_autofree char *brief = NULL;

  fix_output (fusion, streamed);
  fix_stream (fusion, streamed, 0);
  brief = lower (fusion, 0);
  g_assert_true (g_str_has_prefix (
      brief, "Set(T1) Set(T2) ALLOCATE(T3) GetCurrentStream FOR{SetCurrentStream Synchronize} "
             "FOR{SetCurrentStream HirAliasSelect(T4) HirAliasSelect(T5) HirAliasSelect(T6) "
             "binary(T6)"));
  /* T2 is read in the loop only. */
  g_assert_true (g_str_has_suffix (brief, "} Deallocate(T1)"));
}

/* A communication reads until its Wait; a device without a buffer frees nothing. */
static void
test_communication (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *in = fix_input (fusion, 2), *a = fix_set (fusion, in), *whole = fix_set (fusion, a);
  HirTensor *out = fix_set (fusion, whole);
  g_autofree char *first = NULL, *second = NULL;

  fix_output (fusion, out);
  fix_on_mesh (fusion, in, "0 1");
  fix_on_mesh (fusion, a, "0 1");
  fix_on_mesh (fusion, whole, "2");
  fix_on_mesh (fusion, out, "2");
  fix_parallelize (fusion, in, 0, HIR_PARALLEL_DIDX);
  fix_parallelize (fusion, a, 0, HIR_PARALLEL_DIDX);
  first = lower (fusion, 1);
  second = lower (fusion, 2);
  g_assert_cmpstr (first, ==, "Set(T1) Gather(0 1 2)@2 Wait Deallocate(T1)");
  g_assert_cmpstr (second, ==, "ALLOCATE(T2) Gather(0 1 2)@2 Wait Set(T3) Deallocate(T2)");
}

static void
test_off_by_default (void)
{
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);

  g_assert_false (hir_pipeline_get_enabled (pipeline, "InsertDeallocations"));
}

static void
test_refused (void)
{
  const HirPass *pass = hir_pass_lookup (HIR_PIPELINE_EXECUTOR, "InsertDeallocations");
  HirPassContext context = { .pass = pass, .n_devices = 1 };
  g_autoptr (HirContainer) fusion = fix_fusion ();
  g_autoptr (HirContainer) once = NULL;
  g_autoptr (GError) error = NULL;

  fix_output (fusion, fix_set (fusion, fix_set (fusion, fix_input (fusion, 1))));
  once = fix_program (fusion, "SegmentFusion InsertDeallocations", 0);
  g_assert_null (pass->run (hir_container_clone (once), &context, &error));
  fix_assert_refusal (error, 2, "T1 is already deallocated");
  g_clear_error (&error);
  error = fix_refusal_of (fusion, "InsertDeallocations", 0, "InsertDeallocations");
  fix_assert_refusal (error, 0, "SegmentFusion");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/deallocations/chain", test_chain);
  g_test_add_func ("/passes/deallocations/last-use", test_last_use);
  g_test_add_func ("/passes/deallocations/use-in-loop", test_use_in_loop);
  g_test_add_func ("/passes/deallocations/communication", test_communication);
  g_test_add_func ("/passes/deallocations/off-by-default", test_off_by_default);
  g_test_add_func ("/passes/deallocations/refused", test_refused);
  return g_test_run ();
}
