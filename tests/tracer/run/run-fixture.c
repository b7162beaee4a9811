#include "run-fixture.h"

void
run_result_clear (RunResult *result)
{
  g_clear_pointer (&result->report, g_free);
  g_clear_pointer (&result->inputs, g_free);
  g_clear_pointer (&result->trace, hir_trace_unref);
  g_clear_error (&result->error);
}

HirRunOptions
run_options (void)
{
  HirRunOptions options;

  hir_run_options_init (&options);
  options.check = TRUE;
  options.seed = 1;
  /* The machine may be busy with other tests. */
  options.timeout_s = 300;
  return options;
}

RunResult
run_programs (HirContainer *fusion,
              HirContainer *const *programs,
              guint n_ranks,
              const HirRunOptions *options,
              gboolean with_trace)
{
  RunResult result = { 0 };
  HirTraceBuilder *builder = with_trace ? hir_trace_builder_new () : NULL;
  HirRecorder *recorder = with_trace ? hir_recorder_new () : NULL;
  HirTraceSink *trace_sink = NULL;
  HirRecorderSink sink;
  g_autoptr (HirSession) session = NULL;

  if (with_trace)
    {
      trace_sink = hir_trace_sink_new (builder, &sink);
      hir_recorder_add_sink (recorder, &sink);
    }
  session =
      hir_session_new_ranks (fusion, programs, n_ranks, options, recorder, NULL, &result.error);
  if (session != NULL)
    {
      result.inputs = g_strdup (hir_session_get_inputs_text (session));
      if (hir_session_run (session, &result.error))
        {
          const HirCheckReport *report = hir_session_get_report (session);
          result.passed = report == NULL || hir_check_report_passed (report);
          result.report = report != NULL ? hir_check_report_format (report) : NULL;
        }
    }
  g_clear_pointer (&session, hir_session_free);
  if (with_trace)
    {
      hir_recorder_free (recorder);
      hir_trace_sink_free (trace_sink);
      result.trace = hir_trace_builder_finish (builder);
    }
  return result;
}

RunResult
run_program (HirContainer *fusion,
             HirContainer *program,
             const HirRunOptions *options,
             gboolean with_trace)
{
  return run_programs (fusion, &program, 1, options, with_trace);
}

RunResult
run_fusion (HirContainer *fusion, const HirRunOptions *options, gboolean with_trace)
{
  g_autoptr (HirLowering) lowering = fix_lower (fusion, NULL);

  return run_program (fusion, hir_lowering_get_last (lowering)->program, options, with_trace);
}

void
assert_passes (HirContainer *fusion, const HirRunOptions *options)
{
  RunResult result = run_fusion (fusion, options, FALSE);

  g_assert_no_error (result.error);
  if (!result.passed)
    {
      g_autofree char *text = hir_container_print (fusion, HIR_FORMAT_2025, NULL);
      g_test_message ("%s\n%s\n%s", text, result.inputs, result.report);
    }
  g_assert_true (result.passed);
  run_result_clear (&result);
}

HirContainer *
lower_program (HirContainer *fusion)
{
  g_autoptr (HirLowering) lowering = fix_lower (fusion, NULL);

  return hir_container_ref (hir_lowering_get_last (lowering)->program);
}

HirValue *
value_of (HirDType dtype, guint n_dims, const gint64 *sizes, const double *elements)
{
  g_autoptr (HirBuffer) buffer = NULL;
  HirValue *value;
  gsize size = hir_dtype_get_size_bytes (dtype);
  gint64 count = 1;

  for (guint i = 0; i < n_dims; i++)
    count *= sizes[i];
  buffer = hir_buffer_new ((gsize) count * size, NULL);
  g_assert_nonnull (buffer);
  value = hir_value_new_tensor (dtype, n_dims, sizes, NULL, buffer);
  for (gint64 k = 0; k < count && elements != NULL; k++)
    hir_element_set_double (dtype, buffer->data + (gsize) k * size, elements[k]);
  return value;
}

double
element_of (const HirValue *value, gint64 k)
{
  const guint8 *data = hir_value_get_data (value);
  gint64 at = 0;

  for (guint d = value->n_dims; d-- > 0;)
    {
      at += k % value->sizes[d] * value->strides[d];
      k /= value->sizes[d];
    }
  return hir_element_get_double (value->dtype,
                                 data + at * (gint64) hir_dtype_get_size_bytes (value->dtype));
}
