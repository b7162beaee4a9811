/* Tests documents: opening, running, saving and loading, also when operations overlap. */
#include <string.h>
#include <unistd.h>

#include "document/document.h"
#include "program/document-recording.h"
#include "trace/recording-fixture.h"
#include "tracer-fixture.h"

typedef struct
{
  HirDocument *document;
  guint n_program, n_trace, n_state, n_finished, n_failed;
  gboolean has_program, has_trace, is_finished, has_failed; /* for fix_wait() */
  gboolean was_done, reopens;
  char *why;
} Watch;

static void
on_program (HirDocument *document, gpointer user_data)
{
  Watch *watch = user_data;

  watch->n_program++;
  watch->has_program = TRUE;
  /* Nothing of the previous program is left. */
  if (hir_document_get_trace (document) != NULL)
    g_assert_null (hir_program_get_host (hir_document_get_program (document)));
}

static void
on_trace (HirDocument *document, gpointer user_data)
{
  Watch *watch = user_data;

  watch->n_trace++;
  watch->has_trace |= hir_document_get_trace (document) != NULL;
  if (watch->reopens && watch->has_trace)
    {
      g_autoptr (HirRequest) request = fix_request ("single_device.py", "reduction");

      watch->reopens = FALSE;
      watch->has_program = FALSE;
      hir_document_open (document, request);
    }
}

static void
on_state (HirDocument *document, gpointer user_data)
{
  Watch *watch = user_data;

  watch->n_state++;
  g_assert_nonnull (hir_document_get_status (document));
}

static void
on_finished (HirDocument *document, const HirRunOutcome *outcome, gpointer user_data)
{
  Watch *watch = user_data;

  watch->n_finished++;
  watch->is_finished = TRUE;
  watch->was_done = outcome->is_done;
  g_assert_false (hir_document_get_is_running (document));
  g_assert_true (g_str_has_suffix (hir_document_get_status (document), outcome->summary + 1));
  g_assert_true (g_ascii_isupper (*hir_document_get_status (document)));
}

static void
on_failed (HirDocument *document, const char *what, const char *why, gpointer user_data)
{
  Watch *watch = user_data;

  watch->n_failed++;
  watch->has_failed = TRUE;
  g_assert_cmpstr (what, !=, "");
  g_free (watch->why);
  watch->why = g_strdup (why);
}

static void
watch_start (Watch *watch)
{
  *watch = (Watch){ 0 };
  watch->document = hir_document_new ();
  g_signal_connect (watch->document, "program-changed", G_CALLBACK (on_program), watch);
  g_signal_connect (watch->document, "trace-changed", G_CALLBACK (on_trace), watch);
  g_signal_connect (watch->document, "state-changed", G_CALLBACK (on_state), watch);
  g_signal_connect (watch->document, "run-finished", G_CALLBACK (on_finished), watch);
  g_signal_connect (watch->document, "failed", G_CALLBACK (on_failed), watch);
}

static void
watch_clear (Watch *watch)
{
  g_signal_handlers_disconnect_by_data (watch->document, watch);
  g_clear_object (&watch->document);
  g_free (watch->why);
}

static void
open_function (Watch *watch, const char *function)
{
  g_autoptr (HirRequest) request = fix_request ("single_device.py", function);

  watch->has_program = FALSE;
  hir_document_open (watch->document, request);
}

static void
open_and_wait (Watch *watch, const char *function)
{
  open_function (watch, function);
  fix_wait (&watch->has_program);
}

static const char *
get_function (Watch *watch)
{
  return hir_document_get_request (watch->document)->function;
}

static void
test_open (void)
{
  Watch watch;

  watch_start (&watch);
  g_assert_null (hir_document_get_program (watch.document));
  g_assert_false (hir_document_can_run (watch.document));
  open_function (&watch, "matmul_m");
  g_assert_true (hir_document_get_is_lowering (watch.document));
  fix_wait (&watch.has_program);
  g_assert_false (hir_document_get_is_lowering (watch.document));
  g_assert_nonnull (hir_program_get_host (hir_document_get_program (watch.document)));
  g_assert_cmpint (hir_document_get_request (watch.document)->n_devices, ==, 1);
  g_assert_cmpuint (hir_document_get_diagnostics (watch.document)->len, ==, 0);
  g_assert_true (hir_document_can_run (watch.document));
  g_assert_true (g_str_has_prefix (hir_document_get_status (watch.document), "Lowered in "));
  g_assert_cmpuint (watch.n_failed, ==, 0);
  watch_clear (&watch);
}

/* Tests that only the last of several opened scripts is displayed. */
static void
test_second_open (void)
{
  Watch watch;

  watch_start (&watch);
  open_function (&watch, "matmul_m");
  open_function (&watch, "reduction");
  open_function (&watch, "two_set_ops");
  fix_wait (&watch.has_program);
  fix_iterate (200);
  g_assert_cmpuint (watch.n_program, ==, 1);
  g_assert_cmpstr (get_function (&watch), ==, "two_set_ops");
  g_assert_cmpstr (hir_document_get_program (watch.document)->request->function, ==, "two_set_ops");
  watch_clear (&watch);
}

/* Tests a script with syntax errors: no program, all errors, and the request with its text. */
static void
test_syntax_errors (void)
{
  g_autoptr (HirRequest) request = fix_request_of_text ("x = = 1\n\ny = = 2\n", NULL);
  Watch watch;

  watch_start (&watch);
  open_and_wait (&watch, "matmul_m");
  watch.has_program = FALSE;
  hir_document_open (watch.document, request);
  fix_wait (&watch.has_program);
  g_assert_null (hir_document_get_program (watch.document));
  g_assert_cmpuint (hir_document_get_diagnostics (watch.document)->len, ==, 2);
  g_assert_true (hir_document_get_request (watch.document)->source == request->source);
  g_assert_false (hir_document_can_run (watch.document));
  open_and_wait (&watch, "matmul_m");
  g_assert_nonnull (hir_document_get_program (watch.document));
  g_assert_cmpuint (hir_document_get_diagnostics (watch.document)->len, ==, 0);
  watch_clear (&watch);
}

/* Tests a script that a pass rejects: it can be displayed, but not run. */
static void
test_rejected (void)
{
  Watch watch;

  watch_start (&watch);
  open_and_wait (&watch, "refused_matmul_k");
  g_assert_nonnull (hir_document_get_program (watch.document)->error);
  g_assert_false (hir_document_can_run (watch.document));
  g_assert_nonnull (strstr (hir_document_get_status (watch.document), "StreamParallelType"));
  watch_clear (&watch);
}

static void
test_run_rejected (void)
{
  g_auto (HirRunSettings) settings = { 0 };
  Watch watch;

  hir_run_settings_init (&settings);
  watch_start (&watch);
  hir_document_run (watch.document, &settings);
  hir_document_stop_run (watch.document);
  g_assert_false (hir_document_get_is_running (watch.document));
  g_assert_cmpuint (watch.n_state, ==, 0);
  watch_clear (&watch);
}

/* Tests opening and running a printed program. */
static void
test_run_printed (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "tests", "data", "golden",
                                            "ag_matmul.txt", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirSource) source = hir_source_load (path, &error);
  g_autoptr (HirRequest) request = NULL;
  g_auto (HirRunSettings) settings = { 0 };
  Watch watch;

  g_assert_no_error (error);
  request = hir_request_new (source, NULL);
  hir_run_settings_init (&settings);
  settings.check = TRUE;
  watch_start (&watch);
  hir_document_open (watch.document, request);
  fix_wait (&watch.has_program);
  g_assert_true (hir_document_can_run (watch.document));
  hir_document_run (watch.document, &settings);
  fix_wait (&watch.is_finished);
  g_assert_true (watch.was_done);
  g_test_message ("%s", hir_document_get_status (watch.document));
  g_assert_nonnull (
      strstr (hir_document_get_status (watch.document), "numbers equal those in sequence"));
  g_assert_cmpuint (hir_trace_get_n_events (hir_document_get_trace (watch.document)), >, 0);
  watch_clear (&watch);
}

static void
start_long_run (Watch *watch)
{
  g_auto (HirRunSettings) settings = { 0 };

  hir_run_settings_init (&settings);
  settings.n_repeat = 1000000;
  hir_document_run (watch->document, &settings);
  g_assert_true (hir_document_get_is_running (watch->document));
  g_assert_false (hir_document_can_run (watch->document));
  hir_document_run (watch->document, &settings);
  fix_wait (&watch->has_trace);
}

static void
test_stop (void)
{
  Watch watch;

  watch_start (&watch);
  open_and_wait (&watch, "matmul_m");
  start_long_run (&watch);
  hir_document_stop_run (watch.document);
  fix_wait (&watch.is_finished);
  g_assert_false (watch.was_done);
  g_assert_cmpuint (watch.n_failed, ==, 0);
  g_assert_nonnull (hir_document_get_trace (watch.document));
  g_assert_true (hir_document_can_run (watch.document));
  watch_clear (&watch);
}

/* Tests that a run ends without further signals when another program is opened, also from a
 * signal handler. */
static void
test_open_while_running (void)
{
  for (guint i = 0; i < 2; i++)
    {
      Watch watch;

      watch_start (&watch);
      open_and_wait (&watch, "matmul_m");
      watch.reopens = i == 1;
      start_long_run (&watch);
      if (i == 0)
        open_function (&watch, "reduction");
      g_assert_false (hir_document_get_is_running (watch.document));
      fix_wait (&watch.has_program);
      fix_iterate (600);
      g_assert_cmpstr (get_function (&watch), ==, "reduction");
      g_assert_null (hir_document_get_trace (watch.document));
      g_assert_cmpuint (watch.n_finished, ==, 0);
      g_assert_cmpuint (watch.n_failed, ==, 0);
      g_assert_true (hir_document_can_run (watch.document));
      watch_clear (&watch);
    }
}

/* Tests releasing a document with operations in progress. */
static void
test_free (void)
{
  Watch watch;

  watch_start (&watch);
  open_function (&watch, "matmul_m");
  watch_clear (&watch);
  fix_iterate (200);
  watch_start (&watch);
  open_and_wait (&watch, "matmul_m");
  start_long_run (&watch);
  watch_clear (&watch);
  fix_iterate (200);
}

static void
on_saved (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GError *error = NULL;

  g_assert_cmpint (hir_document_save_finish (result, &error), ==, error == NULL);
  *(GError **) user_data = error != NULL ? error : g_error_new (HIR_ERROR, 0, "none");
}

/* NULL: success */
static GError *
save (Watch *watch, const char *path)
{
  GError *error = NULL;

  hir_document_save_async (watch->document, path, NULL, on_saved, &error);
  while (error == NULL)
    g_main_context_iteration (NULL, TRUE);
  if (g_str_equal (error->message, "none"))
    g_clear_error (&error);
  return error;
}

static void
assert_same_trace (const HirTrace *a, const HirTrace *b)
{
  g_assert_cmpuint (hir_trace_get_n_tracks (a), ==, hir_trace_get_n_tracks (b));
  for (guint t = 0; t < hir_trace_get_n_tracks (a); t++)
    {
      g_assert_cmpstr (hir_trace_get_track (a, t)->name, ==, hir_trace_get_track (b, t)->name);
      g_assert_cmpint (hir_trace_get_track (a, t)->stream, ==, hir_trace_get_track (b, t)->stream);
      g_assert_cmpuint (hir_trace_get_track_n_events (a, t), ==,
                        hir_trace_get_track_n_events (b, t));
      for (guint i = 0; i < hir_trace_get_track_n_events (a, t); i++)
        {
          HirEvent x, y;

          hir_trace_get_event (a, t, i, &x);
          hir_trace_get_event (b, t, i, &y);
          g_assert_cmpstr (hir_trace_get_string (a, x.name), ==, hir_trace_get_string (b, y.name));
          x.name = y.name = 0;
          g_assert_cmpmem (&x, sizeof x, &y, sizeof y);
        }
    }
  g_assert_cmpstr (hir_trace_get_meta (a, "clock"), ==, hir_trace_get_meta (b, "clock"));
}

static void
assert_same_program (const HirProgram *a, const HirProgram *b)
{
  g_autoptr (GVariant) x = g_variant_ref_sink (hir_request_to_variant (a->request));
  g_autoptr (GVariant) y = g_variant_ref_sink (hir_request_to_variant (b->request));

  g_assert_true (g_variant_equal (x, y));
  g_assert_cmpuint (a->views->len, ==, b->views->len);
  for (guint i = 0; i < a->views->len; i++)
    fixture_assert_same_view (a->views->pdata[i], b->views->pdata[i]);
  g_assert_cmpstr (a->failed_pass, ==, b->failed_pass);
  g_assert_cmpint (a->error == NULL, ==, b->error == NULL);
  if (a->error != NULL)
    {
      g_assert_cmpstr (a->error->message, ==, b->error->message);
      g_assert_cmpint (a->error->code, ==, b->error->code);
      g_assert_cmpuint (hir_error_get_pos (a->error).line, ==, hir_error_get_pos (b->error).line);
      g_assert_cmpuint (hir_error_get_pos (a->error).column, ==,
                        hir_error_get_pos (b->error).column);
    }
}

/* Tests that a document is the same after saving and loading, twice. */
static void
assert_recording_round_trips (Watch *watch, const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "one.hirs", NULL);
  g_autofree char *again = g_build_filename (folder, "two.hirs", NULL);
  Watch other;

  watch_start (&other);
  g_assert_no_error (save (watch, path));
  for (guint i = 0; i < 2; i++)
    {
      other.has_program = FALSE;
      hir_document_open_recording (other.document, i == 0 ? path : again);
      fix_wait (&other.has_program);
      g_assert_cmpuint (other.n_failed, ==, 0);
      g_assert_cmpstr (hir_document_get_recording_path (other.document), ==, i == 0 ? path : again);
      assert_same_program (hir_document_get_program (watch->document),
                           hir_document_get_program (other.document));
      if (hir_document_get_trace (watch->document) != NULL)
        assert_same_trace (hir_document_get_trace (watch->document),
                           hir_document_get_trace (other.document));
      if (i == 0)
        g_assert_no_error (save (&other, again));
    }
  watch_clear (&other);
}

/* The status is a sentence; an error message is not. */
static void
test_absent_recording (void)
{
  Watch watch;

  watch_start (&watch);
  open_and_wait (&watch, "two_set_ops");
  hir_document_open_recording (watch.document, "/absent/a.hirs");
  for (guint i = 0; i < 12000 && watch.n_failed == 0; i++)
    fix_iterate (5);
  g_assert_cmpuint (watch.n_failed, ==, 1);
  g_test_message ("%s", hir_document_get_status (watch.document));
  g_assert_true (g_str_has_prefix (hir_document_get_status (watch.document),
                                   "The file could not be opened: "));
  watch_clear (&watch);
}

static void
test_recording (void)
{
  char *folder = fix_make_folder ();
  g_auto (HirRunSettings) settings = { 0 };
  Watch watch;

  hir_run_settings_init (&settings);
  watch_start (&watch);
  open_and_wait (&watch, "two_set_ops");
  assert_recording_round_trips (&watch, folder);
  open_and_wait (&watch, "refused_split_axis");
  assert_recording_round_trips (&watch, folder);
  open_and_wait (&watch, "matmul_m");
  watch.is_finished = FALSE;
  /* The run process is this program; main() calls the real one. */
  hir_document_run (watch.document, &settings);
  fix_wait (&watch.is_finished);
  g_assert_true (watch.was_done);
  g_assert_nonnull (hir_document_get_trace (watch.document));
  assert_recording_round_trips (&watch, folder);
  watch_clear (&watch);
  fix_remove_folder (folder);
}

/* Tests that a failed load keeps the open document and reports the error. */
static void
test_failing_opens (void)
{
  char *folder = fix_make_folder ();
  g_autofree char *empty = g_build_filename (folder, "empty.hirs", NULL);
  g_autofree char *text = g_build_filename (folder, "text.hirs", NULL);
  g_autofree char *missing = g_build_filename (folder, "missing.hirs", NULL);
  const char *const paths[] = { missing, empty, text, folder };
  Watch watch;

  g_assert_true (g_file_set_contents (empty, "", 0, NULL));
  g_assert_true (g_file_set_contents (text, "def f(): pass\n", -1, NULL));
  watch_start (&watch);
  open_and_wait (&watch, "matmul_m");
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      watch.has_failed = FALSE;
      hir_document_open_recording (watch.document, paths[i]);
      fix_wait (&watch.has_failed);
      g_assert_nonnull (strstr (watch.why, paths[i]));
      g_assert_cmpuint (watch.n_program, ==, 1);
      g_assert_cmpstr (get_function (&watch), ==, "matmul_m");
      g_assert_null (hir_document_get_recording_path (watch.document));
      g_assert_true (hir_document_can_run (watch.document));
    }
  watch_clear (&watch);
  fix_remove_folder (folder);
}

static void
test_failing_save (void)
{
  char *folder = fix_make_folder ();
  g_autofree char *text = g_build_filename (folder, "mine.txt", NULL);
  g_autofree char *nowhere = g_build_filename (folder, "no", "a.hirs", NULL);
  g_autofree char *kept = NULL;
  g_autoptr (GError) one = NULL;
  g_autoptr (GError) two = NULL;
  Watch watch;

  g_assert_true (g_file_set_contents (text, "mine", -1, NULL));
  watch_start (&watch);
  open_and_wait (&watch, "matmul_m");
  one = save (&watch, text);
  g_assert_error (one, HIR_ERROR, HIR_ERROR_INPUT);
  two = save (&watch, nowhere);
  g_assert_error (two, HIR_ERROR, HIR_ERROR_INPUT);
  g_assert_true (g_file_get_contents (text, &kept, NULL, NULL));
  g_assert_cmpstr (kept, ==, "mine");
  watch_clear (&watch);
  fix_remove_folder (folder);
}

int
main (int argc, char **argv)
{
  fix_act_as_hirscope (argc, argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/document/open", test_open);
  g_test_add_func ("/document/second-open", test_second_open);
  g_test_add_func ("/document/syntax-errors", test_syntax_errors);
  g_test_add_func ("/document/rejected", test_rejected);
  g_test_add_func ("/document/run-rejected", test_run_rejected);
  g_test_add_func ("/document/run-printed", test_run_printed);
  g_test_add_func ("/document/stop", test_stop);
  g_test_add_func ("/document/open-while-running", test_open_while_running);
  g_test_add_func ("/document/free", test_free);
  g_test_add_func ("/document/recording", test_recording);
  g_test_add_func ("/document/absent-recording", test_absent_recording);
  g_test_add_func ("/document/failing-opens", test_failing_opens);
  g_test_add_func ("/document/failing-save", test_failing_save);
  return g_test_run ();
}
