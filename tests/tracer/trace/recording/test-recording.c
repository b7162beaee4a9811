#include "recording-fixture.h"

#include "diagnostic.h"
#include "script/script.h"
#include "trace/recording/recording-note.h"

#include <sqlite3.h>

/* Checks bytes 18 and 19 of the header: 1 is a plain journal; 2 is WAL, which a read-only folder
 * does not support. */
static void
assert_plain_journal (const char *path)
{
  g_autofree char *bytes = NULL;

  g_assert_true (g_file_get_contents (path, &bytes, NULL, NULL));
  g_assert_cmpmem (bytes + 18, 2, "\1\1", 2);
}

static void
test_round_trip (void)
{
  const guint sizes[] = { 0, 1, 100, 65536, 150001 };
  g_autofree char *folder = test_folder_new ();

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      g_autofree char *path = g_build_filename (folder, "a?b#c%20.hirs", NULL);
      g_autofree char *wal = g_strconcat (path, "-wal", NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (HirRecording) recording = NULL;

      fixture_record (path, s, s * 20, sizes[s]);
      g_assert_false (g_file_test (wal, G_FILE_TEST_EXISTS));
      g_assert_true (hir_recording_sniff (path));
      assert_plain_journal (path);
      recording = hir_recording_open (path, &error);
      g_assert_no_error (error);
      g_assert_true (recording->is_complete);
      g_assert_cmpuint (recording->views->len, ==, s);
      for (guint i = 0; i < s; i++)
        {
          g_autoptr (HirProgramView) view = fixture_new_view (i, s * 20);

          fixture_assert_same_view (view, g_ptr_array_index (recording->views, i));
        }
      fixture_assert_trace (recording->trace, sizes[s]);
      g_assert_cmpuint (hir_trace_get_n_tracks (recording->trace), ==, 3);
      for (guint t = 0; t < 3; t++)
        {
          const HirTrack *track = hir_trace_get_track (recording->trace, t);

          g_assert_cmpint (track->kind, ==, t);
          g_assert_cmpint (track->rank, ==, t);
          g_assert_cmpint (track->device, ==, t + 1);
          g_assert_cmpint (track->stream, ==, (gint64) t - 1);
          g_assert_cmpstr (track->name, ==, "Stream \xc3\xa9");
        }
      g_assert_cmpstr (hir_recording_get_meta (recording, HIR_META_SOURCE_TEXT), ==,
                       "def f():\n  pass\n");
      g_assert_cmpstr (hir_trace_get_meta (recording->trace, HIR_META_SOURCE_PATH), ==,
                       "fusion.py");
      g_assert_cmpstr (hir_trace_get_account (recording->trace)[0], ==,
                       "3 records dropped by the device");
      g_assert_null (hir_trace_get_account (recording->trace)[1]);
    }
  test_folder_remove (folder);
}

/* Views of real fusions with all data of the printer, the graph and the inspector. */
static void
test_real_views (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autofree char *script_path =
      g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "app", "examples", "single_device.py", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirSource) source = hir_script_load (script_path, &error);
  g_autoptr (HirScript) script = hir_script_parse (source, NULL);
  g_autoptr (HirRecordingWriter) writer = hir_recording_writer_new (path, &error);
  g_autoptr (GPtrArray) views =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_program_view_unref);
  g_autoptr (HirRecording) recording = NULL;
  const char *const functions[] = { "two_set_ops", "matmul_m", "single_set_op" };

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      g_autoptr (HirContainer) fusion = hir_script_run (script, functions[i], NULL, NULL, &error);

      g_assert_no_error (error);
      g_ptr_array_add (views, hir_program_view_new (fusion, HIR_FORMAT_2025));
      g_assert_true (hir_recording_writer_add_view (writer, i, views->pdata[i], &error));
    }
  g_assert_true (hir_recording_writer_close (writer, &error));
  recording = hir_recording_open (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (recording->views->len, ==, views->len);
  for (guint i = 0; i < views->len; i++)
    {
      const HirProgramView *view = views->pdata[i];

      g_assert_cmpuint (g_hash_table_size (view->nodes), >, 3);
      fixture_assert_same_view (view, recording->views->pdata[i]);
    }
  test_folder_remove (folder);
}

/* Invalid events are recorded unchanged, and the reader reports what it rejected. */
static void
test_account (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRecordingWriter) writer = hir_recording_writer_new (path, &error);
  HirRecorder *recorder = hir_recorder_new ();
  g_autoptr (HirRecording) recording = NULL;
  HirRecorderSink sink;
  HirEvent backwards = { .start_ns = 10, .end_ns = 5 }, no_track = { .track = 9 };
  HirEvent extreme = { .start_ns = G_MININT64, .end_ns = G_MAXINT64 };

  g_assert_no_error (error);
  hir_recording_writer_init_sink (writer, &sink);
  hir_recorder_add_sink (recorder, &sink);
  fixture_add_tracks (recorder);
  hir_recorder_add (recorder, &backwards);
  hir_recorder_add (recorder, &no_track);
  hir_recorder_add (recorder, &extreme);
  fixture_add_events (recorder, 0, 10);
  hir_recorder_free (recorder);
  g_assert_true (hir_recording_writer_close (writer, &error));
  recording = hir_recording_open (path, &error);
  g_assert_no_error (error);
  fixture_assert_trace (recording->trace, 10);
  g_assert_cmpuint (g_strv_length ((char **) hir_trace_get_account (recording->trace)), ==, 3);
  test_folder_remove (folder);
}

/* A trace that is written from memory is equal after reading. */
static void
test_add_trace (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autofree char *copy = g_build_filename (folder, "b.hirs", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRecording) first = NULL, second = NULL;
  g_autoptr (HirRecordingWriter) writer = NULL;

  fixture_record (path, 0, 0, 70000);
  first = hir_recording_open (path, &error);
  writer = hir_recording_writer_new (copy, &error);
  g_assert_true (hir_recording_writer_add_trace (writer, first->trace, NULL, &error));
  g_assert_true (hir_recording_writer_close (writer, &error));
  g_assert_no_error (error);
  second = hir_recording_open (copy, &error);
  g_assert_no_error (error);
  fixture_assert_trace (second->trace, 70000);
  g_assert_cmpstr (hir_trace_get_account (second->trace)[0], ==, "3 records dropped by the device");
  g_assert_cmpstr (hir_recording_get_meta (second, HIR_META_SOURCE_PATH), ==, "fusion.py");
  test_folder_remove (folder);
}

static void
test_replaces_recordings_only (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autofree char *partial = g_strconcat (path, ".partial", NULL);
  g_autofree char *text = g_build_filename (folder, "notes.txt", NULL);
  g_autofree char *nowhere = g_build_filename (folder, "none", "a.hirs", NULL);
  g_autofree char *contents = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRecording) old = NULL, new = NULL;
  HirRecordingWriter *writer;

  /* the older one stays complete until the new one is closed */
  fixture_record (path, 1, 5, 10);
  writer = hir_recording_writer_new (path, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (hir_recording_writer_get_path (writer), ==, partial);
  old = hir_recording_open (path, &error);
  g_assert_no_error (error);
  fixture_assert_trace (old->trace, 10);
  g_assert_true (hir_recording_writer_close (writer, &error));
  g_assert_cmpstr (hir_recording_writer_get_path (writer), ==, path);
  hir_recording_writer_free (writer);
  g_assert_false (g_file_test (partial, G_FILE_TEST_EXISTS));
  new = hir_recording_open (path, &error);
  g_assert_no_error (error);
  fixture_assert_trace (new->trace, 0);
  /* a crash's leftover is not overwritten */
  g_assert_true (g_file_set_contents (partial, "left", -1, NULL));
  fixture_record (path, 1, 5, 20);
  g_assert_true (g_file_get_contents (partial, &contents, NULL, NULL));
  g_assert_cmpstr (contents, ==, "left");
  g_clear_pointer (&contents, g_free);
  /* other files are rejected and stay */
  g_assert_true (g_file_set_contents (text, "my notes", -1, NULL));
  g_assert_null (hir_recording_writer_new (text, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "is not a Hirscope recording"));
  g_clear_error (&error);
  g_assert_true (g_file_get_contents (text, &contents, NULL, NULL));
  g_assert_cmpstr (contents, ==, "my notes");
  g_assert_null (hir_recording_writer_new (folder, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_clear_error (&error);
  g_assert_null (hir_recording_writer_new (nowhere, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  test_folder_remove (folder);
}

static void
assert_rejected (const char *path, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRecording) recording = hir_recording_open (path, &error);

  g_assert_null (recording);
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, path));
  if (strstr (error->message, part) == NULL)
    g_error ("'%s' is not in '%s'", part, error->message);
}

static void
run_sql (const char *path, const char *sql)
{
  sqlite3 *db;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
}

static void
test_rejected (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autofree char *other = g_build_filename (folder, "other.db", NULL);
  g_autofree char *empty = g_build_filename (folder, "empty.hirs", NULL);
  g_autofree char *fifo = g_build_filename (folder, "fifo", NULL);

  assert_rejected (path, "No such file");
  assert_rejected (folder, "not a regular file");
  assert_rejected ("/dev/null", "not a regular file");
  g_assert_true (g_file_set_contents (empty, "", 0, NULL));
  assert_rejected (empty, "is empty; record the run again");
  g_assert_true (g_file_set_contents (empty, "{\"traceEvents\": []}", -1, NULL));
  assert_rejected (empty, "is not a recording");
  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  assert_rejected (fifo, "not a regular file");
  run_sql (other, "CREATE TABLE t(x)");
  g_assert_false (hir_recording_sniff (other));
  assert_rejected (other, "but not a recording");
  fixture_record (path, 2, 5, 10);
  run_sql (path, "PRAGMA user_version=99");
  assert_rejected (path, "newer");
  run_sql (path, "PRAGMA user_version=1; DELETE FROM spans WHERE rowid=3");
  assert_rejected (path, "missing");
  fixture_record (path, 2, 5, 10);
  run_sql (path, "UPDATE nodes SET text='wrong' WHERE rowid=3");
  assert_rejected (path, "checksum in table nodes");
  fixture_record (path, 2, 5, 10);
  run_sql (path, "DELETE FROM chunks");
  assert_rejected (path, "missing");
  fixture_record (path, 2, 5, 10);
  run_sql (path, "DELETE FROM nodes WHERE rowid=3");
  assert_rejected (path, "in table facts");
  fixture_record (path, 2, 5, 10);
  run_sql (path, "DROP TABLE facts");
  assert_rejected (path, "facts");
  /* a schema that would execute code on reading */
  fixture_record (path, 2, 5, 10);
  run_sql (path, "DROP TABLE account; CREATE VIEW account AS SELECT 'x' AS text, 1 AS digest");
  assert_rejected (path, "view");
  test_folder_remove (folder);
}

/* The SQL views equal the events. */
static void
test_sql_views (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  sqlite3_stmt *stmt;
  sqlite3 *db;
  guint n = 0;

  fixture_record (path, 0, 0, 50);
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (
      sqlite3_prepare_v2 (db,
                          "SELECT event, start_ns, end_ns, bytes, flops, instruction, name,"
                          " correlation, iteration, track, rank FROM events ORDER BY event",
                          -1, &stmt, NULL),
      ==, SQLITE_OK);
  for (; sqlite3_step (stmt) == SQLITE_ROW; n++)
    {
      HirEvent event = fixture_event (n);
      g_autofree char *id = event.instruction == 0
                                ? g_strdup ("")
                                : g_strdup_printf ("%016" G_GINT64_MODIFIER "x", event.instruction);

      g_assert_cmpint (sqlite3_column_int64 (stmt, 0), ==, n);
      g_assert_cmpint (sqlite3_column_int64 (stmt, 1), ==, event.start_ns);
      g_assert_cmpint (sqlite3_column_int64 (stmt, 2), ==, event.end_ns);
      g_assert_cmpint (sqlite3_column_int64 (stmt, 3), ==, event.bytes);
      g_assert_cmpint (sqlite3_column_int64 (stmt, 4), ==, event.flops);
      g_assert_cmpstr ((const char *) sqlite3_column_text (stmt, 5), ==, id);
      g_assert_cmpstr ((const char *) sqlite3_column_text (stmt, 6), ==, fixture_name (n));
      g_assert_cmpint (sqlite3_column_int64 (stmt, 7), ==, event.correlation);
      g_assert_cmpint (sqlite3_column_int64 (stmt, 8), ==, event.iteration);
      g_assert_cmpint (sqlite3_column_int64 (stmt, 9), ==, event.track);
      g_assert_cmpint (sqlite3_column_int64 (stmt, 10), ==, event.track);
    }
  g_assert_cmpuint (n, ==, 50);
  sqlite3_finalize (stmt);
  g_assert_cmpint (sqlite3_prepare_v2 (db, "SELECT count(*) FROM instances", -1, &stmt, NULL), ==,
                   SQLITE_OK);
  g_assert_cmpint (sqlite3_step (stmt), ==, SQLITE_ROW);
  g_assert_cmpint (sqlite3_column_int64 (stmt, 0), ==, 40);
  sqlite3_finalize (stmt);
  sqlite3_close (db);
  test_folder_remove (folder);
}

/* The samples of a counter are exact. */
static void
test_counters (void)
{
  const double values[] = { 0.1, -3, 1e300, 0, 5e-324 };
  HirTrack info = { HIR_TRACK_COUNTER, 3, -1, -1, (char *) "memory" };
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  HirTraceBuilder *builder = hir_trace_builder_new ();
  g_autoptr (HirRecordingWriter) writer = NULL;
  g_autoptr (HirRecording) recording = NULL;
  g_autoptr (HirTrace) trace = NULL;
  g_autoptr (GError) error = NULL;

  hir_trace_builder_add_track (builder, &info);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      HirEvent sample = {
        .start_ns = 100 - i, .end_ns = 100 - i, .iteration = -1, .kind = HIR_EVENT_COUNTER
      };

      hir_event_set_value (&sample, values[i]);
      hir_trace_builder_add (builder, &sample, NULL);
    }
  trace = hir_trace_builder_finish (builder);
  writer = hir_recording_writer_new (path, &error);
  g_assert_no_error (error);
  g_assert_true (hir_recording_writer_add_trace (writer, trace, NULL, &error));
  g_assert_true (hir_recording_writer_close (writer, &error));
  recording = hir_recording_open (path, &error);
  g_assert_no_error (error);
  g_assert_cmpint (hir_trace_get_track (recording->trace, 0)->kind, ==, HIR_TRACK_COUNTER);
  g_assert_cmpuint (hir_trace_get_n_events (recording->trace), ==, G_N_ELEMENTS (values));
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      HirEvent sample;

      hir_trace_get_event (recording->trace, 0, G_N_ELEMENTS (values) - 1 - i, &sample);
      g_assert_cmpfloat (hir_event_get_value (&sample), ==, values[i]);
    }
  test_folder_remove (folder);
}

/* Limits the bytes per event on disk, to detect a column that is no longer packed. */
static void
test_file_size (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  const guint n = 200000;
  GStatBuf info;

  fixture_record (path, 0, 0, n);
  g_assert_cmpint (g_stat (path, &info), ==, 0);
  g_assert_cmpint (info.st_size, <, (gint64) n * 36);
  test_folder_remove (folder);
}

/* Notes can be added only to closed recordings. SQL in the file's schema is not executed. */
static void
test_notes (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "noted.hirs", NULL);
  g_autofree char *other = g_build_filename (folder, "other.hirs", NULL);
  g_autofree char *first = NULL, *second = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRecording) recording = NULL;
  sqlite3 *db;

  fixture_record (path, 1, 20, 100);
  g_assert_null (hir_recording_dup_note (path, "a"));
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (
      sqlite3_exec (db, "CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM tracks; END", NULL,
                    NULL, NULL),
      ==, SQLITE_OK);
  sqlite3_close (db);
  g_assert_true (hir_recording_set_note (path, "a", "one", &error));
  g_assert_true (hir_recording_set_note (path, "b", "", &error));
  first = hir_recording_dup_note (path, "a");
  g_assert_cmpstr (first, ==, "one");
  g_assert_true (hir_recording_set_note (path, "a", "two \xc3\xa9\n", &error));
  second = hir_recording_dup_note (path, "a");
  g_assert_cmpstr (second, ==, "two \xc3\xa9\n");
  assert_plain_journal (path);
  recording = hir_recording_open (path, &error);
  g_assert_no_error (error);
  g_assert_true (recording->is_complete);
  fixture_assert_trace (recording->trace, 100);
  g_assert_cmpstr (hir_recording_get_meta (recording, "b"), ==, "");
  g_assert_false (hir_recording_set_note (other, "a", "one", &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
  g_assert_false (g_file_test (other, G_FILE_TEST_EXISTS));
  g_clear_error (&error);
  g_assert_cmpint (sqlite3_open (other, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, "CREATE TABLE meta(key TEXT, value TEXT, digest INTEGER)",
                                 NULL, NULL, NULL),
                   ==, SQLITE_OK);
  sqlite3_close (db);
  g_assert_false (hir_recording_set_note (other, "a", "one", &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, "is not a recording"));
  g_assert_null (hir_recording_dup_note (other, "a"));
  test_folder_remove (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recording/round-trip", test_round_trip);
  g_test_add_func ("/recording/real-views", test_real_views);
  g_test_add_func ("/recording/account", test_account);
  g_test_add_func ("/recording/add-trace", test_add_trace);
  g_test_add_func ("/recording/replaces-recordings-only", test_replaces_recordings_only);
  g_test_add_func ("/recording/rejected", test_rejected);
  g_test_add_func ("/recording/sql-views", test_sql_views);
  g_test_add_func ("/recording/counters", test_counters);
  g_test_add_func ("/recording/notes", test_notes);
  g_test_add_func ("/recording/file-size", test_file_size);
  return g_test_run ();
}
