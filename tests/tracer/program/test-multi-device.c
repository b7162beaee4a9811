/* Tests the multi-device examples on virtual devices against the unsharded fusion. */
#include "job/run-job.h"
#include "record/trace-sink.h"
#include "trace/comm-records.h"
#include "tracer-fixture.h"

static const char *const functions[] = { "allgather", "allreduce", "reduce_scatter", "ag_matmul",
                                         "allgather_p2p" };
static const gint64 counts[] = { 1, 2, 3, 4, 8 };

static HirProgram *
lower (const char *function, gint64 n_devices, HirDType dtype)
{
  g_autoptr (HirRequest) request = fix_request ("multi_device.py", function);
  g_autoptr (GError) error = NULL;
  HirProgram *program;

  request->n_devices = n_devices;
  request->dtype = dtype;
  program = hir_program_new (request, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_no_error (program->error);
  return program;
}

static HirTrace *
run (HirProgram *program, const HirRunSettings *settings, HirRunResult *result)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirRecorderSink sink;
  HirTraceSink *trace_sink = hir_trace_sink_new (builder, &sink);
  HirRunJobOptions options = { .sink = &sink };
  g_autoptr (GError) error = NULL;

  g_assert_true (hir_run_job (program, settings, &options, result, &error));
  g_assert_no_error (error);
  hir_trace_sink_free (trace_sink);
  return hir_trace_builder_finish (builder);
}

static void
check (const char *function, gint64 n_devices, HirDType dtype, gboolean model_clock)
{
  g_autoptr (HirProgram) program = lower (function, n_devices, dtype);
  g_auto (HirRunSettings) settings = { 0 };
  g_auto (HirRunResult) result = { 0 };
  g_autoptr (HirTrace) trace = NULL;

  hir_run_settings_init (&settings);
  settings.check = TRUE;
  settings.model_clock = model_clock;
  settings.n_repeat = 2;
  trace = run (program, &settings, &result);
  if (result.check_outcome != HIR_CHECK_RIGHT)
    g_test_message ("%s on %d: %s", function, (int) n_devices, result.check);
  g_assert_cmpint (result.check_outcome, ==, HIR_CHECK_RIGHT);
  g_assert_nonnull (result.check);
}

static void
test_examples (void)
{
  for (guint f = 0; f < G_N_ELEMENTS (functions); f++)
    for (guint d = 0; d < G_N_ELEMENTS (counts); d++)
      {
        check (functions[f], counts[d], HIR_DTYPE_NULL, FALSE);
        check (functions[f], counts[d], HIR_DTYPE_BFLOAT16, d % 2 == 0);
      }
}

/* Checks that each collective and message has its partners on the other ranks: the same
 * instruction and iteration, in the same repetition. */
static void
check_partners (const char *function, HirCommSide side, gboolean model_clock)
{
  g_autoptr (HirProgram) program = lower (function, 8, HIR_DTYPE_NULL);
  g_auto (HirRunSettings) settings = { 0 };
  g_auto (HirRunResult) result = { 0 };
  g_autoptr (HirTrace) trace = NULL;
  guint n_checked = 0;

  hir_run_settings_init (&settings);
  settings.n_repeat = 2;
  settings.n_warmup = 1;
  settings.model_clock = model_clock;
  trace = run (program, &settings, &result);
  for (guint i = 0; i < hir_trace_get_n_comm_records (trace); i++)
    {
      const HirCommRecord *record = hir_trace_get_comm_record (trace, i);
      g_autoptr (GArray) partners = NULL;
      guint track, index;
      HirEvent event, other;

      g_assert_true (hir_trace_get_comm_record_event (trace, i, &track, &index));
      g_assert_cmpint (hir_trace_get_track (trace, track)->rank, ==, record->rank);
      if (record->side != side)
        continue;
      hir_trace_get_event (trace, track, index, &event);
      g_assert_cmpint (record->bytes, >, 0);
      partners = hir_trace_dup_partners (trace, track, index, 64);
      if (side == HIR_COMM_SIDE_TEAM)
        g_assert_cmpuint (partners->len, ==, 7);
      else
        g_assert_cmpuint (partners->len, >=, 1);
      for (guint p = 0; p < partners->len; p++)
        {
          const HirEventRef *ref = &g_array_index (partners, HirEventRef, p);

          hir_trace_get_event (trace, ref->track, ref->index, &other);
          g_assert_cmpint (hir_trace_get_track (trace, ref->track)->rank, !=, record->rank);
          g_assert_cmpint (other.phase, ==, event.phase);
          g_assert_cmphex (other.instruction, ==, event.instruction);
          if (side == HIR_COMM_SIDE_TEAM)
            g_assert_cmpint (other.iteration, ==, event.iteration);
        }
      n_checked++;
    }
  g_assert_cmpuint (n_checked, >=, 24);
}

static void
test_partners (void)
{
  check_partners ("ag_matmul", HIR_COMM_SIDE_TEAM, FALSE);
  check_partners ("allreduce", HIR_COMM_SIDE_TEAM, TRUE);
  check_partners ("allgather_p2p", HIR_COMM_SIDE_SEND, FALSE);
  check_partners ("allgather_p2p", HIR_COMM_SIDE_RECV, TRUE);
}

/* Tests that the check can fail: an error injected into each product is found. */
static void
test_injected_errors (void)
{
  g_autoptr (HirProgram) program = lower ("ag_matmul", 4, HIR_DTYPE_NULL);
  g_auto (HirRunSettings) settings = { 0 };
  g_auto (HirRunResult) result = { 0 };
  g_autoptr (HirTrace) trace = NULL;

  hir_run_settings_init (&settings);
  settings.check = TRUE;
  settings.plant_op = g_strdup ("matmul");
  trace = run (program, &settings, &result);
  g_assert_cmpint (result.check_outcome, ==, HIR_CHECK_WRONG);
}

/* Returns start, end and bytes of each communication, rank by rank. */
static char *
dup_communications (const HirTrace *trace, guint *n)
{
  GString *text = g_string_new (NULL);

  *n = 0;
  for (int rank = 0; rank < 4; rank++)
    for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
      {
        const HirTrack *track = hir_trace_get_track (trace, t);
        HirEvent event;

        if (track->rank != rank || track->kind != HIR_TRACK_LINK)
          continue;
        for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
          {
            hir_trace_get_event (trace, t, i, &event);
            g_assert_cmpint (event.kind, ==, HIR_EVENT_COMMUNICATION);
            g_assert_cmpint (event.bytes, >, 0);
            g_string_append_printf (text, "%d %" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n", rank,
                                    event.start_ns, event.end_ns);
            ++*n;
          }
      }
  return g_string_free (text, FALSE);
}

static void
test_modelled_times_are_the_same (void)
{
  g_autofree char *first = NULL;
  guint n;

  for (guint round = 0; round < 5; round++)
    {
      g_autoptr (HirProgram) program = lower ("allgather_p2p", 4, HIR_DTYPE_NULL);
      g_auto (HirRunSettings) settings = { 0 };
      g_auto (HirRunResult) result = { 0 };
      g_autoptr (HirTrace) trace = NULL;
      g_autofree char *text = NULL;

      hir_run_settings_init (&settings);
      settings.model_clock = TRUE;
      trace = run (program, &settings, &result);
      text = dup_communications (trace, &n);
      /* Each of the four ranks exchanges data with the three others. */
      g_assert_cmpuint (n, ==, 12);
      if (first != NULL)
        g_assert_cmpstr (first, ==, text);
      else
        first = g_steal_pointer (&text);
    }
}

static void
test_equal_programs_share (void)
{
  g_autoptr (HirProgram) program = lower ("ag_matmul", 4, HIR_DTYPE_NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) hosts = hir_program_dup_rank_hosts (program, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (hosts->len, ==, 4);
  for (guint i = 0; i < hosts->len; i++)
    g_assert_true (hosts->pdata[i] == hir_program_get_host (program));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/multi-device/examples", test_examples);
  g_test_add_func ("/multi-device/partners", test_partners);
  g_test_add_func ("/multi-device/injected-errors", test_injected_errors);
  g_test_add_func ("/multi-device/modelled-times-are-the-same", test_modelled_times_are_the_same);
  g_test_add_func ("/multi-device/equal-programs-share", test_equal_programs_share);
  return g_test_run ();
}
