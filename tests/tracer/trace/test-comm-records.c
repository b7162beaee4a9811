/* Tests which events of several ranks belong to the same communication. */
#include "recording-fixture.h"
#include "trace/comm-records.h"

#include <sqlite3.h>

/* Creates three ranks with a channel each. Correlation numbers start again on every rank. */
static HirTraceBuilder *
new_builder (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();

  for (int rank = 0; rank < 3; rank++)
    {
      HirTrack link = { HIR_TRACK_LINK, rank, rank, 1000, (char *) "comm" };
      HirTrack host = { HIR_TRACK_HOST, rank, rank, -1, (char *) "host" };

      hir_trace_builder_add_track (builder, &link);
      hir_trace_builder_add_track (builder, &host);
    }
  return builder;
}

/* Adds an event on @rank's channel, and its issue on the host, which must not be confused with
 * it. */
static void
add_event (HirTraceBuilder *builder, guint rank, guint32 correlation, gint64 start_ns)
{
  HirEvent event = { .start_ns = start_ns,
                     .end_ns = start_ns + 10,
                     .correlation = correlation,
                     .iteration = -1,
                     .kind = HIR_EVENT_ISSUE,
                     .track = (guint16) (2 * rank + 1) };

  g_assert_true (hir_trace_builder_add (builder, &event, NULL));
  event.kind = HIR_EVENT_COMMUNICATION;
  event.track = (guint16) (2 * rank);
  g_assert_true (hir_trace_builder_add (builder, &event, NULL));
}

static void
meet (HirTraceBuilder *builder,
      int rank,
      guint32 correlation,
      const char *key,
      guint32 sequence,
      HirCommSide side)
{
  HirCommRecord record = { .bytes = 64,
                           .key = hir_trace_builder_intern (builder, key),
                           .sequence = sequence,
                           .correlation = correlation,
                           .rank = rank,
                           .side = (guint8) side };

  hir_trace_builder_add_comm_record (builder, &record);
}

/* Two collectives of {0 1 2}, posted in another order on rank 1, then a group of messages around
 * the ring. */
static HirTrace *
new_trace (void)
{
  HirTraceBuilder *builder = new_builder ();

  for (guint rank = 0; rank < 3; rank++)
    {
      g_autofree char *right = hir_comm_record_dup_pair_key (rank, (rank + 1) % 3);
      g_autofree char *left = hir_comm_record_dup_pair_key ((rank + 2) % 3, rank);
      const gint64 team[] = { 0, 1, 2 };
      g_autofree char *key = hir_comm_record_dup_team_key (team, 3);

      g_assert_cmpstr (key, ==, "team 0 1 2");
      add_event (builder, rank, 7, 100 + 3 * rank);
      add_event (builder, rank, 8, 200 - 40 * rank);
      add_event (builder, rank, 9, 300);
      meet (builder, (int) rank, 9, right, 0, HIR_COMM_SIDE_SEND);
      meet (builder, (int) rank, 9, left, 0, HIR_COMM_SIDE_RECV);
      meet (builder, (int) rank, 8, key, 1, HIR_COMM_SIDE_TEAM);
      meet (builder, (int) rank, 7, key, 0, HIR_COMM_SIDE_TEAM);
    }
  return hir_trace_builder_finish (builder);
}

static guint32
correlation_at (const HirTrace *trace, guint track, guint index)
{
  HirEvent event;

  hir_trace_get_event (trace, track, index, &event);
  return event.correlation;
}

static void
check_trace (const HirTrace *trace)
{
  for (guint t = 0; t < 6; t += 2)
    for (guint i = 0; i < 3; i++)
      {
        guint32 correlation = correlation_at (trace, t, i);
        g_autoptr (GArray) links = hir_trace_dup_comm_links (trace, t, i, 64);
        g_autoptr (GArray) partners = hir_trace_dup_partners (trace, t, i, 64);

        g_assert_cmpuint (links->len, ==, 2);
        g_assert_cmpuint (partners->len, ==, 2);
        for (guint p = 0; p < 2; p++)
          {
            const HirCommLink *link = &g_array_index (links, HirCommLink, p);
            const HirEventRef *place = &g_array_index (partners, HirEventRef, p);

            g_assert_cmpint (link->is_message, ==, correlation == 9);
            g_assert_cmpuint (place->track, !=, t);
            g_assert_cmpuint (correlation_at (trace, place->track, place->index), ==, correlation);
            if (link->is_message) /* from each rank to the next */
              g_assert_cmpuint ((link->from_track / 2 + 1) % 3, ==, link->to_track / 2);
            else
              g_assert_cmpuint (link->from_track + 2, ==, link->to_track);
          }
      }
  for (guint t = 1; t < 6; t += 2)
    {
      g_autoptr (GArray) links = hir_trace_dup_comm_links (trace, t, 0, 64);

      g_assert_cmpuint (links->len, ==, 0);
    }
}

static void
test_partners (void)
{
  g_autoptr (HirTrace) trace = new_trace ();

  check_trace (trace);
}

static void
test_limits (void)
{
  g_autoptr (HirTrace) trace = new_trace ();
  g_autoptr (GArray) links = hir_trace_dup_comm_links (trace, 0, 0, 1);

  g_assert_cmpuint (links->len, ==, 1);
}

/* A partner that was not recorded, a row of a missing side, and a missing name. */
static void
test_gaps (void)
{
  HirTraceBuilder *builder = new_builder ();
  HirCommRecord odd = { .correlation = 1, .side = 9, .key = 5 };
  HirCommRecord unnamed = { .correlation = 1, .rank = 1, .key = 12345 };
  g_autoptr (HirTrace) trace = NULL;
  g_autoptr (GArray) links = NULL;
  guint track, index, n_events = 0;

  add_event (builder, 0, 1, 0);
  add_event (builder, 2, 1, 0);
  for (int rank = 0; rank < 3; rank++)
    meet (builder, rank, 1, "team 0 1 2", 0, HIR_COMM_SIDE_TEAM);
  hir_trace_builder_add_comm_record (builder, &odd);
  hir_trace_builder_add_comm_record (builder, &unnamed);
  trace = hir_trace_builder_finish (builder);
  g_assert_cmpuint (hir_trace_get_n_comm_records (trace), ==, 4);
  for (guint i = 0; i < 4; i++)
    n_events += hir_trace_get_comm_record_event (trace, i, &track, &index);
  g_assert_cmpuint (n_events, ==, 2);
  g_assert_nonnull (strstr (hir_trace_get_account (trace)[0], "part of a communication left out"));
  links = hir_trace_dup_comm_links (trace, 0, 0, 64);
  g_assert_cmpuint (links->len, ==, 1);
  g_assert_cmpuint (g_array_index (links, HirCommLink, 0).to_track, ==, 4);
}

static void
save (const char *path)
{
  g_autoptr (HirTrace) trace = new_trace ();
  g_autoptr (HirRecordingWriter) writer = NULL;
  g_autoptr (GError) error = NULL;

  writer = hir_recording_writer_new (path, &error);
  g_assert_no_error (error);
  g_assert_true (hir_recording_writer_add_trace (writer, trace, NULL, &error));
  g_assert_true (hir_recording_writer_close (writer, &error));
}

static void
test_recording (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRecording) recording = NULL;

  save (path);
  recording = hir_recording_open (path, &error);
  g_assert_no_error (error);
  check_trace (recording->trace);
  test_folder_remove (folder);
}

/* Recordings from before the table existed. */
static void
test_recording_without_table (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRecording) recording = NULL;
  sqlite3 *db;

  save (path);
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, "DROP TABLE meetings", NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (db);
  recording = hir_recording_open (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hir_trace_get_n_events (recording->trace), ==, 18);
  g_assert_cmpuint (hir_trace_get_n_comm_records (recording->trace), ==, 0);
  test_folder_remove (folder);
}

/* A value out of range is an error and does not give another partner. */
static void
test_recording_damaged (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autoptr (GError) error = NULL;
  sqlite3 *db;

  save (path);
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, "UPDATE meetings SET sequence = 1 - sequence", NULL, NULL,
                                 NULL),
                   ==, SQLITE_OK);
  sqlite3_close (db);
  g_assert_null (hir_recording_open (path, &error));
  g_assert_nonnull (strstr (error->message, "table meetings"));
  test_folder_remove (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/comm-records/partners", test_partners);
  g_test_add_func ("/comm-records/limits", test_limits);
  g_test_add_func ("/comm-records/gaps", test_gaps);
  g_test_add_func ("/comm-records/recording", test_recording);
  g_test_add_func ("/comm-records/recording-without-table", test_recording_without_table);
  g_test_add_func ("/comm-records/recording-damaged", test_recording_damaged);
  return g_test_run ();
}
