/* Tests value queries to the process of a finished run. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "document/document.h"
#include "tracer-fixture.h"

typedef struct
{
  HirDocument *document;
  gboolean has_program, is_finished, has_value;
  guint n_values, number;
  char *text;  /* nullable: the summary */
  char *error; /* nullable */
  gint64 sizes[HIR_MAX_DIMS];
} Watch;

static void
on_value (HirDocument *document,
          guint number,
          const HirValueSummary *summary,
          const GError *error,
          gpointer user_data)
{
  Watch *watch = user_data;

  g_assert_true ((summary == NULL) != (error == NULL));
  g_clear_pointer (&watch->text, g_free);
  g_clear_pointer (&watch->error, g_free);
  if (summary != NULL)
    {
      memcpy (watch->sizes, summary->sizes, sizeof watch->sizes);
      watch->text = hir_value_summary_format (summary);
    }
  else
    watch->error = g_strdup (error->message);
  watch->number = number;
  watch->n_values++;
  watch->has_value = TRUE;
}

static void
set_flag (HirDocument *document, gboolean *flag)
{
  *flag = TRUE;
}

static void
on_finished (HirDocument *document, const HirRunOutcome *outcome, Watch *watch)
{
  g_assert_true (outcome->is_done);
  watch->is_finished = TRUE;
}

static void
open_function (Watch *watch, const char *function)
{
  g_autoptr (HirRequest) request = fix_request ("single_device.py", function);

  watch->has_program = FALSE;
  hir_document_open (watch->document, request);
  fix_wait (&watch->has_program);
}

/* The program was run once. */
static void
start (Watch *watch)
{
  g_auto (HirRunSettings) settings = { 0 };

  *watch = (Watch){ 0 };
  watch->document = hir_document_new ();
  g_signal_connect (watch->document, "program-changed", G_CALLBACK (set_flag), &watch->has_program);
  g_signal_connect (watch->document, "run-finished", G_CALLBACK (on_finished), watch);
  g_signal_connect (watch->document, "value", G_CALLBACK (on_value), watch);
  hir_run_settings_init (&settings);
  open_function (watch, "matmul_m");
  g_assert_false (hir_document_has_values (watch->document));
  hir_document_run (watch->document, &settings);
  fix_wait (&watch->is_finished);
  g_assert_true (hir_document_has_values (watch->document));
  g_assert_false (hir_document_get_is_running (watch->document));
}

static void
clear (Watch *watch)
{
  g_signal_handlers_disconnect_by_data (watch->document, watch);
  g_signal_handlers_disconnect_by_data (watch->document, &watch->has_program);
  g_clear_object (&watch->document);
  g_free (watch->text);
  g_free (watch->error);
}

static guint
ask (Watch *watch, guint64 id, int rank)
{
  HirValueQuery query;

  hir_value_query_init (&query);
  watch->has_value = FALSE;
  return hir_document_ask_value (watch->document, rank, id, &query);
}

static guint64
get_output (Watch *watch)
{
  const HirContainer *host = hir_program_get_host (hir_document_get_program (watch->document));

  return HIR_VAL (host->outputs.items[0])->node.id;
}

static void
test_queries (void)
{
  Watch watch;
  guint64 output;
  guint last;

  start (&watch);
  output = get_output (&watch);
  g_assert_cmpuint (ask (&watch, output, 0), ==, 1);
  g_assert_false (watch.has_value); /* never from inside the call */
  fix_wait (&watch.has_value);
  g_assert_null (watch.error);
  g_assert_nonnull (strstr (watch.text, " 0 NaN, 0 Inf"));
  /* Only the last of several simultaneous queries is answered. */
  watch.n_values = 0;
  for (guint i = 0; i < 20; i++)
    last = ask (&watch, i % 2 == 0 ? output : 12345, 0);
  fix_wait (&watch.has_value);
  g_assert_cmpuint (watch.number, ==, last);
  g_assert_nonnull (strstr (watch.error, "no such tensor"));
  g_assert_cmpuint (watch.n_values, ==, 1);
  ask (&watch, output, 3);
  fix_wait (&watch.has_value);
  g_assert_nonnull (strstr (watch.error, "rank 3"));
  /* Sequential queries are all answered. */
  for (guint i = 0; i < 3; i++)
    {
      HirValueQuery query;

      hir_value_query_init (&query);
      query.at[1] = i;
      watch.has_value = FALSE;
      hir_document_ask_value (watch.document, 0, output, &query);
      fix_wait (&watch.has_value);
      g_assert_true (g_str_has_prefix (watch.text, "float[16], strides [64]\n"));
    }
  /* Values belong to one program. */
  open_function (&watch, "reduction");
  g_assert_false (hir_document_has_values (watch.document));
  g_assert_cmpuint (ask (&watch, output, 0), ==, 0);
  clear (&watch);
}

/* Tests that queries fail after the process was killed. */
static void
test_killed (void)
{
  g_autofree char *folder = fix_make_folder ();
  g_autofree char *path = g_build_filename (folder, "pid", NULL);
  g_autofree char *text = NULL;
  Watch watch;

  g_setenv ("HIR_TEST_PID", path, TRUE);
  start (&watch);
  g_unsetenv ("HIR_TEST_PID");
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  /* A stopped process cannot answer, so it is killed during a query. */
  g_assert_cmpint (kill ((pid_t) g_ascii_strtoll (text, NULL, 10), SIGSTOP), ==, 0);
  g_assert_cmpuint (ask (&watch, get_output (&watch), 0), >, 0);
  g_assert_cmpint (kill ((pid_t) g_ascii_strtoll (text, NULL, 10), SIGKILL), ==, 0);
  fix_wait (&watch.has_value);
  g_assert_nonnull (strstr (watch.error, "process has ended"));
  g_assert_cmpuint (ask (&watch, get_output (&watch), 0), ==, 0);
  clear (&watch);
  fix_remove_folder (g_steal_pointer (&folder));
}

int
main (int argc, char **argv)
{
  /* Runs of a document start this program, which then acts as hirscope. */
  if (argc == 4 && strcmp (argv[1], "run") == 0 && strcmp (argv[2], "--control") == 0)
    {
      g_autofree char *hirscope = fix_dup_hirscope ();
      g_autofree char *pid = g_strdup_printf ("%d", getpid ());

      if (g_getenv ("HIR_TEST_PID") != NULL)
        g_file_set_contents (g_getenv ("HIR_TEST_PID"), pid, -1, NULL);
      execv (hirscope, argv);
      return 3;
    }
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run-values/queries", test_queries);
  g_test_add_func ("/run-values/killed", test_killed);
  return g_test_run ();
}
