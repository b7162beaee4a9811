/* Tests lowering of scripts: results, errors and their positions, and stable node ids. */
#include <string.h>

#include "program/program-effect.h"
#include "program/request-edit.h"
#include "tracer-fixture.h"

static void
test_accepted (void)
{
  static const char *const functions[] = {
    "single_set_op",
    "single_set_op_non_outermost",
    "single_binary_op",
    "two_set_ops",
    "three_set_ops_disjoint_loops",
    "reduction",
    "matmul_m",
    "matmul_n",
    "batched_matmul",
  };

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      g_autoptr (HirProgram) program = fix_program (functions[i]);
      const HirProgramView *last = program->views->pdata[program->views->len - 1];
      HirContainer *host = hir_program_get_host (program);

      g_assert_cmpstr (program->request->function, ==, functions[i]);
      g_assert_cmpint (program->request->n_devices, ==, 1);
      g_assert_cmpint (program->request->rank, ==, 0);
      g_assert_cmpuint (program->views->len, >=, 3);
      g_assert_cmpint (hir_program_find_view (program, "fusion"), ==, 0);
      g_assert_cmpint (hir_program_find_view (program, "last"), ==, (int) program->views->len - 1);
      g_assert_cmpint (hir_program_find_view (program, "StreamParallelType"), >, 0);
      g_assert_cmpint (hir_program_find_view (program, "NoPass"), ==, -1);
      g_assert_true (last->is_host);
      g_assert_nonnull (strstr (last->text, "FOR StreamIdx in"));
      g_assert_nonnull (host);
      g_assert_cmpint (host->kind, ==, HIR_CONTAINER_HOST);
    }
}

/* Tests that each rejected script reports its line and message, and keeps the snapshots before
 * the failing pass. */
static void
test_rejected (void)
{
  static const struct
  {
    const char *function, *line, *word;
  } rows[] = {
    { "refused_stream_input", "tv0.axis(0).parallelize(ParallelType.stream)", "input" },
    { "refused_split_axis", "tv1.axis(0).parallelize(ParallelType.stream)", "split" },
    { "refused_merged_axis", "tv1.axis(0).parallelize(ParallelType.stream)", "merge" },
    { "refused_reduction_axis", "tv1.axis(0).parallelize(ParallelType.stream)", "sum" },
    { "refused_matmul_k", "c.axis(axis).parallelize(ParallelType.stream)", "matmul" },
    { "refused_op_in_host_unit", "tv1.axis(0).parallelize(ParallelType.stream)", "HostUnit" },
    { "refused_two_stream_axes", "tv1.axis(1).parallelize(ParallelType.stream)",
      "two stream axes" },
  };
  g_autoptr (GHashTable) messages = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (HirRequest) request = fix_request ("single_device.py", rows[i].function);
      g_autoptr (GError) error = NULL;
      g_autoptr (HirProgram) program = hir_program_new (request, NULL, NULL, &error);
      g_autofree char *line = NULL;
      const HirProgramView *first;

      g_assert_no_error (error);
      g_assert_nonnull (program->error);
      g_assert_nonnull (program->failed_pass);
      g_assert_null (hir_program_get_host (program));
      g_assert_cmpuint (program->views->len, >=, 1);
      first = program->views->pdata[0];
      g_assert_cmpstr (first->pass_name, ==, "Fusion");
      g_assert_nonnull (strstr (first->text, "%kernel"));
      line = hir_source_dup_line (request->source, hir_error_get_pos (program->error).line);
      g_assert_nonnull (line);
      g_assert_cmpstr (g_strstrip (line), ==, rows[i].line);
      g_assert_nonnull (strstr (program->error->message, rows[i].word));
      g_assert_true (g_hash_table_add (messages, g_strdup (program->error->message)));
    }
}

static void
assert_nothing (const HirRequest *request, HirErrorCode code, const char *word)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (hir_program_new (request, NULL, NULL, &error));
  g_assert_error (error, HIR_ERROR, (gint) code);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, word));
}

static void
test_nothing (void)
{
  g_autoptr (HirRequest) unknown = fix_request ("single_device.py", "no_such_function");
  g_autoptr (HirRequest) several = fix_request ("single_device.py", NULL);
  g_autoptr (HirRequest) empty = fix_request_of_text ("x = 1\n", NULL);
  g_autoptr (HirRequest) pass = fix_request ("single_device.py", "reduction");

  assert_nothing (unknown, HIR_ERROR_INPUT, "no_such_function");
  assert_nothing (several, HIR_ERROR_INPUT, "matmul_m");
  assert_nothing (empty, HIR_ERROR_INPUT, "");
  pass->disable = g_strsplit ("NoPass", " ", -1);
  assert_nothing (pass, HIR_ERROR_INPUT, "NoPass");
}

/* Tests that all syntax errors are reported in order, and that the first one is the error. */
static void
test_syntax_errors (void)
{
  g_autoptr (HirRequest) request =
      fix_request_of_text ("def f(:\n  pass\n\nx = = 1\n\ndef g():\n  return )\n", NULL);
  g_autoptr (GPtrArray) diagnostics =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_diagnostic_free);
  g_autoptr (GError) error = NULL;
  static const guint lines[] = { 1, 4, 7 };

  g_assert_null (hir_program_new (request, diagnostics, NULL, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_SYNTAX);
  g_assert_cmpuint (diagnostics->len, ==, G_N_ELEMENTS (lines));
  for (guint i = 0; i < diagnostics->len; i++)
    {
      const HirDiagnostic *diagnostic = diagnostics->pdata[i];

      g_assert_cmpuint (diagnostic->pos.line, ==, lines[i]);
      g_assert_cmpint (diagnostic->code, ==, HIR_ERROR_SYNTAX);
    }
  g_assert_cmpuint (hir_error_get_pos (error).line, ==, 1);
  g_clear_error (&error);
  /* The same without a list of diagnostics. */
  g_assert_null (hir_program_new (request, NULL, NULL, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_SYNTAX);
  g_assert_cmpuint (hir_error_get_pos (error).line, ==, 1);
}

/* A removed step does not count as different; only the last program is described. */
static void
test_effect_of_last (void)
{
  g_autoptr (HirProgram) before = fix_program ("matmul_m");
  g_autoptr (HirRequest) streams =
      hir_request_with_pass (before->request, "ConvertOpToCommunication", FALSE);
  g_autoptr (HirRequest) request = hir_request_with_pass (streams, "StreamParallelType", FALSE);
  g_autoptr (HirProgram) after = hir_program_new (request, NULL, NULL, NULL);
  g_autofree char *effect = hir_program_dup_effect (before, after);

  g_assert_true (
      g_str_has_prefix (effect,
                        "the other passes give the same programs; tensors and instructions of "));
  g_assert_nonnull (strstr (effect, " added, "));
}

/* Both pipelines have passes of the same name, which are not compared. */
static void
test_effect_of_pipeline (void)
{
  g_autoptr (HirProgram) before = fix_program ("matmul_m");
  g_autoptr (HirRequest) request = hir_request_with_pipeline (before->request, HIR_PIPELINE_HOSTIR);
  g_autoptr (HirProgram) after = hir_program_new (request, NULL, NULL, NULL);
  g_autofree char *effect = hir_program_dup_effect (before, after);

  g_assert_nonnull (strstr (effect, "programs of the pipeline Host IR replace"));
  for (guint i = 0; i < after->views->len; i++)
    g_assert_false (hir_program_step_differs (before, after, i));
}

static void
test_cancelled (void)
{
  g_autoptr (HirRequest) request = fix_request ("single_device.py", "matmul_m");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_null (hir_program_new (request, NULL, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

typedef struct
{
  gboolean is_done;
  HirProgram *program;
  GPtrArray *diagnostics;
  GError *error;
} Async;

static void
on_new (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Async *async = user_data;

  async->program = hir_program_new_finish (result, &async->diagnostics, &async->error);
  async->is_done = TRUE;
}

static void
async_clear (Async *async)
{
  g_clear_pointer (&async->program, hir_program_unref);
  g_clear_pointer (&async->diagnostics, g_ptr_array_unref);
  g_clear_error (&async->error);
}

static void
test_async (void)
{
  g_autoptr (HirRequest) good = fix_request ("single_device.py", "matmul_m");
  g_autoptr (HirRequest) bad = fix_request_of_text ("x = = 1\ny = = 2\n", NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Async one = { 0 }, two = { 0 }, three = { 0 };

  hir_program_new_async (good, NULL, NULL, on_new, &one);
  hir_program_new_async (bad, NULL, NULL, on_new, &two);
  hir_program_new_async (good, NULL, cancellable, on_new, &three);
  g_cancellable_cancel (cancellable);
  fix_wait (&one.is_done);
  fix_wait (&two.is_done);
  fix_wait (&three.is_done);
  g_assert_no_error (one.error);
  g_assert_nonnull (hir_program_get_host (one.program));
  g_assert_error (two.error, HIR_ERROR, HIR_ERROR_SYNTAX);
  g_assert_cmpuint (two.diagnostics->len, ==, 2);
  g_assert_error (three.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_null (three.program);
  async_clear (&one);
  async_clear (&two);
  async_clear (&three);
}

/* Without a host program, there is nothing to run. */
static void
test_no_host (void)
{
  g_autoptr (HirRequest) request = fix_request ("single_device.py", "single_set_op");
  g_autoptr (HirProgram) program = NULL;
  g_autoptr (GError) error = NULL;

  request->disable = g_strsplit ("SegmentFusion StreamParallelType", " ", -1);
  program = hir_program_new (request, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_no_error (program->error);
  g_assert_null (hir_program_get_host (program));
}

/* Compares the ids of @function in this process and in another one. */
static void
test_ids_in_two_processes (void)
{
  static const char *const functions[] = { "two_set_ops", "matmul_m", "reduction",
                                           "refused_merged_axis" };
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      g_autoptr (HirRequest) request = fix_request ("single_device.py", functions[i]);
      g_autoptr (HirProgram) program = hir_program_new (request, NULL, NULL, NULL);
      g_autoptr (HirProgram) again = hir_program_new (request, NULL, NULL, NULL);
      g_autofree char *here = fix_dup_ids (program);
      g_autofree char *twice = fix_dup_ids (again);
      g_autofree char *there = NULL;
      const char *argv[] = { self, "--dump-ids", functions[i], NULL };
      g_autoptr (GError) error = NULL;
      int status;

      g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &there, NULL, &status,
                    &error);
      g_assert_no_error (error);
      g_assert_true (g_spawn_check_wait_status (status, NULL));
      g_assert_cmpuint (strlen (here), >, 100);
      g_assert_cmpstr (here, ==, twice);
      g_assert_cmpstr (here, ==, there);
    }
}

static int
dump_ids (const char *function)
{
  g_autoptr (HirRequest) request = fix_request ("single_device.py", function);
  g_autoptr (HirProgram) program = hir_program_new (request, NULL, NULL, NULL);
  g_autofree char *ids = fix_dup_ids (program);

  return fputs (ids, stdout) < 0;
}

static char *
replace (const char *text, const char *old, const char *new_text)
{
  GString *copy = g_string_new (text);

  g_assert_cmpuint (g_string_replace (copy, old, new_text, 0), >, 0);
  return g_string_free (copy, FALSE);
}

static char *
ids_of_text (const char *text, const char *function)
{
  g_autoptr (HirRequest) request = fix_request_of_text (text, function);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirProgram) program = hir_program_new (request, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_no_error (program->error);
  return fix_dup_ids (program);
}

static const char script[] = "from nvfuser_direct import DataType, FusionDefinition, ParallelType\n"
                             "\n"
                             "def contig(fd, rank):\n"
                             "    return fd.define_tensor(shape=[-1] * rank, contiguity=True,"
                             " dtype=DataType.Float)\n"
                             "\n"
                             "def other():\n"
                             "    with FusionDefinition() as fd:\n"
                             "        left = contig(fd, 1)\n"
                             "        fd.add_output(fd.ops.set(left))\n"
                             "    return fd\n"
                             "\n"
                             "def mine():\n"
                             "    with FusionDefinition() as fd:\n"
                             "        wide = contig(fd, 2)\n"
                             "        tall = contig(fd, 2)\n"
                             "        prod = fd.ops.matmul(wide, tall)\n"
                             "        kept = fd.ops.set(prod)\n"
                             "        fd.add_output(kept)\n"
                             "        prod.axis(0).parallelize(ParallelType.stream)\n"
                             "        kept.axis(0).parallelize(ParallelType.stream)\n"
                             "    return fd\n";

/* Tests that ids are stable under unrelated edits and renamed tensors, and change with relevant
 * edits. */
static void
test_ids_after_edits (void)
{
  g_autofree char *before = ids_of_text (script, "mine");
  g_autofree char *elsewhere =
      replace (script, "fd.add_output(fd.ops.set(left))",
               "# three lines\n        right = fd.ops.set(fd.ops.set(left))\n"
               "        fd.add_output(right)");
  g_autofree char *added = replace (script, "def mine", "def new():\n    return 1\n\ndef mine");
  g_autofree char *renamed = replace (script, "prod", "renamed_tensor");
  g_autofree char *input = replace (script, "wide", "w");
  g_autofree char *counts = replace (script, "fd.ops.set(prod)", "fd.ops.add(prod, prod)");
  g_autofree char *elsewhere_ids = ids_of_text (elsewhere, "mine");
  g_autofree char *added_ids = ids_of_text (added, "mine");
  g_autofree char *renamed_ids = ids_of_text (renamed, "mine");
  g_autofree char *input_ids = ids_of_text (input, "mine");
  g_autofree char *counts_ids = ids_of_text (counts, "mine");
  g_autofree char *other_ids = ids_of_text (script, "other");

  g_assert_cmpuint (strlen (before), >, 100);
  g_assert_cmpstr (before, ==, elsewhere_ids);
  g_assert_cmpstr (before, ==, added_ids);
  g_assert_cmpstr (before, ==, renamed_ids);
  g_assert_cmpstr (before, ==, input_ids);
  g_assert_cmpstr (before, !=, counts_ids);
  g_assert_cmpstr (before, !=, other_ids);
}

/* Tests a program without a script, as read from a recording. */
static void
test_from_views (void)
{
  g_autoptr (HirProgram) made = fix_program ("two_set_ops");
  g_autoptr (HirProgram) program = hir_program_new_from_views (NULL, g_ptr_array_ref (made->views));

  g_assert_null (hir_program_get_host (program));
  g_assert_cmpint (hir_program_find_view (program, "last"), ==, (int) made->views->len - 1);
}

int
main (int argc, char **argv)
{
  if (argc == 3 && strcmp (argv[1], "--dump-ids") == 0)
    return dump_ids (argv[2]);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/program/accepted", test_accepted);
  g_test_add_func ("/program/rejected", test_rejected);
  g_test_add_func ("/program/nothing", test_nothing);
  g_test_add_func ("/program/syntax-errors", test_syntax_errors);
  g_test_add_func ("/program/cancelled", test_cancelled);
  g_test_add_func ("/program/effect-of-last", test_effect_of_last);
  g_test_add_func ("/program/effect-of-pipeline", test_effect_of_pipeline);
  g_test_add_func ("/program/async", test_async);
  g_test_add_func ("/program/no-host", test_no_host);
  g_test_add_func ("/program/ids/two-processes", test_ids_in_two_processes);
  g_test_add_func ("/program/ids/edits", test_ids_after_edits);
  g_test_add_func ("/program/from-views", test_from_views);
  return g_test_run ();
}
