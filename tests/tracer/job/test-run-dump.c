/* Tests running printed host programs: goldens, the output of `lower` for every example, logs,
 * and faulty programs. */
#include <math.h>
#include <string.h>

#include "job/run-job.h"
#include "run/session/session.h"
#include "session-access.h"
#include "tracer-fixture.h"

static char *
load_golden (const char *name)
{
  g_autofree char *path =
      g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "tests", "data", "golden", name, NULL);
  char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

static HirProgram *
read_text (const char *text)
{
  g_autoptr (HirRequest) request = hir_request_new (hir_source_new ("dump.txt", text, -1), NULL);
  g_autoptr (GError) error = NULL;
  HirProgram *program = hir_program_new (request, NULL, NULL, &error);

  hir_source_unref (request->source); /* the request has its own reference */
  g_assert_no_error (error);
  g_assert_nonnull (program);
  return program;
}

static HirSession *
start (HirProgram *program, const char *const *shapes, gboolean check, GError **error)
{
  HirRunOptions options;
  g_autoptr (GPtrArray) hosts = hir_program_dup_rank_hosts (program, NULL, error);

  if (hosts == NULL)
    return NULL;
  hir_run_options_init (&options);
  options.check = check;
  options.timeout_s = 300; /* the machine may be busy with other tests */
  options.inputs = shapes;
  options.rank = (int) program->request->rank;
  return hir_session_new_ranks (program->fusion != NULL ? program->fusion : program->printed,
                                (HirContainer *const *) hosts->pdata, hosts->len, &options, NULL,
                                NULL, error);
}

/* Runs the program and requires that its check passes. */
static HirSession *
run_checked (HirProgram *program, const char *const *shapes)
{
  g_autoptr (GError) error = NULL;
  HirSession *session = start (program, shapes, TRUE, &error);
  const HirCheckReport *report;

  g_assert_no_error (error);
  g_assert_true (hir_session_run (session, &error));
  g_assert_no_error (error);
  report = hir_session_get_report (session);
  if (!hir_check_report_passed (report))
    {
      g_autofree char *text = hir_check_report_format (report);

      g_test_message ("%s%s", hir_session_get_inputs_text (session), text);
    }
  g_assert_true (hir_check_report_passed (report));
  return session;
}

/* Returns all outputs of all devices. */
static void
assert_same_outputs (HirSession *a, HirSession *b, HirContainer *program, guint n_ranks)
{
  for (guint rank = 0; rank < n_ranks; rank++)
    for (guint i = 0; i < program->outputs.len; i++)
      {
        g_autoptr (GError) error = NULL;
        g_autoptr (GBytes) x = session_dup_output (a, rank, i, &error);
        g_autoptr (GBytes) y = x != NULL ? session_dup_output (b, rank, i, &error) : NULL;

        g_assert_no_error (error);
        g_assert_cmpuint (g_bytes_get_size (x), >, 0);
        g_assert_true (g_bytes_equal (x, y));
      }
}

static const char *const goldens[] = {
  "ag_matmul.txt",
  "allgather.txt",
  "allgather_p2p.txt",
  "allreduce.txt",
  "overlap_linear_bf16.select.in_loop.txt",
  "overlap_linear_bf16.select.separate.txt",
  "reduce_scatter.txt",
  "reduction.select.in_loop.txt",
  "row_parallel_linear.2026.txt",
  "single_set_op.in_loop.txt",
  "three_set_ops_disjoint_loops.in_loop.txt",
  "two_set_ops.in_loop.txt",
};

static void
test_goldens (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (goldens); i++)
    {
      g_autofree char *text = load_golden (goldens[i]);
      g_autoptr (HirProgram) program = read_text (text);
      g_autoptr (HirSession) session = NULL;

      g_test_message ("%s", goldens[i]);
      session = run_checked (program, NULL);
      g_assert_cmpuint (hir_session_get_n_done (session), ==, 1);
    }
}

/* Tests that the check can fail. */
static void
test_injected_errors (void)
{
  static const struct
  {
    const char *file, *op;
  } rows[] = {
    { "ag_matmul.txt", "matmul" },
    { "reduction.select.in_loop.txt", "sum" },
    { "row_parallel_linear.2026.txt", "linear" },
    { "single_set_op.in_loop.txt", "set" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = load_golden (rows[i].file);
      g_autoptr (HirProgram) program = read_text (text);
      g_auto (HirRunSettings) settings = { 0 };
      g_auto (HirRunResult) result = { 0 };
      HirRunJobOptions options = { 0 };
      g_autoptr (GError) error = NULL;

      hir_run_settings_init (&settings);
      settings.check = TRUE;
      settings.plant_op = g_strdup (rows[i].op);
      g_assert_true (hir_run_job (program, &settings, &options, &result, &error));
      g_assert_no_error (error);
      g_assert_cmpint (result.check_outcome, ==, HIR_CHECK_WRONG);
      g_assert_true (result.is_printed);
      g_assert_nonnull (strstr (result.check, "WRONG"));
    }
}

/* Tests that a golden and its script give the same results. */
static void
test_same_as_script (void)
{
  static const struct
  {
    const char *golden, *file, *function;
    gint64 n_devices;
    const char *shapes[3];
  } rows[] = {
    { "allgather.txt", "multi_device.py", "allgather", 8, { "5x8" } },
    { "allreduce.txt", "multi_device.py", "allreduce", 8, { "5x8x7" } },
    { "reduce_scatter.txt", "multi_device.py", "reduce_scatter", 8, { "3x8x8x5" } },
    { "ag_matmul.txt", "multi_device.py", "ag_matmul", 8, { "3x8x5x16", "16x9" } },
    { "allgather_p2p.txt", "multi_device.py", "allgather_p2p", 8, { "8x11" } },
    { "single_set_op.in_loop.txt", "single_device.py", "single_set_op", 1, { "7x33" } },
    { "two_set_ops.in_loop.txt", "single_device.py", "two_set_ops", 1, { "13x5" } },
    { "three_set_ops_disjoint_loops.in_loop.txt",
      "single_device.py",
      "three_set_ops_disjoint_loops",
      1,
      { "11x3" } },
    { "reduction.select.in_loop.txt", "single_device.py", "reduction", 1, { "5x3x129" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = load_golden (rows[i].golden);
      g_autoptr (HirProgram) printed = read_text (text);
      g_autoptr (HirRequest) request = fix_request (rows[i].file, rows[i].function);
      g_autoptr (HirProgram) lowered = NULL;
      g_autoptr (HirSession) a = NULL;
      g_autoptr (HirSession) b = NULL;

      g_test_message ("%s", rows[i].golden);
      request->n_devices = rows[i].n_devices;
      lowered = hir_program_new (request, NULL, NULL, NULL);
      a = run_checked (printed, rows[i].shapes);
      b = run_checked (lowered, rows[i].shapes);
      assert_same_outputs (a, b, printed->printed, (guint) rows[i].n_devices);
      /* Both choose the same default sizes. */
      g_clear_pointer (&a, hir_session_free);
      g_clear_pointer (&b, hir_session_free);
      a = run_checked (printed, NULL);
      b = run_checked (lowered, NULL);
      assert_same_outputs (a, b, printed->printed, (guint) rows[i].n_devices);
    }
}

/* The golden of 2026, whose logical axes are inferred, is a linear of two matrices, which is
 * exact for small integers. */
static void
test_row_parallel_is_a_linear (void)
{
  g_autofree char *text = load_golden ("row_parallel_linear.2026.txt");
  g_autoptr (HirProgram) program = read_text (text);
  const HirTensor *in = program->printed->inputs.items[0];
  const HirTensor *weight = program->printed->inputs.items[1];
  static const char *const shapes[] = { "6x8", NULL };
  g_autoptr (HirSession) session = run_checked (program, shapes);
  g_autoptr (GBytes) first = session_dup_output (session, 0, 0, NULL);
  g_autoptr (GBytes) second = session_dup_output (session, 1, 0, NULL);
  g_autoptr (HirRunInputs) inputs = hir_run_inputs_new (program->printed, shapes, 0, NULL);
  const HirValue *x = inputs->values->pdata[0], *w = inputs->values->pdata[1];
  const guint16 *result = g_bytes_get_data (first, NULL);
  const guint16 *a = (const guint16 *) (gpointer) x->buffer->data;
  const guint16 *b = (const guint16 *) (gpointer) w->buffer->data;

  g_assert_cmpuint (in->logical.n, ==, 2);
  g_assert_cmpuint (weight->logical.n, ==, 2);
  g_assert_cmpuint (g_bytes_get_size (first), ==, 6 * 2 * 2);
  g_assert_true (g_bytes_equal (first, second));
  for (guint m = 0; m < 6; m++)
    for (guint n = 0; n < 2; n++)
      {
        double sum = 0, size = 0,
               found = hir_element_get_double (HIR_DTYPE_BFLOAT16, &result[2 * m + n]);

        for (guint k = 0; k < 8; k++)
          {
            double term = hir_element_get_double (HIR_DTYPE_BFLOAT16, &a[8 * m + k]) *
                          hir_element_get_double (HIR_DTYPE_BFLOAT16, &b[8 * n + k]);
            sum += term;
            size += fabs (term);
          }
        /* Two partial sums and the total are rounded. */
        g_assert_cmpfloat (fabs (found - sum), <=, size * 0x3p-8);
      }
}

static const struct
{
  const char *file, *function, *arg;
} examples[] = {
  { "single_device.py", "single_set_op", NULL },
  { "single_device.py", "single_set_op_non_outermost", NULL },
  { "single_device.py", "single_binary_op", NULL },
  { "single_device.py", "two_set_ops", NULL },
  { "single_device.py", "three_set_ops_disjoint_loops", NULL },
  { "single_device.py", "reduction", NULL },
  { "single_device.py", "matmul_m", NULL },
  { "single_device.py", "matmul_n", NULL },
  { "single_device.py", "batched_matmul", NULL },
  { "multi_device.py", "allgather", NULL },
  { "multi_device.py", "allreduce", NULL },
  { "multi_device.py", "reduce_scatter", NULL },
  { "multi_device.py", "ag_matmul", NULL },
  { "multi_device.py", "allgather_p2p", NULL },
  { "multi_device.py", "matmul_AR", NULL },
  { "multi_device.py", "matmul_RS_through_bcast", NULL },
  { "multi_device.py", "AG_matmul_P2p", NULL },
  { "as_people_write_tests.py", "row_parallel", "h=4 num_chunks=2" },
};

static void
check_example (guint i, gint64 n_devices, HirFormat format)
{
  g_autoptr (HirRequest) request = fix_request (examples[i].file, examples[i].function);
  g_autoptr (HirProgram) lowered = NULL;
  g_autoptr (HirProgram) printed = NULL;
  g_autofree char *text = NULL;
  g_autoptr (HirSession) a = NULL;
  g_autoptr (HirSession) b = NULL;
  g_autoptr (GError) error = NULL;
  HirContainer *host;

  request->n_devices = n_devices;
  if (examples[i].arg != NULL)
    request->args = g_strsplit (examples[i].arg, " ", -1);
  lowered = hir_program_new (request, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_no_error (lowered->error);
  host = hir_program_get_host (lowered);
  text = hir_container_print (host, format, NULL);
  printed = read_text (text);
  a = run_checked (printed, NULL);
  b = start (lowered, NULL, FALSE, &error);
  g_assert_no_error (error);
  g_assert_true (hir_session_run (b, &error));
  g_assert_cmpstr (strstr (hir_session_get_inputs_text (a), "["), !=, NULL);
  assert_same_outputs (a, b, printed->printed,
                       n_devices > 1 && host->tensors.len > 0 &&
                               ((const HirTensor *) host->tensors.items[0])->mesh != NULL
                           ? (guint) n_devices
                           : 1);
}

static void
test_examples_read_back (void)
{
  static const HirFormat formats[] = { HIR_FORMAT_2025, HIR_FORMAT_2025_SELECT, HIR_FORMAT_2026 };
#ifdef __SANITIZE_ADDRESS__
  static const gint64 counts[] = { 1, 4 }; /* the others differ only in numbering */
#else
  static const gint64 counts[] = { 1, 2, 4, 8 };
#endif

  for (guint i = 0; i < G_N_ELEMENTS (examples); i++)
    for (guint d = 0; d < G_N_ELEMENTS (counts); d++)
      for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
        {
          g_test_message ("%s -d %d format %d", examples[i].function, (int) counts[d],
                          (int) formats[f]);
          check_example (i, counts[d], formats[f]);
        }
}

/* Tests that the last host program of a pass log is run; from a log of all ranks, the one of
 * each rank. */
static void
test_logs (void)
{
  g_autofree char *first = load_golden ("allgather.txt");
  g_autofree char *second = load_golden ("single_set_op.in_loop.txt");
  g_autofree char *log = g_strdup_printf ("warming up\nFusion after pass: A\n%s\n====\nFusion "
                                          "after pass: B\n%s\ndone\n",
                                          first, second);
  g_autoptr (HirProgram) program = read_text (log);
  g_autoptr (HirSession) session = NULL;
  g_autoptr (HirProgram) ranks = NULL;
  g_autoptr (GPtrArray) hosts = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) tagged = g_string_new (NULL);
  g_autofree char *matmul = load_golden ("overlap_linear_bf16.select.separate.txt");
  g_auto (GStrv) lines = g_strsplit (matmul, "\n", -1);

  g_assert_cmpuint (program->views->len, ==, 2);
  g_assert_cmpuint (program->printed->tensors.len, ==, 4);
  for (guint rank = 0; rank < 2; rank++)
    for (guint i = 0; lines[i] != NULL; i++)
      g_string_append_printf (tagged, "[1,%u]<stdout>:%s\n", rank, lines[i]);
  ranks = read_text (tagged->str);
  hosts = hir_program_dup_rank_hosts (ranks, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (hosts->len, ==, 2);
  g_assert_true (hosts->pdata[0] != hosts->pdata[1]);
  session = run_checked (ranks, NULL);
}

/* Tests the program of one rank on a mesh with two axes, where other ranks have other teams. */
static void
test_two_axes (void)
{
  static const char text[] =
      "%HostIrContainer { (T0_g_float[ideviceIdx.y0{2}, ideviceIdx.x1{2}, iS2{i3}] "
      "(DeviceMesh{{0 1}{2 3}})) -> (T1_g_float[iS3{2}, ideviceIdx.x4{2}, iS5{i3}] "
      "(DeviceMesh{{0 1}{2 3}})) :\n"
      "  T1_g_float[iS3{2}, ideviceIdx.x4{2}, iS5{i3}] (DeviceMesh{{0 1}{2 3}}) = "
      "ALLOCATE(buffer=T1_g_float[iS3{2}, ideviceIdx.x4{2}, iS5{i3}] (DeviceMesh{{0 1}{2 3}}), "
      "mem_type=global, size=( i3 * 4 ), zero_init=false, resets_to_zero=false)\n"
      "  Communication 2 (type=Allgather, team=(0 2), input=T0_g_float[ideviceIdx.y0{2}, "
      "ideviceIdx.x1{2}, iS2{i3}] (DeviceMesh{{0 1}{2 3}}), output=T1_g_float[iS3{2}, "
      "ideviceIdx.x4{2}, iS5{i3}] (DeviceMesh{{0 1}{2 3}}), backend=NCCL)\n"
      "  Wait Communication 2\n"
      "} // %HostIrContainer\n";
  g_autoptr (HirProgram) program = read_text (text);
  g_autoptr (HirSession) session = run_checked (program, NULL);

  for (guint rank = 0; rank < 4; rank++)
    {
      g_autoptr (GBytes) bytes = session_dup_output (session, rank, 0, NULL);
      const float *values = g_bytes_get_data (bytes, NULL);

      for (gsize k = 0; k < g_bytes_get_size (bytes) / sizeof *values; k++)
        g_assert_false (isnan (values[k]));
    }
}

/* Runs @golden without the lines that contain @without and with @from replaced, and requires the
 * error @message. */
static void
assert_fails (const char *golden,
              const char *without,
              const char *from,
              const char *to,
              guint line,
              const char *const *messages)
{
  g_autofree char *text = load_golden (golden);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autoptr (GString) edited = g_string_new (NULL);
  g_autoptr (HirProgram) program = NULL;
  g_autoptr (HirSession) session = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; lines[i] != NULL; i++)
    if (without == NULL || strstr (lines[i], without) == NULL)
      g_string_append_printf (edited, "%s\n", lines[i]);
  if (from != NULL)
    g_assert_cmpuint (g_string_replace (edited, from, to, 0), >, 0);
  program = read_text (edited->str);
  session = start (program, NULL, TRUE, &error);
  if (session != NULL)
    g_assert_false (hir_session_run (session, &error));
  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  g_assert_true (g_error_matches (error, HIR_ERROR, HIR_ERROR_RUN));
  for (guint i = 0; messages[i] != NULL; i++)
    g_assert_nonnull (strstr (error->message, messages[i]));
  g_assert_cmpuint (hir_error_get_pos (error).line, ==, line);
}

#define MESSAGES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void
test_wait_removed (void)
{
  assert_fails ("allgather.txt", "Wait Communication", NULL, NULL, 14,
                MESSAGES ("Allgather T3", "in iteration 1", "in iteration 0",
                          "was not waited for"));
  assert_fails ("ag_matmul.txt", "Wait Communication", NULL, NULL, 18,
                MESSAGES ("T6_matmul in iteration 0", "reads memory that Allgather T5", "on rank",
                          "is still writing"));
  assert_fails ("allgather_p2p.txt", "Wait Communication", NULL, NULL, 20,
                MESSAGES ("posts it again", "recv T3 from", "was not waited for"));
  assert_fails ("row_parallel_linear.2026.txt", "Wait(", NULL, NULL, 13,
                MESSAGES ("Allreduce T5 in iteration 1", "was not waited for"));
}

static void
test_message_without_peer (void)
{
  gint64 start_us = g_get_monotonic_time ();

  assert_fails ("allgather_p2p.txt", "type=send", NULL, NULL, 19,
                MESSAGES ("recv T3 from", "in iteration", "on rank", "ends without sending it"));
  assert_fails ("allgather_p2p.txt", "type=recv", NULL, NULL, 19,
                MESSAGES ("send T0 to", "in iteration", "on rank", "ends without receiving it"));
  /* Reported at once, not after the timeout of 300 s. */
  g_assert_cmpint (g_get_monotonic_time () - start_us, <, 60 * G_USEC_PER_SEC);
}

static void
test_team_misses_rank (void)
{
  assert_fails ("allgather.txt", NULL, "team=(0 1 2 3 4 5 6 7)", "team=(0 1 2 3 4 5 6)", 14,
                MESSAGES ("Allgather of T3", "misses rank 7", "(0 1 2 3 4 5 6)"));
  assert_fails ("allreduce.txt", NULL, "team=(0 1 2 3 4 5 6 7)", "team=(0 1 2 4 5 6 7)", 14,
                MESSAGES ("Allreduce of T3", "misses rank 3"));
  assert_fails ("allreduce.txt", NULL, "team=(0 1 2 3 4 5 6 7)", "team=(0 1 2 3 4 5 6 7 8)", 14,
                MESSAGES ("rank 8 in its team", "not on the mesh"));
}

static void
assert_rejected (
    const char *text, const char *shape, HirErrorCode code, guint line, const char *message)
{
  g_autoptr (HirProgram) program = read_text (text);
  const char *const shapes[] = { shape, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (HirSession) session = start (program, shapes, FALSE, &error);

  g_assert_null (session);
  g_test_message ("%s", error->message);
  g_assert_true (g_error_matches (error, HIR_ERROR, (int) code));
  g_assert_nonnull (strstr (error->message, message));
  g_assert_cmpuint (hir_error_get_pos (error).line, ==, line);
}

/* Tests that the sizes in a dump are used, and that contradictions are reported at their
 * position. */
static void
test_contradictions (void)
{
  g_autofree char *set = load_golden ("single_set_op.in_loop.txt");
  g_autofree char *gather = load_golden ("allgather.txt");
  g_autoptr (GString) edited = g_string_new (set);

  g_string_replace (edited, "iS1{i2}", "iS1{5}", 0);
  g_string_replace (edited, "iS4{i2}", "iS4{5}", 0);
  g_string_replace (edited, "iS3{i2}", "iS3{6}", 0);
  g_string_replace (edited, "iS5{i2}", "iS5{6}", 0);
  assert_rejected (edited->str, NULL, HIR_ERROR_INPUT, 11, "an axis of 5 to one of 6");
  assert_rejected (gather, "4x7", HIR_ERROR_INPUT, 1, "the size of its mesh");
}

/* Tests that extents that are in no input are chosen and printed, but indices are not. */
static void
test_free_extents (void)
{
  static const char text[] =
      "%HostIrContainer { (T0_g_float[iS0{i0}]) -> (T2_g_float[iS2{i7}]) :\n"
      "  T1_g_float[iS1{i7}]\n"
      "     = full({i7}, float(2));\n"
      "  T2_g_float[iS2{i7}] = ALLOCATE(buffer=T2_g_float[iS2{i7}], mem_type=global, size=i7, "
      "zero_init=false, resets_to_zero=false)\n"
      "  T2_g_float[iS2{i7}]\n"
      "     = Set( T1_g_float[iS1{i7}], cache_op=Streaming )\n"
      "} // %HostIrContainer\n";
  g_autoptr (HirProgram) program = read_text (text);
  g_autoptr (HirSession) session = run_checked (program, NULL);
  g_autoptr (GBytes) bytes = session_dup_output (session, 0, 0, NULL);

  g_assert_cmpuint (g_bytes_get_size (bytes), ==, 64 * sizeof (float));
  g_assert_cmpfloat (((const float *) g_bytes_get_data (bytes, NULL))[63], ==, 2);
  g_assert_nonnull (strstr (hir_session_get_inputs_text (session), "i7 = 64 (chosen)"));
}

static void
test_devices (void)
{
  g_autofree char *text = load_golden ("allgather.txt");
  g_autoptr (HirRequest) request = hir_request_new (hir_source_new ("dump.txt", text, -1), NULL);
  g_autoptr (HirProgram) program = NULL;
  g_autoptr (GPtrArray) hosts = NULL;
  g_autoptr (GError) error = NULL;

  hir_source_unref (request->source);
  request->n_devices = 4;
  program = hir_program_new (request, NULL, NULL, NULL);
  hosts = hir_program_dup_rank_hosts (program, NULL, &error);
  g_assert_null (hosts);
  g_assert_true (g_error_matches (error, HIR_ERROR, HIR_ERROR_INPUT));
  g_assert_nonnull (strstr (error->message, "for 8 devices, not for 4"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run-dump/goldens", test_goldens);
  g_test_add_func ("/run-dump/injected-errors", test_injected_errors);
  g_test_add_func ("/run-dump/same-as-script", test_same_as_script);
  g_test_add_func ("/run-dump/row-parallel-is-a-linear", test_row_parallel_is_a_linear);
  g_test_add_func ("/run-dump/examples-read-back", test_examples_read_back);
  g_test_add_func ("/run-dump/logs", test_logs);
  g_test_add_func ("/run-dump/two-axes", test_two_axes);
  g_test_add_func ("/run-dump/wait-removed", test_wait_removed);
  g_test_add_func ("/run-dump/message-without-peer", test_message_without_peer);
  g_test_add_func ("/run-dump/team-misses-rank", test_team_misses_rank);
  g_test_add_func ("/run-dump/contradictions", test_contradictions);
  g_test_add_func ("/run-dump/free-extents", test_free_extents);
  g_test_add_func ("/run-dump/devices", test_devices);
  return g_test_run ();
}
