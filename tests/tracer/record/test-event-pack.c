/* Tests the transfer of tracks, strings, events, communication records and edges to another
 * recorder. */
#include <gio/gio.h>
#include <string.h>

#include "diagnostic.h"
#include "record/event-pack.h"
#include "record/trace-sink.h"

#define N_EVENTS 150000 /* three chunks */
#define ZERO_FAR G_GINT64_CONSTANT (9000000)
#define ZERO_HERE G_GINT64_CONSTANT (2000000)
#define AHEAD G_GINT64_CONSTANT (5000000)

static void
record_rank (HirRecorder *recorder, int rank, guint n, const char *const *names, guint n_names)
{
  HirTrack track = { HIR_TRACK_STREAM, rank, rank, 3, (char *) "Stream 2" };
  guint number = hir_recorder_add_track (recorder, &track);
  HirCommRecord record = { .key = hir_recorder_intern (recorder, "team 0 1"),
                           .op = hir_recorder_intern (recorder, "allreduce"),
                           .sequence = 0,
                           .correlation = 1,
                           .rank = rank,
                           .side = HIR_COMM_SIDE_TEAM };
  HirEdge edge = { .from_correlation = 2, .to_correlation = 5 };

  for (guint i = 0; i < n; i++)
    {
      HirEvent event = { .start_ns = i * 100,
                         .end_ns = i * 100 + 50,
                         .bytes = i,
                         .instruction = 42,
                         .name = hir_recorder_intern (recorder, names[i % n_names]),
                         .correlation = i + 1,
                         .iteration = (gint32) (i % 7),
                         .track = (guint16) number };

      hir_recorder_add (recorder, &event);
    }
  g_autoptr (GBytes) value = g_bytes_new (names[0], strlen (names[0]));
  hir_recorder_add_value (recorder, 77, rank, value);
  hir_recorder_add_meeting (recorder, &record);
  edge.from_track = edge.to_track = (guint16) number;
  hir_recorder_add_edge (recorder, &edge);
}

static void
merge (HirRecorder *recorder, HirEventPack *pack, const HirClockFit *fit)
{
  g_autoptr (GVariant) names = g_variant_ref_sink (hir_event_pack_dup_names (pack));
  g_autoptr (GError) error = NULL;
  g_autoptr (HirEventMerge) merge = hir_event_merge_new (recorder, names, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < hir_event_pack_get_n_pieces (pack); i++)
    {
      g_autoptr (GBytes) piece = hir_event_pack_dup_piece (pack, i);

      g_assert_true (hir_event_merge_add (merge, piece, fit, ZERO_FAR, ZERO_HERE, &error));
      g_assert_no_error (error);
    }
  g_assert_null (hir_event_pack_dup_piece (pack, hir_event_pack_get_n_pieces (pack)));
}

static void
check_far_track (const HirTrace *trace)
{
  const HirTrack *track = hir_trace_get_track (trace, 1);
  HirEvent event;

  g_assert_cmpint (track->rank, ==, 1);
  g_assert_cmpint (track->stream, ==, 3);
  g_assert_cmpstr (track->name, ==, "Stream 2");
  g_assert_cmpuint (hir_trace_get_track_n_events (trace, 1), ==, N_EVENTS);
  for (guint i = 0; i < N_EVENTS; i += 997)
    {
      hir_trace_get_event (trace, 1, i, &event);
      g_assert_cmpint (event.start_ns, ==, ZERO_FAR - AHEAD - ZERO_HERE + i * 100);
      g_assert_cmpint (event.end_ns, ==, event.start_ns + 50);
      g_assert_cmpint (event.bytes, ==, i);
      g_assert_cmpuint (event.instruction, ==, 42);
      g_assert_cmpstr (hir_trace_get_string (trace, event.name), ==, i % 2 == 0 ? "far" : "both");
    }
}

static void
test_merge (void)
{
  const char *const here[] = { "both", "here" }, *const far[] = { "far", "both" };
  HirRecorder *remote = hir_recorder_new (), *local = hir_recorder_new ();
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirRecorderSink sink;
  HirTraceSink *trace_sink = hir_trace_sink_new (builder, &sink);
  g_autoptr (HirTrace) trace = NULL;
  HirEventPack *pack;
  HirClockFit fit = { .begin = { .at_ns = 0, .offset_ns = AHEAD },
                      .end = { .at_ns = 1000, .offset_ns = AHEAD } };

  hir_recorder_add_sink (local, &sink);
  pack = hir_event_pack_new (&sink);
  hir_recorder_add_sink (remote, &sink);
  record_rank (local, 0, 10, here, 2);
  record_rank (remote, 1, N_EVENTS, far, 2);
  hir_recorder_flush (remote);
  g_assert_cmpuint (hir_event_pack_get_n_dropped (pack), ==, 0);
  merge (local, pack, &fit);
  hir_recorder_free (remote);
  hir_event_pack_free (pack);
  hir_recorder_free (local);
  hir_trace_sink_free (trace_sink);
  trace = hir_trace_builder_finish (builder);
  g_assert_cmpuint (hir_trace_get_n_tracks (trace), ==, 2);
  check_far_track (trace);
  /* Edges stay on the tracks of their rank. */
  g_assert_cmpuint (hir_trace_get_n_edges (trace), ==, 2);
  for (guint i = 0; i < 2; i++)
    {
      HirEdge edge;
      HirEdgeLink link;

      g_assert_true (hir_trace_get_edge (trace, i, &edge, &link));
      g_assert_cmpuint (link.from_track, ==, i);
      g_assert_cmpuint (link.to_track, ==, i);
      g_assert_cmpuint (link.from_index, ==, 1);
      g_assert_cmpuint (link.to_index, ==, 4);
    }
  /* The records of both ranks match. */
  g_assert_cmpuint (hir_trace_get_n_comm_records (trace), ==, 2);
  g_assert_cmpuint (hir_trace_get_comm_record (trace, 0)->key, ==,
                    hir_trace_get_comm_record (trace, 1)->key);
  g_assert_cmpstr (hir_trace_get_string (trace, hir_trace_get_comm_record (trace, 1)->op), ==,
                   "allreduce");
  /* The values of both ranks. */
  g_assert_cmpuint (hir_trace_get_n_values (trace), ==, 2);
  for (int rank = 0; rank < 2; rank++)
    {
      GBytes *value = hir_trace_lookup_value (trace, 77, rank);
      const char *const *names = rank == 0 ? here : far;

      g_assert_nonnull (value);
      g_assert_cmpmem (g_bytes_get_data (value, NULL), g_bytes_get_size (value), names[0],
                       strlen (names[0]));
    }
}

/* Tests that malformed data of another process is rejected. */
static void
test_damaged (void)
{
  HirRecorder *recorder = hir_recorder_new ();
  g_autoptr (GVariant) wrong = g_variant_ref_sink (g_variant_new ("(as)", NULL));
  HirRecorderSink sink;
  HirEventPack *pack = hir_event_pack_new (&sink);
  g_autoptr (GVariant) names = g_variant_ref_sink (hir_event_pack_dup_names (pack));
  HirEvent event = { .track = 9, .name = 3 };
  g_autoptr (GBytes) far = g_bytes_new (&event, sizeof event);
  g_autoptr (GBytes) cut = g_bytes_new (&event, sizeof event - 1);
  HirClockFit fit = { .same_clock = TRUE };
  g_autoptr (GError) error = NULL;
  HirEventMerge *merge;

  g_assert_null (hir_event_merge_new (recorder, wrong, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
  g_clear_error (&error);
  merge = hir_event_merge_new (recorder, names, &error);
  g_assert_false (hir_event_merge_add (merge, far, &fit, 0, 0, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
  g_clear_error (&error);
  g_assert_false (hir_event_merge_add (merge, cut, &fit, 0, 0, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
  hir_event_merge_free (merge);
  hir_event_pack_free (pack);
  hir_recorder_free (recorder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/event-pack/merge", test_merge);
  g_test_add_func ("/event-pack/damaged", test_damaged);
  return g_test_run ();
}
