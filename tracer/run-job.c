#include "run-job.h"

#include "document-recording.h"
#include "record/clock.h"
#include "run/session.h"

/* How often the status may change: more can't be read. */
#define STATUS_INTERVAL_NS (100 * 1000 * 1000)

typedef struct
{
  const HirRunJobOptions *options;
  gint64 last_ns;
} Progress;

void
hir_run_result_clear (HirRunResult *result)
{
  g_clear_pointer (&result->inputs, g_free);
  g_clear_pointer (&result->check, g_free);
}

static gboolean
tell_progress (const HirPlace *place, gpointer user_data, GError **error)
{
  Progress *progress = user_data;
  gint64 now_ns = hir_clock_now_ns ();
  g_autofree char *text = NULL;

  if (now_ns - progress->last_ns < STATUS_INTERVAL_NS)
    return TRUE;
  progress->last_ns = now_ns;
  text = place->iteration >= 0
             ? g_strdup_printf ("Running: %s, iteration %d", hir_expr_get_op_name (place->expr),
                                place->iteration)
             : g_strdup_printf ("Running: %s", hir_expr_get_op_name (place->expr));
  progress->options->status (text, progress->options->user_data);
  return TRUE;
}

static gboolean
set_meta (HirRecordingWriter *writer,
          const HirRunSettings *settings,
          const HirRunJobOptions *options,
          GError **error)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *created = g_date_time_format_iso8601 (now);
  g_autoptr (GVariant) variant = g_variant_ref_sink (hir_run_settings_to_variant (settings));
  g_autofree char *text = g_variant_print (variant, TRUE);

  return hir_recording_writer_set_meta (writer, HIR_META_CLOCK,
                                        settings->model_clock ? "model" : "wall", error) &&
         hir_recording_writer_set_meta (writer, HIR_META_BACKEND, "cpu", error) &&
         hir_recording_writer_set_meta (writer, HIR_META_CREATED, created, error) &&
         hir_recording_writer_set_meta (writer, "run", text, error) &&
         (options->command == NULL ||
          hir_recording_writer_set_meta (writer, HIR_META_COMMAND, options->command, error));
}

static HirRecordingWriter *
begin_recording (HirProgram *program,
                 const HirRunSettings *settings,
                 const HirRunJobOptions *options,
                 GError **error)
{
  g_autoptr (HirRecordingWriter) writer = hir_recording_writer_new (options->path, error);

  if (writer == NULL || !hir_program_write (program, writer, error) ||
      !set_meta (writer, settings, options, error))
    return NULL;
  return g_steal_pointer (&writer);
}

static gboolean
run_session (HirProgram *program,
             const HirRunSettings *settings,
             const HirRunJobOptions *options,
             HirRecorder *recorder,
             HirRunResult *result,
             GError **error)
{
  HirContainer *host = hir_program_get_host (program);
  g_autoptr (HirSession) session = NULL;
  Progress progress = { options, 0 };
  HirEvaluatorHooks hooks = { tell_progress, NULL, &progress };
  HirRunOptions run_options;
  const HirCheckReport *report;
  gint64 start_ns = hir_clock_now_ns ();
  gboolean done;

  hir_run_settings_to_options (settings, &run_options);
  run_options.inputs = (const char *const *) program->request->inputs;
  run_options.rank = (int) program->request->rank;
  session = hir_session_new (program->fusion, host, &run_options,
                             settings->trace == HIR_TRACE_OFF ? NULL : recorder,
                             options->cancellable, error);
  if (session == NULL)
    return FALSE;
  if (options->status != NULL)
    hir_session_add_hooks (session, &hooks);
  result->inputs = g_strdup (hir_session_get_inputs_text (session));
  done = hir_session_run (session, error);
  result->n_done = hir_session_get_n_done (session);
  result->elapsed_ns = hir_clock_now_ns () - start_ns;
  report = hir_session_get_report (session);
  if (report != NULL && result->n_done > 0)
    {
      result->check = hir_check_report_format (report);
      result->check_failed = done && !hir_check_report_passed (report);
    }
  return done;
}

static gboolean
check_can_run (HirProgram *program, GError **error)
{
  if (program->error != NULL)
    {
      g_propagate_error (error, g_error_copy (program->error));
      return FALSE;
    }
  if (hir_program_get_host (program) == NULL)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "there is no host program to run: the pipeline must get as far as "
                     "SegmentFusion");
      return FALSE;
    }
  return TRUE;
}

/* The recorder goes before what it writes to. An error of the run comes before one of the file. */
static gboolean
finish (gboolean done,
        HirRecorder *recorder,
        HirRecordingWriter *writer,
        GError **run_error,
        GError **error)
{
  g_autoptr (GError) sink_error = NULL;
  gboolean closed = TRUE;

  hir_recorder_flush (recorder);
  if (hir_recorder_get_error (recorder) != NULL)
    sink_error = g_error_copy (hir_recorder_get_error (recorder));
  hir_recorder_free (recorder);
  if (writer != NULL)
    closed = hir_recording_writer_close (writer, sink_error == NULL ? &sink_error : NULL);
  hir_recording_writer_free (writer);

  if (!done)
    {
      g_propagate_error (error, g_steal_pointer (run_error));
      return FALSE;
    }
  if (sink_error != NULL || !closed)
    {
      g_propagate_error (error, g_steal_pointer (&sink_error));
      return FALSE;
    }
  return TRUE;
}

gboolean
hir_run_job (HirProgram *program,
             const HirRunSettings *settings,
             const HirRunJobOptions *options,
             HirRunResult *result,
             GError **error)
{
  HirRecordingWriter *writer = NULL;
  HirRecorder *recorder;
  HirRecorderSink sink;
  GError *run_error = NULL;
  gboolean done;

  if (!check_can_run (program, error))
    return FALSE;
  if (options->path != NULL)
    {
      writer = begin_recording (program, settings, options, error);
      if (writer == NULL)
        return FALSE;
    }
  recorder = hir_recorder_new ();
  if (writer != NULL)
    {
      hir_recording_writer_init_sink (writer, &sink);
      hir_recorder_add_sink (recorder, &sink);
    }
  if (options->sink != NULL)
    hir_recorder_add_sink (recorder, options->sink);
  done = run_session (program, settings, options, recorder, result, &run_error);
  return finish (done, recorder, writer, &run_error, error);
}
