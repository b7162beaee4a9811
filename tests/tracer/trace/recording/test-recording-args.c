/* Tests args of other profilers' events in a recording: they equal those of the original file, even
 * if that file is deleted, the recording is renamed, or a part of it is damaged. */
#include "trace/event-args.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include "diagnostic.h"
#include "test-folder.h"
#include "trace/export/export-chrome.h"
#include "trace/load/import.h"
#include "trace/recording/recording-note.h"
#include "trace/recording/recording.h"

static HirTrace *
load (const char *path)
{
  const char *const paths[] = { path, NULL };
  g_autoptr (GError) error = NULL;
  HirTrace *trace = hir_trace_open (paths, NULL, &error);

  g_assert_no_error (error);
  return trace;
}

static void
save (const HirTrace *trace, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRecordingWriter) writer = hir_recording_writer_new (path, &error);

  g_assert_no_error (error);
  g_assert_true (hir_recording_writer_add_trace (writer, trace, NULL, &error));
  g_assert_true (hir_recording_writer_close (writer, &error));
}

static char *
dup_export (const HirTrace *trace)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.json", NULL);
  g_autoptr (GError) error = NULL;
  char *text = NULL;

  g_assert_true (hir_export_chrome_file (trace, path, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  test_folder_remove (folder);
  return text;
}

/* Returns the args of event @i of track 0, or the error message. */
static char *
dup_args (const HirTrace *trace, guint i)
{
  g_autoptr (GError) error = NULL;
  char *json = hir_trace_dup_event_json (trace, 0, i, NULL, &error);

  if (json != NULL)
    return json;
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  return g_strdup (error->message);
}

#define N 5000

/* Each seventh event has no args, one has very long ones, and one has unusual ones. */
static char *
dup_wanted (guint i)
{
  g_autofree char *filler = i == 2223 ? g_strnfill (1500000, 'x') : NULL;

  if (i % 7 == 3)
    return g_strdup ("");
  if (i == 100)
    return g_strdup (
        "\"a\": \"\\u0000\\\"}]\\\\\" ,\"a\":1e400,\"\":[[],{\"\": null}],\"\xc3\xa9\":-0");
  return g_strdup_printf ("\"i\":%u,\"grid\":[%u, 1,1],\"text\":\"%s\"", i, i % 13,
                          filler != NULL ? filler : "of it");
}

/* Like dup_wanted(), but without spaces between members, and only the last of two members with one
 * key. */
static char *
dup_read (guint i)
{
  if (i == 100)
    return g_strdup ("\"a\":\"1e400\",\"\":[[],{\"\": null}],\"\xc3\xa9\":-0");
  return dup_wanted (i);
}

static char *
write_json (const char *folder)
{
  char *path = g_build_filename (folder, "a.json", NULL);
  g_autoptr (GString) text = g_string_new ("[");

  for (guint i = 0; i < N; i++)
    {
      g_autofree char *args = dup_wanted (i);

      g_string_append_printf (text,
                              "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":"
                              "7,"
                              "\"ts\":%u,\"dur\":1%s%s%s}",
                              i > 0 ? ",\n" : "", 10 * i, *args != '\0' ? ",\"args\":{" : "", args,
                              *args != '\0' ? "}" : "");
    }
  g_string_append_c (text, ']');
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  return path;
}

static void
assert_all (const HirTrace *trace)
{
  g_assert_cmpuint (hir_trace_get_track_n_events (trace, 0), ==, N);
  /* Reads back and forth, as a user clicks. */
  for (guint i = 0; i < N; i++)
    {
      guint at = i * 1009 % N;
      g_autofree char *wanted = dup_read (at), *args = dup_args (trace, at);

      g_assert_cmpstr (args, ==, wanted);
    }
}

static void
test_round_trip (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autofree char *json = write_json (folder), *before = NULL, *after = NULL, *again = NULL;
  g_autoptr (HirTrace) trace = load (json), kept = NULL, kept_again = NULL;
  GStatBuf json_info, info;

  before = dup_export (trace);
  save (trace, path);
  g_stat (json, &json_info);
  g_unlink (json);
  kept = load (path);
  assert_all (kept);
  after = dup_export (kept);
  g_assert_cmpstr (after, ==, before);
  g_stat (path, &info);
  g_assert_cmpint (info.st_size, <, json_info.st_size / 4);
  /* Overwrites itself: the open trace keeps using the old file. */
  save (kept, path);
  assert_all (kept);
  kept_again = load (path);
  again = dup_export (kept_again);
  g_assert_cmpstr (again, ==, before);
  test_folder_remove (folder);
  assert_all (kept);
}

static void
run_sql (const char *path, const char *sql)
{
  sqlite3 *db;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
}

/* Gives an error instead of another event's text. */
static void
test_damaged (void)
{
  static const char *const damages[] = {
    "UPDATE args SET text=zeroblob(length(text))",
    "UPDATE args SET size=size-1",
    "UPDATE args SET n=n-1",
    "UPDATE args SET lengths=zeroblob(length(lengths))",
    "UPDATE args SET digest=digest+1",
    "UPDATE args SET text=(SELECT text FROM args a WHERE a.id>args.id OR a.id=0 LIMIT 1)",
  };
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autofree char *json = write_json (folder);
  g_autoptr (HirTrace) trace = load (json);

  for (guint i = 0; i < G_N_ELEMENTS (damages); i++)
    {
      g_autoptr (HirTrace) kept = NULL;
      g_autofree char *args = NULL;

      save (trace, path);
      run_sql (path, damages[i]);
      kept = load (path);
      args = dup_args (kept, 17);
      g_assert_nonnull (strstr (args, "the recording is damaged"));
    }
  test_folder_remove (folder);
}

/* Missing rows are detected on opening. A missing table is not an error. */
static void
test_missing (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autofree char *json = write_json (folder), *none = NULL;
  g_autoptr (HirTrace) trace = load (json), kept = NULL;
  const char *const paths[] = { path, NULL };
  g_autoptr (GError) error = NULL;

  save (trace, path);
  run_sql (path, "DELETE FROM args WHERE id=(SELECT max(id) FROM args)");
  g_assert_null (hir_trace_open (paths, NULL, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "rows are missing"));
  run_sql (path, "DROP TABLE args; DELETE FROM meta WHERE key='hirs.n_args'");
  kept = load (path);
  none = dup_args (kept, 17);
  g_assert_cmpstr (none, ==, "");
  test_folder_remove (folder);
}

static void
test_changed (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autofree char *json = write_json (folder), *args = NULL;
  g_autoptr (HirTrace) trace = load (json), kept = NULL;

  save (trace, path);
  kept = load (path);
  run_sql (path, "CREATE TABLE more(a); INSERT INTO more VALUES(zeroblob(100000))");
  args = dup_args (kept, 17);
  g_assert_nonnull (strstr (args, "changed since it was loaded"));
  test_folder_remove (folder);
}

/* Notes of any size do not count as changes. Changes by other programs do, with or without a note,
 * and so does another recording with the same inode. */
static void
test_noted (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autofree char *other = g_build_filename (folder, "b.hirs", NULL);
  g_autofree char *json = write_json (folder), *wanted = NULL;
  g_autofree char *long_note = g_strnfill (300000, 'x');
  const char *const notes[] = { "break 1", long_note, "", "break 2" };
  g_autoptr (HirTrace) trace = load (json), kept = NULL, again = NULL;
  g_autoptr (GError) error = NULL;

  save (trace, path);
  kept = load (path);
  wanted = dup_args (kept, 17);
  g_assert_null (strstr (wanted, "changed"));
  for (guint i = 0; i < G_N_ELEMENTS (notes); i++)
    {
      g_autofree char *first = NULL, *last = NULL;

      g_assert_true (hir_recording_set_note (path, HIR_NOTE_BREAKPOINTS, notes[i], &error));
      /* In another row than the cached one. */
      last = dup_args (kept, hir_trace_get_track_n_events (kept, 0) - 1);
      g_assert_null (strstr (last, "changed"));
      first = dup_args (kept, 17);
      g_assert_cmpstr (first, ==, wanted);
    }
  run_sql (path, "CREATE TABLE other (a)");
  g_assert_true (hir_recording_set_note (path, HIR_NOTE_BREAKPOINTS, "break 3", &error));
  {
    g_autofree char *args = dup_args (kept, 17);

    g_assert_nonnull (strstr (args, "changed since it was loaded"));
  }
  /* As cp does. */
  again = load (path);
  save (trace, other);
  {
    g_autofree char *bytes = NULL, *args = NULL;
    gsize size;
    FILE *file = fopen (path, "r+be");

    g_assert_true (g_file_get_contents (other, &bytes, &size, NULL));
    g_assert_nonnull (file);
    g_assert_cmpuint (fwrite (bytes, 1, size, file), ==, size);
    g_assert_cmpint (ftruncate (fileno (file), (off_t) size), ==, 0);
    g_assert_cmpint (fclose (file), ==, 0);
    args = dup_args (again, 17);
    g_assert_nonnull (strstr (args, "changed since it was loaded"));
  }
  test_folder_remove (folder);
}

/* If the source file has changed, no incomplete recording is written. */
static void
test_source_changed (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autofree char *json = write_json (folder);
  g_autoptr (HirTrace) trace = load (json);
  g_autoptr (GError) error = NULL;
  HirRecordingWriter *writer;
  FILE *file = fopen (json, "r+");

  g_assert_nonnull (file);
  g_assert_cmpint (fputs ("[ ", file), >=, 0);
  fclose (file);
  writer = hir_recording_writer_new (path, &error);
  g_assert_no_error (error);
  g_assert_false (hir_recording_writer_add_trace (writer, trace, NULL, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  hir_recording_writer_discard (writer);
  hir_recording_writer_free (writer);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  test_folder_remove (folder);
}

/* Real traces: Chrome JSON has the same bytes with and without a recording in between. */
static void
test_real (gconstpointer name)
{
  g_autofree char *real =
      g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "..", "shared", "data", "traces", name, NULL);
  g_autofree char *folder = NULL, *path = NULL, *before = NULL, *after = NULL;
  g_autoptr (HirTrace) trace = NULL, kept = NULL;

  if (!g_file_test (real, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("the folder of real traces is not there");
      return;
    }
  folder = test_folder_new ();
  path = g_build_filename (folder, "a.hirs", NULL);
  trace = load (real);
  before = dup_export (trace);
  save (trace, path);
  kept = load (path);
  after = dup_export (kept);
  g_assert_cmpstr (after, ==, before);
  test_folder_remove (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recording-args/round-trip", test_round_trip);
  g_test_add_func ("/recording-args/damaged", test_damaged);
  g_test_add_func ("/recording-args/missing", test_missing);
  g_test_add_func ("/recording-args/changed", test_changed);
  g_test_add_func ("/recording-args/noted", test_noted);
  g_test_add_func ("/recording-args/source-changed", test_source_changed);
  g_test_add_data_func ("/recording-args/kineto", "kineto/ag_matmul_rank0.pt.trace.json.gz",
                        test_real);
  g_test_add_data_func ("/recording-args/kineto-sampled", "kineto/sampled_rank1.json.gz",
                        test_real);
  g_test_add_data_func ("/recording-args/nsys", "nsys/h100_2gpu_1s.sqlite", test_real);
  return g_test_run ();
}
