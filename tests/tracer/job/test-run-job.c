/* Tests recording a run: the contents of the file, and failed writes, which are always reported
 * and never damage an older recording. */
#include <glib/gstdio.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "job/run-job.h"
#include "program/document-recording.h"
#include "tracer-fixture.h"

#define NOT_ALLOWED 77

typedef struct
{
  HirRunResult result;
  GError *error;
  gboolean done;
} Job;

static Job
run (HirProgram *program,
     const HirRunSettings *settings,
     const char *path,
     GCancellable *cancellable)
{
  HirRunJobOptions options = { .path = path,
                               .command = "hirscope run",
                               .cancellable = cancellable };
  Job job = { 0 };

  job.done = hir_run_job (program, settings, &options, &job.result, &job.error);
  g_assert_cmpint (job.done, ==, job.error == NULL);
  if (job.error != NULL && g_test_initialized ())
    g_test_message ("%s", job.error->message);
  return job;
}

static void
job_clear (Job *job)
{
  hir_run_result_clear (&job->result);
  g_clear_error (&job->error);
}

static HirOpened *
open_whole (const char *path)
{
  g_autoptr (GError) error = NULL;
  HirOpened *opened = hir_opened_new (path, &error);

  g_assert_no_error (error);
  return opened;
}

static guint
count_files (const char *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  g_dir_close (dir);
  return n;
}

static void
test_recorded (void)
{
  g_autoptr (HirProgram) program = fix_program_with_inputs ("matmul_m", "8x16 16x4");
  g_auto (HirRunSettings) settings = { 0 };
  char *folder = fix_make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autoptr (HirOpened) opened = NULL;
  Job job;

  hir_run_settings_init (&settings);
  settings.check = TRUE;
  settings.n_warmup = 1;
  settings.n_repeat = 2;
  job = run (program, &settings, path, NULL);
  g_assert_no_error (job.error);
  g_assert_cmpuint (job.result.n_done, ==, 3);
  g_assert_cmpuint (job.result.n_dropped, ==, 0);
  g_assert_cmpint (job.result.check_outcome, ==, HIR_CHECK_RIGHT);
  g_assert_nonnull (strstr (job.result.inputs, "[8, 16]"));
  g_assert_nonnull (strstr (job.result.check, "right"));
  g_assert_cmpuint (count_files (folder), ==, 1);
  opened = open_whole (path);
  g_assert_cmpuint (hir_trace_get_n_events (opened->trace), ==, job.result.n_events);
  g_assert_cmpuint (opened->program->views->len, ==, program->views->len);
  g_assert_null (hir_trace_get_account (opened->trace)[0]);
  g_assert_cmpstr (hir_trace_get_meta (opened->trace, "command"), ==, "hirscope run");
  g_assert_cmpstr (hir_trace_get_meta (opened->trace, "clock"), ==, "wall");
  job_clear (&job);
  fix_remove_folder (folder);
}

static void
test_check_failure (void)
{
  g_autoptr (HirProgram) program = fix_program_with_inputs ("matmul_m", "8x16 16x4");
  g_auto (HirRunSettings) settings = { 0 };
  Job job;

  hir_run_settings_init (&settings);
  settings.check = TRUE;
  settings.plant_op = g_strdup ("matmul");
  settings.plant_scale = 0.01;
  job = run (program, &settings, NULL, NULL);
  g_assert_no_error (job.error);
  g_assert_cmpint (job.result.check_outcome, ==, HIR_CHECK_WRONG);
  g_assert_nonnull (strstr (job.result.check, "WRONG"));
  job_clear (&job);
}

/* Tests that a program that cannot run leaves an existing recording unchanged. */
static void
test_keeps_old (void)
{
  g_autoptr (HirProgram) good = fix_program_with_inputs ("matmul_m", "8x16 16x4");
  g_autoptr (HirProgram) bad = fix_program_with_inputs ("matmul_m", "8x16 17x4");
  g_autoptr (HirRequest) request = fix_request ("single_device.py", "refused_matmul_k");
  g_autoptr (HirProgram) rejected = hir_program_new (request, NULL, NULL, NULL);
  g_auto (HirRunSettings) settings = { 0 };
  char *folder = fix_make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  gsize n_before, n_after;
  Job job;

  hir_run_settings_init (&settings);
  job = run (good, &settings, path, NULL);
  g_assert_no_error (job.error);
  job_clear (&job);
  g_assert_true (g_file_get_contents (path, &before, &n_before, NULL));
  job = run (bad, &settings, path, NULL);
  g_assert_error (job.error, HIR_ERROR, HIR_ERROR_INPUT);
  job_clear (&job);
  job = run (rejected, &settings, path, NULL);
  g_assert_nonnull (job.error);
  g_assert_cmpuint (hir_error_get_pos (job.error).line, >, 0);
  job_clear (&job);
  settings.n_streams = 65;
  job = run (good, &settings, path, NULL);
  g_assert_error (job.error, HIR_ERROR, HIR_ERROR_INPUT);
  job_clear (&job);
  g_assert_true (g_file_get_contents (path, &after, &n_after, NULL));
  g_assert_cmpmem (before, n_before, after, n_after);
  g_assert_cmpuint (count_files (folder), ==, 1);
  fix_remove_folder (folder);
}

static gboolean
cancel (gpointer user_data)
{
  g_cancellable_cancel (user_data);
  return G_SOURCE_REMOVE;
}

static gpointer
cancel_later (gpointer user_data)
{
  g_usleep (300 * 1000);
  cancel (user_data);
  return NULL;
}

/* Tests that a cancelled run gives an error and a complete recording of the executed part. */
static void
test_cancelled (void)
{
  g_autoptr (HirProgram) program = fix_program_with_inputs ("matmul_m", "64x64 64x64");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_auto (HirRunSettings) settings = { 0 };
  char *folder = fix_make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autoptr (HirOpened) opened = NULL;
  GThread *thread;
  Job job;

  hir_run_settings_init (&settings);
  settings.n_repeat = 1000000;
  thread = g_thread_new ("cancel", cancel_later, cancellable);
  job = run (program, &settings, path, cancellable);
  g_thread_join (thread);
  g_assert_error (job.error, HIR_ERROR, HIR_ERROR_CANCELLED);
  g_assert_cmpuint (job.result.n_events, >, 0);
  opened = open_whole (path);
  g_assert_cmpuint (hir_trace_get_n_events (opened->trace), ==, job.result.n_events);
  g_assert_cmpstr (hir_trace_get_meta (opened->trace, HIR_META_STOPPED), ==,
                   "Stopped before the end");
  job_clear (&job);
  fix_remove_folder (folder);
}

/* Runs in a separate process with files of at most @limit bytes. Exits with 0 if the run
 * finishes, the error has the number of recorded and lost events, and the file has as many. */
static int
run_on_full_disk (const char *path, const char *limit_text)
{
  rlim_t limit = (rlim_t) g_ascii_strtoll (limit_text, NULL, 10);
  struct rlimit limits = { limit, limit };
  g_autoptr (HirProgram) program = fix_program_with_inputs ("matmul_m", "64x64 64x64");
  g_auto (HirRunSettings) settings = { 0 };
  Job job;

  hir_run_settings_init (&settings);
  settings.n_repeat = 500;
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limits), ==, 0);
  job = run (program, &settings, path, NULL);
  g_assert_error (job.error, HIR_ERROR, HIR_ERROR_RUN);
  printf ("%u %" G_GUINT64_FORMAT "\n%s\n", job.result.n_done, job.result.n_events,
          job.error->message);
  job_clear (&job);
  return 0;
}

static char *
spawn_full_disk (const char *path, guint limit)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *limit_text = g_strdup_printf ("%u", limit);
  const char *argv[] = { self, "--full-disk", path, limit_text, NULL };
  g_autoptr (GError) error = NULL;
  char *out = NULL;
  int status;

  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL, &status,
                &error);
  g_assert_no_error (error);
  g_test_message ("%s", out);
  g_assert_true (g_spawn_check_wait_status (status, NULL));
  return out;
}

static guint64
number_before (const char *text, const char *word)
{
  const char *at = strstr (text, word);

  g_assert_nonnull (at);
  while (at > text && (at[-1] == ' ' || g_ascii_isdigit (at[-1])))
    at--;
  return g_ascii_strtoull (at, NULL, 10);
}

static void
test_full_disk (void)
{
  char *folder = fix_make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autofree char *out = spawn_full_disk (path, 3 * 1000 * 1000);
  g_auto (GStrv) lines = g_strsplit (out, "\n", -1);
  guint64 n_done = g_ascii_strtoull (lines[0], NULL, 10);
  guint64 n_events = g_ascii_strtoull (strchr (lines[0], ' ') + 1, NULL, 10);
  guint64 n_kept = number_before (lines[1], " events are kept in");
  g_autoptr (HirOpened) opened = NULL;

  /* The run has finished. */
  g_assert_cmpuint (n_done, ==, 500);
  g_assert_cmpuint (n_events, >, 100);
  g_assert_nonnull (strstr (lines[1], path));
  g_assert_nonnull (strstr (lines[1], "lost"));
  g_assert_cmpuint (n_kept, >, 0);
  g_assert_cmpuint (n_kept, <, n_events);
  opened = open_whole (path);
  g_assert_cmpuint (hir_trace_get_n_events (opened->trace), ==, n_kept);
  g_assert_cmpuint (opened->program->views->len, >=, 3);
  /* The recording itself notes the missing events. */
  g_assert_nonnull (hir_trace_get_account (opened->trace)[0]);
  fix_remove_folder (folder);
}

/* The same on a full disk, in a process with its own file system. */
static int
run_on_small_disk (const char *folder)
{
  g_autoptr (HirProgram) program = fix_program_with_inputs ("matmul_m", "64x64 64x64");
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_auto (HirRunSettings) settings = { 0 };
  g_autoptr (HirOpened) opened = NULL;
  guint64 n_kept;
  Job job;

  if ((unshare (CLONE_NEWNS) != 0 && unshare (CLONE_NEWUSER | CLONE_NEWNS) != 0) ||
      mount ("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount ("tmpfs", folder, "tmpfs", 0, "size=3m") != 0)
    return NOT_ALLOWED;
  hir_run_settings_init (&settings);
  settings.n_repeat = 500;
  job = run (program, &settings, path, NULL);
  g_assert_error (job.error, HIR_ERROR, HIR_ERROR_RUN);
  printf ("%s\n", job.error->message);
  g_assert_cmpuint (job.result.n_done, ==, 500);
  g_assert_nonnull (strstr (job.error->message, "the disk is full"));
  n_kept = number_before (job.error->message, " events are kept in");
  g_assert_cmpuint (n_kept, >, 0);
  opened = open_whole (path);
  g_assert_cmpuint (hir_trace_get_n_events (opened->trace), ==, n_kept);
  g_assert_nonnull (hir_trace_get_account (opened->trace)[0]);
  job_clear (&job);
  return 0;
}

static void
test_small_disk (void)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  char *folder = fix_make_folder ();
  const char *argv[] = { self, "--small-disk", folder, NULL };
  g_autofree char *out = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL, &status,
                &error);
  g_assert_no_error (error);
  g_test_message ("%s", out);
  if (WIFEXITED (status) && WEXITSTATUS (status) == NOT_ALLOWED)
    g_test_skip ("a file system of its own is not allowed here");
  else
    g_assert_true (g_spawn_check_wait_status (status, NULL));
  fix_remove_folder (folder);
}

/* No space even for the program: nothing has run, no file is left, and an older one is
 * unchanged. */
static void
test_full_from_start (void)
{
  g_autoptr (HirProgram) program = fix_program_with_inputs ("matmul_m", "8x16 16x4");
  g_auto (HirRunSettings) settings = { 0 };
  char *folder = fix_make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autofree char *fresh = g_build_filename (folder, "b.hirs", NULL);
  /* Too little space for the tables and their contents. */
  static const guint limits[] = { 20 * 1000, 160 * 1000 };
  g_autoptr (HirOpened) opened = NULL;
  Job job;

  hir_run_settings_init (&settings);
  job = run (program, &settings, path, NULL);
  g_assert_no_error (job.error);
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    {
      g_autofree char *out = spawn_full_disk (path, limits[i]);
      g_autofree char *again = spawn_full_disk (fresh, limits[i]);

      g_assert_true (g_str_has_prefix (out, "0 0\n"));
      g_assert_true (g_str_has_prefix (again, "0 0\n"));
    }
  g_assert_cmpuint (count_files (folder), ==, 1);
  opened = open_whole (path);
  g_assert_cmpuint (hir_trace_get_n_events (opened->trace), ==, job.result.n_events);
  job_clear (&job);
  fix_remove_folder (folder);
}

/* Root may write anywhere, so run the test as another user. */
static int
run_in_read_only (const char *folder)
{
  g_autoptr (HirProgram) program = fix_program ("single_set_op");
  g_auto (HirRunSettings) settings = { 0 };
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autofree char *old = g_build_filename (folder, "old.hirs", NULL);
  g_autoptr (HirOpened) opened = NULL;
  g_autoptr (GError) error = NULL;
  Job job;

  if (getuid () == 0)
    g_assert_cmpint (setuid (65534), ==, 0);
  hir_run_settings_init (&settings);
  job = run (program, &settings, path, NULL);
  g_assert_error (job.error, HIR_ERROR, HIR_ERROR_INPUT);
  g_assert_nonnull (strstr (job.error->message, path));
  job_clear (&job);
  job = run (program, &settings, old, NULL);
  g_assert_error (job.error, HIR_ERROR, HIR_ERROR_INPUT);
  job_clear (&job);
  opened = hir_opened_new (old, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hir_trace_get_n_events (opened->trace), >, 0);
  return 0;
}

static void
test_read_only (void)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  char *folder = fix_make_folder ();
  const char *argv[] = { self, "--read-only", folder, NULL };
  g_autoptr (HirProgram) program = fix_program ("single_set_op");
  g_auto (HirRunSettings) settings = { 0 };
  g_autofree char *old = g_build_filename (folder, "old.hirs", NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *errors = NULL;
  int status;
  Job job;

  hir_run_settings_init (&settings);
  job = run (program, &settings, old, NULL);
  g_assert_no_error (job.error);
  job_clear (&job);
  g_chmod (old, 0444);
  g_chmod (folder, 0555);
  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, &errors, &status,
                &error);
  g_assert_no_error (error);
  g_test_message ("%s", errors);
  g_assert_true (g_spawn_check_wait_status (status, NULL));
  fix_remove_folder (folder);
}

/* Tests that a truncated recording gives an error with its name, never a crash or a partial
 * result. */
static void
test_truncated (void)
{
  g_autoptr (HirProgram) program = fix_program ("two_set_ops");
  g_auto (HirRunSettings) settings = { 0 };
  char *folder = fix_make_folder ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autofree char *cut = g_build_filename (folder, "cut.hirs", NULL);
  g_autofree char *bytes = NULL;
  gsize size;
  Job job;

  hir_run_settings_init (&settings);
  job = run (program, &settings, path, NULL);
  g_assert_no_error (job.error);
  job_clear (&job);
  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  for (guint i = 0; i < 40; i++)
    {
      gsize n = size * i / 40;
      g_autoptr (GError) error = NULL;

      g_assert_true (
          g_file_set_contents_full (cut, bytes, (gssize) n, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
      g_assert_null (hir_opened_new (cut, &error));
      g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
      g_assert_nonnull (strstr (error->message, cut));
    }
  fix_remove_folder (folder);
}

int
main (int argc, char **argv)
{
  if (argc == 4 && strcmp (argv[1], "--full-disk") == 0)
    return run_on_full_disk (argv[2], argv[3]);
  if (argc == 3 && strcmp (argv[1], "--small-disk") == 0)
    return run_on_small_disk (argv[2]);
  if (argc == 3 && strcmp (argv[1], "--read-only") == 0)
    return run_in_read_only (argv[2]);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run-job/recorded", test_recorded);
  g_test_add_func ("/run-job/check-failure", test_check_failure);
  g_test_add_func ("/run-job/keeps-old", test_keeps_old);
  g_test_add_func ("/run-job/cancelled", test_cancelled);
  g_test_add_func ("/run-job/full-disk", test_full_disk);
  g_test_add_func ("/run-job/small-disk", test_small_disk);
  g_test_add_func ("/run-job/full-from-start", test_full_from_start);
  g_test_add_func ("/run-job/read-only", test_read_only);
  g_test_add_func ("/run-job/truncated", test_truncated);
  return g_test_run ();
}
