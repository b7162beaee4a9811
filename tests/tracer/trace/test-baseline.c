#include "record/trace-sink.h"
#include "trace/baseline.h"
#include "trace/recording/recording.h"

#include "test-folder.h"

#define KERNEL 7
#define GATHER 8

static guint
add_track (HirTraceBuilder *builder, int rank, const char *name)
{
  const HirTrack track = { HIR_TRACK_STREAM, rank, rank, 0, (char *) name };

  return hir_trace_builder_add_track (builder, &track);
}

static void
add (HirTraceBuilder *builder,
     guint track,
     HirEventKind kind,
     guint64 instruction,
     gint64 start_ns,
     gint64 end_ns)
{
  const HirEvent event = { .start_ns = start_ns,
                           .end_ns = end_ns,
                           .instruction = instruction,
                           .name = hir_trace_builder_intern (builder, "work"),
                           .iteration = 3,
                           .track = (guint16) track,
                           .kind = (guint8) kind,
                           .phase = HIR_PHASE_BASELINE };

  hir_trace_builder_add_sample (builder, &event);
}

static guint32
find_name (const HirTrace *trace)
{
  for (guint32 i = 0; i < hir_trace_get_n_strings (trace); i++)
    if (g_str_equal (hir_trace_get_string (trace, i), "work"))
      return i;
  g_assert_not_reached ();
}

static gint64
get_ns (const HirTrace *trace, guint64 instruction, int rank)
{
  return hir_trace_lookup_baseline_ns (trace, instruction, 3, find_name (trace), rank);
}

static void
test_median (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  guint track = add_track (builder, 0, "a");
  g_autoptr (HirTrace) trace = NULL;

  add (builder, track, HIR_EVENT_KERNEL, KERNEL, 5000, 5090);
  add (builder, track, HIR_EVENT_KERNEL, KERNEL, 0, 10);
  add (builder, track, HIR_EVENT_KERNEL, KERNEL, 1000, 1050);
  add (builder, track, HIR_EVENT_SYNC, KERNEL, 2000, 9000); /* no work */
  add (builder, track, HIR_EVENT_KERNEL, 0, 0, 9000);       /* no instruction */
  add (builder, 99, HIR_EVENT_KERNEL, KERNEL, 0, 9000);     /* no track */
  trace = hir_trace_builder_finish (builder);
  g_assert_cmpuint (hir_trace_get_n_events (trace), ==, 0);
  g_assert_cmpuint (hir_trace_get_n_baselines (trace), ==, 1);
  g_assert_cmpint (get_ns (trace, KERNEL, 0), ==, 50);
  g_assert_cmpint (get_ns (trace, KERNEL, 1), ==, -1);
  g_assert_cmpint (get_ns (trace, GATHER, 0), ==, -1);
}

/* Samples beside other work of their GPU do not count. */
static void
test_beside (void)
{
  for (int share = 0; share < 2; share++)
    {
      HirTraceBuilder *builder = hir_trace_builder_new ();
      guint a = add_track (builder, 0, "GPU 0, stream 1"), b = add_track (builder, 0, "GPU 0, x");
      guint other = add_track (builder, 1, "GPU 0, stream 2");
      g_autoptr (HirTrace) trace = NULL;

      if (share)
        hir_trace_builder_set_meta (builder, "run", "{'share-gpus': <true>}");
      add (builder, a, HIR_EVENT_KERNEL, KERNEL, 0, 100);
      add (builder, a, HIR_EVENT_KERNEL, KERNEL, 1000, 1300);
      add (builder, b, HIR_EVENT_KERNEL, GATHER, 1250, 1500); /* of the same rank */
      add (builder, a, HIR_EVENT_KERNEL, KERNEL, 2000, 2300);
      add (builder, a, HIR_EVENT_MEMSET, KERNEL, 2290, 2310);   /* of the same instruction */
      add (builder, other, HIR_EVENT_KERNEL, GATHER, 50, 2250); /* of the other rank */
      trace = hir_trace_builder_finish (builder);
      g_assert_cmpint (get_ns (trace, KERNEL, 0), ==, share ? 20 : 100);
      g_assert_cmpint (get_ns (trace, GATHER, 0), ==, -1);
      g_assert_cmpint (get_ns (trace, GATHER, 1), ==, share ? -1 : 2200);
    }
}

/* A communication takes its time from the start of its last member. */
static void
test_communication (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  guint tracks[] = { add_track (builder, 0, "a"), add_track (builder, 1, "b") };
  g_autoptr (HirTrace) trace = NULL;

  for (gint64 i = 0; i < 3; i++)
    {
      add (builder, tracks[i % 2], HIR_EVENT_COMMUNICATION, GATHER, i * 1000, i * 1000 + 700);
      add (builder, tracks[1 - i % 2], HIR_EVENT_COMMUNICATION, GATHER, i * 1000 + 600,
           i * 1000 + 710);
    }
  /* Only one rank records this one. */
  add (builder, tracks[0], HIR_EVENT_COMMUNICATION, KERNEL, 9000, 9500);
  trace = hir_trace_builder_finish (builder);
  g_assert_cmpint (get_ns (trace, GATHER, 0), ==, 100);
  g_assert_cmpint (get_ns (trace, GATHER, 1), ==, 110);
  g_assert_cmpint (get_ns (trace, KERNEL, 0), ==, 500);
}

static HirTrace *
read_copy (const char *path, const HirTrace *trace)
{
  GError *error = NULL;
  HirRecordingWriter *writer = hir_recording_writer_new (path, &error);
  g_autoptr (HirRecording) recording = NULL;

  g_assert_no_error (error);
  g_assert_true (hir_recording_writer_add_trace (writer, trace, NULL, &error));
  g_assert_true (hir_recording_writer_close (writer, &error));
  hir_recording_writer_free (writer);
  recording = hir_recording_open (path, &error);
  g_assert_no_error (error);
  return hir_trace_ref (recording->trace);
}

/* Recording, reading, and writing again keep the times. */
static void
test_file (void)
{
  g_autofree char *folder = test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "a.hirs", NULL);
  g_autofree char *copy_path = g_build_filename (folder, "b.hirs", NULL);
  GError *error = NULL;
  HirRecordingWriter *writer = hir_recording_writer_new (path, &error);
  HirRecorder *recorder = hir_recorder_new ();
  const HirTrack track = { HIR_TRACK_STREAM, 2, 2, 0, (char *) "Stream" };
  HirEvent event = { .iteration = 3, .instruction = KERNEL, .phase = HIR_PHASE_BASELINE };
  HirRecorderSink sink;
  g_autoptr (HirRecording) recording = NULL;
  g_autoptr (HirTrace) copy = NULL;

  hir_recording_writer_init_sink (writer, &sink);
  hir_recorder_add_sink (recorder, &sink);
  hir_recorder_add_track (recorder, &track);
  event.name = hir_recorder_intern (recorder, "work");
  for (gint64 i = 0; i < 5; i++)
    {
      event.start_ns = i * 1000;
      event.end_ns = event.start_ns + 10 * (i + 1);
      hir_recorder_add (recorder, &event);
    }
  hir_recorder_free (recorder);
  g_assert_cmpuint (hir_recording_writer_get_n_events (writer), ==, 5);
  g_assert_true (hir_recording_writer_close (writer, &error));
  g_assert_no_error (error);
  hir_recording_writer_free (writer);
  recording = hir_recording_open (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hir_trace_get_n_events (recording->trace), ==, 0);
  g_assert_cmpint (get_ns (recording->trace, KERNEL, 2), ==, 30);
  copy = read_copy (copy_path, recording->trace);
  g_assert_cmpuint (hir_trace_get_n_baselines (copy), ==, 1);
  g_assert_cmpint (get_ns (copy, KERNEL, 2), ==, 30);
  test_folder_remove (folder);
}

/* Two traces that are loaded together keep the times of both. */
static void
test_absorb (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new (), *part = hir_trace_builder_new ();
  HirBaseline baseline = { KERNEL, 40, 0, 3, 5 };
  g_autoptr (HirTrace) trace = NULL;

  hir_trace_builder_intern (builder, "other");
  add_track (builder, 0, "a");
  add (builder, 0, HIR_EVENT_KERNEL, KERNEL, 0, 10);
  baseline.name = hir_trace_builder_intern (part, "work");
  hir_trace_builder_add_baseline (part, &baseline);
  add (part, add_track (part, 1, "b"), HIR_EVENT_KERNEL, KERNEL, 0, 20);
  baseline.duration_ns = -1;
  hir_trace_builder_add_baseline (part, &baseline);
  g_assert_true (hir_trace_builder_absorb (builder, part, 1000, NULL));
  trace = hir_trace_builder_finish (builder);
  g_assert_cmpint (get_ns (trace, KERNEL, 0), ==, 10);
  g_assert_cmpint (get_ns (trace, KERNEL, 1), ==, 20);
  g_assert_cmpint (get_ns (trace, KERNEL, 5), ==, 40);
  g_assert_cmpstr (hir_trace_get_account (trace)[0], ==,
                   "1 time alone left out: there are too many, or it is negative");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/baseline/median", test_median);
  g_test_add_func ("/baseline/beside", test_beside);
  g_test_add_func ("/baseline/communication", test_communication);
  g_test_add_func ("/baseline/file", test_file);
  g_test_add_func ("/baseline/absorb", test_absorb);
  return g_test_run ();
}
