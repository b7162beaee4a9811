#include "diagnostic.h"
#include "identity.h"
#include "record/clock.h"
#include "trace/baseline.h"
#include "trace/event-category.h"
#include "trace/flow.h"
#include "trace/recording/column-pack.h"
#include "trace/recording/recording-file.h"
#include "trace/recording/recording-mark.h"
#include "trace/recording/recording-write-private.h"
#include "trace/track-gpu.h"

#include <glib/gstdio.h>
#include <string.h>

#define FLUSH_INTERVAL_NS (G_GINT64_CONSTANT (500) * 1000 * 1000)

static const char *const tables[HIR_N_WRITER_TABLES] = {
  "meta",  "strings", "tracks",        "chunks", "account",  "meetings",
  "edges", "flows",   "tensor_values", "args",   "baseline",
};

static void
begin_row (const HirRecordingWriter *writer, HirWriterTable table, HirRow *row)
{
  hir_row_begin (row, writer->insert[table], writer->path, tables[table]);
}

static gboolean
begin (HirRecordingWriter *writer, GError **error)
{
  return hir_db_exec (writer->db, writer->path, "BEGIN IMMEDIATE", error);
}

static gboolean
end (HirRecordingWriter *writer, gboolean is_good, GError **error)
{
  if (is_good && hir_db_exec (writer->db, writer->path, "COMMIT", error))
    return TRUE;
  if (!sqlite3_get_autocommit (writer->db))
    sqlite3_exec (writer->db, "ROLLBACK", NULL, NULL, NULL);
  return FALSE;
}

static gboolean
open_db (HirRecordingWriter *writer, GError **error)
{
  int code = sqlite3_open_v2 (writer->path, &writer->db,
                              SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX, NULL);

  if (code != SQLITE_OK)
    {
      hir_db_set_error (error, writer->db, code, writer->path, TRUE);
      return FALSE;
    }
  /* other programs may read the file while it is written */
  sqlite3_busy_timeout (writer->db, 5000);
  if (!hir_db_create_schema (writer->db, writer->path, error))
    return FALSE;
  for (guint t = 0; t < HIR_N_WRITER_TABLES; t++)
    {
      writer->insert[t] = hir_db_prepare_insert (writer->db, writer->path, tables[t], error);
      if (writer->insert[t] == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
insert_meta (HirRecordingWriter *writer, const char *key, const char *value, GError **error)
{
  HirRow row;

  begin_row (writer, HIR_WRITER_META, &row);
  hir_row_put_text (&row, key);
  hir_row_put_text (&row, value);
  return hir_row_insert (&row, error);
}

/* See recording-mark.h. */
static gboolean
write_id (HirRecordingWriter *writer, GError **error)
{
  g_autofree char *id = g_uuid_string_random ();

  return insert_meta (writer, HIR_META_FILE_ID, id, error);
}

static void
track_free (gpointer data)
{
  HirTrack *track = data;

  g_free (track->name);
  g_free (track);
}

static void
close_db (HirRecordingWriter *writer)
{
  for (guint t = 0; t < HIR_N_WRITER_TABLES; t++)
    g_clear_pointer (&writer->insert[t], sqlite3_finalize);
  if (writer->db != NULL)
    sqlite3_close (writer->db);
  writer->db = NULL;
}

static void
writer_clear (HirRecordingWriter *writer)
{
  close_db (writer);
  for (guint c = 0; c < HIR_N_CHUNK_COLUMNS; c++)
    g_free (writer->blobs[c]);
  g_free (writer->values);
  g_free (writer->pending);
  hir_args_packer_clear (&writer->args);
  hir_string_table_clear (&writer->strings);
  hir_id_table_clear (&writer->instructions);
  g_array_unref (writer->instruction_strings);
  g_array_unref (writer->sink_strings);
  g_array_unref (writer->samples);
  g_ptr_array_unref (writer->tracks);
  g_mutex_clear (&writer->lock);
  g_free (writer->source_path);
  g_free (writer->final_path);
  g_free (writer->path);
  g_free (writer);
}

/* Allocates all buffers at once, so that recording needs no further memory. */
static gboolean
allocate (HirRecordingWriter *writer, GError **error)
{
  guint32 none;
  gboolean done;

  writer->pending = g_try_new (HirEvent, HIR_RECORDING_CHUNK);
  writer->values = g_try_new (guint64, HIR_RECORDING_CHUNK);
  done = writer->pending != NULL && writer->values != NULL &&
         hir_string_table_intern (&writer->strings, "", &none) &&
         hir_id_table_intern (&writer->instructions, 0, &none);
  for (guint c = 0; done && c < HIR_N_CHUNK_COLUMNS; c++)
    {
      writer->blobs[c] = g_try_malloc_n (HIR_RECORDING_CHUNK, sizeof (guint64));
      done = writer->blobs[c] != NULL;
    }
  none = 0;
  g_array_append_val (writer->instruction_strings, none);
  if (!done)
    hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                   "out of memory for a recording; close other programs");
  return done;
}

static HirRecordingWriter *
create (const char *path, gboolean beside, GError **error)
{
  HirRecordingWriter *writer = g_new0 (HirRecordingWriter, 1);

  g_mutex_init (&writer->lock);
  hir_args_packer_init (&writer->args);
  writer->instruction_strings = g_array_new (FALSE, FALSE, sizeof (guint32));
  writer->sink_strings = g_array_new (FALSE, FALSE, sizeof (guint32));
  writer->samples = g_array_new (FALSE, FALSE, sizeof (HirBaselineSample));
  writer->tracks = g_ptr_array_new_with_free_func (track_free);
  writer->last_flush_ns = hir_clock_now_ns ();
  if (allocate (writer, error))
    writer->path = hir_recording_file_create (path, beside, &writer->final_path, error);
  if (writer->path != NULL && open_db (writer, error) && write_id (writer, error))
    return writer;
  close_db (writer);
  if (writer->path != NULL)
    hir_recording_file_remove (writer->path);
  writer_clear (writer);
  return NULL;
}

HirRecordingWriter *
hir_recording_writer_new (const char *path, GError **error)
{
  return create (path, FALSE, error);
}

HirRecordingWriter *
hir_recording_writer_new_beside (const char *path, GError **error)
{
  return create (path, TRUE, error);
}

void
hir_recording_writer_free (HirRecordingWriter *writer)
{
  g_autoptr (GError) error = NULL;

  if (writer == NULL)
    return;
  if (writer->db != NULL && !hir_recording_writer_close (writer, &error))
    g_warning ("%s", error->message);
  writer_clear (writer);
}

const char *
hir_recording_writer_get_path (const HirRecordingWriter *writer)
{
  return writer->path;
}

static gboolean
check_open (HirRecordingWriter *writer, GError **error)
{
  if (writer->db != NULL)
    return TRUE;
  hir_set_error (error, HIR_ERROR_RUN, NULL, "%s: the recording is already closed", writer->path);
  return FALSE;
}

gboolean
hir_recording_writer_set_meta (HirRecordingWriter *writer,
                               const char *key,
                               const char *value,
                               GError **error)
{
  gboolean done;

  g_mutex_lock (&writer->lock);
  done = check_open (writer, error) && insert_meta (writer, key, value, error);
  if (done && strcmp (key, "run") == 0)
    writer->share_gpus = hir_run_may_share_gpus (value);
  if (done && strcmp (key, HIR_META_SOURCE_PATH) == 0)
    {
      g_free (writer->source_path);
      writer->source_path = g_strdup (value);
    }
  g_mutex_unlock (&writer->lock);
  return done;
}

gboolean
hir_recording_writer_add_view (HirRecordingWriter *writer,
                               guint index,
                               const HirProgramView *view,
                               GError **error)
{
  gboolean done;

  g_mutex_lock (&writer->lock);
  done = check_open (writer, error) && begin (writer, error);
  if (done)
    done = end (writer,
                hir_recording_write_view (writer->db, writer->path, index, view,
                                          writer->source_path, error),
                error);
  if (done)
    writer->n_views++;
  g_mutex_unlock (&writer->lock);
  return done;
}

static gboolean
insert_account (HirRecordingWriter *writer, const char *text, GError **error)
{
  HirRow row;

  begin_row (writer, HIR_WRITER_ACCOUNT, &row);
  hir_row_put_text (&row, text);
  return hir_row_insert (&row, error);
}

gboolean
hir_recording_writer_add_account (HirRecordingWriter *writer, const char *text, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&writer->lock);

  return check_open (writer, error) && insert_account (writer, text, error);
}

static gboolean
intern (HirRecordingWriter *writer, const char *text, guint32 *index, GError **error)
{
  if (hir_string_table_intern (&writer->strings, text, index))
    return TRUE;
  hir_set_error (error, HIR_ERROR_LIMIT, NULL, "%s: out of memory for the names of a recording",
                 writer->path);
  return FALSE;
}

/* Returns the string that contains the hexadecimal id of @instruction. */
static gboolean
intern_instruction (HirRecordingWriter *writer, guint64 instruction, guint32 *index, GError **error)
{
  char hex[17];
  guint32 place;

  if (hir_id_table_find (&writer->instructions, instruction, &place))
    {
      *index = g_array_index (writer->instruction_strings, guint32, place);
      return TRUE;
    }
  hir_id_to_hex (instruction, hex);
  if (!intern (writer, hex, index, error))
    return FALSE;
  if (!hir_id_table_intern (&writer->instructions, instruction, &place))
    return TRUE; /* not an error: the id is only looked up again next time */
  g_array_append_val (writer->instruction_strings, *index);
  return TRUE;
}

static gboolean
insert_strings (HirRecordingWriter *writer, GError **error)
{
  HirRow row;

  begin_row (writer, HIR_WRITER_STRINGS, &row);
  for (guint32 i = writer->n_strings_written; i < writer->strings.n; i++)
    {
      hir_row_put_int (&row, i);
      hir_row_put_text (&row, hir_string_table_get (&writer->strings, i));
      if (!hir_row_insert (&row, error))
        return FALSE;
    }
  return TRUE;
}

static guint64
get_value (const HirEvent *event, HirChunkColumn column, gint64 base_ns)
{
  switch (column)
    {
    case HIR_CHUNK_START:
      return (guint64) event->start_ns - (guint64) base_ns;
    case HIR_CHUNK_DURATION:
      return (guint64) event->end_ns - (guint64) event->start_ns;
    case HIR_CHUNK_BYTES:
      return (guint64) event->bytes;
    case HIR_CHUNK_FLOPS:
      return (guint64) event->flops;
    case HIR_CHUNK_INSTRUCTION:
      return event->instruction;
    case HIR_CHUNK_NAME:
      return event->name;
    case HIR_CHUNK_CORRELATION:
      return event->correlation;
    case HIR_CHUNK_ITERATION:
      return (guint32) event->iteration + 1;
    case HIR_CHUNK_TRACK:
      return event->track;
    case HIR_CHUNK_KIND:
      return event->kind;
    default:
      return event->phase;
    }
}

static gboolean
insert_chunk (HirRecordingWriter *writer, GError **error)
{
  guint n = writer->n_pending;
  gint64 base_ns = G_MAXINT64;
  HirRow row;

  for (guint i = 0; i < n; i++)
    base_ns = MIN (base_ns, writer->pending[i].start_ns);
  begin_row (writer, HIR_WRITER_CHUNKS, &row);
  hir_row_put_int (&row, (gint64) writer->n_written); /* ids must only increase */
  hir_row_put_int (&row, (gint64) writer->n_written);
  hir_row_put_int (&row, n);
  hir_row_put_int (&row, base_ns);
  for (guint c = 0; c < HIR_N_CHUNK_COLUMNS; c++)
    {
      gsize size;

      for (guint i = 0; i < n; i++)
        writer->values[i] = get_value (&writer->pending[i], c, base_ns);
      /* Always stores the start, so that a small file cannot declare many events. */
      size = hir_column_pack (writer->values, n, c == HIR_CHUNK_START, writer->blobs[c]);
      hir_row_put_blob (&row, writer->blobs[c], size);
    }
  return hir_row_insert (&row, error);
}

static gboolean
write_pending (HirRecordingWriter *writer, GError **error)
{
  writer->last_flush_ns = hir_clock_now_ns ();
  if (writer->n_pending == 0 && writer->n_strings_written == writer->strings.n)
    return TRUE;
  if (!begin (writer, error) ||
      !end (writer,
            insert_strings (writer, error) &&
                hir_args_packer_insert (&writer->args, writer->insert[HIR_WRITER_ARGS],
                                        writer->path, error) &&
                (writer->n_pending == 0 || insert_chunk (writer, error)),
            error))
    return FALSE;
  hir_args_packer_drop (&writer->args);
  writer->n_written += writer->n_pending;
  writer->n_strings_written = writer->strings.n;
  writer->n_pending = 0;
  return TRUE;
}

static gboolean
insert_track (HirRecordingWriter *writer, const HirTrack *info, GError **error)
{
  HirTrack *copy;
  HirRow row;

  begin_row (writer, HIR_WRITER_TRACKS, &row);
  hir_row_put_int (&row, writer->n_tracks);
  hir_row_put_int (&row, info->kind);
  hir_row_put_int (&row, info->rank);
  hir_row_put_int (&row, info->device);
  hir_row_put_int (&row, info->stream);
  hir_row_put_text (&row, info->name != NULL ? info->name : "");
  if (!hir_row_insert (&row, error))
    return FALSE;
  writer->n_tracks++;
  copy = g_memdup2 (info, sizeof *info);
  copy->name = g_strdup (info->name != NULL ? info->name : "");
  g_ptr_array_add (writer->tracks, copy);
  return TRUE;
}

static gboolean
take_track (guint track, const HirTrack *info, gpointer user_data, GError **error)
{
  HirRecordingWriter *writer = user_data;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&writer->lock);

  return check_open (writer, error) && insert_track (writer, info, error);
}

static gboolean
take_string (guint32 string, const char *text, gpointer user_data, GError **error)
{
  HirRecordingWriter *writer = user_data;
  guint32 index;
  gboolean done;

  g_mutex_lock (&writer->lock);
  done = check_open (writer, error) && intern (writer, text, &index, error);
  if (done)
    g_array_append_val (writer->sink_strings, index);
  g_mutex_unlock (&writer->lock);
  return done;
}

/* Adds @event, whose name is already a string of the file. */
static gboolean
take_event (HirRecordingWriter *writer, const HirEvent *event, GError **error)
{
  HirEvent *pending;
  guint32 instruction;

  if (event->phase == HIR_PHASE_BASELINE)
    {
      if (event->track < writer->tracks->len)
        hir_baseline_sample_add (writer->samples, event);
      writer->n_sampled++;
      return TRUE;
    }
  if (writer->n_pending == HIR_RECORDING_CHUNK && !write_pending (writer, error))
    return FALSE;
  if (!intern_instruction (writer, event->instruction, &instruction, error))
    return FALSE;
  pending = &writer->pending[writer->n_pending++];
  *pending = *event;
  pending->instruction = instruction;
  return TRUE;
}

static gboolean
take_events (const HirEvent *events, gsize n, gpointer user_data, GError **error)
{
  HirRecordingWriter *writer = user_data;
  gboolean done;

  g_mutex_lock (&writer->lock);
  done = check_open (writer, error);
  for (gsize i = 0; done && i < n; i++)
    {
      HirEvent event = events[i];

      event.name = event.name < writer->sink_strings->len
                       ? g_array_index (writer->sink_strings, guint32, event.name)
                       : 0;
      done = take_event (writer, &event, error);
    }
  if (done && hir_clock_now_ns () - writer->last_flush_ns >= FLUSH_INTERVAL_NS)
    done = write_pending (writer, error);
  g_mutex_unlock (&writer->lock);
  return done;
}

/* @key, @op: texts of meeting->key and meeting->op */
static gboolean
insert_meeting (HirRecordingWriter *writer,
                const HirCommRecord *record,
                const char *key,
                const char *op,
                GError **error)
{
  HirRow row;

  begin_row (writer, HIR_WRITER_MEETINGS, &row);
  hir_row_put_text (&row, key);
  hir_row_put_int (&row, record->sequence);
  hir_row_put_int (&row, record->side);
  hir_row_put_int (&row, record->rank);
  hir_row_put_int (&row, record->correlation);
  hir_row_put_int (&row, record->bytes);
  hir_row_put_text (&row, op);
  hir_row_put_text (&row, hir_dtype_get_short_name (record->dtype));
  hir_row_put_int (&row, record->root);
  hir_row_put_int (&row, record->message_bytes);
  hir_row_put_int (&row, record->in_elements);
  hir_row_put_int (&row, record->out_elements);
  return hir_row_insert (&row, error);
}

static const char *
get_sink_text (const HirRecordingWriter *writer, guint32 string)
{
  return hir_string_table_get (&writer->strings,
                               string < writer->sink_strings->len
                                   ? g_array_index (writer->sink_strings, guint32, string)
                                   : 0);
}

static gboolean
take_meetings (const HirCommRecord *meetings, gsize n, gpointer user_data, GError **error)
{
  HirRecordingWriter *writer = user_data;
  gboolean done, is_good = TRUE;

  g_mutex_lock (&writer->lock);
  done = check_open (writer, error) && begin (writer, error);
  for (gsize i = 0; done && is_good && i < n; i++)
    is_good = insert_meeting (writer, &meetings[i], get_sink_text (writer, meetings[i].key),
                              get_sink_text (writer, meetings[i].op), error);
  done = done && end (writer, is_good, error);
  g_mutex_unlock (&writer->lock);
  return done;
}

static gboolean
insert_trace_meetings (HirRecordingWriter *writer,
                       const HirTrace *trace,
                       HirExportProgress *progress,
                       GError **error)
{
  gboolean is_good = TRUE;

  if (hir_trace_get_n_comm_records (trace) == 0)
    return TRUE;
  if (!begin (writer, error))
    return FALSE;
  for (guint i = 0; is_good && i < hir_trace_get_n_comm_records (trace); i++)
    {
      const HirCommRecord *record = hir_trace_get_comm_record (trace, i);

      is_good = insert_meeting (writer, record, hir_trace_get_string (trace, record->key),
                                hir_trace_get_string (trace, record->op), error) &&
                hir_export_progress_should_continue (progress, error);
    }
  return end (writer, is_good, error);
}

static gboolean
insert_edge (HirRecordingWriter *writer, const HirEdge *edge, GError **error)
{
  HirRow row;

  begin_row (writer, HIR_WRITER_EDGES, &row);
  hir_row_put_int (&row, edge->from_track);
  hir_row_put_int (&row, edge->from_correlation);
  hir_row_put_int (&row, edge->to_track);
  hir_row_put_int (&row, edge->to_correlation);
  return hir_row_insert (&row, error);
}

static gboolean
take_edges (const HirEdge *edges, gsize n, gpointer user_data, GError **error)
{
  HirRecordingWriter *writer = user_data;
  gboolean done, is_good = TRUE;

  g_mutex_lock (&writer->lock);
  done = check_open (writer, error) && begin (writer, error);
  for (gsize i = 0; done && is_good && i < n; i++)
    is_good = insert_edge (writer, &edges[i], error);
  done = done && end (writer, is_good, error);
  g_mutex_unlock (&writer->lock);
  return done;
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
  if (!begin (writer, error))
    return FALSE;
  for (guint i = 0; is_good && i < hir_trace_get_n_edges (trace); i++)
    {
      HirEdge edge;
      HirEdgeLink link;

      hir_trace_get_edge (trace, i, &edge, &link);
      edge.from_track = (guint16) (edge.from_track + first_track);
      edge.to_track = (guint16) (edge.to_track + first_track);
      is_good = insert_edge (writer, &edge, error) &&
                hir_export_progress_should_continue (progress, error);
    }
  return end (writer, is_good, error);
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
  if (!begin (writer, error))
    return FALSE;
  for (guint i = 0; is_good && i < hir_trace_get_n_flow_points (trace); i++)
    {
      const HirFlowPoint *point = hir_trace_get_flow_point (trace, i);
      HirRow row;

      begin_row (writer, HIR_WRITER_FLOWS, &row);
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
  return end (writer, is_good, error);
}

static gboolean
insert_value (HirRecordingWriter *writer, const HirTraceValue *value, GError **error)
{
  gsize n;
  gconstpointer data = g_bytes_get_data (value->data, &n);
  HirRow row;

  begin_row (writer, HIR_WRITER_VALUES, &row);
  hir_row_put_id (&row, value->tensor_id);
  hir_row_put_int (&row, value->rank);
  hir_row_put_blob (&row, data, n);
  return hir_row_insert (&row, error);
}

static gboolean
take_value (const HirTraceValue *value, gpointer user_data, GError **error)
{
  HirRecordingWriter *writer = user_data;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&writer->lock);

  return check_open (writer, error) && begin (writer, error) &&
         end (writer, insert_value (writer, value, error), error);
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
  if (!begin (writer, error))
    return FALSE;
  for (guint i = 0; is_good && i < hir_trace_get_n_values (trace); i++)
    is_good = insert_value (writer, hir_trace_get_value (trace, i), error) &&
              hir_export_progress_should_continue (progress, error);
  return end (writer, is_good, error);
}

/* @name: text of baseline->name */
static gboolean
insert_baseline (HirRecordingWriter *writer,
                 const HirBaseline *baseline,
                 const char *name,
                 GError **error)
{
  HirRow row;

  begin_row (writer, HIR_WRITER_BASELINE, &row);
  hir_row_put_id (&row, baseline->instruction);
  hir_row_put_int (&row, baseline->iteration);
  hir_row_put_int (&row, baseline->duration_ns);
  hir_row_put_int (&row, baseline->rank);
  hir_row_put_text (&row, name);
  return hir_row_insert (&row, error);
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
  if (!begin (writer, error))
    return FALSE;
  for (guint i = 0; is_good && i < hir_trace_get_n_baselines (trace); i++)
    {
      const HirBaseline *baseline = hir_trace_get_baseline (trace, i);

      is_good =
          insert_baseline (writer, baseline, hir_trace_get_string (trace, baseline->name), error) &&
          hir_export_progress_should_continue (progress, error);
    }
  return end (writer, is_good, error);
}

/* Reduces the events of baseline repetitions, which are then complete. */
static gboolean
write_samples (HirRecordingWriter *writer, GError **error)
{
  g_autoptr (GArray) baselines = NULL;
  gboolean is_good = TRUE;

  if (writer->samples->len == 0)
    return TRUE;
  baselines = hir_baselines_reduce (writer->samples, writer->tracks, writer->share_gpus);
  if (!begin (writer, error))
    return FALSE;
  for (guint i = 0; is_good && i < baselines->len; i++)
    {
      const HirBaseline *baseline = &g_array_index (baselines, HirBaseline, i);

      is_good = insert_baseline (writer, baseline,
                                 hir_string_table_get (&writer->strings, baseline->name), error);
    }
  return end (writer, is_good, error);
}

static gboolean
flush (gpointer user_data, GError **error)
{
  HirRecordingWriter *writer = user_data;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&writer->lock);

  return check_open (writer, error) && write_pending (writer, error);
}

void
hir_recording_writer_init_sink (HirRecordingWriter *writer, HirRecorderSink *sink)
{
  *sink = (HirRecorderSink){ take_track, take_string,   take_events, flush,
                             writer,     take_meetings, take_edges,  take_value };
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
      if (!intern (self->writer, hir_trace_get_string (self->trace, *name), known, error))
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
      if (!take_name (self, &event.name, error) || !take_event (self->writer, &event, error) ||
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
    done = insert_track (writer, hir_trace_get_track (trace, t), error) &&
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
  done = check_open (writer, error);
  for (guint i = 0; done && keys[i] != NULL; i++)
    if (!g_str_has_prefix (keys[i], "hirs."))
      done = insert_meta (writer, keys[i], hir_trace_get_meta (trace, keys[i]), error);
  for (guint i = 0; done && account[i] != NULL; i++)
    done = insert_account (writer, account[i], error);
  done = done && take_trace_tracks (writer, trace, progress, error) &&
         insert_trace_meetings (writer, trace, progress, error) &&
         insert_trace_edges (writer, trace, writer->n_tracks - hir_trace_get_n_tracks (trace),
                             progress, error) &&
         insert_trace_flows (writer, trace, writer->n_tracks - hir_trace_get_n_tracks (trace),
                             progress, error) &&
         insert_trace_baselines (writer, trace, progress, error) &&
         insert_trace_values (writer, trace, progress, error);
  g_mutex_unlock (&writer->lock);
  return done && flush (writer, error);
}

static gboolean
insert_counts (HirRecordingWriter *writer, GError **error)
{
  const struct
  {
    const char *key;
    guint64 n;
  } counts[] = {
    { "hirs.n_events", writer->n_written },    { "hirs.n_strings", writer->n_strings_written },
    { "hirs.n_tracks", writer->n_tracks },     { "hirs.n_views", writer->n_views },
    { "hirs.n_args", writer->args.n_written },
  };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      g_autofree char *n = g_strdup_printf ("%" G_GUINT64_FORMAT, counts[i].n);

      if (!insert_meta (writer, counts[i].key, n, error))
        return FALSE;
    }
  return insert_meta (writer, "hirs.closed", "1", error);
}

/* Marks the recording as complete, then merges the journal into the file. */
static gboolean
seal (HirRecordingWriter *writer, GError **error)
{
  if (!begin (writer, error) || !end (writer, insert_counts (writer, error), error))
    return FALSE;
  return hir_db_exec (writer->db, writer->path, "PRAGMA wal_checkpoint(TRUNCATE)", error);
}

gboolean
hir_recording_writer_close (HirRecordingWriter *writer, GError **error)
{
  GError *failure = NULL;
  gboolean done;

  g_mutex_lock (&writer->lock);
  if (writer->db == NULL)
    {
      g_mutex_unlock (&writer->lock);
      return TRUE;
    }
  done = write_pending (writer, &failure) && write_samples (writer, &failure) &&
         seal (writer, &failure);
  /* Fails while another program reads the file. The journal then stays, and the next program that
   * opens the file merges it. */
  if (done)
    sqlite3_exec (writer->db, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
  close_db (writer);
  if (done && strcmp (writer->path, writer->final_path) != 0)
    {
      done = hir_recording_file_put_in_place (writer->path, writer->final_path, &failure);
      if (done)
        {
          g_free (writer->path);
          writer->path = g_strdup (writer->final_path);
        }
    }
  if (!done)
    {
      hir_set_error (error, failure->code, NULL,
                     "%s; %" G_GUINT64_FORMAT " events are kept in %s, %u are lost",
                     failure->message, writer->n_written, writer->path, writer->n_pending);
      g_clear_error (&failure);
    }
  g_mutex_unlock (&writer->lock);
  return done;
}

void
hir_recording_writer_discard (HirRecordingWriter *writer)
{
  g_mutex_lock (&writer->lock);
  if (writer->db != NULL)
    {
      /* Merging a journal that is deleted would be useless. */
      sqlite3_db_config (writer->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
      close_db (writer);
      hir_recording_file_remove (writer->path);
    }
  g_mutex_unlock (&writer->lock);
}

guint64
hir_recording_writer_get_n_events (HirRecordingWriter *writer)
{
  guint64 n;

  g_mutex_lock (&writer->lock);
  n = writer->n_written + writer->n_pending + writer->n_sampled;
  g_mutex_unlock (&writer->lock);
  return n;
}
