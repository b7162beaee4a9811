/* Tests runs in a child process: the real program, processes that die, and other programs. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "job/run-child.h"
#include "tracer-fixture.h"

typedef struct
{
  HirRunChild *child;
  HirTrace *trace; /* the latest trace */
  guint n_traces, n_statuses;
  gboolean is_finished;
  gboolean has_trace;
  gboolean frees_on_trace, frees_on_finished;
  HirRunOutcome outcome; /* a copy */
} Watch;

static void
on_trace (HirTrace *trace, gpointer user_data)
{
  Watch *watch = user_data;

  g_assert_false (watch->is_finished);
  g_clear_pointer (&watch->trace, hir_trace_unref);
  watch->trace = hir_trace_ref (trace);
  watch->n_traces++;
  watch->has_trace = TRUE;
  if (watch->frees_on_trace)
    g_clear_pointer (&watch->child, hir_run_child_free);
}

static void
on_status (const char *text, gpointer user_data)
{
  Watch *watch = user_data;

  g_assert_false (watch->is_finished);
  g_assert_cmpstr (text, ==, "Running");
  watch->n_statuses++;
}

static void
on_finished (const HirRunOutcome *outcome, gpointer user_data)
{
  Watch *watch = user_data;

  g_assert_false (watch->is_finished);
  g_assert_nonnull (outcome->summary);
  watch->is_finished = TRUE;
  watch->outcome = *outcome;
  watch->outcome.summary = g_strdup (outcome->summary);
  watch->outcome.inputs = g_strdup (outcome->inputs);
  watch->outcome.check = g_strdup (outcome->check);
  watch->outcome.errors = g_strdup (outcome->errors);
  g_test_message ("%s; %s", outcome->summary, outcome->errors != NULL ? outcome->errors : "");
  if (watch->frees_on_finished)
    g_clear_pointer (&watch->child, hir_run_child_free);
}

static const HirRunChildCallbacks callbacks = { on_trace, on_status, on_finished };

static void
watch_start (Watch *watch,
             HirProgram *program,
             const HirRunSettings *settings,
             const char *executable)
{
  g_autofree char *hirscope = fix_dup_hirscope ();
  g_autoptr (GError) error = NULL;

  *watch = (Watch){ 0 };
  watch->child = hir_run_child_new (program, settings, executable != NULL ? executable : hirscope,
                                    &callbacks, watch, &error);
  g_assert_no_error (error);
}

static void
watch_clear (Watch *watch)
{
  g_clear_pointer (&watch->child, hir_run_child_free);
  g_clear_pointer (&watch->trace, hir_trace_unref);
  g_free (watch->outcome.summary);
  g_free (watch->outcome.inputs);
  g_free (watch->outcome.check);
  g_free (watch->outcome.errors);
}

/* Long enough not to end during the test. */
static HirProgram *
make_long (HirRunSettings *settings)
{
  hir_run_settings_init (settings);
  settings->n_repeat = 1000000;
  return fix_program_with_inputs ("matmul_m", "64x64 64x64");
}

static void
assert_events_are_of (const HirTrace *trace, const HirProgram *program)
{
  const HirProgramView *last = program->views->pdata[program->views->len - 1];

  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
      {
        HirEvent event;

        hir_trace_get_event (trace, t, i, &event);
        if (event.phase == HIR_PHASE_PROGRAM)
          g_assert_nonnull (hir_program_view_lookup (last, event.instruction));
        else
          g_assert_cmpuint (event.instruction, ==, 0);
      }
  g_assert_null (hir_trace_get_account (trace)[0]);
}

static guint
count_streams (const HirTrace *trace)
{
  guint n = 0;

  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    n += hir_trace_get_track (trace, t)->kind == HIR_TRACK_STREAM &&
         hir_trace_get_track (trace, t)->stream != HIR_DEFAULT_STREAM &&
         hir_trace_get_track_n_events (trace, t) > 0;
  return n;
}

static void
test_whole (void)
{
  g_autoptr (HirProgram) program = fix_program_with_inputs ("matmul_m", "8x16 16x4");
  g_auto (HirRunSettings) settings = { 0 };
  g_autofree char *words = NULL;
  Watch watch;

  hir_run_settings_init (&settings);
  settings.check = TRUE;
  settings.n_streams = 3;
  settings.n_warmup = 1;
  settings.n_repeat = 2;
  watch_start (&watch, program, &settings, NULL);
  fix_wait (&watch.is_finished);
  g_assert_true (watch.outcome.is_done);
  g_assert_cmpint (watch.outcome.check_outcome, ==, HIR_CHECK_RIGHT);
  g_assert_false (watch.outcome.is_stopped);
  g_assert_nonnull (strstr (watch.outcome.summary, "with 3 streams"));
  g_assert_nonnull (strstr (watch.outcome.inputs, "[8, 16]"));
  g_assert_nonnull (watch.outcome.check);
  g_assert_nonnull (watch.trace);
  g_assert_cmpstr (hir_trace_get_meta (watch.trace, "clock"), ==, "wall");
  words = hir_run_settings_to_words (hir_trace_get_meta (watch.trace, "run"));
  g_assert_cmpstr (words, ==, "3 streams, 2 runs after 1 to warm up");
  g_assert_cmpstr (hir_trace_get_verdict (watch.trace), ==, "Correct");
  g_assert_cmpuint (count_streams (watch.trace), ==, 3);
  assert_events_are_of (watch.trace, program);
  watch_clear (&watch);
}

/* Tests that two runs on the modelled clock have the same events, to the nanosecond. */
static void
test_modelled (void)
{
  g_autoptr (HirProgram) program = fix_program_with_inputs ("two_set_ops", "6x4");
  g_auto (HirRunSettings) settings = { 0 };
  Watch one, two;

  hir_run_settings_init (&settings);
  settings.model_clock = TRUE;
  watch_start (&one, program, &settings, NULL);
  watch_start (&two, program, &settings, NULL);
  fix_wait (&one.is_finished);
  fix_wait (&two.is_finished);
  g_assert_nonnull (strstr (one.outcome.summary, "modelled"));
  g_assert_cmpuint (hir_trace_get_n_events (one.trace), >, 12);
  g_assert_cmpuint (hir_trace_get_n_tracks (one.trace), ==, hir_trace_get_n_tracks (two.trace));
  for (guint t = 0; t < hir_trace_get_n_tracks (one.trace); t++)
    {
      g_assert_cmpuint (hir_trace_get_track_n_events (one.trace, t), ==,
                        hir_trace_get_track_n_events (two.trace, t));
      for (guint i = 0; i < hir_trace_get_track_n_events (one.trace, t); i++)
        {
          HirEvent a, b;

          hir_trace_get_event (one.trace, t, i, &a);
          hir_trace_get_event (two.trace, t, i, &b);
          g_assert_cmpint (a.start_ns, ==, b.start_ns);
          g_assert_cmpint (a.end_ns, ==, b.end_ns);
          g_assert_cmpuint (a.instruction, ==, b.instruction);
        }
    }
  watch_clear (&one);
  watch_clear (&two);
}

static void
test_check_fails (void)
{
  g_autoptr (HirProgram) program = fix_program ("matmul_m");
  g_auto (HirRunSettings) settings = { 0 };
  Watch watch;

  hir_run_settings_init (&settings);
  settings.check = TRUE;
  settings.plant_op = g_strdup ("matmul");
  watch_start (&watch, program, &settings, NULL);
  fix_wait (&watch.is_finished);
  g_assert_true (watch.outcome.is_done);
  g_assert_cmpint (watch.outcome.check_outcome, ==, HIR_CHECK_WRONG);
  g_assert_nonnull (strstr (watch.outcome.summary, "differ"));
  watch_clear (&watch);
}

/* Tests that errors of the child are returned as text. */
static void
test_rejected (void)
{
  g_autoptr (HirProgram) program = fix_program_with_inputs ("matmul_m", "8x4 5x2");
  g_auto (HirRunSettings) settings = { 0 };
  Watch watch;

  hir_run_settings_init (&settings);
  watch_start (&watch, program, &settings, NULL);
  fix_wait (&watch.is_finished);
  g_assert_false (watch.outcome.is_done);
  g_assert_false (watch.outcome.is_stopped);
  g_assert_null (watch.trace);
  g_assert_null (strstr (watch.outcome.summary, "process"));
  watch_clear (&watch);
}

/* Tests stopping a run: traces received before are kept. */
static void
test_stop (void)
{
  g_auto (HirRunSettings) settings = { 0 };
  g_autoptr (HirProgram) program = make_long (&settings);
  g_autofree char *caveat = NULL;
  Watch watch;
  guint64 n_before;

  watch_start (&watch, program, &settings, NULL);
  fix_wait (&watch.has_trace);
  n_before = hir_trace_get_n_events (watch.trace);
  hir_run_child_stop (watch.child);
  hir_run_child_stop (watch.child);
  fix_wait (&watch.is_finished);
  g_assert_false (watch.outcome.is_done);
  g_assert_true (watch.outcome.is_stopped);
  g_assert_nonnull (strstr (watch.outcome.summary, "Stopped"));
  caveat = hir_trace_dup_caveat (watch.trace);
  g_assert_cmpstr (caveat, ==, "This is only a part of the run: stopped before the end");
  g_assert_cmpuint (hir_trace_get_n_events (watch.trace), >=, n_before);
  g_assert_cmpuint (watch.n_statuses, >, 0);
  assert_events_are_of (watch.trace, program);
  watch_clear (&watch);
}

/* Returns the id of the child process, found by its command line, or 0. */
static pid_t
find_child (pid_t parent)
{
  GDir *dir = g_dir_open ("/proc", 0, NULL);
  const char *name;
  pid_t found = 0;

  while (found == 0 && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename ("/proc", name, "stat", NULL);
      g_autofree char *stat = NULL;
      const char *end;
      char state;
      int ppid;

      if (!g_ascii_isdigit (*name) || !g_file_get_contents (path, &stat, NULL, NULL))
        continue;
      end = strrchr (stat, ')');
      if (end != NULL && sscanf (end + 1, " %c %d", &state, &ppid) == 2 && ppid == parent &&
          state != 'Z')
        found = (pid_t) g_ascii_strtoll (name, NULL, 10);
    }
  g_dir_close (dir);
  return found;
}

static void
test_killed (void)
{
  g_auto (HirRunSettings) settings = { 0 };
  g_autoptr (HirProgram) program = make_long (&settings);
  Watch watch;
  pid_t pid;

  watch_start (&watch, program, &settings, NULL);
  fix_wait (&watch.has_trace);
  pid = find_child (getpid ());
  g_assert_cmpint (pid, >, 0);
  g_assert_cmpint (kill (pid, SIGKILL), ==, 0);
  fix_wait (&watch.is_finished);
  g_assert_false (watch.outcome.is_done);
  g_assert_false (watch.outcome.is_stopped);
  g_assert_nonnull (strstr (watch.outcome.summary, "signal 9 (Killed)"));
  g_assert_cmpuint (hir_trace_get_n_events (watch.trace), >, 0);
  assert_events_are_of (watch.trace, program);
  watch_clear (&watch);
}

/* Tests that a hung or stopped child is killed within the grace period. */
static void
test_stop_of_hung (void)
{
  g_auto (HirRunSettings) settings = { 0 };
  g_autoptr (HirProgram) program = make_long (&settings);
  Watch watch;

  watch_start (&watch, program, &settings, NULL);
  fix_wait (&watch.has_trace);
  g_assert_cmpint (kill (find_child (getpid ()), SIGSTOP), ==, 0);
  hir_run_child_stop (watch.child);
  fix_wait (&watch.is_finished);
  g_assert_true (watch.outcome.is_stopped);
  g_assert_nonnull (strstr (watch.outcome.summary, "Stopped"));
  watch_clear (&watch);
}

static void
test_other_programs (void)
{
  static const struct
  {
    const char *script; /* or a path */
    const char *word;
  } rows[] = {
    { "/bin/false", "exit code 1" },
    { "/bin/cat", "ended early" },
    { "exit 0", "exit code 0" },
    { "echo nothing works >&2; exit 7", "exit code 7: nothing works" },
    { "echo first; echo second >&2; kill -SEGV $$", "signal 11" },
    { "echo 'a text, not a frame' >&3; sleep 60", "protocol error" },
    { "head -c 1000000 /dev/zero >&3; sleep 60", "protocol error" },
    { "head -c 1000000 /dev/urandom >&3; sleep 60", "protocol error" },
    /* Sends half of a frame and exits. */
    { "printf '\\020\\000\\000\\000abc' >&3", "ended early" },
    /* Its child process has the socket and standard error open. */
    { "sleep 60 & exit 3", "exit code 3" },
    /* Closes the socket and keeps running. */
    { "exec 3>&-; exec sleep 60", "closed its socket" },
    { "head -c 100000 /dev/zero | tr '\\0' '\\377' >&2; exit 4", "exit code 4" },
  };
  g_autoptr (HirProgram) program = fix_program ("single_set_op");
  g_auto (HirRunSettings) settings = { 0 };
  char *folder = fix_make_folder ();

  hir_run_settings_init (&settings);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *name = g_strdup_printf ("stranger-%u", i);
      g_autofree char *path = *rows[i].script == '/'
                                  ? g_strdup (rows[i].script)
                                  : fix_make_script (folder, name, rows[i].script);
      Watch watch;

      watch_start (&watch, program, &settings, path);
      fix_wait (&watch.is_finished);
      g_assert_false (watch.outcome.is_done);
      g_assert_nonnull (strstr (watch.outcome.summary, rows[i].word));
      g_assert_null (watch.trace);
      g_assert_cmpint (g_utf8_strlen (watch.outcome.summary, -1), <, 300);
      watch_clear (&watch);
    }
  fix_remove_folder (folder);
}

/* Tests that a child that reads nothing does not block the parent. */
static void
test_reads_nothing (void)
{
  g_autofree char *comment = g_strnfill (8 << 20, '#');
  g_autofree char *text =
      g_strconcat ("from nvfuser_direct import FusionDefinition, DataType\ndef f():\n"
                   "    with FusionDefinition() as fd:\n"
                   "        a = fd.define_tensor(shape=[-1], contiguity=True, "
                   "dtype=DataType.Float)\n"
                   "        fd.add_output(fd.ops.set(a))\n    return fd\n",
                   comment, "\n", NULL);
  g_autoptr (HirRequest) request = fix_request_of_text (text, "f");
  g_autoptr (GError) error = NULL;
  g_autoptr (HirProgram) program = hir_program_new (request, NULL, NULL, &error);
  g_auto (HirRunSettings) settings = { 0 };
  char *folder = fix_make_folder ();
  g_autofree char *path = fix_make_script (folder, "deaf", "exec sleep 60");
  Watch watch;

  g_assert_no_error (error);
  hir_run_settings_init (&settings);
  watch_start (&watch, program, &settings, path);
  fix_iterate (50);
  hir_run_child_stop (watch.child);
  fix_wait (&watch.is_finished);
  g_assert_true (watch.outcome.is_stopped);
  watch_clear (&watch);

  /* The same script with a child that reads. */
  watch_start (&watch, program, &settings, NULL);
  fix_wait (&watch.is_finished);
  g_assert_true (watch.outcome.is_done);
  watch_clear (&watch);
  fix_remove_folder (folder);
}

static void
test_no_executable (void)
{
  g_autoptr (HirProgram) program = fix_program ("single_set_op");
  g_auto (HirRunSettings) settings = { 0 };
  g_autoptr (GError) error = NULL;
  Watch watch = { 0 };

  hir_run_settings_init (&settings);
  g_assert_null (
      hir_run_child_new (program, &settings, "/no/such/program", &callbacks, &watch, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
  g_assert_nonnull (strstr (error->message, "/no/such/program"));
  fix_iterate (50);
  g_assert_false (watch.is_finished);
}

/* Tests freeing at once, during the run, and in each callback: the process ends, and no callback
 * follows. */
static void
test_free (void)
{
  g_auto (HirRunSettings) settings = { 0 };
  g_autoptr (HirProgram) program = make_long (&settings);
  Watch watch;

  for (guint i = 0; i < 3; i++)
    {
      watch_start (&watch, program, &settings, NULL);
      if (i > 0)
        fix_wait (&watch.has_trace);
      watch.has_trace = FALSE;
      if (i == 2)
        {
          watch.frees_on_trace = TRUE;
          fix_wait (&watch.has_trace);
        }
      g_clear_pointer (&watch.child, hir_run_child_free);
      watch.n_traces = 0;
      fix_iterate (600);
      g_assert_cmpuint (watch.n_traces, ==, 0);
      g_assert_false (watch.is_finished);
      g_assert_cmpint (find_child (getpid ()), ==, 0);
      watch_clear (&watch);
    }
  settings.n_repeat = 1;
  watch_start (&watch, program, &settings, NULL);
  watch.frees_on_finished = TRUE;
  fix_wait (&watch.is_finished);
  g_assert_null (watch.child);
  watch_clear (&watch);
}

/* The parent process of test_orphan(): starts a run, prints its id, and waits to be killed. */
static int
be_parent (void)
{
  g_auto (HirRunSettings) settings = { 0 };
  g_autoptr (HirProgram) program = make_long (&settings);
  Watch watch;

  watch_start (&watch, program, &settings, NULL);
  fix_wait (&watch.has_trace);
  printf ("%d\n", (int) find_child (getpid ()));
  fflush (stdout);
  fix_iterate (60 * 1000);
  return 1;
}

/* Tests that a run without a parent ends within its grace period. */
static void
test_orphan (void)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  char *argv[] = { self, (char *) "--be-parent", NULL };
  g_autoptr (GError) error = NULL;
  char line[32] = "";
  gboolean is_gone = FALSE;
  GPid parent;
  pid_t pid;
  int fd;

  g_spawn_async_with_pipes (NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &parent, NULL,
                            &fd, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (read (fd, line, sizeof line - 1), >, 0);
  pid = (pid_t) g_ascii_strtoll (line, NULL, 10);
  g_assert_cmpint (pid, >, 0);
  g_assert_cmpint (kill (pid, 0), ==, 0);
  g_assert_cmpint (kill (parent, SIGKILL), ==, 0);
  g_assert_cmpint (waitpid (parent, NULL, 0), ==, parent);
  for (guint i = 0; i < 200 && !is_gone; i++)
    {
      g_autofree char *path = g_strdup_printf ("/proc/%d/stat", (int) pid);
      g_autofree char *stat = NULL;

      g_usleep (100 * 1000);
      /* Without a process that reaps orphans, it remains a zombie. */
      is_gone = !g_file_get_contents (path, &stat, NULL, NULL) || strstr (stat, ") Z ") != NULL;
    }
  close (fd);
  g_assert_true (is_gone);
}

/* Tests that callbacks run in the main context of the creator. */
static gpointer
run_in_context (gpointer user_data)
{
  GMainContext *context = g_main_context_new ();

  g_main_context_push_thread_default (context);
  test_whole ();
  g_main_context_pop_thread_default (context);
  g_main_context_unref (context);
  return NULL;
}

static void
test_other_context (void)
{
  g_thread_join (g_thread_new ("other", run_in_context, NULL));
}

int
main (int argc, char **argv)
{
  if (argc == 2 && strcmp (argv[1], "--be-parent") == 0)
    return be_parent ();
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run-child/whole", test_whole);
  g_test_add_func ("/run-child/modelled", test_modelled);
  g_test_add_func ("/run-child/check-fails", test_check_fails);
  g_test_add_func ("/run-child/rejected", test_rejected);
  g_test_add_func ("/run-child/stop", test_stop);
  g_test_add_func ("/run-child/stop-of-hung", test_stop_of_hung);
  g_test_add_func ("/run-child/killed", test_killed);
  g_test_add_func ("/run-child/other-programs", test_other_programs);
  g_test_add_func ("/run-child/reads-nothing", test_reads_nothing);
  g_test_add_func ("/run-child/no-executable", test_no_executable);
  g_test_add_func ("/run-child/free", test_free);
  g_test_add_func ("/run-child/orphan", test_orphan);
  g_test_add_func ("/run-child/other-context", test_other_context);
  return g_test_run ();
}
