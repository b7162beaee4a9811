/* Writes a prediction, and a recording of the predicted run. */
#include "predict/predict-write.h"

#include "program/run-settings.h"
#include "trace/duration.h"
#include "trace/track-gpu.h"

#include <string.h>

static void
add_row (HirTextOut *out,
         const char *title,
         gint64 measured_ns,
         gint64 unchanged_ns,
         gint64 predicted_ns)
{
  g_autofree char *measured = hir_format_duration (measured_ns);
  g_autofree char *unchanged = hir_format_duration (unchanged_ns);
  g_autofree char *predicted = hir_format_duration (predicted_ns);
  g_autofree char *gain = hir_format_duration (unchanged_ns - predicted_ns);

  hir_text_out_printf (out, "%-12s", title);
  hir_text_out_add_padded (out, measured, 12);
  hir_text_out_add_padded (out, unchanged, 14);
  hir_text_out_add_padded (out, predicted, 12);
  hir_text_out_add_padded (out, gain, 12);
  hir_text_out_printf (out, " %7.1f %%\n",
                       100.0 * (double) (unchanged_ns - predicted_ns) /
                           (double) MAX (unchanged_ns, 1));
}

void
hir_predict_write_text (const HirPrediction *prediction, HirTextOut *out)
{
  const char *between = "";

  hir_text_out_add (out, "Changes: ");
  for (guint i = 0; i < prediction->changes->len; i++, between = "; ")
    hir_text_out_printf (out, "%s%s", between,
                         (const char *) g_ptr_array_index (prediction->changes, i));
  hir_text_out_add (out, prediction->changes->len == 0 ? "none\n\n" : "\n\n");
  hir_text_out_printf (out, "%-12s%12s%14s%12s%12s %9s\n", "repetition", "measured", "simulated",
                       "predicted", "gain", "share");
  for (guint i = 0; i < prediction->repetitions->len; i++)
    {
      const HirPredicted *row = &g_array_index (prediction->repetitions, HirPredicted, i);
      g_autofree char *title = g_strdup_printf ("%u", i + 1);

      add_row (out, title, row->measured_ns, row->unchanged_ns, row->predicted_ns);
    }
  hir_text_out_add (out, "\n");
  hir_text_out_add (out, "simulated: without changes; the gain is the difference to it\n");
  for (guint i = 0; i < prediction->notes->len; i++)
    hir_text_out_printf (out, "note: %s\n",
                         (const char *) g_ptr_array_index (prediction->notes, i));
}

static void
write_texts (HirJsonOut *json, const char *name, const GPtrArray *texts)
{
  hir_json_out_begin (json, name, '[');
  for (guint i = 0; i < texts->len; i++)
    hir_json_out_add_string (json, NULL, g_ptr_array_index (texts, i));
  hir_json_out_end (json, ']');
}

static void
write_times (HirJsonOut *json, gint64 measured_ns, gint64 unchanged_ns, gint64 predicted_ns)
{
  hir_json_out_add_int (json, "measured_ns", measured_ns);
  hir_json_out_add_int (json, "simulated_ns", unchanged_ns);
  hir_json_out_add_int (json, "predicted_ns", predicted_ns);
  hir_json_out_add_int (json, "gain_ns", unchanged_ns - predicted_ns);
}

void
hir_predict_write_json (const HirPrediction *prediction, HirTextOut *out)
{
  HirJsonOut *json = &out->json;

  hir_json_out_begin (json, NULL, '{');
  write_times (json,
               hir_prediction_get_median (prediction, G_STRUCT_OFFSET (HirPredicted, measured_ns)),
               hir_prediction_get_median (prediction, G_STRUCT_OFFSET (HirPredicted, unchanged_ns)),
               hir_prediction_get_median (prediction,
                                          G_STRUCT_OFFSET (HirPredicted, predicted_ns)));
  hir_json_out_begin (json, "repetitions", '[');
  for (guint i = 0; i < prediction->repetitions->len; i++)
    {
      const HirPredicted *row = &g_array_index (prediction->repetitions, HirPredicted, i);

      hir_json_out_break (json);
      hir_json_out_begin (json, NULL, '{');
      write_times (json, row->measured_ns, row->unchanged_ns, row->predicted_ns);
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
  hir_json_out_add_string (json, "alone_from",
                           !prediction->measure->is_gpu           ? "run"
                           : prediction->measure->n_baselines > 0 ? "baseline"
                                                                  : "executions");
  write_texts (json, "changes", prediction->changes);
  write_texts (json, "notes", prediction->notes);
  hir_json_out_end (json, '}');
  hir_text_out_add (out, "\n");
}

/* Adds an event under the name that it has in the recording. */
static void
record_event (const HirEvent *event, const HirPlanPart *part, gpointer user_data)
{
  HirPrediction *prediction = user_data;
  HirEvent own = *event;

  if (part != NULL)
    {
      own.kind = part->kind;
      own.bytes = part->bytes;
      own.flops = part->flops;
    }
  if (part != NULL && part->name != NULL)
    own.name = hir_recorder_intern (prediction->recorder, part->name);
  hir_recorder_add (prediction->recorder, &own);
}

static gboolean
copy_meta (HirRecordingWriter *writer, const HirTrace *trace, const char *key, GError **error)
{
  const char *value = hir_trace_get_meta (trace, key);

  return value == NULL || hir_recording_writer_set_meta (writer, key, value, error);
}

/* Returns the name of @track with that of its GPU and its stream there, as in @trace: "GPU 1,
 * stream 14 = Stream 2". A stream that the measured run does not have gets no number. Returns NULL
 * if the trace has no such names. */
static char *
dup_track_name (const HirTrace *trace, const HirTrack *track)
{
  const char *gpu = NULL;

  for (guint i = 0; i < hir_trace_get_n_tracks (trace); i++)
    {
      const HirTrack *measured = hir_trace_get_track (trace, i);
      const char *end = strstr (measured->name, " = ");

      if (measured->rank != track->rank || !hir_track_is_of_device (measured) || end == NULL ||
          !g_str_has_prefix (measured->name, "GPU "))
        continue;
      gpu = measured->name;
      if (g_str_equal (end + strlen (" = "), track->name))
        return g_strdup (gpu);
    }
  if (gpu == NULL || strchr (gpu, ',') == NULL)
    return NULL;
  return g_strdup_printf ("%.*s, new stream = %s", (int) (strchr (gpu, ',') - gpu), gpu,
                          track->name);
}

static void
name_tracks (HirRecorder *recorder, const HirTrace *trace)
{
  for (guint i = 0; i < hir_recorder_get_n_tracks (recorder); i++)
    {
      const HirTrack *track = hir_recorder_get_track (recorder, i);
      g_autofree char *name = hir_track_is_of_device (track) ? dup_track_name (trace, track) : NULL;

      if (name != NULL)
        hir_recorder_set_track_name (recorder, i, name);
    }
}

/* Adds the events of a track that are in the first repetition, on a track of their own. */
static gboolean
copy_repetition (HirTraceBuilder *builder,
                 const HirMeasured *measure,
                 const HirTrace *trace,
                 guint track,
                 GError **error)
{
  gboolean has_track = FALSE;
  guint added = 0;

  for (guint i = hir_trace_find_first (trace, track, measure->start_ns);
       i < hir_trace_get_track_n_events (trace, track); i++)
    {
      HirEvent event;

      hir_trace_get_event (trace, track, i, &event);
      if (event.start_ns > measure->end_ns)
        break;
      if (event.phase != HIR_PHASE_PROGRAM || event.start_ns < measure->start_ns ||
          event.end_ns > measure->end_ns || event.kind == HIR_EVENT_HOST)
        continue;
      if (!has_track)
        added = hir_trace_builder_add_track (builder, hir_trace_get_track (trace, track));
      has_track = TRUE;
      event.track = (guint16) added;
      event.start_ns -= measure->start_ns;
      event.end_ns -= measure->start_ns;
      event.source = 0;
      event.name = hir_trace_builder_intern (builder, hir_trace_get_string (trace, event.name));
      if (!hir_trace_builder_add (builder, &event, error))
        return FALSE;
    }
  return TRUE;
}

/* Sets the settings of @trace, but with one repetition. */
static void
set_run_once (HirTraceBuilder *builder, const HirTrace *trace)
{
  g_auto (HirRunSettings) settings = { 0 };
  g_autoptr (GVariant) variant = NULL;
  g_autofree char *text = NULL;

  if (!hir_run_settings_parse (&settings, hir_trace_get_meta (trace, "run")))
    return;
  settings.n_repeat = 1;
  settings.n_warmup = 0;
  variant = g_variant_ref_sink (hir_run_settings_to_variant (&settings));
  text = g_variant_print (variant, TRUE);
  hir_trace_builder_set_meta (builder, "run", text);
}

HirTrace *
hir_prediction_dup_measured (const HirPrediction *prediction, const HirTrace *trace, GError **error)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  g_autofree const char **keys = hir_trace_dup_meta_keys (trace);

  for (guint i = 0; keys[i] != NULL; i++)
    hir_trace_builder_set_meta (builder, keys[i], hir_trace_get_meta (trace, keys[i]));
  set_run_once (builder, trace);
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    if (hir_trace_get_track (trace, t)->kind != HIR_TRACK_COUNTER &&
        !copy_repetition (builder, prediction->measure, trace, t, error))
      {
        hir_trace_builder_free (builder);
        return NULL;
      }
  return hir_trace_builder_try_finish (builder, error);
}

/* Describes the predicted run: once, without the runs before. */
static char *
dup_run (const HirPrediction *prediction, const HirTrace *trace)
{
  g_auto (HirRunSettings) settings = { 0 };
  g_autoptr (GVariant) variant = NULL;

  hir_run_settings_init (&settings);
  settings.n_streams = prediction->n_streams;
  settings.backend = prediction->measure->is_gpu ? HIR_BACKEND_CUDA : HIR_BACKEND_CPU;
  settings.model_clock = prediction->measure->is_model;
  settings.share_gpus = hir_run_may_share_gpus (hir_trace_get_meta (trace, "run"));
  variant = g_variant_ref_sink (hir_run_settings_to_variant (&settings));
  return g_variant_print (variant, TRUE);
}

static gboolean
write_meta (HirPrediction *prediction,
            const HirOpened *opened,
            HirRecordingWriter *writer,
            GError **error)
{
  g_autofree char *run = dup_run (prediction, opened->trace);
  g_autoptr (GString) changes = g_string_new ("predicted, not measured");

  for (guint i = 0; i < prediction->changes->len; i++)
    g_string_append_printf (changes, "%s%s", i > 0 ? "; " : ": ",
                            (const char *) g_ptr_array_index (prediction->changes, i));
  return hir_recording_writer_set_meta (writer, HIR_META_CLOCK,
                                        prediction->measure->is_model ? "model" : "predicted",
                                        error) &&
         hir_recording_writer_set_meta (writer, HIR_META_BACKEND,
                                        prediction->measure->is_gpu ? "cuda" : "cpu", error) &&
         hir_recording_writer_set_meta (writer, "run", run, error) &&
         copy_meta (writer, opened->trace, "device", error) &&
         hir_recording_writer_add_account (writer, changes->str, error);
}

gboolean
hir_prediction_save (HirPrediction *prediction,
                     const HirOpened *opened,
                     const char *path,
                     GError **error)
{
  const HirSimulationOptions options = { prediction->measure, 0, prediction->interference };
  HirRecordingWriter *writer = hir_recording_writer_new_beside (path, error);
  HirRecorderSink sink;
  gint64 total_ns;
  gboolean ok;

  if (writer == NULL)
    return FALSE;
  hir_recording_writer_init_sink (writer, &sink);
  ok = hir_program_write (prediction->program, writer, error) &&
       write_meta (prediction, opened, writer, error);
  if (ok)
    {
      name_tracks (prediction->recorder, opened->trace);
      hir_recorder_add_sink (prediction->recorder, &sink);
      ok = hir_simulate (prediction->plan, &options, record_event, prediction, &total_ns, error);
      hir_recorder_flush (prediction->recorder);
    }
  if (ok && hir_recorder_get_error (prediction->recorder) != NULL)
    {
      g_propagate_error (error, g_error_copy (hir_recorder_get_error (prediction->recorder)));
      ok = FALSE;
    }
  /* The recorder must not use the writer any more. */
  g_clear_pointer (&prediction->plan, hir_plan_free);
  g_clear_pointer (&prediction->recorder, hir_recorder_free);
  ok = ok && hir_recording_writer_close (writer, error);
  if (!ok)
    hir_recording_writer_discard (writer);
  hir_recording_writer_free (writer);
  return ok;
}
