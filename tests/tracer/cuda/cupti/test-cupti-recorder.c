/* Tests the CUPTI recorder with the fake driver and the fake CUPTI. Each case runs in its own
 * process. */
#include "cuda/cupti/cupti-recorder.h"
#include "record/clock.h"
#include "record/trace-sink.h"
#include "trace/edge.h"

#include <string.h>

typedef struct
{
  HirCudaLibs *libs;
  HirRecorder *recorder;
  HirTraceBuilder *builder;
  HirTraceSink *sink;
  HirCuptiRecorder *cupti;
  const HirLaunchTracer *tracer;
  HirCuContext context;
  HirCuStream streams[2];
  guint16 tracks[2];
  HirCuModule module;
  HirCuFunction function;
  HirCuAddress memory;
  HirTrace *trace;
  HirCuptiSummary summary;
  char **account;
} Rig;

static void
begin (Rig *rig, HirCuptiLevel level)
{
  GError *error = NULL;
  HirRecorderSink sink;
  gint64 zero_ns = hir_clock_now_ns ();

  *rig = (Rig){ .libs = hir_cuda_libs_new (), .recorder = hir_recorder_new () };
  rig->builder = hir_trace_builder_new ();
  rig->sink = hir_trace_sink_new (rig->builder, &sink);
  hir_recorder_add_sink (rig->recorder, &sink);
  g_assert_true (hir_cuda_libs_open (rig->libs, HIR_LIB_CUDA, &error));
  g_assert_no_error (error);
  rig->cupti = hir_cupti_recorder_new (rig->libs, rig->recorder, level, &error);
  g_assert_no_error (error);
  hir_cupti_recorder_set_zero (rig->cupti, zero_ns);
  rig->tracer = hir_cupti_recorder_get_tracer ();
  g_assert_cmpuint (rig->libs->cuda.primary_ctx_retain (&rig->context, 0), ==, 0);
  rig->libs->cuda.ctx_set_current (rig->context);
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *name = NULL;
      HirTrack track = { HIR_TRACK_STREAM, 0, 0, i, NULL };

      rig->libs->cuda.stream_create_with_priority (&rig->streams[i], 1, 0);
      name = rig->tracer->dup_stream_name (rig->cupti, 0, rig->context, rig->streams[i]);
      track.name = name;
      rig->tracks[i] = (guint16) hir_recorder_add_track (rig->recorder, &track);
      rig->tracer->set_stream_track (rig->cupti, rig->context, rig->streams[i], rig->tracks[i], 0);
    }
  rig->libs->cuda.module_load_data (&rig->module, "");
  rig->libs->cuda.module_get_function (&rig->function, rig->module, "T5_matmul");
  g_assert_cmpuint (rig->libs->cuda.mem_alloc (&rig->memory, 4096), ==, 0);
}

static void
end (Rig *rig)
{
  rig->libs->cuda.ctx_synchronize ();
  hir_cupti_recorder_finish (rig->cupti);
  hir_cupti_recorder_get_summary (rig->cupti, &rig->summary);
  rig->account = hir_cupti_recorder_dup_account (rig->cupti);
  hir_cupti_recorder_free (rig->cupti);
  hir_recorder_free (rig->recorder);
  hir_trace_sink_free (rig->sink);
  rig->trace = hir_trace_builder_finish (rig->builder);
}

static void
clear (Rig *rig)
{
  rig->libs->cuda.mem_free (rig->memory);
  rig->libs->cuda.module_unload (rig->module);
  g_strfreev (rig->account);
  hir_trace_unref (rig->trace);
  hir_cuda_libs_free (rig->libs);
}

static HirEvent
make_event (Rig *rig, const char *label, guint8 kind, guint stream, guint32 correlation)
{
  return (HirEvent){ .kind = kind,
                     .instruction = 0xabcd0000 + correlation,
                     .iteration = (gint32) correlation,
                     .correlation = correlation,
                     .track = rig->tracks[stream],
                     .bytes = 100,
                     .flops = 1000,
                     .name = hir_recorder_intern (rig->recorder, label) };
}

static void
launch (Rig *rig, const HirEvent *event, guint stream)
{
  rig->tracer->push (rig->cupti, event);
  g_assert_cmpuint (rig->libs->cuda.launch_kernel (rig->function, 1, 1, 1, 1, 1, 1, 0,
                                                   rig->streams[stream], NULL, NULL),
                    ==, 0);
  rig->tracer->pop (rig->cupti);
}

/* Returns the event of @instruction with @kind. Fails the test if there is none. */
static HirEvent
find (Rig *rig, guint64 instruction, guint8 kind)
{
  guint track = 0, index = HIR_NO_EVENT;
  HirEvent event;

  while (hir_trace_next_of_instruction (rig->trace, instruction, &track, &index))
    {
      hir_trace_get_event (rig->trace, track, index, &event);
      event.track = (guint16) track;
      if (event.kind == kind)
        return event;
    }
  g_error ("no event of kind %d of %" G_GINT64_MODIFIER "x", kind, instruction);
}

static guint
count_kind (Rig *rig, guint8 kind, guint8 phase)
{
  guint n = 0;

  for (guint t = 0; t < hir_trace_get_n_tracks (rig->trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (rig->trace, t); i++)
      {
        HirEvent event;

        hir_trace_get_event (rig->trace, t, i, &event);
        n += event.kind == kind && event.phase == phase;
      }
  return n;
}

static void
run_launches (void)
{
  Rig rig;
  HirEvent own, library, gather, fill, split;

  begin (&rig, HIR_CUPTI_LEVEL_KERNELS);
  own = make_event (&rig, "T5_matmul", HIR_EVENT_KERNEL, 0, 1);
  library = make_event (&rig, "T6_matmul", HIR_EVENT_KERNEL, 1, 2);
  gather = make_event (&rig, "Allgather T4", HIR_EVENT_COMMUNICATION, 1, 3);
  fill = make_event (&rig, "poison", HIR_EVENT_MEMSET, 0, 4);
  split = make_event (&rig, "T7_matmul", HIR_EVENT_KERNEL, 0, 5);
  launch (&rig, &own, 0);
  launch (&rig, &library, 1);
  launch (&rig, &library, 1); /* a second kernel, whose bytes do not count again */
  rig.tracer->push (rig.cupti, &gather);
  rig.libs->cuda.memcpy_htod (rig.memory, "NCCL does",
                              8); /* internal copy, not part of the gathered data */
  rig.libs->cuda.memcpy_peer_async (rig.memory, rig.context, rig.memory + 8, rig.context, 8,
                                    rig.streams[1]);
  rig.tracer->pop (rig.cupti);
  rig.tracer->push (rig.cupti, &split); /* cuBLAS clears the output of a kernel that adds to it */
  rig.libs->cuda.memset_d8_async (rig.memory, 0, 16, rig.streams[0]);
  rig.libs->cuda.launch_kernel (rig.function, 1, 1, 1, 1, 1, 1, 0, rig.streams[0], NULL, NULL);
  rig.tracer->pop (rig.cupti);
  rig.tracer->push (rig.cupti, &fill);
  rig.libs->cuda.memset_d8_async (rig.memory, 1, 64, rig.streams[0]);
  rig.tracer->pop (rig.cupti);
  rig.libs->cuda.memcpy_async (rig.memory, rig.memory + 64, 32,
                               rig.streams[0]); /* belongs to no launch */
  end (&rig);

  g_assert_cmpuint (hir_trace_get_n_events (rig.trace), ==, 9);
  own = find (&rig, own.instruction, HIR_EVENT_KERNEL);
  g_assert_cmpint (own.iteration, ==, 1);
  g_assert_cmpuint (own.track, ==, 0);
  g_assert_cmpint (own.bytes, ==, 100);
  g_assert_cmpint (own.flops, ==, 1000);
  g_assert_cmpint (own.start_ns, >, 0);
  g_assert_cmpint (own.end_ns, <, G_GINT64_CONSTANT (60000000000));
  g_assert_cmpstr (hir_trace_get_string (rig.trace, own.name), ==, "T5_matmul");
  library = find (&rig, library.instruction, HIR_EVENT_KERNEL);
  g_assert_cmpstr (hir_trace_get_string (rig.trace, library.name), ==, "T6_matmul (T5_matmul)");
  gather = find (&rig, gather.instruction, HIR_EVENT_COMMUNICATION);
  g_assert_cmpint (gather.bytes, ==, 8);
  g_assert_cmpstr (hir_trace_get_string (rig.trace, gather.name), ==,
                   "Allgather T4 (copy between devices)");
  g_assert_cmpint (find (&rig, split.instruction, HIR_EVENT_KERNEL).bytes, ==, 100);
  split = find (&rig, split.instruction, HIR_EVENT_MEMSET);
  g_assert_cmpstr (hir_trace_get_string (rig.trace, split.name), ==, "T7_matmul (memset)");
  fill = find (&rig, fill.instruction, HIR_EVENT_MEMSET);
  g_assert_cmpint (fill.bytes, ==, 64);
  g_assert_cmpuint (count_kind (&rig, HIR_EVENT_MEMCPY, HIR_PHASE_SETUP), ==, 1);
  g_assert_cmpuint (count_kind (&rig, HIR_EVENT_MEMCPY, HIR_PHASE_PROGRAM), ==, 1);
  g_assert_cmpuint (count_kind (&rig, HIR_EVENT_COMMUNICATION, HIR_PHASE_PROGRAM), ==, 1);
  g_assert_cmpuint (rig.summary.events.n_device, ==, 9);
  g_assert_cmpuint (rig.summary.events.n_unowned, ==, 1);
  g_assert_cmpuint (rig.summary.events.n_launches, ==, 6);
  g_assert_cmpuint (rig.summary.events.n_silent, ==, 0);
  g_assert_cmpuint (g_strv_length (rig.account), ==, 0);
  g_assert_true (g_str_has_prefix (hir_trace_get_track (rig.trace, 0)->name, "GPU 0, stream "));
  clear (&rig);
}

static void
run_full (void)
{
  Rig rig;
  HirEvent a, b, wait;
  HirCuEvent event;
  HirEdge edge;
  HirEdgeLink link;

  begin (&rig, HIR_CUPTI_LEVEL_FULL);
  a = make_event (&rig, "T5_matmul", HIR_EVENT_KERNEL, 0, 1);
  wait = make_event (&rig, "Synchronize Stream 0", HIR_EVENT_SYNC, 1, 2);
  b = make_event (&rig, "T5_matmul", HIR_EVENT_KERNEL, 1, 3);
  launch (&rig, &a, 0);
  rig.libs->cuda.event_create (&event, 2);
  rig.libs->cuda.event_record (event, rig.streams[0]);
  rig.tracer->push (rig.cupti, &wait);
  rig.libs->cuda.stream_wait_event (rig.streams[1], event, 0);
  rig.tracer->pop (rig.cupti);
  launch (&rig, &b, 1);
  rig.libs->cuda.ctx_synchronize ();
  rig.libs->cuda.event_destroy (event);
  end (&rig);

  /* Host calls: two launches, an event record, a wait and two synchronizations. */
  g_assert_cmpuint (count_kind (&rig, HIR_EVENT_HOST, HIR_PHASE_PROGRAM), ==, 3);
  g_assert_cmpuint (count_kind (&rig, HIR_EVENT_HOST, HIR_PHASE_SETUP), ==, 3);
  a = find (&rig, a.instruction, HIR_EVENT_HOST);
  g_assert_cmpstr (hir_trace_get_string (rig.trace, a.name), ==, "cuLaunchKernel");
  g_assert_cmpint (hir_trace_get_track (rig.trace, a.track)->kind, ==, HIR_TRACK_HOST);
  g_assert_cmpuint (a.correlation, ==, find (&rig, a.instruction, HIR_EVENT_KERNEL).correlation);
  g_assert_cmpuint (hir_trace_get_n_edges (rig.trace), ==, 1);
  g_assert_true (hir_trace_get_edge (rig.trace, 0, &edge, &link));
  g_assert_cmpuint (edge.from_correlation, ==, 1);
  g_assert_cmpuint (link.from_track, ==, rig.tracks[0]);
  g_assert_cmpuint (link.to_track, ==, rig.tracks[1]);
  g_assert_cmpuint (g_strv_length (rig.account), ==, 0);
  clear (&rig);
}

/* Loses records and times. Checks the account. */
static void
run_lost (void)
{
  Rig rig;
  HirEvent event;

  begin (&rig, HIR_CUPTI_LEVEL_KERNELS);
  for (guint i = 0; i < 9; i++)
    {
      event = make_event (&rig, "T5_matmul", HIR_EVENT_KERNEL, 0, i + 1);
      launch (&rig, &event, 0);
    }
  event = make_event (&rig, "Allgather T4", HIR_EVENT_COMMUNICATION, 1, 99);
  rig.tracer->push (rig.cupti, &event);
  rig.tracer->pop (rig.cupti);
  end (&rig);
  g_assert_cmpuint (rig.summary.n_dropped, ==, 5);
  g_assert_cmpuint (rig.summary.decoded.n_untimed, ==, 3);
  g_assert_cmpuint (hir_trace_get_n_events (rig.trace), ==, 6);
  g_assert_cmpuint (rig.summary.events.n_silent, ==, 4);
  g_assert_true (g_strv_contains ((const char *const *) rig.account,
                                  "5 records of the GPU were dropped by CUPTI"));
  g_assert_true (g_strv_contains ((const char *const *) rig.account,
                                  "3 records of the GPU have no time and are left out"));
  g_assert_true (g_strv_contains ((const char *const *) rig.account,
                                  "1 launches of Allgather T4 gave no event on the device"));
  g_assert_true (g_strv_contains ((const char *const *) rig.account,
                                  "3 launches of T5_matmul gave no event on the device"));
  clear (&rig);
}

typedef struct
{
  Rig *rig;
  guint stream;
} Launcher;

static gpointer
launch_many (gpointer data)
{
  Launcher *launcher = data;
  Rig *rig = launcher->rig;

  rig->libs->cuda.ctx_set_current (rig->context);
  for (guint i = 0; i < 20000; i++)
    {
      HirEvent event = make_event (rig, "T5_matmul", HIR_EVENT_KERNEL, launcher->stream,
                                   1 + launcher->stream * 20000 + i);

      launch (rig, &event, launcher->stream);
    }
  return NULL;
}

/* Fills many buffers from several threads while they are decoded. */
static void
run_many (void)
{
  Rig rig;
  GThread *threads[2];
  Launcher launchers[2];

  begin (&rig, HIR_CUPTI_LEVEL_FULL);
  for (guint t = 0; t < 2; t++)
    {
      launchers[t] = (Launcher){ &rig, t };
      threads[t] = g_thread_new ("rank", launch_many, &launchers[t]);
    }
  for (guint t = 0; t < 2; t++)
    g_thread_join (threads[t]);
  end (&rig);
  g_assert_cmpuint (rig.summary.events.n_device, ==, 40000);
  g_assert_cmpuint (rig.summary.events.n_unowned, ==, 0);
  g_assert_cmpuint (rig.summary.events.n_silent, ==, 0);
  g_assert_cmpuint (g_strv_length (rig.account), ==, 0);
  for (guint t = 0; t < 2; t++)
    {
      g_assert_cmpuint (hir_trace_get_track_n_events (rig.trace, rig.tracks[t]), ==, 20000);
      for (guint i = 0; i < 20000; i++)
        {
          HirEvent event;

          hir_trace_get_event (rig.trace, rig.tracks[t], i, &event);
          g_assert_cmpuint (event.instruction, ==, 0xabcd0000 + 1 + t * 20000 + i);
        }
    }
  clear (&rig);
}

static void
run_refused (void)
{
  g_autoptr (HirCudaLibs) libs = hir_cuda_libs_new ();
  HirRecorder *recorder = hir_recorder_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (hir_cuda_libs_open (libs, HIR_LIB_CUDA, NULL));
  g_assert_null (hir_cupti_recorder_new (libs, recorder, HIR_CUPTI_LEVEL_FULL, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_UNSUPPORTED);
  g_printerr ("%s\n", error->message);
  hir_recorder_free (recorder);
}

static void
run_child (const char *name, const char *key, const char *value)
{
  g_autofree char *path = g_strdup_printf ("/cupti-recorder/%s/subprocess", name);

  if (key != NULL)
    g_setenv (key, value, TRUE);
  g_test_trap_subprocess (path, 0, 0);
  if (key != NULL)
    g_unsetenv (key);
}

/* Runs case @name with the record layouts of CUDA 12.6 and 13. */
static void
run_versions (const char *name)
{
  run_child (name, "FAKE_CUPTI_VERSION", "24");
  g_test_trap_assert_passed ();
  run_child (name, "FAKE_CUPTI_VERSION", "26");
  g_test_trap_assert_passed ();
  run_child (name, NULL, NULL);
  g_test_trap_assert_passed ();
}

static void
test_launches (void)
{
  run_versions ("launches");
}

static void
test_full (void)
{
  run_versions ("full");
  g_setenv ("FAKE_CUDA_QUEUED", "1", TRUE);
  run_versions ("full");
  g_unsetenv ("FAKE_CUDA_QUEUED");
}

static void
test_lost (void)
{
  g_setenv ("FAKE_CUPTI_DROP", "5", TRUE);
  run_child ("lost", "FAKE_CUPTI_UNTIMED", "3");
  g_unsetenv ("FAKE_CUPTI_DROP");
  g_test_trap_assert_passed ();
}

static void
test_many (void)
{
  g_setenv ("FAKE_CUDA_QUEUED", "1", TRUE);
  run_child ("many", NULL, NULL);
  g_unsetenv ("FAKE_CUDA_QUEUED");
  g_test_trap_assert_passed ();
}

static void
test_refused (void)
{
  run_child ("refused", "FAKE_CUPTI_FAIL", "39");
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*another tool*traces this process already*");
  run_child ("refused", "FAKE_CUPTI_FAIL", "35");
  g_test_trap_assert_stderr ("*may not trace GPUs*");
  run_child ("refused", "FAKE_CUPTI_CLOCK_OFF", "50000");
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*CUPTI's clock is * ns off ours*");
}

/* A reading that takes longer than the clock error must not hide the error. */
static void
test_refused_when_slow (void)
{
  g_setenv ("FAKE_CUPTI_CLOCK_SLOW", "1", TRUE);
  run_child ("refused", "FAKE_CUPTI_CLOCK_OFF", "50000");
  g_unsetenv ("FAKE_CUPTI_CLOCK_SLOW");
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*CUPTI's clock is * ns off ours*");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cupti-recorder/launches", test_launches);
  g_test_add_func ("/cupti-recorder/launches/subprocess", run_launches);
  g_test_add_func ("/cupti-recorder/full", test_full);
  g_test_add_func ("/cupti-recorder/full/subprocess", run_full);
  g_test_add_func ("/cupti-recorder/lost", test_lost);
  g_test_add_func ("/cupti-recorder/lost/subprocess", run_lost);
  g_test_add_func ("/cupti-recorder/many", test_many);
  g_test_add_func ("/cupti-recorder/many/subprocess", run_many);
  g_test_add_func ("/cupti-recorder/refused", test_refused);
  g_test_add_func ("/cupti-recorder/refused/subprocess", run_refused);
  g_test_add_func ("/cupti-recorder/refused-when-slow", test_refused_when_slow);
  return g_test_run ();
}
