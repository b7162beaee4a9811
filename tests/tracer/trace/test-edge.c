#include "record/trace-sink.h"
#include "trace/edge.h"
#include "trace/recording/recording.h"

#include "test-folder.h"

static guint16
add_track (HirRecorder *recorder, gint64 stream)
{
  HirTrack track = { HIR_TRACK_STREAM, 0, 0, stream, (char *) "Stream" };

  return (guint16) hir_recorder_add_track (recorder, &track);
}

static void
add_event (HirRecorder *recorder, guint16 track, gint64 start_ns, guint32 correlation)
{
  HirEvent event = { .start_ns = start_ns,
                     .end_ns = start_ns + 10,
                     .track = track,
                     .correlation = correlation,
                     .iteration = -1 };

  hir_recorder_add (recorder, &event);
}

/* Adds two kernels of one launch, work that waits for them, and an edge to a missing event. */
static void
fill (HirRecorder *recorder)
{
  guint16 a = add_track (recorder, 0), b = add_track (recorder, 1);
  HirEdge edge = { 1, 2, a, b }, missing = { 1, 99, a, b };

  hir_recorder_add_edge (recorder, &edge);
  add_event (recorder, b, 40, 2);
  add_event (recorder, b, 60, 2);
  add_event (recorder, a, 0, 1);
  add_event (recorder, a, 20, 1);
  add_event (recorder, a, 30, 3);
  hir_recorder_add_edge (recorder, &missing);
}

static void
check_trace (const HirTrace *trace)
{
  HirEdge edge;
  HirEdgeLink link;
  g_autoptr (GArray) of_last = NULL;
  g_autoptr (GArray) of_first = NULL;
  g_autoptr (GArray) of_target = NULL;

  g_assert_cmpuint (hir_trace_get_n_edges (trace), ==, 2);
  g_assert_true (hir_trace_get_edge (trace, 0, &edge, &link));
  g_assert_cmpuint (link.from_track, ==, 0);
  g_assert_cmpuint (link.from_index, ==, 1); /* the last kernel of the launch */
  g_assert_cmpuint (link.to_track, ==, 1);
  g_assert_cmpuint (link.to_index, ==, 0); /* the first kernel */
  g_assert_false (hir_trace_get_edge (trace, 1, &edge, &link));
  g_assert_cmpuint (edge.to_correlation, ==, 99);
  of_first = hir_trace_dup_edge_links (trace, 0, 0, 10);
  g_assert_cmpuint (of_first->len, ==, 0);
  of_last = hir_trace_dup_edge_links (trace, 0, 1, 10);
  g_assert_cmpuint (of_last->len, ==, 1);
  of_target = hir_trace_dup_edge_links (trace, 1, 0, 10);
  g_assert_cmpuint (of_target->len, ==, 1);
  g_assert_cmpuint (g_array_index (of_target, HirEdgeLink, 0).from_index, ==, 1);
}

static void
test_in_memory (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirRecorder *recorder = hir_recorder_new ();
  HirRecorderSink sink;
  HirTraceSink *trace_sink = hir_trace_sink_new (builder, &sink);
  g_autoptr (HirTrace) trace = NULL;

  hir_recorder_add_sink (recorder, &sink);
  fill (recorder);
  hir_recorder_free (recorder);
  hir_trace_sink_free (trace_sink);
  trace = hir_trace_builder_finish (builder);
  g_assert_nonnull (trace);
  check_trace (trace);
}

static void
test_in_file (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "x.hirs", NULL);
  g_autofree char *copy_path = g_build_filename (folder, "copy.hirs", NULL);
  GError *error = NULL;
  HirRecordingWriter *writer = hir_recording_writer_new (path, &error);
  HirRecorder *recorder = hir_recorder_new ();
  HirRecorderSink sink;
  g_autoptr (HirRecording) recording = NULL;
  g_autoptr (HirRecording) copy = NULL;

  g_assert_no_error (error);
  hir_recording_writer_init_sink (writer, &sink);
  hir_recorder_add_sink (recorder, &sink);
  fill (recorder);
  hir_recorder_free (recorder);
  g_assert_true (hir_recording_writer_close (writer, &error));
  g_assert_no_error (error);
  hir_recording_writer_free (writer);
  recording = hir_recording_open (path, &error);
  g_assert_no_error (error);
  check_trace (recording->trace);

  writer = hir_recording_writer_new (copy_path, &error);
  g_assert_true (hir_recording_writer_add_trace (writer, recording->trace, NULL, &error));
  g_assert_true (hir_recording_writer_close (writer, &error));
  hir_recording_writer_free (writer);
  copy = hir_recording_open (copy_path, &error);
  g_assert_no_error (error);
  check_trace (copy->trace);
  test_folder_remove (folder);
}

static void
test_rejected (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirEdge edge = { 1, 2, 0, 7 };
  g_autoptr (HirTrace) trace = NULL;

  hir_trace_builder_add_edge (builder, &edge);
  trace = hir_trace_builder_finish (builder);
  g_assert_cmpuint (hir_trace_get_n_edges (trace), ==, 0);
  g_assert_cmpstr (hir_trace_get_account (trace)[0], ==,
                   "1 wait left out: there are too many, or it is on no track");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/edge/in-memory", test_in_memory);
  g_test_add_func ("/edge/in-file", test_in_file);
  g_test_add_func ("/edge/rejected", test_rejected);
  return g_test_run ();
}
