/* Tests failures of a trace's file or of the machine: each gives a specific error and never ends
 * the program. */
#include "trace/load/import.h"
#include "trace/recording/recording.h"

#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "diagnostic.h"
#include "test-folder.h"

#define EVENT                                                                                      \
  "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":1,\"dur\":2,"        \
  "\"args\":{\"bytes\":3,\"correlation\":4}},\n"

/* Writes a file that starts with @text and is @length bytes long. The rest is a hole. */
static char *
write_file (TestFolder *fixture, const char *name, const char *text, goffset length)
{
  char *path = test_folder_write (fixture->folder, name, text, -1);

  if (length > (goffset) strlen (text))
    g_assert_cmpint (truncate (path, length), ==, 0);
  return path;
}

static void
assert_rejected (const char *path, const char *words)
{
  const char *const paths[] = { path, NULL };
  g_autoptr (GError) error = NULL;

  g_assert_null (hir_trace_open (paths, NULL, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  if (strstr (error->message, words) == NULL || strstr (error->message, path) == NULL)
    g_error ("\"%s\" does not name %s, or say \"%s\"", error->message, path, words);
}

static void
test_not_there (TestFolder *fixture, gconstpointer data)
{
  g_autofree char *missing = g_build_filename (fixture->folder, "missing.json", NULL);
  g_autofree char *empty = write_file (fixture, "empty.json", "", 0);

  assert_rejected (missing, "No such file");
  assert_rejected (fixture->folder, "is a folder");
  assert_rejected (empty, "is empty; record the trace again");
}

static void
test_permission (TestFolder *fixture, gconstpointer data)
{
  g_autofree char *path = write_file (fixture, "closed.json", "[" EVENT "]", 0);

  if (geteuid () == 0)
    {
      g_test_skip ("root may read all files");
      return;
    }
  g_assert_cmpint (g_chmod (path, 0), ==, 0);
  assert_rejected (path, "Permission denied");
}

/* 5 GB of zeros, from the start or after an event: reports the problem at once, and keeps the
 * event. */
static void
test_sparse (TestFolder *fixture, gconstpointer data)
{
  const goffset size = G_GOFFSET_CONSTANT (5) * 1024 * 1024 * 1024;
  g_autofree char *nothing = write_file (fixture, "sparse.json", "", size);
  g_autofree char *some = write_file (fixture, "some.json", "[" EVENT, size);
  const char *const paths[] = { some, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (HirTrace) trace = NULL;

  assert_rejected (nothing, ":1:1: no JSON object or array starts here");
  trace = hir_trace_open (paths, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hir_trace_get_n_events (trace), ==, 1);
  g_assert_nonnull (
      strstr (hir_trace_get_account (trace)[0], "some.json:2:1: a value was expected"));
}

/* --- during loading --------------------------------------------------------------------------- */

typedef struct
{
  const char *path;
  guint n_told;
  guint64 last_done, total;
} Watch;

static void
cut_file (guint64 done, guint64 total, gpointer user_data)
{
  Watch *watch = user_data;

  g_assert_cmpuint (done, >=, watch->last_done);
  watch->last_done = done;
  watch->total = total;
  if (watch->n_told++ == 3)
    g_assert_cmpint (truncate (watch->path, 1000), ==, 0);
}

static char *
write_events (TestFolder *fixture, const char *name, guint n)
{
  g_autoptr (GString) text = g_string_new ("[");

  for (guint i = 0; i < n; i++)
    g_string_append (text, EVENT);
  g_string_append (text, "{}]");
  return write_file (fixture, name, text->str, 0);
}

static void
test_shrinks (TestFolder *fixture, gconstpointer data)
{
  g_autofree char *path = write_events (fixture, "shrinks.json", 80000);
  const char *const paths[] = { path, NULL };
  Watch watch = { .path = path };
  const HirImportOptions options = { .progress = cut_file,
                                     .user_data = &watch,
                                     .block_bytes = 20000 };
  g_autoptr (GError) error = NULL;
  g_autoptr (HirTrace) trace = hir_trace_open (paths, &options, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (watch.total, >, 1000000);
  g_assert_cmpuint (hir_trace_get_n_events (trace), >, 0);
  g_assert_cmpuint (hir_trace_get_n_events (trace), <, 80000);
  g_assert_nonnull (
      strstr (hir_trace_get_account (trace)[0], "became shorter while it was being read"));
}

static void
cancel_soon (guint64 done, guint64 total, gpointer user_data)
{
  if (done > total / 4)
    g_cancellable_cancel (user_data);
}

/* Cancels loading of one file and of two with any number of threads. */
static void
test_cancelled (TestFolder *fixture, gconstpointer data)
{
  g_autofree char *a = write_events (fixture, "a.json", 40000);
  g_autofree char *b = write_events (fixture, "b.json", 40000);
  const char *const one[] = { a, NULL }, *const two[] = { a, b, NULL };

  for (guint n_threads = 1; n_threads < 5; n_threads++)
    for (guint n_files = 1; n_files < 3; n_files++)
      {
        g_autoptr (GCancellable) cancellable = g_cancellable_new ();
        const HirImportOptions options = { .cancellable = cancellable,
                                           .progress = cancel_soon,
                                           .user_data = cancellable,
                                           .n_threads = n_threads,
                                           .block_bytes = 10000 };
        g_autoptr (GError) error = NULL;

        g_assert_null (hir_trace_open (n_files == 1 ? one : two, &options, &error));
        g_assert_error (error, HIR_ERROR, HIR_ERROR_CANCELLED);
      }
}

/* One unreadable file ends the loading of the others and is named in the error. */
static void
test_one_of_several (TestFolder *fixture, gconstpointer data)
{
  g_autofree char *good = write_events (fixture, "good.json", 20000);
  g_autofree char *bad = write_file (fixture, "bad.json", "hello", 0);
  const char *const paths[] = { good, bad, NULL };
  g_autoptr (GError) error = NULL;

  g_assert_null (hir_trace_open (paths, NULL, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "bad.json:1:1"));
}

/* --- memory ----------------------------------------------------------------------------------- */

#ifndef __SANITIZE_ADDRESS__
static gsize
get_address_space (void)
{
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  return g_ascii_strtoull (text, NULL, 10) * (gsize) sysconf (_SC_PAGESIZE);
}

/* Loads the file in a child process. Returns 0 if everything was loaded, 1 for an error that
 * reports missing memory (with @counts, also the amount that was loaded). Otherwise, the child
 * crashed. */
static int
load_with (const char *path, gsize more_bytes, gboolean counts)
{
  pid_t child = fork ();
  int status;

  if (child == 0)
    {
      const char *const paths[] = { path, NULL };
      struct rlimit limit = { get_address_space () + more_bytes, RLIM_INFINITY };
      g_autoptr (GError) error = NULL;
      g_autoptr (HirTrace) trace = NULL;
      gboolean says;

      setrlimit (RLIMIT_AS, &limit);
      trace = hir_trace_open (paths, NULL, &error);
      if (trace != NULL)
        _exit (0);
      says = g_error_matches (error, HIR_ERROR, HIR_ERROR_LIMIT) &&
             strstr (error->message, "out of memory") != NULL &&
             (!counts || strstr (error->message, "event") != NULL ||
              strstr (error->message, "bytes") != NULL);
      if (!says)
        g_printerr ("# %s\n", error->message);
      _exit (says ? 1 : 2);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  return WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
}

/* Like test_memory(), for a recording. */
static void
test_memory_of_recording (TestFolder *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->folder, "many.hirs", NULL);
  g_autoptr (GError) error = NULL;
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirRecordingWriter *writer = hir_recording_writer_new (path, &error);
  g_autoptr (HirTrace) trace = NULL;
  guint n_loaded = 0, n_rejected = 0;
  char name[] = "stream";
  const HirTrack track = { HIR_TRACK_STREAM, 0, 0, 1, name };

  g_assert_no_error (error);
  hir_trace_builder_add_track (builder, &track);
  for (guint i = 0; i < 200000; i++)
    {
      const HirEvent event = { .start_ns = i, .end_ns = i + 1, .bytes = i, .flops = i };

      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  trace = hir_trace_builder_finish (builder);
  g_assert_true (hir_recording_writer_add_trace (writer, trace, NULL, &error));
  g_assert_true (hir_recording_writer_close (writer, &error));
  hir_recording_writer_free (writer);
  for (gsize megabytes = 0; megabytes < 300; megabytes += megabytes < 40 ? 3 : 100)
    {
      int code = load_with (path, megabytes * 1024 * 1024, FALSE);

      if (code > 1)
        g_error ("with %zu MB more than at first it ended with %d", megabytes, code);
      n_loaded += code == 0;
      n_rejected += code == 1;
    }
  g_test_message ("loaded %u times, rejected %u times", n_loaded, n_rejected);
  g_assert_cmpuint (n_rejected, >, 3);
  g_assert_cmpuint (n_loaded, >, 0);
}

static void
test_memory_of_nsys (TestFolder *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "..", "shared", "data",
                                            "traces", "nsys", "h100_2gpu_1s.sqlite", NULL);

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("the folder of real traces is not there");
      return;
    }
  for (gsize megabytes = 8; megabytes < 40; megabytes += 2)
    g_assert_cmpint (load_with (path, megabytes * 1024 * 1024, FALSE), <=, 1);
}

/* 60,000 compressed events: too little memory gives an error, enough gives success, whichever
 * allocation fails. Never aborts. */
static void
test_memory (TestFolder *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->folder, "many.json.gz", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GConverter) packer =
      G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP, 1));
  g_autoptr (GFileOutputStream) plain =
      g_file_replace (file, NULL, FALSE, G_FILE_CREATE_NONE, NULL, NULL);
  g_autoptr (GOutputStream) packed =
      g_converter_output_stream_new (G_OUTPUT_STREAM (plain), packer);
  g_autoptr (GString) text = g_string_new (NULL);
  guint n_loaded = 0, n_rejected = 0;

  for (guint i = 0; i < 1000; i++)
    g_string_append_printf (text,
                            "{\"ph\":\"%s\",\"name\":\"name %u\",\"pid\":0,\"tid\":%u,\"ts\":%u,"
                            "\"dur\":2,\"args\":{\"bytes\":3,\"correlation\":4}},\n",
                            i % 10 == 0 ? "B" : "X", i, i % 20, 5000 - i);
  g_assert_true (g_output_stream_write_all (packed, "[", 1, NULL, NULL, NULL));
  for (guint i = 0; i < 60; i++)
    g_assert_true (g_output_stream_write_all (packed, text->str, text->len, NULL, NULL, NULL));
  g_assert_true (g_output_stream_close (packed, NULL, NULL));
  for (gsize megabytes = 0; megabytes < 500; megabytes += megabytes < 40 ? 3 : 150)
    {
      int code = load_with (path, megabytes * 1024 * 1024, TRUE);

      if (code > 1)
        g_error ("with %zu MB more than at first it ended with %d", megabytes, code);
      n_loaded += code == 0;
      n_rejected += code == 1;
    }
  g_test_message ("loaded %u times, rejected %u times", n_loaded, n_rejected);
  g_assert_cmpuint (n_rejected, >, 2);
  g_assert_cmpuint (n_loaded, >, 0);
}
#endif

/* Checks the bytes per event after loading. */
static void
test_bytes_an_event (TestFolder *fixture, gconstpointer data)
{
  g_autofree char *path = write_events (fixture, "events.json", 100000);
  const char *const paths[] = { path, NULL };
  g_autoptr (HirTrace) trace = hir_trace_open (paths, NULL, NULL);
  double each = (double) hir_trace_get_size_bytes (trace) / (double) hir_trace_get_n_events (trace);

  g_test_message ("%.1f bytes an event", each);
  g_assert_cmpfloat (each, <=, 48);
}

#define ADD(path, func) TEST_FOLDER_ADD (path, func, NULL)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#ifndef __SANITIZE_ADDRESS__
  /* First, because only a process with one thread can fork. */
  ADD ("/import-errors/memory-chrome", test_memory);
  ADD ("/import-errors/memory-recording", test_memory_of_recording);
  ADD ("/import-errors/memory-nsys", test_memory_of_nsys);
#endif
  ADD ("/import-errors/not-there", test_not_there);
  ADD ("/import-errors/permission", test_permission);
  ADD ("/import-errors/sparse", test_sparse);
  ADD ("/import-errors/shrinks", test_shrinks);
  ADD ("/import-errors/cancelled", test_cancelled);
  ADD ("/import-errors/one-of-several", test_one_of_several);
  ADD ("/import-errors/bytes-an-event", test_bytes_an_event);
  return g_test_run ();
}
