/* Tests the example fusions of one device: lowered by the real passes, run on 1, 2, 4 and 7
 * streams, in float and bfloat16, in several sizes, on both clocks; checks the recordings. */
#include "run-fixture.h"

typedef enum
{
  ONE_SET,
  ONE_SET_INNER,
  TWO_SETS,
  THREE_SETS,
  ONE_ADD,
  REDUCTION,
  MATMUL_M,
  MATMUL_N,
  BATCHED_MATMUL,
  LINEAR_M,
  UNIT_AND_LOOP,
  N_EXAMPLES,
} Example;

static HirContainer *
example (Example which, HirDType dtype)
{
  static const gint64 any[] = { -1, -1, -1 };
  HirContainer *fusion = fix_fusion ();
  guint rank = which == REDUCTION || which == BATCHED_MATMUL ? 3 : 2;
  HirTensor *a = fix_input_of (fusion, any, rank, dtype), *b, *c, *d;

  switch (which)
    {
    case ONE_SET:
    case ONE_SET_INNER:
      b = fix_set (fusion, a);
      fix_output (fusion, b);
      fix_stream (fusion, b, which == ONE_SET_INNER);
      break;
    case TWO_SETS:
    case THREE_SETS:
      b = fix_set (fusion, a);
      c = fix_set (fusion, b);
      d = which == THREE_SETS ? fix_set (fusion, c) : c;
      fix_output (fusion, d);
      fix_stream (fusion, b, 0);
      fix_stream (fusion, d, 0);
      break;
    case ONE_ADD:
      b = fix_add (fusion, a, fix_input_of (fusion, any, 2, dtype));
      fix_output (fusion, b);
      fix_stream (fusion, b, 0);
      break;
    case REDUCTION:
      b = fix_sum (fusion, a, 2);
      fix_output (fusion, b);
      fix_stream (fusion, b, 0);
      break;
    case LINEAR_M:
      b = fix_linear (fusion, a, fix_input_of (fusion, any, 2, dtype),
                      fix_input_of (fusion, any, 1, dtype));
      fix_output (fusion, b);
      fix_stream (fusion, b, 0);
      break;
    case UNIT_AND_LOOP:
      b = fix_unary (fusion, HIR_UNARY_GELU, fix_unary (fusion, HIR_UNARY_NEG, a));
      c = fix_add (fusion, b, a);
      fix_output (fusion, c);
      fix_stream (fusion, c, 0);
      break;
    default:
      b = fix_matmul (fusion, a, fix_input_of (fusion, any, 2, dtype));
      fix_output (fusion, b);
      fix_stream (fusion, b, which == MATMUL_N);
      break;
    }
  return fusion;
}

static const char *const shapes_2d[][2] = { { "1x1", NULL }, { "5x3", NULL }, { "16x33", NULL } };
static const char *const shapes_3d[][2] = { { "1x1x1", NULL },
                                            { "5x3x4", NULL },
                                            { "9x2x70", NULL } };

static void
test_all (void)
{
  static const gint64 streams[] = { 1, 2, 4, 7 };
  static const HirDType dtypes[] = { HIR_DTYPE_FLOAT, HIR_DTYPE_BFLOAT16, HIR_DTYPE_DOUBLE,
                                     HIR_DTYPE_HALF };

  for (Example which = 0; which < N_EXAMPLES; which++)
    for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
      {
        g_autoptr (HirContainer) fusion = example (which, dtypes[d]);
        gboolean is_3d = which == REDUCTION || which == BATCHED_MATMUL;

        for (guint s = 0; s < G_N_ELEMENTS (streams); s++)
          for (guint size = 0; size <= G_N_ELEMENTS (shapes_2d); size++)
            {
              HirRunOptions options = run_options ();
              options.n_streams = streams[s];
              options.max_delay_us = s % 2 ? 300 : 0;
              if (size < G_N_ELEMENTS (shapes_2d))
                options.inputs = is_3d ? shapes_3d[size] : shapes_2d[size];
              assert_passes (fusion, &options);
            }
      }
}

/* Each option of the initial synchronization of the loop. */
static void
test_initial_sync (void)
{
  static const char *const settings[] = { "StreamParallelType.initial_sync=in_loop",
                                          "StreamParallelType.initial_sync=separate" };

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    for (Example which = 0; which < N_EXAMPLES; which++)
      {
        g_autoptr (HirContainer) fusion = example (which, HIR_DTYPE_FLOAT);
        g_autoptr (HirLowering) lowering = fix_lower (fusion, settings[i]);
        HirRunOptions options = run_options ();
        RunResult result;

        options.max_delay_us = 500;
        result = run_program (fusion, hir_lowering_get_last (lowering)->program, &options, FALSE);
        g_assert_no_error (result.error);
        g_assert_true (result.passed);
        run_result_clear (&result);
      }
}

static gboolean
is_instruction (HirContainer *program, guint64 id)
{
  return hir_container_lookup_expr (program, id) != NULL;
}

/* Checks a recording. Counts tracks with device work. */
static guint
check_trace (HirContainer *program, HirTrace *trace, guint *n_device, guint *n_issue)
{
  guint busy = 0;

  *n_device = *n_issue = 0;
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    {
      const HirTrack *track = hir_trace_get_track (trace, t);
      gint64 last_end = G_MININT64;
      guint here = 0;

      for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
        {
          HirEvent event;
          hir_trace_get_event (trace, t, i, &event);
          g_assert_cmpint (event.start_ns, >=, 0);
          g_assert_cmpint (event.end_ns, >=, event.start_ns);
          g_assert_cmpint (event.start_ns, >=, last_end); /* tasks of a stream do not overlap */
          last_end = event.end_ns;
          if (event.phase == HIR_PHASE_PROGRAM)
            g_assert_true (is_instruction (program, event.instruction));
          else
            g_assert_cmpuint (event.instruction, ==, 0);
          g_assert_cmpstr (hir_trace_get_string (trace, event.name), !=, "");
          if (event.kind == HIR_EVENT_ISSUE)
            {
              g_assert_cmpint (track->kind, ==, HIR_TRACK_HOST);
              (*n_issue)++;
              continue;
            }
          g_assert_cmpint (track->kind, ==, HIR_TRACK_STREAM);
          if (event.kind == HIR_EVENT_KERNEL || event.kind == HIR_EVENT_MEMCPY)
            {
              g_assert_cmpint (event.bytes, >, 0);
              here++;
            }
        }
      *n_device += here;
      busy += here > 0;
    }
  return busy;
}

static void
test_recording (void)
{
  for (int model = 0; model < 2; model++)
    {
      g_autoptr (HirContainer) fusion = example (TWO_SETS, HIR_DTYPE_FLOAT);
      g_autoptr (HirContainer) program = lower_program (fusion);
      HirRunOptions options = run_options ();
      guint n_device, n_issue, busy;
      RunResult result;

      options.inputs = (const char *[]){ "8x64", NULL };
      options.n_warmups = 2;
      options.n_repeats = 3;
      options.model_clock = model;
      result = run_program (fusion, program, &options, TRUE);
      g_assert_no_error (result.error);
      busy = check_trace (program, result.trace, &n_device, &n_issue);
      g_assert_cmpuint (n_device, ==, 5 * 8 * 2);
      g_assert_cmpuint (n_issue, >, n_device);
      g_assert_cmpuint (busy, ==, 4);
      run_result_clear (&result);
    }
}

static void
test_host_unit_is_one_kernel (void)
{
  g_autoptr (HirContainer) fusion = example (UNIT_AND_LOOP, HIR_DTYPE_FLOAT);
  g_autoptr (HirContainer) program = lower_program (fusion);
  HirRunOptions options = run_options ();
  RunResult result = run_program (fusion, program, &options, TRUE);
  guint n = 0;

  g_assert_no_error (result.error);
  for (guint t = 0; t < hir_trace_get_n_tracks (result.trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (result.trace, t); i++)
      {
        HirEvent event;
        hir_trace_get_event (result.trace, t, i, &event);
        if (event.kind == HIR_EVENT_KERNEL &&
            g_str_equal (hir_trace_get_string (result.trace, event.name), "HostUnit0_pointwise"))
          {
            g_assert_cmpint (event.iteration, ==, -1);
            g_assert_cmpint (event.flops, ==, 2 * 16 * 64);
            n++;
          }
      }
  g_assert_cmpuint (n, ==, 1);
  run_result_clear (&result);
}

/* The modelled clock gives the same times in every run, regardless of thread timing, and
 * overlapping work on several streams. */
static void
test_model_is_deterministic (void)
{
  g_autoptr (HirContainer) fusion = example (MATMUL_M, HIR_DTYPE_FLOAT);
  g_autoptr (HirContainer) program = lower_program (fusion);
  HirRunOptions options = run_options ();
  RunResult runs[2];
  gboolean overlap = FALSE;
  HirEvent a, b;

  options.model_clock = TRUE;
  options.inputs = (const char *[]){ "8x512", "512x512", NULL };
  for (int i = 0; i < 2; i++)
    {
      options.max_delay_us = i == 0 ? 0 : 2000;
      runs[i] = run_program (fusion, program, &options, TRUE);
      g_assert_no_error (runs[i].error);
      g_assert_true (runs[i].passed);
    }
  g_assert_cmpuint (hir_trace_get_n_events (runs[0].trace), ==,
                    hir_trace_get_n_events (runs[1].trace));
  for (guint t = 0; t < hir_trace_get_n_tracks (runs[0].trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (runs[0].trace, t); i++)
      {
        hir_trace_get_event (runs[0].trace, t, i, &a);
        hir_trace_get_event (runs[1].trace, t, i, &b);
        g_assert_cmpint (a.start_ns, ==, b.start_ns);
        g_assert_cmpint (a.end_ns, ==, b.end_ns);
        g_assert_cmpuint (a.instruction, ==, b.instruction);
        for (guint u = 0; u < t; u++)
          {
            guint k = hir_trace_find_first (runs[0].trace, u, a.start_ns);
            if (a.kind != HIR_EVENT_KERNEL || k >= hir_trace_get_track_n_events (runs[0].trace, u))
              continue;
            hir_trace_get_event (runs[0].trace, u, k, &b);
            overlap = overlap || (b.kind == HIR_EVENT_KERNEL && b.start_ns < a.end_ns);
          }
      }
  g_assert_true (overlap);
  for (int i = 0; i < 2; i++)
    run_result_clear (&runs[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/programs/all", test_all);
  g_test_add_func ("/run/programs/initial-sync", test_initial_sync);
  g_test_add_func ("/run/programs/recording", test_recording);
  g_test_add_func ("/run/programs/host-unit", test_host_unit_is_one_kernel);
  g_test_add_func ("/run/programs/model", test_model_is_deterministic);
  return g_test_run ();
}
