/* Tests what is left if the writer dies, the disk is full or the folder is not writable. */
#include "recording-fixture.h"

#include "diagnostic.h"
#include "trace/recording/recording-write-private.h"

#include <errno.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_FLUSHED 70000

/* Records N_FLUSHED events and two views, reports this by a byte, and continues until it is
 * killed. */
static void
record_for_ever (const char *path, gboolean flush, int say)
{
  HirRecordingWriter *writer = hir_recording_writer_new (path, NULL);
  HirRecorder *recorder = hir_recorder_new ();
  HirRecorderSink sink;

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (HirProgramView) view = fixture_new_view (i, 30);

      g_assert_true (hir_recording_writer_add_view (writer, i, view, NULL));
    }
  hir_recording_writer_init_sink (writer, &sink);
  hir_recorder_add_sink (recorder, &sink);
  fixture_add_tracks (recorder);
  fixture_add_events (recorder, 0, N_FLUSHED);
  if (flush)
    hir_recorder_flush (recorder);
  g_assert_cmpint (write (say, "x", 1), ==, 1);
  for (guint i = N_FLUSHED; flush; i++)
    fixture_add_events (recorder, i, i + 1);
  pause ();
}

static pid_t
start_writer (const char *path, gboolean flush)
{
  int said[2];
  pid_t pid;
  char byte;

  g_assert_cmpint (pipe (said), ==, 0);
  pid = fork ();
  g_assert_cmpint (pid, >=, 0);
  if (pid == 0)
    {
      record_for_ever (path, flush, said[1]);
      _exit (1);
    }
  close (said[1]);
  g_assert_cmpint (read (said[0], &byte, 1), ==, 1);
  close (said[0]);
  return pid;
}

static void
kill_writer (pid_t pid)
{
  int status;

  g_assert_cmpint (kill (pid, SIGKILL), ==, 0);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFSIGNALED (status));
}

static void
assert_left (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRecording) recording = hir_recording_open (path, &error);

  g_assert_no_error (error);
  g_assert_false (recording->is_complete);
  g_assert_cmpuint (hir_trace_get_n_events (recording->trace), >=, N_FLUSHED);
  fixture_assert_trace (recording->trace, (guint) hir_trace_get_n_events (recording->trace));
  g_assert_nonnull (hir_trace_get_account (recording->trace)[0]);
  g_assert_nonnull (strstr (hir_trace_get_account (recording->trace)[0], "was not closed"));
  g_assert_cmpuint (recording->views->len, ==, 2);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (HirProgramView) view = fixture_new_view (i, 30);

      fixture_assert_same_view (view, g_ptr_array_index (recording->views, i));
    }
}

static void
test_killed (void)
{
  for (guint round = 0; round < 8; round++)
    {
      g_autofree char *folder = test_folder_new ();
      g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
      g_autofree char *wal = g_strconcat (path, "-wal", NULL);
      pid_t pid = start_writer (path, TRUE);

      g_usleep (round * 7000);
      kill_writer (pid);
      g_assert_true (g_file_test (wal, G_FILE_TEST_EXISTS));
      assert_left (path);
      /* the journal was merged into the file */
      g_assert_false (g_file_test (wal, G_FILE_TEST_EXISTS));
      assert_left (path);
      test_folder_remove (folder);
    }
}

/* Tests flushes by the clock, and that the file can be read while it is written. */
static void
test_flushed_by_time (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  pid_t pid = start_writer (path, FALSE);
  guint64 n = 0;

  for (guint i = 0; i < 600 && n < N_FLUSHED; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (HirRecording) recording = hir_recording_open (path, &error);

      g_assert_no_error (error);
      n = hir_trace_get_n_events (recording->trace);
      g_usleep (100000);
    }
  g_assert_cmpuint (n, ==, N_FLUSHED);
  kill_writer (pid);
  assert_left (path);
  test_folder_remove (folder);
}

/* A crash during the replacement of an older recording leaves both. */
static void
test_killed_while_replacing (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autofree char *partial = g_strconcat (path, ".partial", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRecording) old = NULL;

  fixture_record (path, 1, 5, 10);
  kill_writer (start_writer (path, TRUE));
  old = hir_recording_open (path, &error);
  g_assert_no_error (error);
  g_assert_true (old->is_complete);
  fixture_assert_trace (old->trace, 10);
  assert_left (partial);
  /* the message names a partial file without its target */
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_null (hir_recording_open (path, &error));
  g_assert_nonnull (strstr (error->message, ".partial instead"));
  test_folder_remove (folder);
}

/* The journal of a crashed run must not be applied to the run that replaces it. */
static void
test_replace_crashed (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRecording) recording = NULL;
  pid_t pid = start_writer (path, TRUE);

  /* while the writer is alive, the file is not replaced */
  g_assert_null (hir_recording_writer_new (path, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "is being written"));
  g_clear_error (&error);
  kill_writer (pid);
  fixture_record (path, 1, 5, 10);
  recording = hir_recording_open (path, &error);
  g_assert_no_error (error);
  fixture_assert_trace (recording->trace, 10);
  test_folder_remove (folder);
}

/* Runs @check in a process that cannot write to @folder. */
static void
check_read_only (const char *folder, const char *path, void (*check) (const char *path))
{
  int status;
  pid_t pid;

  g_assert_cmpint (g_chmod (folder, 0555), ==, 0);
  pid = fork ();
  if (pid == 0)
    {
      /* root can write anywhere */
      if (geteuid () == 0 && setresuid (65534, 65534, 65534) != 0)
        _exit (77);
      check (path);
      _exit (0);
    }
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_cmpint (g_chmod (folder, 0755), ==, 0);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
}

static void
check_closed (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *other = g_build_filename (folder, "new.hirs", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRecording) recording = hir_recording_open (path, &error);

  g_assert_no_error (error);
  fixture_assert_trace (recording->trace, 1000);
  g_assert_null (hir_recording_writer_new (other, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "cannot be written"));
  g_clear_error (&error);
  g_assert_null (hir_recording_writer_new (path, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
}

static void
test_read_only (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autofree char *wal = g_strconcat (path, "-wal", NULL);

  fixture_record (path, 1, 5, 1000);
  check_read_only (folder, path, check_closed);
  g_assert_cmpint (g_unlink (path), ==, 0);
  /* a journal in a read-only folder is read too, and stays */
  kill_writer (start_writer (path, TRUE));
  check_read_only (folder, path, assert_left);
  g_assert_true (g_file_test (wal, G_FILE_TEST_EXISTS));
  assert_left (path);
  test_folder_remove (folder);
}

/* Simulates a disk with space for @n_pages pages of 8 KiB; 0 means the current size. */
static void
set_max_pages (HirRecordingWriter *writer, guint n_pages)
{
  g_autofree char *sql = g_strdup_printf ("PRAGMA max_page_count=%u", MAX (1, n_pages));

  g_mutex_lock (&writer->lock);
  sqlite3_exec (writer->db, sql, NULL, NULL, NULL);
  g_mutex_unlock (&writer->lock);
}

/* Records until the disk is full, then checks that the written data is complete. @path already
 * exists. */
static void
check_full (const char *path, HirRecordingWriter *writer, guint limit_pages)
{
  HirRecorder *recorder = hir_recorder_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRecording) recording = NULL;
  HirRecorderSink sink;
  guint n = 0;

  hir_recording_writer_init_sink (writer, &sink);
  hir_recorder_add_sink (recorder, &sink);
  fixture_add_tracks (recorder);
  fixture_add_events (recorder, 0, 5000);
  hir_recorder_flush (recorder);
  g_assert_null (hir_recorder_get_error (recorder));
  if (limit_pages > 0)
    set_max_pages (writer, limit_pages);
  for (n = 5000; n < 4000000 && hir_recorder_get_error (recorder) == NULL; n += 5000)
    {
      fixture_add_events (recorder, n, n + 5000);
      hir_recorder_flush (recorder);
    }
  g_assert_error (hir_recorder_get_error (recorder), HIR_ERROR, HIR_ERROR_RUN);
  g_assert_nonnull (strstr (hir_recorder_get_error (recorder)->message, path));
  hir_recorder_free (recorder);
  g_assert_false (hir_recording_writer_close (writer, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
  g_assert_nonnull (strstr (error->message, "are lost"));
  g_clear_error (&error);
  hir_recording_writer_free (writer);
  recording = hir_recording_open (path, &error);
  g_assert_no_error (error);
  g_assert_false (recording->is_complete);
  /* all flushes but the last */
  g_assert_cmpuint (hir_trace_get_n_events (recording->trace), ==, n - 5000);
  fixture_assert_trace (recording->trace, n - 5000);
}

static void
test_full_database (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autoptr (GError) error = NULL;
  HirRecordingWriter *writer = hir_recording_writer_new (path, &error);

  g_assert_no_error (error);
  check_full (path, writer, 200);
  test_folder_remove (folder);
}

/* With a limit on file sizes, each write beyond it fails, also to the journal. */
static void
test_file_limit (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  int status;
  pid_t pid = fork ();

  if (pid == 0)
    {
      struct rlimit limit = { 2000000, 2000000 };
      HirRecordingWriter *writer = hir_recording_writer_new (path, NULL);

      signal (SIGXFSZ, SIG_IGN);
      g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
      check_full (path, writer, 0);
      _exit (0);
    }
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_cmpint (status, ==, 0);
  test_folder_remove (folder);
}

/* Tests a disk that is really full. */
static void
test_full_disk (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autoptr (GError) error = NULL;
  HirRecordingWriter *writer;

  if (mount ("none", folder, "tmpfs", 0, "size=3m") != 0)
    {
      g_test_skip ("a small file system can't be mounted here; limits are tested otherwise too");
      g_rmdir (folder);
      return;
    }
  writer = hir_recording_writer_new (path, &error);
  g_assert_no_error (error);
  check_full (path, writer, 0);
  g_assert_cmpint (umount (folder), ==, 0);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recording-crash/killed", test_killed);
  g_test_add_func ("/recording-crash/flushed-by-time", test_flushed_by_time);
  g_test_add_func ("/recording-crash/killed-while-replacing", test_killed_while_replacing);
  g_test_add_func ("/recording-crash/replace-crashed", test_replace_crashed);
  g_test_add_func ("/recording-crash/read-only", test_read_only);
  g_test_add_func ("/recording-crash/full-database", test_full_database);
  g_test_add_func ("/recording-crash/file-limit", test_file_limit);
  g_test_add_func ("/recording-crash/full-disk", test_full_disk);
  return g_test_run ();
}
