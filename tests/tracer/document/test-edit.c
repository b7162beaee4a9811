/* Tests edits: requests, undo and redo, and the state after a failed change. */
#include <string.h>

#include "document/document-edit.h"
#include "document/edit-history.h"
#include "program/program-effect.h"
#include "program/request-edit.h"
#include "tracer-fixture.h"

static void
test_request (void)
{
  g_autoptr (HirRequest) base = fix_request ("single_device.py", "matmul_m");
  g_autoptr (HirRequest) off = hir_request_with_pass (base, "StreamParallelType", FALSE);
  g_autoptr (HirRequest) on = hir_request_with_pass (off, "StreamParallelType", TRUE);
  g_autoptr (HirRequest) more = hir_request_with_pass (off, "InsertDeallocations", TRUE);
  g_autoptr (HirRequest) set = NULL, reset = NULL, wrong = NULL, plain = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *words = NULL;

  g_assert_null (base->disable);
  g_assert_cmpstr (off->disable[0], ==, "StreamParallelType");
  g_assert_null (off->disable[1]);
  g_assert_null (on->disable);
  g_assert_null (on->enable);
  g_assert_cmpstr (more->enable[0], ==, "InsertDeallocations");
  set = hir_request_with_option (more, "StreamParallelType", "initial_sync", "in_loop", &error);
  g_assert_no_error (error);
  g_assert_cmpstr (set->set[0], ==, "StreamParallelType.initial_sync=in_loop");
  reset = hir_request_with_option (set, "StreamParallelType", "initial_sync", "separate", &error);
  g_assert_no_error (error);
  g_assert_null (reset->set);
  wrong = hir_request_with_option (set, "StreamParallelType", "initial_sync", "maybe", &error);
  g_assert_null (wrong);
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  set->n_devices = 8;
  words = hir_request_dup_words (set);
  g_assert_nonnull (strstr (words, "single_device.py::matmul_m -d 8 --enable InsertDeallocations "
                                   "--disable StreamParallelType --set "
                                   "StreamParallelType.initial_sync=in_loop"));
  plain = hir_request_with_default_passes (set);
  g_assert_null (plain->set);
  g_assert_cmpint (plain->n_devices, ==, 8);
}

/* A copied command line had no --pipeline, and a switch kept passes that the pipeline does not
 * have. */
static void
test_pipeline (void)
{
  g_autoptr (HirRequest) base = fix_request ("single_device.py", "matmul_m");
  g_autoptr (HirRequest) off = hir_request_with_pass (base, "SegmentFusion", FALSE);
  g_autoptr (HirRequest) set =
      hir_request_with_option (off, "StreamParallelType", "initial_sync", "in_loop", NULL);
  g_autoptr (HirRequest) both = hir_request_with_pass (set, "PropagateShardings", FALSE);
  g_autoptr (HirRequest) hostir = hir_request_with_pipeline (both, HIR_PIPELINE_HOSTIR);
  g_autoptr (HirRequest) back = hir_request_with_pipeline (hostir, HIR_PIPELINE_EXECUTOR);
  g_autoptr (HirPipeline) pipeline = hir_request_create_pipeline (hostir, NULL);
  g_autofree char *words = hir_request_dup_words (hostir);
  g_autofree char *back_words = hir_request_dup_words (back);

  g_assert_nonnull (pipeline);
  g_assert_cmpint (hostir->format, ==, HIR_FORMAT_2026);
  g_assert_true (
      g_str_has_suffix (words, "::matmul_m --pipeline hostir --disable PropagateShardings"));
  g_assert_cmpint (back->format, ==, HIR_FORMAT_2025);
  g_assert_true (g_str_has_suffix (back_words, "::matmul_m --disable PropagateShardings"));
}

static void
test_words_quoted (void)
{
  g_autoptr (HirSource) source = hir_source_new ("my file's.py", "", 0);
  g_autoptr (HirRequest) request = hir_request_new (source, "f");
  g_autofree char *words = hir_request_dup_words (request);
  g_auto (GStrv) argv = NULL;
  g_autoptr (GError) error = NULL;

  g_shell_parse_argv (words, NULL, &argv, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (argv[0], ==, "my file's.py::f");
}

/* Moves in the history. Returns the new current request, or NULL if nothing was done. */
static HirRequest *
undo (HirEditHistory *history)
{
  return hir_edit_history_undo (history, NULL) ? hir_edit_history_get (history) : NULL;
}

static HirRequest *
redo (HirEditHistory *history)
{
  return hir_edit_history_redo (history, NULL) ? hir_edit_history_get (history) : NULL;
}

static void
test_history (void)
{
  g_autoptr (HirEditHistory) history = hir_edit_history_new ();
  g_autoptr (HirRequest) a = fix_request ("single_device.py", "matmul_m");
  g_autoptr (HirRequest) b = hir_request_with_pass (a, "SegmentFusion", FALSE);
  g_autoptr (HirRequest) c = hir_request_with_text (a, NULL, "x = 1\n");

  g_assert_null (hir_edit_history_get (history));
  g_assert_null (undo (history));
  hir_edit_history_begin (history, a);
  g_assert_null (hir_edit_history_get_undo (history));
  hir_edit_history_add (history, b, "first");
  hir_edit_history_add (history, c, "second");
  g_assert_cmpstr (hir_edit_history_get_undo (history), ==, "second");
  g_assert_true (undo (history) == b);
  g_assert_cmpstr (hir_edit_history_get_redo (history), ==, "second");
  g_assert_true (undo (history) == a);
  g_assert_null (undo (history));
  g_assert_true (redo (history) == b);
  hir_edit_history_add (history, a, "third");
  g_assert_null (redo (history));
  g_assert_true (undo (history) == b);
  /* Tests a full history: the oldest entries are dropped. */
  for (guint i = 0; i < 2000; i++)
    hir_edit_history_add (history, i % 2 ? a : b, "many");
  g_assert_true (hir_edit_history_get (history) == a);
  g_assert_true (undo (history) == b);
}

/* A change that is not one of the request; counts how often it is done. */
static void
count (gpointer owner, gpointer data, gboolean is_undone)
{
  g_assert_true (owner == NULL);
  *(int *) data += is_undone ? -1 : 1;
}

static void
on_freed (gpointer data)
{
  *(int *) data = 100;
}

static void
test_other (void)
{
  g_autoptr (HirEditHistory) history = hir_edit_history_new ();
  g_autoptr (HirRequest) a = fix_request ("single_device.py", "matmul_m");
  g_autoptr (HirRequest) b = hir_request_with_pass (a, "SegmentFusion", FALSE);
  g_autoptr (HirRequest) c = hir_request_with_pass (b, "StreamParallelType", FALSE);
  int first = 1, second = 1, large = 1, larger = 1;

  /* Without a request, as in the trace of another profiler. */
  hir_edit_history_add_other (history, "first", count, &first, on_freed, 0);
  g_assert_cmpstr (hir_edit_history_get_undo (history), ==, "first");
  g_assert_true (hir_edit_history_undo (history, NULL));
  g_assert_cmpint (first, ==, 0);
  g_assert_false (hir_edit_history_undo (history, NULL));
  g_assert_true (hir_edit_history_redo (history, NULL));
  g_assert_cmpint (first, ==, 1);
  hir_edit_history_begin (history, a);
  g_assert_cmpint (first, ==, 100);

  /* Between two requests; a replaced request replaces that of the change, too. */
  first = 1;
  hir_edit_history_add (history, b, "edit");
  hir_edit_history_add_other (history, "first", count, &first, on_freed, 0);
  hir_edit_history_add_other (history, "second", count, &second, on_freed, 0);
  hir_edit_history_replace (history, c);
  g_assert_true (undo (history) == c);
  g_assert_cmpint (second, ==, 0);
  g_assert_cmpint (first, ==, 1);
  hir_edit_history_forget (history, &first);
  g_assert_cmpint (first, ==, 100);
  g_assert_cmpstr (hir_edit_history_get_undo (history), ==, "edit");
  g_assert_true (redo (history) == c);
  g_assert_cmpint (second, ==, 1);
  g_assert_true (undo (history) == c);
  g_assert_true (undo (history) == a);
  g_assert_cmpint (second, ==, 0);

  /* A new path is that of all requests. */
  g_assert_true (hir_edit_history_redo (history, NULL));
  hir_edit_history_rename (history, "/there/new.py");
  g_assert_cmpstr (hir_edit_history_get (history)->source->path, ==, "/there/new.py");
  g_assert_cmpstr (hir_edit_history_get (history)->source->text, ==, a->source->text);
  g_assert_cmpstr (undo (history)->source->path, ==, "/there/new.py");

  /* Their memory is limited. */
  hir_edit_history_add_other (history, "large", count, &large, on_freed, (gsize) 300 << 20);
  g_assert_cmpint (second, ==, 100);
  hir_edit_history_add (history, b, "edit");
  hir_edit_history_add_other (history, "larger", count, &larger, on_freed, (gsize) 600 << 20);
  g_assert_cmpint (large, ==, 100);
  g_assert_true (undo (history) == b);
  g_assert_cmpint (larger, ==, 0);
  g_assert_nonnull (undo (history));
  g_assert_null (undo (history));
}

static gboolean
on_timeout (gpointer user_data)
{
  g_error ("nothing came of the lowering");
  return G_SOURCE_REMOVE;
}

static void
wait_lowered (HirDocument *document)
{
  guint timeout = g_timeout_add_seconds (60, on_timeout, NULL);

  while (hir_document_get_is_lowering (document))
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (timeout);
}

static HirDocument *
open_document (const char *function)
{
  HirDocument *document = hir_document_new ();
  g_autoptr (HirRequest) request = fix_request ("single_device.py", function);

  hir_document_open (document, request);
  wait_lowered (document);
  g_assert_nonnull (hir_document_get_edit (document));
  return document;
}

static void
edit_text (HirDocument *document, const char *old_text, const char *new_text)
{
  HirRequest *request = hir_document_get_edit (document);
  g_auto (GStrv) parts = g_strsplit (request->source->text, old_text, 2);
  g_autofree char *text = NULL;
  g_autoptr (HirRequest) changed = NULL;

  g_assert_cmpuint (g_strv_length (parts), ==, 2);
  text = g_strjoin (new_text, parts[0], parts[1], NULL);
  changed = hir_request_with_text (request, NULL, text);
  hir_document_edit (document, changed, "text");
}

static guint
n_views (HirDocument *document)
{
  return hir_document_get_program (document)->views->len;
}

static void
test_document_pass (void)
{
  g_autoptr (HirDocument) document = open_document ("matmul_m");
  g_autoptr (HirRequest) off =
      hir_request_with_pass (hir_document_get_edit (document), "StreamParallelType", FALSE);
  guint n = n_views (document);

  g_assert_cmpint (hir_document_get_edit (document)->n_devices, ==, -1);
  hir_document_edit (document, off, "StreamParallelType off");
  wait_lowered (document);
  g_assert_cmpuint (n_views (document), ==, n - 1);
  g_assert_true (g_str_has_prefix (hir_document_get_status (document), "StreamParallelType off: "));
  g_assert_cmpuint (hir_document_get_before (document)->views->len, ==, n);
  g_assert_cmpstr (hir_document_get_undo (document), ==, "StreamParallelType off");
  g_assert_true (hir_document_undo (document));
  wait_lowered (document);
  g_assert_cmpuint (n_views (document), ==, n);
  g_assert_null (hir_document_get_before (document)); /* no change has an effect */
  g_assert_false (hir_document_undo (document));
  g_assert_true (hir_document_redo (document));
  wait_lowered (document);
  g_assert_cmpuint (n_views (document), ==, n - 1);
  g_assert_cmpuint (hir_document_get_before (document)->views->len, ==, n);
}

static void
test_document_failing_text (void)
{
  g_autoptr (HirDocument) document = open_document ("matmul_m");
  HirProgram *good = hir_document_get_program (document);

  edit_text (document, "c = fd.ops.matmul(a, b)", "c = = fd.ops.matmul(a, b)");
  wait_lowered (document);
  g_assert_true (hir_document_get_program (document) == good);
  g_assert_true (hir_document_is_outdated (document));
  g_assert_false (hir_document_can_run (document));
  g_assert_cmpuint (hir_document_get_diagnostics (document)->len, ==, 1);
  g_assert_null (hir_document_get_rejected (document));
  /* Tests undoing two failed changes one by one. */
  edit_text (document, "b = contig(fd, 2)", "b = contig(fd, 2");
  wait_lowered (document);
  g_assert_true (hir_document_get_program (document) == good);
  g_assert_true (hir_document_undo (document));
  wait_lowered (document);
  g_assert_true (hir_document_is_outdated (document));
  g_assert_true (hir_document_undo (document));
  wait_lowered (document);
  g_assert_false (hir_document_is_outdated (document));
  g_assert_cmpuint (hir_document_get_diagnostics (document)->len, ==, 0);
  g_assert_true (hir_document_can_run (document));
}

static void
test_document_rejected (void)
{
  g_autoptr (HirDocument) document = open_document ("single_set_op");
  HirProgram *good = hir_document_get_program (document);
  HirProgram *rejected;
  const HirDiagnostic *diagnostic;

  edit_text (document, "        tv1.axis(0).parallelize(ParallelType.stream)\n    return fd",
             "        tv1.split(0, 2)\n        tv1.axis(0).parallelize(ParallelType.stream)\n"
             "    return fd");
  wait_lowered (document);
  rejected = hir_document_get_rejected (document);
  g_assert_true (hir_document_get_program (document) == good);
  g_assert_nonnull (rejected);
  g_assert_cmpstr (rejected->failed_pass, ==, "StreamParallelType");
  diagnostic = hir_document_get_diagnostics (document)->pdata[0];
  g_assert_cmpuint (diagnostic->pos.line, ==, 16);
  hir_document_show_rejected (document, TRUE);
  g_assert_true (hir_document_get_program (document) == rejected);
  g_assert_false (hir_document_can_run (document));
  hir_document_show_rejected (document, FALSE);
  g_assert_true (hir_document_get_program (document) == good);
  /* Tests fixing a script while the rejected program is displayed: the new program is displayed. */
  hir_document_show_rejected (document, TRUE);
  edit_text (document, "tv1.split(0, 2)\n        ", "");
  wait_lowered (document);
  g_assert_false (hir_document_is_outdated (document));
  g_assert_false (hir_document_shows_rejected (document));
  g_assert_null (hir_document_get_program (document)->error);
  g_assert_true (hir_document_can_run (document));
}

static void
test_document_quick (void)
{
  g_autoptr (HirDocument) document = open_document ("matmul_m");

  /* Tests several quick changes, as when typing: only the last one is lowered. */
  for (guint i = 0; i < 20; i++)
    {
      g_autofree char *text = g_strdup_printf ("# %u\n", i);
      g_autoptr (HirRequest) changed = NULL;
      g_autofree char *all =
          g_strconcat (hir_document_get_edit (document)->source->text, text, NULL);

      changed = hir_request_with_text (hir_document_get_edit (document), NULL, all);
      hir_document_edit (document, changed, "text");
    }
  wait_lowered (document);
  g_assert_true (g_str_has_suffix (hir_document_get_program (document)->request->source->text,
                                   "# 18\n# 19\n"));
  g_assert_nonnull (strstr (hir_document_get_status (document), "the programs are unchanged"));
  /* Saving under another name is no change that the status names. */
  hir_document_rename_edit (document, "/absent/renamed.py");
  wait_lowered (document);
  g_assert_cmpstr (hir_document_get_status (document), ==, "The programs are unchanged");
}

static void
test_moved (void)
{
  g_autoptr (HirDocument) document = open_document ("matmul_m");
  const GPtrArray *views = hir_document_get_program (document)->views;
  guint n = 0;

  for (guint i = 1; i < views->len; i++)
    {
      g_assert_cmpuint (hir_program_view_count_moved (views->pdata[i], views->pdata[i]), ==, 0);
      n += hir_program_view_count_moved (views->pdata[i - 1], views->pdata[i]);
    }
  g_assert_cmpuint (n, <=, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/edit/request", test_request);
  g_test_add_func ("/edit/pipeline", test_pipeline);
  g_test_add_func ("/edit/words-quoted", test_words_quoted);
  g_test_add_func ("/edit/history", test_history);
  g_test_add_func ("/edit/other", test_other);
  g_test_add_func ("/edit/document-pass", test_document_pass);
  g_test_add_func ("/edit/document-failing-text", test_document_failing_text);
  g_test_add_func ("/edit/document-rejected", test_document_rejected);
  g_test_add_func ("/edit/document-quick", test_document_quick);
  g_test_add_func ("/edit/moved", test_moved);
  return g_test_run ();
}
