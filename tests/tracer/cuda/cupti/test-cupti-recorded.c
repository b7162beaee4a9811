/* Tests decoder and correlator with buffers that CUPTI of CUDA 13.0 filled on an H100
 * (tests/gpu/dump-buffers.c). Each of eight iterations has a kernel and a copy on one stream, then
 * a wait, a fill and a kernel on another stream. */
#include "cuda/cupti/cupti-correlate.h"
#include "fake-cupti-walk.h"
#include "record/trace-sink.h"
#include "trace/edge.h"

#include <string.h>

#define N_ROUNDS 8

typedef struct
{
  char *bytes;
  guint32 version;
  HirTrace *trace;
  HirCuptiDecodeCounts decoded;
  HirCuptiCounts counts;
} Recorded;

static HirCuptiResult
walk (uint8_t *bytes, size_t valid, HirCuptiActivity **record)
{
  return fake_cupti_walk (130001, bytes, valid, record);
}

/* Replaces the numbers that the file has instead of names by @name. Returns the time of the first
 * overhead record, which is the zero of the recording. */
static gint64
mend_names (guint8 *bytes, gsize valid, const char *name)
{
  HirCuptiActivity *record = NULL;
  gint64 first_ns = G_MAXINT64;

  while (walk (bytes, valid, &record) == HIR_CUPTI_SUCCESS)
    {
      HirCuptiKernel *kernel = (HirCuptiKernel *) record;

      if (record->kind == HIR_CUPTI_KIND_OVERHEAD)
        first_ns = MIN (first_ns, (gint64) ((HirCuptiOverhead *) record)->start);
      if (record->kind != HIR_CUPTI_KIND_CONCURRENT_KERNEL)
        continue;
      g_assert_cmpuint (GPOINTER_TO_SIZE (kernel->name), ==, 1);
      kernel->name = name;
    }
  return first_ns;
}

/* Adds the launches with the numbers of the recorded program. */
static void
add_launches (HirRecorder *recorder, HirCuptiLaunches *launches)
{
  static const guint8 kinds[] = { HIR_EVENT_KERNEL, HIR_EVENT_MEMCPY, HIR_EVENT_SYNC,
                                  HIR_EVENT_KERNEL };

  for (guint i = 0; i < 4 * N_ROUNDS; i++)
    {
      HirEvent event = { .kind = kinds[i % 4],
                         .instruction = 100 + i % 4,
                         .iteration = (gint32) i / 4,
                         .correlation = i + 1,
                         .track = i % 4 < 2 ? 0 : 1,
                         .name = hir_recorder_intern (recorder, "T5_matmul") };

      g_assert_cmpuint (hir_cupti_launches_add (launches, &event), ==, i + 1);
    }
}

static void
load (Recorded *recorded)
{
  g_autofree char *path =
      g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "tests/data/cupti/h100-cuda13.bin", NULL);
  HirCuptiApi api = { .get_next_record = walk };
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirRecorder *recorder = hir_recorder_new ();
  HirCuptiLaunches *launches = hir_cupti_launches_new ();
  HirCuptiCorrelator *correlator = hir_cupti_correlator_new (recorder, launches, TRUE);
  HirRecorderSink sink;
  HirTraceSink *trace_sink = hir_trace_sink_new (builder, &sink);
  g_autofree char *file = NULL;
  guint64 n_bytes;
  gsize size;

  g_assert_true (g_file_get_contents (path, &file, &size, NULL));
  g_assert_true (strncmp (file, "HIRCUPT1", 8) == 0);
  memcpy (&recorded->version, file + 8, sizeof recorded->version);
  memcpy (&n_bytes, file + 16, sizeof n_bytes);
  recorded->bytes = g_memdup2 (file + 24, n_bytes); /* a copy, because records must be aligned */
  hir_recorder_add_sink (recorder, &sink);
  for (guint i = 0; i < 2; i++)
    {
      HirTrack track = { HIR_TRACK_STREAM, 0, 0, i, (char *) "GPU 0" };

      hir_cupti_correlator_set_stream (correlator, 1, 13 + i,
                                       hir_recorder_add_track (recorder, &track), 0);
    }
  add_launches (recorder, launches);
  hir_cupti_correlator_set_zero (correlator, mend_names ((guint8 *) recorded->bytes, n_bytes,
                                                         file + 24 + n_bytes));
  hir_cupti_decode (&api, recorded->version, (guint8 *) recorded->bytes, n_bytes,
                    hir_cupti_correlator_take, correlator, &recorded->decoded);
  hir_cupti_correlator_end_buffer (correlator);
  hir_cupti_correlator_finish (correlator);
  hir_cupti_correlator_get_counts (correlator, &recorded->counts);
  hir_cupti_correlator_free (correlator);
  hir_cupti_launches_free (launches);
  hir_recorder_free (recorder);
  hir_trace_sink_free (trace_sink);
  recorded->trace = hir_trace_builder_finish (builder);
}

static void
check_events (const HirTrace *trace)
{
  guint n_of_kind[HIR_N_EVENT_KINDS] = { 0 };

  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
      {
        HirEvent event;

        hir_trace_get_event (trace, t, i, &event);
        n_of_kind[event.kind]++;
        g_assert_cmpint (event.start_ns, >=, 0);
        g_assert_cmpint (event.end_ns, <, G_GINT64_CONSTANT (5000000000));
        if (event.kind != HIR_EVENT_KERNEL)
          continue;
        g_assert_cmpstr (hir_trace_get_string (trace, event.name), ==, "T5_matmul");
        g_assert_cmpuint (event.instruction, ==, t == 0 ? 100 : 103);
        g_assert_cmpint (event.iteration, ==, (gint) (event.correlation - 1) / 4);
        g_assert_cmpint (event.end_ns - event.start_ns, <, 10000);
      }
  g_assert_cmpuint (n_of_kind[HIR_EVENT_KERNEL], ==, 2 * N_ROUNDS);
  g_assert_cmpuint (n_of_kind[HIR_EVENT_MEMCPY], ==, N_ROUNDS + 1);
  g_assert_cmpuint (n_of_kind[HIR_EVENT_MEMSET], ==, N_ROUNDS);
  g_assert_cmpuint (n_of_kind[HIR_EVENT_HOST], ==, 50 + 11);
  /* In the first iteration, the device reached the event before the host issued the wait. */
  g_assert_cmpuint (n_of_kind[HIR_EVENT_SYNC], ==, N_ROUNDS - 1);
}

/* Checks that an edge leads from the copy of each iteration to the wait, or to the fill if the wait
 * did not block. */
static void
check_edges (const HirTrace *trace)
{
  g_assert_cmpuint (hir_trace_get_n_edges (trace), ==, N_ROUNDS);
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      HirEdge edge;
      HirEdgeLink link;
      HirEvent copy, wait;

      g_assert_true (hir_trace_get_edge (trace, i, &edge, &link));
      hir_trace_get_event (trace, link.from_track, link.from_index, &copy);
      hir_trace_get_event (trace, link.to_track, link.to_index, &wait);
      g_assert_cmpint (copy.kind, ==, HIR_EVENT_MEMCPY);
      g_assert_cmpint (wait.kind, ==, wait.iteration == 0 ? HIR_EVENT_MEMSET : HIR_EVENT_SYNC);
      g_assert_cmpint (copy.iteration, ==, wait.iteration);
      g_assert_cmpint (wait.end_ns, >=, copy.end_ns);
    }
}

static void
test_recorded (void)
{
  Recorded recorded = { 0 };

  load (&recorded);
  g_assert_cmpuint (recorded.version, ==, 130001);
  g_assert_cmpuint (recorded.decoded.n_records, ==, 151);
  g_assert_cmpuint (recorded.decoded.n_invalid, ==, 0);
  g_assert_cmpuint (recorded.decoded.n_untimed, ==, 0);
  g_assert_cmpuint (recorded.decoded.n_unknown, ==, 0);
  g_assert_cmpuint (recorded.counts.n_device, ==, 4 * N_ROUNDS + 1);
  g_assert_cmpuint (recorded.counts.n_unowned, ==, 1);
  g_assert_cmpuint (recorded.counts.n_launches, ==, 3 * N_ROUNDS);
  g_assert_cmpuint (recorded.counts.n_silent, ==, 0);
  check_events (recorded.trace);
  check_edges (recorded.trace);
  hir_trace_unref (recorded.trace);
  g_free (recorded.bytes);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cupti-recorded/h100-cuda13", test_recorded);
  return g_test_run ();
}
