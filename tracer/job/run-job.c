/* Runs a program: session, recorder, recording file, and over MPI the other ranks. */
#include "job/run-job.h"

#include <string.h>
#include <sys/utsname.h>

#include "job/check-json.h"
#include "job/recorded-values.h"
#include "job/run-memory.h"
#include "job/run-ranks.h"
#include "program/document-recording.h"
#include "program/program-inputs.h"
#include "program/run-engine.h"
#include "run/reference/reference.h"
#include "run/session/session-summary.h"

void
hir_run_result_clear (HirRunResult *result)
{
  g_clear_pointer (&result->kept, hir_run_kept_free);
  g_clear_pointer (&result->inputs, g_free);
  g_clear_pointer (&result->check, g_free);
  g_clear_pointer (&result->outputs_json, g_free);
  g_clear_pointer (&result->memory, g_free);
  g_clear_pointer (&result->warning, g_free);
  g_clear_pointer (&result->account, g_strfreev);
  g_clear_pointer (&result->clocks, g_free);
}

/* Contains no name of the computer, because recordings are shared. */
static char *
dup_machine (void)
{
  struct utsname name;

  if (uname (&name) != 0)
    return g_strdup_printf ("%u processors", g_get_num_processors ());
  return g_strdup_printf ("%s %s, %s, %u processors", name.sysname, name.release, name.machine,
                          g_get_num_processors ());
}

static gboolean
set_meta (HirRecordingWriter *writer,
          const HirProgram *program,
          const HirRunSettings *settings,
          const HirRunJobOptions *options,
          GError **error)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *created = g_date_time_format_iso8601 (now);
  g_autoptr (GVariant) variant = g_variant_ref_sink (hir_run_settings_to_variant (settings));
  g_autofree char *text = g_variant_print (variant, TRUE);
  g_autofree char *machine = dup_machine ();
  g_autofree char *inputs = hir_program_dup_inputs_text (program);

  return hir_recording_writer_set_meta (writer, HIR_META_CLOCK,
                                        settings->model_clock ? "model" : "wall", error) &&
         hir_recording_writer_set_meta (writer, HIR_META_BACKEND,
                                        hir_backend_kind_get_name (settings->backend), error) &&
         hir_recording_writer_set_meta (writer, HIR_META_CREATED, created, error) &&
         hir_recording_writer_set_meta (writer, HIR_META_MACHINE, machine, error) &&
         hir_recording_writer_set_meta (writer, "run", text, error) &&
         (inputs == NULL ||
          hir_recording_writer_set_meta (writer, HIR_META_INPUTS, inputs, error)) &&
         (options->command == NULL ||
          hir_recording_writer_set_meta (writer, HIR_META_COMMAND, options->command, error));
}

static HirRecordingWriter *
begin_recording (HirProgram *program,
                 const HirRunSettings *settings,
                 const HirRunJobOptions *options,
                 GError **error)
{
  HirRecordingWriter *writer = hir_recording_writer_new (options->path, error);

  if (writer == NULL || (hir_program_write (program, writer, error) &&
                         set_meta (writer, program, settings, options, error)))
    return writer;
  /* Nothing has been recorded yet. */
  hir_recording_writer_discard (writer);
  hir_recording_writer_free (writer);
  return NULL;
}

/* With MPI, every rank lowers only its own program. */
static GPtrArray *
dup_own_host (HirProgram *program)
{
  GPtrArray *hosts = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_container_unref);

  g_ptr_array_add (hosts, hir_container_ref (hir_program_get_host (program)));
  return hosts;
}

static void
keep_own_host (GPtrArray *hosts, int rank)
{
  g_ptr_array_remove_range (hosts, (guint) rank + 1, hosts->len - (guint) rank - 1);
  g_ptr_array_remove_range (hosts, 0, (guint) rank);
}

static HirSession *
create_session (HirProgram *program,
                const HirRunSettings *settings,
                const HirRunJobOptions *options,
                HirBackendProvider *provider,
                HirRecorder *recorder,
                GError **error)
{
  HirRunOptions run_options;
  HirContainer *like = options->against != NULL ? options->against : program->fusion;
  g_autoptr (GPtrArray) hosts =
      options->mpi != NULL && program->printed == NULL
          ? dup_own_host (program)
          : hir_program_dup_run_hosts (program, options->cancellable, error);

  /* A run that only checks would compute everything before an opaque op for nothing. */
  if (hosts == NULL || (settings->check && like != NULL && options->path == NULL &&
                        options->sink == NULL && !hir_reference_check_ops (like, error)))
    return NULL;
  if (options->mpi != NULL && hosts->len > 1)
    keep_own_host (hosts, options->mpi->rank);
  hir_run_settings_to_options (settings, &run_options);
  if (recorder == NULL)
    run_options.n_baselines = 0;
  run_options.inputs = (const char *const *) program->request->inputs;
  run_options.rank = options->mpi != NULL ? options->mpi->rank : (int) program->request->rank;
  run_options.mpi = options->mpi;
  run_options.provider = provider;
  run_options.against = options->against;
  return hir_session_new_ranks (program->fusion != NULL ? program->fusion : program->printed,
                                (HirContainer *const *) hosts->pdata, hosts->len, &run_options,
                                recorder, options->cancellable, error);
}

/* Like hir_session_run(), but calls options->ran after each run. */
static gboolean
run_each (HirSession *session, const HirRunJobOptions *options, GError **error)
{
  gint64 elapsed_ns = 0;
  guint n_done = 0;
  HirStep step;

  options->ran (-1, options->user_data);
  do
    {
      step = hir_session_step (session, error);
      if (step == HIR_STEP_FAILED || hir_session_get_n_done (session) == n_done)
        continue;
      n_done = hir_session_get_n_done (session);
      options->ran (hir_session_get_elapsed_ns (session) - elapsed_ns, options->user_data);
      elapsed_ns = hir_session_get_elapsed_ns (session);
    }
  while (step == HIR_STEP_MORE);
  return step == HIR_STEP_DONE;
}

static gboolean
run_session (HirSession *session,
             const HirRunJobOptions *options,
             HirRunResult *result,
             GError **error)
{
  const HirCheckReport *report;
  gboolean done;

  /* Not the instruction of the host: the streams execute earlier ones. */
  if (options->status != NULL)
    options->status ("Running", options->user_data);
  done =
      options->ran != NULL ? run_each (session, options, error) : hir_session_run (session, error);
  result->n_done = hir_session_get_n_done (session);
  result->elapsed_ns = hir_session_get_elapsed_ns (session);
  report = hir_session_get_report (session);
  if (report != NULL && result->n_done > 0)
    {
      result->check = hir_check_report_format (report);
      result->outputs_json = hir_check_report_to_json (report);
      if (done)
        result->check_outcome = hir_check_report_get_outcome (report);
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
  if (hir_program_get_host (program) != NULL)
    return TRUE;
  if (program->lowering == NULL)
    hir_set_error (error, HIR_ERROR_INPUT, NULL,
                   "there is no host program to run: the printed program is a fusion");
  else
    hir_set_error (error, HIR_ERROR_INPUT, NULL,
                   "there is no host program to run: the pipeline must include "
                   "SegmentFusion");
  return FALSE;
}

gboolean
hir_run_job_check_ranks (HirProgram *program,
                         const HirRunSettings *settings,
                         int n_ranks,
                         GError **error)
{
  if (n_ranks <= 1)
    return TRUE;
  if (program->printed != NULL && settings->check)
    hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                   "--check of a printed program requires all ranks in one process; run it without "
                   "the launcher, with -d %d",
                   n_ranks);
  else if (program->printed == NULL && !hir_program_is_on_mesh (program))
    hir_set_error (error, HIR_ERROR_INPUT, NULL,
                   "no tensor of the fusion is on a mesh, so there is nothing for %d ranks to "
                   "share; "
                   "run it without the launcher, or set_device_mesh in the script",
                   n_ranks);
  else
    return TRUE;
  return FALSE;
}

static void
add_account (HirRecordingWriter *writer, guint64 n, const char *of, const char *what)
{
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT " %s %s", n, of, what);

  /* If this fails, the recording is marked as incomplete anyway. */
  if (n > 0)
    (void) hir_recording_writer_add_account (writer, text, NULL);
}

/* Stores why the run ended early. Only the first line of @run_error is short enough for tables. */
static void
write_stopped (HirRecordingWriter *writer, const GError *run_error)
{
  g_autofree char *text =
      g_error_matches (run_error, HIR_ERROR, HIR_ERROR_CANCELLED)
          ? g_strdup ("Stopped before the end")
          : g_strdup_printf ("Failed before the end: %.*s",
                             (int) strcspn (run_error->message, "\n"), run_error->message);

  /* If this fails, the recording is marked as incomplete anyway. */
  (void) hir_recording_writer_set_meta (writer, HIR_META_STOPPED, text, NULL);
}

/* Closes and frees the writer. @run_error (nullable) ended the run early. @stopped (nullable) is
 * the error that stopped the writer before all events were written. */
static gboolean
end_recording (HirRecordingWriter *writer,
               const GError *run_error,
               const HirRunResult *result,
               const GError *stopped,
               GError **error)
{
  guint64 n_taken = hir_recording_writer_get_n_events (writer);
  guint64 n_missing = result->n_events - MIN (n_taken, result->n_events);
  g_autoptr (GError) failure = NULL;

  /* If this fails, the recording is marked as incomplete anyway. */
  if (run_error != NULL)
    write_stopped (writer, run_error);
  else if (result->check != NULL)
    (void) hir_recording_writer_set_meta (writer, HIR_META_CHECK,
                                          hir_check_outcome_get_name (result->check_outcome), NULL);
  add_account (writer, result->n_dropped, "events", "are missing: out of memory");
  add_account (writer, n_missing, "events", "are missing at the end: they could not be written");
  add_account (writer, result->n_no_value, "values of tensors",
               "are omitted: they would take too much time or memory");
  if (!hir_recording_writer_close (writer, &failure))
    hir_set_error (error, failure->code, NULL,
                   n_missing > 0 ? "%s; %" G_GUINT64_FORMAT " later events are lost too" : "%s",
                   failure->message, n_missing);
  else if (stopped != NULL)
    hir_set_error (error, HIR_ERROR_RUN, NULL,
                   "%s; %" G_GUINT64_FORMAT " events are kept in %s, %" G_GUINT64_FORMAT
                   " are lost",
                   stopped->message, n_taken, hir_recording_writer_get_path (writer), n_missing);
  hir_recording_writer_free (writer);
  return failure == NULL && stopped == NULL;
}

/* Frees the recorder, then closes the recording. @run_error (nullable) ended the run early. */
static gboolean
finish (HirRecorder *recorder,
        HirRecordingWriter *writer,
        const GError *run_error,
        HirRunResult *result,
        GError **error)
{
  g_autoptr (GError) stopped = NULL;

  hir_recorder_flush (recorder);
  hir_recorder_get_counts (recorder, &result->n_events, &result->n_dropped);
  if (hir_recorder_get_error (recorder) != NULL)
    stopped = g_error_copy (hir_recorder_get_error (recorder));
  if (result->kept != NULL)
    result->kept->recorder = recorder;
  else
    hir_recorder_free (recorder);
  if (writer != NULL)
    return end_recording (writer, run_error, result, stopped, error);
  if (stopped == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&stopped));
  return FALSE;
}

/* Combines two independent errors. */
static void
join_errors (GError **error, const GError *of_run, const GError *of_file)
{
  HirPos pos = hir_error_get_pos (of_run);

  hir_set_error (error, of_run->domain == HIR_ERROR ? (HirErrorCode) of_run->code : HIR_ERROR_RUN,
                 &pos, "%s; and the recording failed: %s", of_run->message, of_file->message);
}

/* Adds the sinks. Sets @writer if a recording was started, even on failure. */
static gboolean
add_sinks (HirProgram *program,
           const HirRunSettings *settings,
           const HirRunJobOptions *options,
           HirRecorder *recorder,
           HirRecordingWriter **writer,
           GError **error)
{
  HirRecorderSink sink;

  if (options->mpi != NULL && options->mpi->rank > 0)
    return TRUE; /* rank 0 writes the events of all ranks */
  if (options->path != NULL)
    {
      *writer = begin_recording (program, settings, options, error);
      if (*writer == NULL)
        return FALSE;
      hir_recording_writer_init_sink (*writer, &sink);
      hir_recorder_add_sink (recorder, &sink);
    }
  if (options->sink != NULL)
    hir_recorder_add_sink (recorder, options->sink);
  return TRUE;
}

/* On a GPU, events without a consumer are not traced; on the CPU, recording is almost free. */
static gboolean
is_recorded (const HirRunSettings *settings, const HirRunJobOptions *options)
{
  return settings->trace != HIR_TRACE_OFF &&
         (settings->backend == HIR_BACKEND_CPU || options->path != NULL || options->sink != NULL);
}

static gboolean
record (HirProgram *program,
        const HirRunSettings *settings,
        const HirRunJobOptions *options,
        HirRecorder *recorder,
        HirRunRanks *ranks,
        HirRecordingWriter **writer,
        HirRunResult *result,
        GError **error)
{
  HirRecorder *used = is_recorded (settings, options) ? recorder : NULL;
  g_autoptr (HirRunEngine) engine =
      hir_run_engine_new (settings, used, options->path != NULL, options->mpi, error);
  g_autoptr (HirSession) session = NULL;
  gboolean done;

  if (engine == NULL)
    return FALSE;
  result->warning = g_strdup (hir_run_engine_get_warning (engine));
  session = create_session (program, settings, options, hir_run_engine_get_provider (engine), used,
                            error);
  if (session == NULL)
    return FALSE;
  result->inputs = g_strdup (hir_session_get_inputs_text (session));
  result->is_printed = program->printed != NULL && options->against == NULL;
  if (!add_sinks (program, settings, options, recorder, writer, error) ||
      (ranks != NULL && !hir_run_ranks_begin (ranks, recorder, error)))
    return FALSE;
  if (options->keep)
    hir_session_keep_values (session, HIR_RUN_KEPT_BYTES);
  hir_run_engine_begin (engine);
  done = run_session (session, options, result, error);
  hir_run_engine_finish (engine);
  result->account = hir_run_engine_dup_account (engine);
  /* Write the account even if the run has failed. */
  if (*writer != NULL)
    done &= hir_run_engine_write (engine, *writer, done ? error : NULL);
  /* Only if there is a consumer. In an MPI run, all ranks know whether rank 0 writes a file. */
  if (done && (options->path != NULL || (options->sink != NULL && options->mpi == NULL)))
    result->n_no_value = hir_recorded_values_take (session, recorder, options->cancellable);
  if (ranks != NULL)
    hir_run_ranks_take_session (ranks, session);
  /* finish() adds the recorder after flushing it. */
  if (options->keep && done)
    result->kept = hir_run_kept_new (g_steal_pointer (&session), g_steal_pointer (&engine), NULL);
  return done;
}

/* Runs this rank of an MPI run. All ranks call hir_run_ranks_end(), even after a failure. */
static gboolean
run_as_rank (HirProgram *program,
             const HirRunSettings *settings,
             const HirRunJobOptions *options,
             HirRecorder *recorder,
             HirRunRanks *ranks,
             HirRecordingWriter **writer,
             HirRunResult *result,
             GError **error)
{
  g_autoptr (GError) failure = NULL;

  hir_mpi_module_begin_run (options->mpi);
  if (check_can_run (program, &failure) &&
      hir_run_job_check_ranks (program, settings, options->mpi->size, &failure))
    (void) record (program, settings, options, recorder, ranks, writer, result, &failure);
  return hir_run_ranks_end (ranks, failure, recorder, *writer, result, error);
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
  HirRunRanks *ranks = NULL;
  g_autoptr (GError) run_error = NULL;
  g_autoptr (GError) file_error = NULL;
  gboolean done;

  if (options->mpi == NULL && !check_can_run (program, error))
    return FALSE;
  recorder = hir_recorder_new ();
  if (options->mpi != NULL)
    ranks =
        hir_run_ranks_new (options->mpi,
                           program->fusion != NULL ? program->fusion : program->printed, settings);
  done =
      ranks != NULL
          ? run_as_rank (program, settings, options, recorder, ranks, &writer, result, &run_error)
          : record (program, settings, options, recorder, NULL, &writer, result, &run_error);
  if (done && result->check != NULL)
    hir_run_add_memory (program, settings->n_streams, options->cancellable, result);
  done &= finish (recorder, writer, run_error, result, &file_error);
  g_clear_pointer (&ranks, hir_run_ranks_free);
  if (done)
    return TRUE;
  if (run_error != NULL && file_error != NULL)
    join_errors (error, run_error, file_error);
  else
    g_propagate_error (error, run_error != NULL ? g_steal_pointer (&run_error)
                                                : g_steal_pointer (&file_error));
  return FALSE;
}
