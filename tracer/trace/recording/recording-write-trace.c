/* Copies a trace. */
#include "trace/event-category.h"
#include "trace/flow.h"
#include "trace/recording/recording-write-private.h"

static gboolean
insert_trace_meetings (HirRecordingWriter *writer,
                       const HirTrace *trace,
                       HirExportProgress *progress,
                       GError **error)
{
  gboolean is_good = TRUE;

  if (hir_trace_get_n_comm_records (trace) == 0)
    return TRUE;
  if (!hir_writer_begin (writer, error))
    return FALSE;
  for (guint i = 0; is_good && i < hir_trace_get_n_comm_records (trace); i++)
    {
      const HirCommRecord *record = hir_trace_get_comm_record (trace, i);

      is_good =
          hir_writer_insert_meeting (writer, record, hir_trace_get_string (trace, record->key),
                                     hir_trace_get_string (trace, record->op), error) &&
          hir_export_progress_should_continue (progress, error);
    }
  return hir_writer_end (writer, is_good, error);
}

/* The tracks of @trace start at @first_track in the file. */
static gboolean
insert_trace_edges (HirRecordingWriter *writer,
                    const HirTrace *trace,
                    guint first_track,
                    HirExportProgress *progress,
                    GError **error)
{
  gboolean is_good = TRUE;

  if (hir_trace_get_n_edges (trace) == 0)
    return TRUE;
  if (!hir_writer_begin (writer, error))
    return FALSE;
  for (guint i = 0; is_good && i < hir_trace_get_n_edges (trace); i++)
    {
      HirEdge edge;
      HirEdgeLink link;

      hir_trace_get_edge (trace, i, &edge, &link);
      edge.from_track = (guint16) (edge.from_track + first_track);
      edge.to_track = (guint16) (edge.to_track + first_track);
      is_good = hir_writer_insert_edge (writer, &edge, error) &&
                hir_export_progress_should_continue (progress, error);
    }
  return hir_writer_end (writer, is_good, error);
}

/* The tracks of @trace start at @first_track in the file. */
static gboolean
insert_trace_flows (HirRecordingWriter *writer,
                    const HirTrace *trace,
                    guint first_track,
                    HirExportProgress *progress,
                    GError **error)
{
  gboolean is_good = TRUE;

  if (hir_trace_get_n_flow_points (trace) == 0)
    return TRUE;
  if (!hir_writer_begin (writer, error))
    return FALSE;
  for (guint i = 0; is_good && i < hir_trace_get_n_flow_points (trace); i++)
    {
      const HirFlowPoint *point = hir_trace_get_flow_point (trace, i);
      HirRow row;

      hir_writer_begin_row (writer, HIR_WRITER_FLOWS, &row);
      hir_row_put_text (&row, hir_trace_get_string (trace, point->category));
      hir_row_put_text (&row, hir_trace_get_string (trace, point->name));
      hir_row_put_int (&row, (gint64) point->id);
      hir_row_put_int (&row, point->phase);
      hir_row_put_int (&row, point->is_enclosed);
      hir_row_put_int (&row, point->track + first_track);
      hir_row_put_int (&row, point->time_ns);
      is_good =
          hir_row_insert (&row, error) && hir_export_progress_should_continue (progress, error);
    }
  return hir_writer_end (writer, is_good, error);
}

static gboolean
insert_trace_values (HirRecordingWriter *writer,
                     const HirTrace *trace,
                     HirExportProgress *progress,
                     GError **error)
{
  gboolean is_good = TRUE;

  if (hir_trace_get_n_values (trace) == 0)
    return TRUE;
  if (!hir_writer_begin (writer, error))
    return FALSE;
  for (guint i = 0; is_good && i < hir_trace_get_n_values (trace); i++)
    is_good = hir_writer_insert_value (writer, hir_trace_get_value (trace, i), error) &&
              hir_export_progress_should_continue (progress, error);
  return hir_writer_end (writer, is_good, error);
}

static gboolean
insert_trace_baselines (HirRecordingWriter *writer,
                        const HirTrace *trace,
                        HirExportProgress *progress,
                        GError **error)
{
  gboolean is_good = TRUE;

  if (hir_trace_get_n_baselines (trace) == 0)
    return TRUE;
  if (!hir_writer_begin (writer, error))
    return FALSE;
  for (guint i = 0; is_good && i < hir_trace_get_n_baselines (trace); i++)
    {
      const HirBaseline *baseline = hir_trace_get_baseline (trace, i);

      is_good = hir_writer_insert_baseline (writer, baseline,
                                            hir_trace_get_string (trace, baseline->name), error) &&
                hir_export_progress_should_continue (progress, error);
    }
  return hir_writer_end (writer, is_good, error);
}

typedef struct
{
  HirRecordingWriter *writer;
  const HirTrace *trace;
  HirExportProgress *progress;
  guint32 *names; /* string of the trace -> string of the file + 1 */
  HirEventJson args;
} Copy;

/* Copies the args of the last event from the trace's own file. */
static gboolean
take_args (Copy *self, guint track, guint index, GError **error)
{
  HirRecordingWriter *writer = self->writer;

  return hir_event_category_read_json (&self->args, self->trace, track, index, error) &&
         (self->args.json->len == 0 ||
          hir_args_packer_add (&writer->args, writer->n_written + writer->n_pending - 1,
                               self->args.json->str, error));
}

static gboolean
take_name (Copy *self, guint32 *name, GError **error)
{
  guint32 *known = &self->names[*name];

  if (*known == 0)
    {
      if (!hir_writer_intern (self->writer, hir_trace_get_string (self->trace, *name), known,
                              error))
        return FALSE;
      ++*known;
    }
  *name = *known - 1;
  return TRUE;
}

static gboolean
take_trace_track (Copy *self, guint track, guint file_track, GError **error)
{
  for (guint i = 0; i < hir_trace_get_track_n_events (self->trace, track); i++)
    {
      HirEvent event;

      hir_trace_get_event (self->trace, track, i, &event);
      event.track = (guint16) file_track;
      if (!take_name (self, &event.name, error) ||
          !hir_writer_take_event (self->writer, &event, error) ||
          (event.source != 0 && !take_args (self, track, i, error)) ||
          !hir_export_progress_step (self->progress, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
take_trace_tracks (HirRecordingWriter *writer,
                   const HirTrace *trace,
                   HirExportProgress *progress,
                   GError **error)
{
  g_autofree guint32 *names = g_new0 (guint32, hir_trace_get_n_strings (trace));
  Copy self = { .writer = writer, .trace = trace, .progress = progress, .names = names };
  gboolean done = TRUE;

  hir_event_json_init (&self.args);
  for (guint t = 0; done && t < hir_trace_get_n_tracks (trace); t++)
    done = hir_writer_insert_track (writer, hir_trace_get_track (trace, t), error) &&
           take_trace_track (&self, t, writer->n_tracks - 1, error) &&
           hir_export_progress_step (progress, error);
  hir_event_json_clear (&self.args);
  return done;
}

gboolean
hir_recording_writer_add_trace (HirRecordingWriter *writer,
                                const HirTrace *trace,
                                HirExportProgress *progress,
                                GError **error)
{
  g_autofree const char **keys = hir_trace_dup_meta_keys (trace);
  const char *const *account = hir_trace_get_account (trace);
  gboolean done;

  hir_export_progress_expect (progress,
                              hir_trace_get_n_events (trace) + hir_trace_get_n_tracks (trace));
  g_mutex_lock (&writer->lock);
  done = hir_writer_check_open (writer, error);
  for (guint i = 0; done && keys[i] != NULL; i++)
    if (!g_str_has_prefix (keys[i], "hirs."))
      done = hir_writer_insert_meta (writer, keys[i], hir_trace_get_meta (trace, keys[i]), error);
  for (guint i = 0; done && account[i] != NULL; i++)
    done = hir_writer_insert_account (writer, account[i], error);
  done = done && take_trace_tracks (writer, trace, progress, error) &&
         insert_trace_meetings (writer, trace, progress, error) &&
         insert_trace_edges (writer, trace, writer->n_tracks - hir_trace_get_n_tracks (trace),
                             progress, error) &&
         insert_trace_flows (writer, trace, writer->n_tracks - hir_trace_get_n_tracks (trace),
                             progress, error) &&
         insert_trace_baselines (writer, trace, progress, error) &&
         insert_trace_values (writer, trace, progress, error);
  done = done && hir_writer_write_pending (writer, error);
  g_mutex_unlock (&writer->lock);
  return done;
}
