/* Measures the host cost of a launch with our recorder: like overhead.c, but the recorder numbers
 * launches, decodes records and writes a recording during the measurement.
 *
 *   overhead-ours off|kernels|full SECONDS OUT.hirs
 *   overhead-ours pairs SECONDS OUT.hirs      see overhead-pairs.h
 */
#include "cuda/cupti/cupti-recorder.h"
#include "record/clock.h"
#include "trace/recording/recording.h"

#define OVERHEAD_OURS
#include "overhead-loop.h"

typedef struct
{
  HirRecorder *recorder;
  HirCuptiRecorder *cupti;
  const HirLaunchTracer *tracer;
  HirEvent event; /* the fields that a task of a program sets */
} Ours;

static void
launch (Loop *loop, unsigned i)
{
  Ours *ours = loop->data;

  if (loop->level > 0)
    {
      ours->event.correlation = i + 1;
      ours->event.iteration = (gint32) i;
      ours->tracer->push (ours->cupti, &ours->event);
    }
  loop->cu->launch_kernel (loop->function, 1, 1, 1, 1, 1, 1, 0, loop->streams[i % N_STREAMS], NULL,
                           NULL);
  if (loop->level > 0)
    ours->tracer->pop (ours->cupti);
}

static void
started (Loop *loop)
{
  Ours *ours = loop->data;

  for (guint i = 0; i < N_STREAMS && loop->level > 0; i++)
    {
      g_autofree char *name =
          ours->tracer->dup_stream_name (ours->cupti, 0, loop->context, loop->streams[i]);
      HirTrack track = { HIR_TRACK_STREAM, 0, 0, i, name };

      ours->tracer->set_stream_track (ours->cupti, loop->context, loop->streams[i],
                                      hir_recorder_add_track (ours->recorder, &track), 0);
    }
}

static HirRecordingWriter *
begin (Ours *ours, HirCudaLibs *libs, int level, const char *path)
{
  g_autoptr (GError) error = NULL;
  HirRecordingWriter *writer = hir_recording_writer_new (path, &error);
  HirRecorderSink sink;

  if (writer == NULL)
    g_error ("%s", error->message);
  ours->recorder = hir_recorder_new ();
  hir_recording_writer_init_sink (writer, &sink);
  hir_recorder_add_sink (ours->recorder, &sink);
  ours->cupti =
      hir_cupti_recorder_new (libs, ours->recorder,
                              level == 2 ? HIR_CUPTI_LEVEL_FULL : HIR_CUPTI_LEVEL_KERNELS, &error);
  if (ours->cupti == NULL)
    g_error ("%s", error->message);
  hir_cupti_recorder_set_zero (ours->cupti, hir_clock_now_ns ());
  ours->tracer = hir_cupti_recorder_get_tracer ();
  ours->event.name = hir_recorder_intern (ours->recorder, "tiny");
  ours->event.instruction = 0x1234;
  return writer;
}

static void
finish (Ours *ours, HirRecordingWriter *writer, HirCuptiSummary *summary)
{
  g_auto (GStrv) account = NULL;

  hir_cupti_recorder_finish (ours->cupti);
  hir_cupti_recorder_get_summary (ours->cupti, summary);
  account = hir_cupti_recorder_dup_account (ours->cupti);
  for (guint i = 0; account[i] != NULL; i++)
    g_printerr ("%s\n", account[i]);
  hir_cupti_recorder_free (ours->cupti);
  hir_recorder_free (ours->recorder);
  hir_recording_writer_free (writer);
}

#include "overhead-pairs.h"

int
main (int argc, char *argv[])
{
  g_autoptr (HirCudaLibs) libs = hir_cuda_libs_new ();
  g_autoptr (GError) error = NULL;
  gboolean in_pairs = argc > 3 && strcmp (argv[1], "pairs") == 0;
  Ours ours = { .event = { .kind = HIR_EVENT_KERNEL } };
  Loop loop = { .level = loop_get_level (argc, argv), .launch = launch, .started = started };
  HirCuptiSummary summary = { 0 };
  HirRecordingWriter *writer = NULL;

  if (!hir_cuda_libs_open (libs, HIR_LIB_CUDA, &error))
    {
      g_printerr ("%s\n", error->message);
      return 2;
    }
  loop.cu = &libs->cuda;
  loop.data = &ours;
  if (in_pairs)
    return run_pairs (&loop, &ours, libs, g_ascii_strtod (argv[2], NULL), argv[3]);
  if (loop.level > 0)
    writer = begin (&ours, libs, loop.level, argc > 3 ? argv[3] : "overhead.hirs");
  loop_run (&loop, g_ascii_strtod (argv[2], NULL));
  if (loop.level > 0)
    finish (&ours, writer, &summary);
  loop_print (&loop, "ours", summary.decoded.n_records, summary.n_dropped,
              summary.events.n_device - summary.events.n_unowned);
  return 0;
}
