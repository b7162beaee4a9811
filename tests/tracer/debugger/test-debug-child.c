/* Tests debugging in a run process: console lines, states and value queries. */
#include <string.h>

#include "job/run-child.h"
#include "tracer-fixture.h"

typedef struct
{
  HirRunChild *child;
  HirDebugState *state; /* of the last line */
  guint number;
  gsize n_events;
  gboolean is_finished, is_done;
  gboolean has_unmet; /* the state has unfinished communications */
  GString *displays;  /* of the last state */
  guint64 digests[2]; /* of the first two */
  guint n_values;
  HirValueSummary *summary; /* of the last query; NULL: error */
  GError *error;
} Watch;

static void
on_trace (HirTrace *trace, gpointer user_data)
{
  ((Watch *) user_data)->n_events = hir_trace_get_n_events (trace);
}

static void
on_status (const char *text, gpointer user_data)
{
}

static void
on_finished (const HirRunOutcome *outcome, gpointer user_data)
{
  Watch *watch = user_data;

  g_test_message ("%s", outcome->summary);
  watch->is_finished = TRUE;
  watch->is_done = outcome->is_done;
}

/* Copies the needed values, because states are borrowed. */
static void
on_debugged (guint number, const HirDebugState *state, gpointer user_data)
{
  Watch *watch = user_data;

  g_clear_pointer (&watch->state, hir_debug_state_free);
  watch->state = g_new0 (HirDebugState, 1);
  *watch->state = *state;
  watch->state->text = g_strdup (state->text);
  watch->state->error = g_strdup (state->error);
  watch->state->failure = g_strdup (state->failure);
  watch->state->ranks = g_ptr_array_new ();
  watch->state->comms = g_ptr_array_new ();
  watch->state->breakpoints = g_ptr_array_new ();
  watch->state->displays = g_ptr_array_new ();
  g_string_truncate (watch->displays, 0);
  for (guint i = 0; i < state->displays->len; i++)
    {
      const HirDebugStateDisplay *display = g_ptr_array_index (state->displays, i);

      if (i < G_N_ELEMENTS (watch->digests))
        watch->digests[i] = display->digest;
      g_string_append_printf (watch->displays, "%u %s %s%s%s; ", display->number, display->text,
                              display->value, display->is_error ? "!" : "",
                              strchr (display->detail, '\n') != NULL ? "" : " no detail");
    }
  watch->number = number;
  for (guint i = 0; i < state->ranks->len; i++)
    {
      const HirDebugStateRank *rank = g_ptr_array_index (state->ranks, i);

      g_test_message ("rank %d %s, %u streams, %u buffers", rank->rank, rank->place,
                      rank->streams->len, rank->buffers->len);
      g_assert_cmpint (rank->rank, ==, (int) i);
      g_assert_cmpuint (rank->streams->len, >, 0);
      g_assert_cmpuint (rank->buffers->len, >=, 2);
      g_assert_true ((rank->instruction == 0) == (rank->number == 0));
    }
  if (state->comms->len > 0)
    {
      const HirDebugStateComm *comm = g_ptr_array_index (state->comms, 0);

      g_assert_cmpuint (comm->posted->len, ==, 1);
      g_assert_cmpint (g_array_index (comm->missing, gint64, 0), ==, 1);
      g_assert_nonnull (strstr (comm->where, "Allgather T5 in iteration 0 on rank 0"));
    }
  watch->has_unmet = state->comms->len > 0;
}

static void
on_value (guint number, const HirValueSummary *summary, const GError *error, gpointer user_data)
{
  Watch *watch = user_data;

  g_clear_pointer (&watch->summary, hir_value_summary_free);
  watch->summary = summary != NULL ? hir_value_summary_copy (summary) : NULL;
  g_clear_error (&watch->error);
  watch->error = error != NULL ? g_error_copy (error) : NULL;
  watch->n_values = number;
}

static const HirRunChildCallbacks callbacks = { on_trace, on_status, on_finished, on_value,
                                                on_debugged };

static void
start_with_error (Watch *watch, HirProgram *program, const char *plant)
{
  g_autofree char *hirscope = fix_dup_hirscope ();
  g_auto (HirRunSettings) settings = { 0 };
  g_autoptr (GError) error = NULL;

  hir_run_settings_init (&settings);
  settings.debug = TRUE;
  settings.check = TRUE;
  settings.plant_op = g_strdup (plant);
  settings.plant_scale = 0.1;
  *watch = (Watch){ .displays = g_string_new (NULL) };
  watch->child = hir_run_child_new (program, &settings, hirscope, &callbacks, watch, &error);
  g_assert_no_error (error);
}

static void
start (Watch *watch, HirProgram *program)
{
  start_with_error (watch, program, NULL);
}

static HirProgram *
fix_program_on_devices (const char *function, gint64 n_devices, const char *inputs)
{
  g_autoptr (HirRequest) request =
      fix_request (n_devices > 1 ? "multi_device.py" : "single_device.py", function);
  g_autoptr (GError) error = NULL;
  HirProgram *program;

  request->n_devices = n_devices;
  request->inputs = g_strsplit (inputs, " ", -1);
  program = hir_program_new (request, NULL, NULL, &error);
  g_assert_no_error (error);
  return program;
}

static void
clear (Watch *watch)
{
  g_clear_pointer (&watch->child, hir_run_child_free);
  g_clear_pointer (&watch->state, hir_debug_state_free);
  g_clear_pointer (&watch->summary, hir_value_summary_free);
  g_clear_error (&watch->error);
  g_string_free (g_steal_pointer (&watch->displays), TRUE);
}

/* Waits until @counter, a member of @watch, is @number. */
static void
await_number (Watch *watch, const guint *counter, guint number)
{
  while (*counter != number && !watch->is_finished)
    g_main_context_iteration (NULL, TRUE);
  g_assert_false (watch->is_finished);
}

/* Waits until there are more than @n events. */
static void
await_events (const Watch *watch, gsize n)
{
  while (watch->n_events <= n)
    g_main_context_iteration (NULL, TRUE);
}

static void
await_end (const Watch *watch)
{
  while (!watch->is_finished)
    g_main_context_iteration (NULL, TRUE);
}

static const HirDebugState *
do_line (Watch *watch, const char *line)
{
  guint number = hir_run_child_debug (watch->child, line);

  g_test_message ("%u %s", number, line);
  g_assert_cmpuint (number, >, 0);
  await_number (watch, &watch->number, number);
  return watch->state;
}

static void
test_lines (void)
{
  g_autoptr (HirProgram) program = fix_program_on_devices ("ag_matmul", 2, "8x2x4x4 4x8");
  const HirDebugState *state;
  Watch watch;
  gsize n_events;

  start (&watch, program);
  state = do_line (&watch, "break Allgather iteration 5 rank 1");
  g_assert_false (state->is_running);
  state = do_line (&watch, "run");
  g_assert_true (state->is_running && !state->is_over);
  g_assert_cmpuint (state->focus, ==, 1);
  g_assert_cmpuint (state->round, ==, 75);
  g_assert_nonnull (strstr (state->text, "Breakpoint 1, rank 1, iteration 5"));
  /* The timeline grows with each step. */
  await_events (&watch, 0);
  n_events = watch.n_events;
  state = do_line (&watch, "back 2");
  g_assert_cmpuint (state->round, ==, 73);
  state = do_line (&watch, "print nope");
  g_assert_nonnull (strstr (state->error, "no scalar nope"));
  g_assert_cmpuint (state->column, ==, 7);
  state = do_line (&watch, "\tprint StreamI");
  g_assert_cmpstr (state->text, ==, "StreamIdx\n");
  state = do_line (&watch, "\tbre");
  g_assert_cmpstr (state->text, ==, "break\n");
  state = do_line (&watch, "delete");
  state = do_line (&watch, "continue");
  g_assert_true (state->is_over);
  await_events (&watch, n_events);
  g_assert_cmpuint (hir_run_child_debug (watch.child, "quit"), >, 0);
  await_end (&watch);
  g_assert_true (watch.is_done);
  clear (&watch);
}

/* Other elements of the tensor do not change the digest of a slice. */
static void
test_digest_of_slice (void)
{
  g_autoptr (HirProgram) program = fix_program_on_devices ("ag_matmul", 2, "8x2x4x4 4x8");
  guint64 digests[2];
  Watch watch;

  start (&watch, program);
  (void) do_line (&watch, "break matmul rank 0");
  (void) do_line (&watch, "run");
  (void) do_line (&watch, "continue");
  (void) do_line (&watch, "display T2");
  (void) do_line (&watch, "display T2[0, 0, 0, 0:2]");
  memcpy (digests, watch.digests, sizeof digests);
  (void) do_line (&watch, "continue");
  g_assert_cmpuint (watch.digests[0], !=, digests[0]);
  g_assert_cmpuint (watch.digests[1], ==, digests[1]);
  g_assert_cmpuint (hir_run_child_debug (watch.child, "quit"), >, 0);
  await_end (&watch);
  /* Not to the end: the recorded events are those of a part. */
  g_assert_false (watch.is_done);
  clear (&watch);
}

/* Displayed expressions are in each state, and not in the text of a stop. */
static void
test_displays (void)
{
  g_autoptr (HirProgram) program = fix_program_on_devices ("ag_matmul", 2, "8x2x4x4 4x8");
  const HirDebugState *state;
  Watch watch;

  start (&watch, program);
  (void) do_line (&watch, "display StreamIdx");
  g_assert_cmpstr (watch.displays->str, ==,
                   "1 StreamIdx the program is not running; type run or start! no detail; ");
  (void) do_line (&watch, "display /a StreamIdx + rank");
  state = do_line (&watch, "display T99");
  g_assert_nonnull (strstr (state->error, "T99"));
  (void) do_line (&watch, "break Allgather iteration 5 rank 1");
  state = do_line (&watch, "run");
  g_assert_null (strstr (state->text, "StreamIdx ="));
  g_assert_cmpstr (watch.displays->str, ==, "1 StreamIdx 5; 2 /a StreamIdx + rank 5 | 6; ");
  (void) do_line (&watch, "undisplay 1");
  (void) do_line (&watch, "back iteration");
  (void) do_line (&watch, "back iteration");
  g_assert_cmpstr (watch.displays->str, ==, "2 /a StreamIdx + rank 4 | 5; ");
  g_assert_cmpuint (hir_run_child_debug (watch.child, "quit"), >, 0);
  await_end (&watch);
  clear (&watch);
}

/* Returns the value of T<name> on rank 0 at the current position. */
static const HirValueSummary *
ask (Watch *watch, HirProgram *program, int name, HirValueWhat what)
{
  HirContainer *host = hir_program_get_host (program);
  HirValueQuery query;
  guint number = 0;

  hir_value_query_init (&query);
  query.what = what;
  for (guint i = 0; i < host->tensors.len; i++)
    if (((const HirTensor *) host->tensors.items[i])->base.name == name)
      number =
          hir_run_child_ask (watch->child, 0,
                             ((const HirTensor *) host->tensors.items[i])->base.node.id, &query);
  g_assert_cmpuint (number, >, 0);
  await_number (watch, &watch->n_values, number);
  return watch->summary;
}

static void
assert_right (Watch *watch, HirProgram *program, int name)
{
  const HirValueSummary *summary = ask (watch, program, name, HIR_VALUE_DIFFERENCE);
  g_autofree char *note = g_strdup_printf ("T%d: right; equal to the reference", name);

  g_assert_nonnull (summary);
  g_assert_true (g_str_has_prefix (summary->note, note));
  g_assert_cmpfloat (summary->max, ==, 0);
}

/* A value has a note while a communication writes its memory, also under the name of the buffer. */
static void
test_transfers (void)
{
  g_autoptr (HirProgram) program = fix_program_on_devices ("ag_matmul", 2, "4x2x4x4 4x8");
  const HirValueSummary *summary;
  Watch watch;

  start (&watch, program);
  (void) do_line (&watch, "break Wait iteration 1");
  (void) do_line (&watch, "run");
  summary = ask (&watch, program, 5, HIR_VALUE_OF_RANK);
  g_assert_cmpstr (summary->note, ==, "a communication that writes T5 has not been waited for");
  summary = ask (&watch, program, 3, HIR_VALUE_OF_RANK);
  g_assert_cmpstr (summary->note, ==,
                   "64 of 128 elements were never written\n"
                   "a communication that writes T5, in the memory of T3, has not been waited for");
  summary = ask (&watch, program, 4, HIR_VALUE_GATHERED);
  g_assert_null (summary->note);
  (void) do_line (&watch, "step");
  summary = ask (&watch, program, 5, HIR_VALUE_OF_RANK);
  g_assert_null (summary->note);
  g_assert_cmpuint (hir_run_child_debug (watch.child, "quit"), >, 0);
  await_end (&watch);
  clear (&watch);
}

/* Queries a local value, a gathered value, and the difference to the sequential program: correct
 * before the matmul with an injected error, incorrect after it. */
static void
test_values (void)
{
  g_autoptr (HirProgram) program = fix_program_on_devices ("ag_matmul", 2, "4x2x4x4 4x8");
  const HirValueSummary *summary;
  Watch watch;

  start_with_error (&watch, program, "matmul");
  g_assert_false (hir_run_child_has_stood (watch.child));
  (void) do_line (&watch, "break matmul iteration 1");
  (void) do_line (&watch, "run");
  g_assert_true (hir_run_child_has_stood (watch.child));
  summary = ask (&watch, program, 0, HIR_VALUE_OF_RANK);
  g_assert_cmpint (summary->sizes[1], ==, 1);
  summary = ask (&watch, program, 0, HIR_VALUE_GATHERED);
  g_assert_cmpint (summary->sizes[1], ==, 2);
  summary = ask (&watch, program, 5, HIR_VALUE_DIFFERENCE);
  g_assert_cmpstr (summary->note, ==, "T5: right; equal to the reference");
  g_assert_cmpfloat (summary->max, ==, 0);
  (void) do_line (&watch, "next");
  summary = ask (&watch, program, 6, HIR_VALUE_DIFFERENCE);
  g_assert_cmpuint (summary->dtype, ==, HIR_DTYPE_DOUBLE);
  g_assert_nonnull (strstr (summary->note, "first at [0, 0, 0]: "));
  g_assert_cmpfloat (summary->max - summary->min, >, 0.001);
  /* The sequential program advances with the run to another slice of T5, and restarts after the
   * run has gone back. */
  (void) do_line (&watch, "break matmul iteration 2");
  (void) do_line (&watch, "continue");
  assert_right (&watch, program, 5);
  (void) do_line (&watch, "back 20");
  assert_right (&watch, program, 0);
  (void) do_line (&watch, "continue");
  assert_right (&watch, program, 5);
  /* Before the matmul, the values are correct, and a value that is not computed cannot be
   * compared. */
  (void) do_line (&watch, "start");
  summary = ask (&watch, program, 6, HIR_VALUE_DIFFERENCE);
  g_assert_null (summary);
  g_assert_cmpstr (watch.error->message, ==, "T6 has no value here");
  clear (&watch);
}

/* Tests that a rank held before a collective is reported, with the rank that waits for it. */
static void
test_held (void)
{
  g_autoptr (HirProgram) program = fix_program_on_devices ("ag_matmul", 2, "4x2x4x4 4x8");
  const HirDebugState *state;
  Watch watch;
  gint64 begin_us;

  start (&watch, program);
  (void) do_line (&watch, "start");
  (void) do_line (&watch, "rank 0 alone");
  begin_us = g_get_monotonic_time ();
  state = do_line (&watch, "continue");
  g_test_message ("%.1f ms", (double) (g_get_monotonic_time () - begin_us) / 1e3);
  g_assert_true (watch.has_unmet);
  g_assert_nonnull (strstr (state->text, "waits for rank 1, which is before program line 2, "));
  /* The sequential program executes the other ranks as far as the rank that is ahead needs. */
  assert_right (&watch, program, 0);
  hir_run_child_stop (watch.child);
  await_end (&watch);
  clear (&watch);
}

/* Repeat, because a pause that arrives before the line has started is ignored. */
static gboolean
ask_to_pause (gpointer user_data)
{
  hir_run_child_pause (((Watch *) user_data)->child);
  return G_SOURCE_CONTINUE;
}

static void
test_pause (void)
{
  g_autoptr (HirProgram) program = fix_program_on_devices ("ag_matmul", 2, "300000x2x1x1 1x1");
  const HirDebugState *state;
  Watch watch;
  guint timer;

  start (&watch, program);
  (void) do_line (&watch, "start");
  (void) do_line (&watch, "break if iteration == 299999");
  timer = g_timeout_add (100, ask_to_pause, &watch);
  state = do_line (&watch, "continue");
  g_source_remove (timer);
  g_assert_false (state->is_over);
  g_assert_nonnull (strstr (state->text, "Stopped."));
  clear (&watch);
}

/* Tests pausing while all work is issued and running: the streams are held before their next
 * task, and released. */
static void
test_pause_streams (void)
{
  g_autoptr (HirProgram) program = fix_program_on_devices ("matmul_m", 1, "1500x1024 1024x1024");
  const HirDebugState *state;
  Watch watch;
  guint timer;

  start (&watch, program);
  (void) do_line (&watch, "start");
  timer = g_timeout_add (50, ask_to_pause, &watch);
  /* A pause may come before any stream has work. */
  do
    {
      state = do_line (&watch, "continue");
      g_assert_false (state->is_over);
      g_assert_nonnull (strstr (state->text, "Stopped."));
      state = do_line (&watch, "info streams");
    }
  while (strstr (state->text, "is held before T4_matmul") == NULL);
  g_source_remove (timer);
  /* An element is unwritten before the host has issued its iteration. Until the stream has computed
   * it, it has the initial value of memory. */
  state = do_line (&watch, "print T2[1499, 0]");
  g_assert_true (g_str_has_prefix (state->text, "T2[1499, 0] on rank 0 = "));
  g_assert_true (strstr (state->text, "unwritten") != NULL || strstr (state->text, "nan") != NULL);
  state = do_line (&watch, "continue");
  g_assert_true (state->is_over);
  g_assert_nonnull (strstr (state->text, "The program has ended"));
  clear (&watch);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/debug-child/lines", test_lines);
  g_test_add_func ("/debug-child/displays", test_displays);
  g_test_add_func ("/debug-child/digest-of-slice", test_digest_of_slice);
  g_test_add_func ("/debug-child/values", test_values);
  g_test_add_func ("/debug-child/transfers", test_transfers);
  g_test_add_func ("/debug-child/held", test_held);
  g_test_add_func ("/debug-child/pause", test_pause);
  g_test_add_func ("/debug-child/pause-streams", test_pause_streams);
  return g_test_run ();
}
