/* Tests sessions: repetitions, steps, values, options, stops. */
#include <string.h>

#include "program-builder.h"
#include "run-fixture.h"
#include "run/session/session-summary.h"
#include "session-access.h"

static HirContainer *
two_sets (void)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *a = fix_set (fusion, fix_input (fusion, 2)), *b = fix_set (fusion, a);

  fix_output (fusion, b);
  fix_stream (fusion, a, 0);
  fix_stream (fusion, b, 0);
  return fusion;
}

static HirSession *
session_of (HirContainer *fusion, const HirRunOptions *options, GCancellable *cancellable)
{
  g_autoptr (HirContainer) program = lower_program (fusion);
  g_autoptr (GError) error = NULL;
  HirSession *session = session_new (fusion, program, options, NULL, cancellable, &error);

  g_assert_no_error (error);
  return session;
}

static void
test_steps_are_a_run (void)
{
  g_autoptr (HirContainer) fusion = two_sets ();
  HirRunOptions options = run_options ();
  g_autoptr (HirSession) session = NULL;
  HirStep step;
  HirProgramPoint point;
  guint n = 0, n_peeked = 0;

  options.inputs = (const char *[]){ "3x2", NULL };
  options.n_warmups = 1;
  options.n_repeats = 2;
  session = session_of (fusion, &options, NULL);
  do
    {
      n_peeked += hir_session_peek (session, &point);
      step = hir_session_step (session, NULL);
      n++;
    }
  while (step == HIR_STEP_MORE);
  g_assert_cmpint (step, ==, HIR_STEP_DONE);
  g_assert_cmpuint (hir_session_get_n_done (session), ==, 3);
  /* Each step is an instruction, except the three that end a repetition. */
  g_assert_cmpuint (n, ==, n_peeked + 3);
  g_assert_cmpuint (hir_session_get_report (session)->n_runs, ==, 2);
  g_assert_true (hir_check_report_passed (hir_session_get_report (session)));
  g_assert_cmpint (hir_session_step (session, NULL), ==, HIR_STEP_DONE);
}

static gint64
modelled_ns (HirContainer *fusion, guint n_warmups, guint n_repeats, gboolean check)
{
  HirRunOptions options = run_options ();
  g_autoptr (HirSession) session = NULL;
  g_autoptr (GError) error = NULL;

  options.inputs = (const char *[]){ "3x2", NULL };
  options.n_warmups = n_warmups;
  options.n_repeats = n_repeats;
  options.check = check;
  options.model_clock = TRUE;
  session = session_of (fusion, &options, NULL);
  g_assert_true (hir_session_run (session, &error));
  g_assert_no_error (error);
  return hir_session_get_elapsed_ns (session);
}

/* The reported time is that of the program, on the selected clock. */
static void
test_elapsed (void)
{
  g_autoptr (HirContainer) fusion = two_sets ();
  gint64 once = modelled_ns (fusion, 0, 1, FALSE);

  g_assert_cmpint (once, >, 0);
  g_assert_cmpint (modelled_ns (fusion, 0, 1, TRUE), ==, once);
  g_assert_cmpint (modelled_ns (fusion, 3, 1, TRUE), ==, once);
  g_assert_cmpint (modelled_ns (fusion, 1, 5, TRUE), ==, 5 * once);
}

static void
test_values (void)
{
  g_autoptr (HirContainer) fusion = two_sets ();
  HirRunOptions options = run_options ();
  g_autoptr (HirSession) session = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *output = NULL;
  g_autofree char *index = NULL;
  HirProgramPoint point;
  guint64 id = HIR_VAL (fusion->outputs.items[0])->node.id;

  options.inputs = (const char *[]){ "3x2", NULL };
  session = session_of (fusion, &options, NULL);
  g_assert_null (session_dup_value_text (session, id, NULL, 4, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  while (hir_session_peek (session, &point) &&
         !(point.iteration == 2 && point.expr->kind == HIR_EXPR_SET))
    g_assert_cmpint (hir_session_step (session, NULL), ==, HIR_STEP_MORE);
  output = session_dup_value_text (session, id, NULL, 2, NULL);
  g_assert_true (g_str_has_prefix (output, "T2 float[3, 2] = ["));
  index = session_dup_value_text (session, 0, "StreamIdx", 0, NULL);
  g_assert_cmpstr (index, ==, "StreamIdx = 2");
}

/* After the run, inputs and outputs have values, and deallocated tensors if they were kept. */
static void
test_summaries (void)
{
  g_autoptr (HirContainer) program = build_program ();
  HirTensor *in = build_tensor (program, 2, (gint64[]){ 3, 2 });
  HirTensor *a = build_tensor (program, 2, (gint64[]){ 3, 2 });
  HirTensor *b = build_tensor (program, 2, (gint64[]){ 3, 2 });
  HirRunOptions options = run_options ();
  g_autoptr (GError) error = NULL;
  guint64 middle = a->base.node.id, output = b->base.node.id;
  HirValueQuery query;

  hir_container_add_input (program, HIR_VAL (in));
  hir_container_add_output (program, HIR_VAL (b));
  build_allocate (program, NULL, a);
  build_allocate (program, NULL, b);
  build_set (program, NULL, a, in);
  build_set (program, NULL, b, a);
  build_deallocate (program, NULL, a);
  hir_value_query_init (&query);
  options.check = FALSE;
  options.n_repeats = 2;
  for (guint round = 0; round < 3; round++)
    {
      static const gsize rooms[] = { 0, 23, 24 };
      g_autoptr (HirSession) session = session_new (program, program, &options, NULL, NULL, &error);
      g_autoptr (HirValueSummary) of_middle = NULL;
      g_autoptr (HirValueSummary) of_output = NULL;

      g_assert_no_error (error);
      if (round > 0)
        hir_session_keep_values (session, rooms[round]);
      g_assert_true (hir_session_run (session, &error));
      of_output = hir_session_dup_summary (session, 0, output, &query, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpint (of_output->sizes[0], ==, 3);
      of_middle = hir_session_dup_summary (session, 0, middle, &query, NULL, &error);
      if (round < 2)
        {
          g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
          g_assert_nonnull (strstr (error->message, round == 0 ? "was deallocated" : "too large"));
          g_clear_error (&error);
          continue;
        }
      g_assert_no_error (error);
      for (guint i = 0; i < 6; i++)
        g_assert_cmpstr (of_middle->page[i], ==, of_output->page[i]);
      g_assert_null (hir_session_dup_summary (session, 1, output, &query, NULL, &error));
      g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
      g_clear_error (&error);
      g_assert_null (hir_session_dup_summary (session, 0, 12345, &query, NULL, &error));
      g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
      g_clear_error (&error);
    }
}

static void
test_options_are_checked (void)
{
  HirRunOptions options = run_options ();
  g_autoptr (GError) error = NULL;

  g_assert_true (hir_run_options_check (&options, NULL));
  options.n_streams = 0;
  g_assert_false (hir_run_options_check (&options, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  options = run_options ();
  options.n_repeats = 0;
  g_assert_false (hir_run_options_check (&options, NULL));
  options = run_options ();
  options.timeout_s = -1;
  g_assert_false (hir_run_options_check (&options, NULL));
}

static void
test_stop (void)
{
  g_autoptr (HirContainer) fusion = two_sets ();
  HirRunOptions options = run_options ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (HirSession) session = session_of (fusion, &options, cancellable);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (hir_session_step (session, NULL), ==, HIR_STEP_MORE);
  g_cancellable_cancel (cancellable);
  g_assert_cmpint (hir_session_step (session, &error), ==, HIR_STEP_FAILED);
  g_assert_error (error, HIR_ERROR, HIR_ERROR_CANCELLED);
}

/* An unlowered fusion is not a program. */
static void
test_needs_a_host_program (void)
{
  g_autoptr (HirContainer) fusion = two_sets ();
  HirRunOptions options = run_options ();
  g_autoptr (GError) error = NULL;

  g_assert_null (session_new (fusion, fusion, &options, NULL, NULL, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
}

/* A repetition that cannot start reports its error, even after a peek. */
static void
test_wrong_program (void)
{
  g_autoptr (HirContainer) fusion = two_sets ();
  g_autoptr (HirContainer) other = fix_fusion ();
  g_autoptr (HirContainer) program = NULL;
  HirRunOptions options = run_options ();
  g_autoptr (HirSession) session = NULL;
  g_autoptr (GError) error = NULL;
  HirProgramPoint point;

  fix_output (other, fix_set (other, fix_input (other, 3)));
  program = lower_program (other);
  session = session_new (fusion, program, &options, NULL, NULL, NULL);
  g_assert_false (hir_session_peek (session, &point));
  g_assert_cmpint (hir_session_step (session, &error), ==, HIR_STEP_FAILED);
  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
  g_assert_nonnull (strstr (error->message, "3 axes"));
}

static void
test_too_large (void)
{
  g_autoptr (HirContainer) fusion = two_sets ();
  g_autoptr (HirContainer) program = lower_program (fusion);
  HirRunOptions options = run_options ();
  g_autoptr (GError) error = NULL;

  options.inputs = (const char *[]){ "2000000000x2000000000", NULL };
  g_assert_null (session_new (fusion, program, &options, NULL, NULL, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_LIMIT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/session/steps", test_steps_are_a_run);
  g_test_add_func ("/run/session/elapsed", test_elapsed);
  g_test_add_func ("/run/session/values", test_values);
  g_test_add_func ("/run/session/summaries", test_summaries);
  g_test_add_func ("/run/session/options", test_options_are_checked);
  g_test_add_func ("/run/session/stop", test_stop);
  g_test_add_func ("/run/session/host-program", test_needs_a_host_program);
  g_test_add_func ("/run/session/wrong-program", test_wrong_program);
  g_test_add_func ("/run/session/too-large", test_too_large);
  return g_test_run ();
}
