/* Merges the results of all ranks on rank 0. */
#include "job/check-json.h"
#include "job/run-ranks-private.h"
#include "run/model/model-log.h"

GVariant *
hir_run_ranks_get_part (GVariant *small, HirRankPart part)
{
  g_autoptr (GVariant) maybe = g_variant_get_child_value (small, part);
  g_autoptr (GVariant) boxed = g_variant_get_maybe (maybe);

  return boxed != NULL ? g_variant_get_variant (boxed) : NULL;
}

GVariant *
hir_run_ranks_pack_error (const GError *error)
{
  HirPos pos = hir_error_get_pos (error);
  g_autofree char *text = g_utf8_make_valid (error->message, -1);

  return g_variant_new ("(iuus)",
                        error->domain == HIR_ERROR ? (gint32) error->code : (gint32) HIR_ERROR_RUN,
                        (guint32) pos.line, (guint32) pos.column, text);
}

GError *
hir_run_ranks_unpack_error (GVariant *packed)
{
  GError *error = NULL;
  HirPos pos = { 0 };
  guint32 line, column;
  const char *text;
  gint32 code;

  if (!g_variant_is_of_type (packed, G_VARIANT_TYPE ("(iuus)")))
    return NULL;
  g_variant_get (packed, "(iuu&s)", &code, &line, &column, &text);
  pos.line = line;
  pos.column = column;
  hir_set_error (&error, (HirErrorCode) code, &pos, "%s", text);
  return error;
}

static gboolean
translate (HirEvent *event, gpointer user_data)
{
  return hir_event_merge_translate (user_data, event);
}

typedef struct
{
  HirModelGroup *group;
  GPtrArray *models, *logs;
} Replay;

static void
replay_clear (Replay *replay)
{
  g_ptr_array_unref (replay->logs);
  g_ptr_array_unref (replay->models);
  hir_model_group_free (replay->group);
}

static gboolean
add_log (
    Replay *replay, GVariant *packed, HirRecorder *recorder, HirEventMerge *merge, GError **error)
{
  HirModel *model = hir_model_new ();
  HirModelLog *log = hir_model_log_new (model, recorder, replay->group);

  g_ptr_array_add (replay->models, model);
  g_ptr_array_add (replay->logs, log);
  return hir_model_log_unpack (log, packed, merge != NULL ? translate : NULL, merge, error);
}

/* Replays the modelled clock of all ranks in one group, which gives the same times as one
 * process. */
static gboolean
replay_model (HirRunRanks *ranks,
              GPtrArray *small,
              HirRecorder *recorder,
              HirEventMerge *const *merges,
              HirRunResult *result,
              GError **error)
{
  Replay replay = { hir_model_group_new (),
                    g_ptr_array_new_with_free_func ((GDestroyNotify) hir_model_free),
                    g_ptr_array_new_with_free_func ((GDestroyNotify) hir_model_log_free) };
  HirRecorder *into = ranks->settings->trace != HIR_TRACE_OFF ? recorder : NULL;
  gboolean ok = TRUE;

  for (guint rank = 0; ok && rank < small->len; rank++)
    {
      g_autoptr (GVariant) packed =
          hir_run_ranks_get_part (g_ptr_array_index (small, rank), HIR_RANK_PART_MODEL);

      /* A rank that failed before the run has no log. */
      ok = packed == NULL || add_log (&replay, packed, into, merges[rank], error);
    }
  if (ok && replay.logs->len > 0)
    hir_model_log_resolve (g_ptr_array_index (replay.logs, 0));
  result->elapsed_ns = 0;
  for (guint i = 0; ok && i < replay.logs->len; i++)
    {
      HirModelLog *log = g_ptr_array_index (replay.logs, i);

      result->elapsed_ns = MAX (result->elapsed_ns, hir_model_log_get_counted_ns (log));
      if (hir_model_log_is_resolved (log) || ranks->outcomes[i].failed)
        continue;
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                     "the modelled clock cannot handle ranks that wait for two communications in "
                     "opposite order; use --clock wall");
      ok = FALSE;
    }
  replay_clear (&replay);
  return ok;
}

static gboolean
merge_reports (HirRunRanks *ranks, GPtrArray *small, HirRunResult *result, GError **error)
{
  g_autoptr (HirCheckReport) report = hir_check_report_new (ranks->fusion);
  gboolean any = FALSE, all_done = TRUE;

  for (guint rank = 0; rank < small->len; rank++)
    {
      g_autoptr (GVariant) packed =
          hir_run_ranks_get_part (g_ptr_array_index (small, rank), HIR_RANK_PART_REPORT);

      all_done &= !ranks->outcomes[rank].failed;
      if (packed == NULL)
        continue;
      any = TRUE;
      if (!hir_check_report_merge (report, packed, error))
        return FALSE;
    }
  g_clear_pointer (&result->check, g_free);
  g_clear_pointer (&result->outputs_json, g_free);
  if (!any || result->n_done == 0)
    return TRUE;
  result->check = hir_check_report_format (report);
  result->outputs_json = hir_check_report_to_json (report);
  if (all_done)
    result->check_outcome = hir_check_report_get_outcome (report);
  return TRUE;
}

/* Describes the clock offset of each rank, or that all ranks share one clock. */
static char *
dup_clock_text (const HirRunRanks *ranks)
{
  GString *text = g_string_new (NULL);

  if (ranks->settings->model_clock)
    return g_string_free (text, FALSE);
  for (int rank = 1; rank < ranks->mpi->size; rank++)
    {
      g_autofree char *fit = NULL;

      if (ranks->fits[rank].same_clock)
        continue;
      fit = hir_clock_fit_format (&ranks->fits[rank]);
      g_string_append_printf (text, "clock of rank %d against rank 0: %s\n", rank, fit);
    }
  if (text->len == 0 && ranks->mpi->size > 1)
    g_string_append_printf (text, "%d ranks on one machine: one clock, offset 0\n",
                            ranks->mpi->size);
  return g_string_free (text, FALSE);
}

static gboolean
write_clock (const HirRunRanks *ranks, int rank, HirRecordingWriter *writer, GError **error)
{
  const HirClockFit *fit = &ranks->fits[rank];
  g_autofree char *key = g_strdup_printf ("clock.rank.%d", rank);
  g_autofree char *value =
      fit->same_clock
          ? g_strdup ("same clock: offset_ns=0 error_ns=0")
          : g_strdup_printf ("offset_ns=%" G_GINT64_FORMAT " error_ns=%" G_GINT64_FORMAT
                             " drift_ns=%" G_GINT64_FORMAT " span_ns=%" G_GINT64_FORMAT,
                             fit->begin.offset_ns, hir_clock_fit_get_error_ns (fit),
                             hir_clock_fit_get_drift_ns (fit), fit->end.at_ns - fit->begin.at_ns);

  return hir_recording_writer_set_meta (writer, key, value, error);
}

static gboolean
write_tables (const HirRunRanks *ranks, HirRecordingWriter *writer, GError **error)
{
  g_autofree char *size = g_strdup_printf ("%d", ranks->mpi->size);

  if (!hir_recording_writer_set_meta (writer, "mpi.ranks", size, error))
    return FALSE;
  for (int rank = 0; rank < ranks->mpi->size; rank++)
    {
      guint64 n_dropped = ranks->outcomes[rank].n_dropped;
      g_autofree char *lost =
          g_strdup_printf ("%" G_GUINT64_FORMAT " events of rank %d are missing: out of memory",
                           n_dropped, rank);

      if (!ranks->settings->model_clock && rank > 0 && !write_clock (ranks, rank, writer, error))
        return FALSE;
      if (n_dropped > 0 && !hir_recording_writer_add_account (writer, lost, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
hir_run_ranks_merge (HirRunRanks *ranks,
                     GPtrArray *small,
                     HirRecorder *recorder,
                     HirEventMerge *const *merges,
                     HirRecordingWriter *writer,
                     HirRunResult *result,
                     GError **error)
{
  for (int rank = 0; rank < ranks->mpi->size; rank++)
    {
      result->n_done = MIN (result->n_done, ranks->outcomes[rank].n_done);
      result->elapsed_ns = MAX (result->elapsed_ns, ranks->outcomes[rank].elapsed_ns);
      result->n_dropped += ranks->outcomes[rank].n_dropped;
      result->n_no_value += rank > 0 ? ranks->outcomes[rank].n_no_value : 0;
    }
  if (ranks->settings->model_clock && !replay_model (ranks, small, recorder, merges, result, error))
    return FALSE;
  if (!merge_reports (ranks, small, result, error))
    return FALSE;
  result->clocks = dup_clock_text (ranks);
  return writer == NULL || write_tables (ranks, writer, error);
}

void
hir_run_ranks_note_lost (HirRunRanks *ranks, HirRecordingWriter *writer)
{
  if (writer != NULL)
    (void) hir_recording_writer_add_account (writer,
                                             "the events of the other ranks are missing: a rank "
                                             "ended before they arrived",
                                             NULL);
}
