#include "diagnostic.h"
#include "identity.h"
#include "trace/baseline.h"
#include "trace/flow.h"
#include "trace/recording/column-pack.h"
#include "trace/recording/recording-args.h"
#include "trace/recording/recording-read-private.h"

#include <string.h>

/* Tables that events refer to. */
typedef struct
{
  HirRecordingReader *reader;
  HirTraceBuilder *builder;
  GArray *strings;      /* guint32: string of the file -> string of the builder */
  GArray *instructions; /* guint64: the string parsed as an id */
  GArray *is_id;        /* guint8: whether the string is an id */
  guint n_tracks;
  guint n_views;
  gint64 n_chunks, n_all_chunks;
  gint64 has_facts; /* whether the table `meetings` has the columns */
  guint64 n_events, n_args;
  HirEventSource *source; /* args in the file; NULL if none; the builder's */
  guint64 first_source;   /* HirEvent.source of event 0, minus 1 */
  guint64 *values[HIR_N_CHUNK_COLUMNS];
} Loader;

static gboolean
set_damaged (HirRecordingReader *reader, GError **error, const char *what)
{
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "%s: the recording is damaged (%s); record the run again", reader->path, what);
  return FALSE;
}

static gboolean
read_number (HirRecordingReader *reader, const char *pragma, gint64 *value, GError **error)
{
  sqlite3_stmt *stmt = hir_db_prepare (reader->db, reader->path, pragma, error);
  int code;

  if (stmt == NULL)
    return FALSE;
  code = sqlite3_step (stmt);
  *value = sqlite3_column_int64 (stmt, 0);
  if (code != SQLITE_ROW)
    hir_db_set_error (error, reader->db, code, reader->path, FALSE);
  sqlite3_finalize (stmt);
  return code == SQLITE_ROW;
}

static gboolean
check_kind (HirRecordingReader *reader, GError **error)
{
  gint64 id, version;

  if (!read_number (reader, "PRAGMA application_id", &id, error) ||
      !read_number (reader, "PRAGMA user_version", &version, error))
    return FALSE;
  if (id != HIR_RECORDING_APPLICATION_ID)
    hir_set_error (error, HIR_ERROR_INPUT, NULL,
                   "%s is an SQLite database but not a recording; give a .hirs file", reader->path);
  else if (version > HIR_RECORDING_SCHEMA)
    hir_set_error (error, HIR_ERROR_INPUT, NULL,
                   "%s was written by a newer Hirscope (format %" G_GINT64_FORMAT
                   ", this one reads up to %d); open it with the newer version",
                   reader->path, version, HIR_RECORDING_SCHEMA);
  else if (version < 1)
    return set_damaged (reader, error, "no format number");
  else
    return TRUE;
  return FALSE;
}

static gboolean
read_meta (HirRow *row, gpointer user_data, GError **error)
{
  Loader *loader = user_data;
  const char *key = hir_row_get_some_text (row);
  const char *value = hir_row_get_some_text (row);

  if (!hir_row_check (row, error))
    return FALSE;
  g_hash_table_insert (loader->reader->recording->meta, g_strdup (key), g_strdup (value));
  if (!g_str_has_prefix (key, "hirs."))
    hir_trace_builder_set_meta (loader->builder, key, value);
  return TRUE;
}

static gboolean
read_string (HirRow *row, gpointer user_data, GError **error)
{
  Loader *loader = user_data;
  gint64 id = hir_row_get_int (row, 0, G_MAXUINT32);
  const char *text = hir_row_get_some_text (row);
  guint64 instruction = 0;
  guint32 index;
  guint8 is_id;

  row->is_bad |= id != loader->strings->len;
  if (!hir_row_check (row, error))
    return FALSE;
  index = hir_trace_builder_intern (loader->builder, text);
  /* The empty string means no instruction. */
  is_id = id == 0 || hir_id_from_hex (text, &instruction);
  g_array_append_val (loader->strings, index);
  g_array_append_val (loader->instructions, instruction);
  g_array_append_val (loader->is_id, is_id);
  return TRUE;
}

/* Returns the number of a stream. Recordings of earlier versions count from the default stream, so
 * their numbers differ from those in the names. */
static gint64
get_stream (const HirTrack *track, gint64 stored)
{
  const char *name = strstr (track->name, " = "); /* GPU 0, stream 14 = Stream 2 */
  gint64 number = stored;

  name = name != NULL ? name + strlen (" = ") : track->name;
  if (track->kind != HIR_TRACK_STREAM)
    return stored;
  if (g_str_equal (name, HIR_DEFAULT_STREAM_NAME))
    return HIR_DEFAULT_STREAM;
  if (g_str_has_prefix (name, "Stream "))
    (void) g_ascii_string_to_signed (name + strlen ("Stream "), 10, 0, G_MAXINT64, &number, NULL);
  return number;
}

static gboolean
read_track (HirRow *row, gpointer user_data, GError **error)
{
  Loader *loader = user_data;
  HirTrack track;

  row->is_bad |= hir_row_get_int (row, 0, G_MAXUINT16) != loader->n_tracks;
  track.kind = (HirTrackKind) hir_row_get_int (row, 0, HIR_N_TRACK_KINDS - 1);
  track.rank = (int) hir_row_get_int (row, G_MININT32, G_MAXINT32);
  track.device = (int) hir_row_get_int (row, G_MININT32, G_MAXINT32);
  track.stream = hir_row_get_int (row, G_MININT64, G_MAXINT64);
  track.name = (char *) hir_row_get_some_text (row);
  if (!hir_row_check (row, error))
    return FALSE;
  track.stream = get_stream (&track, track.stream);
  hir_trace_builder_add_track (loader->builder, &track);
  loader->n_tracks++;
  return TRUE;
}

/* Decodes value @i of each column as an event. Returns FALSE if a value is out of range. */
static gboolean
decode_event (Loader *loader, guint i, gint64 base_ns, HirEvent *event)
{
  guint64 *const *values = loader->values;
  guint64 instruction = values[HIR_CHUNK_INSTRUCTION][i];
  guint64 name = values[HIR_CHUNK_NAME][i];

  if (instruction >= loader->strings->len || name >= loader->strings->len ||
      !g_array_index (loader->is_id, guint8, instruction) ||
      values[HIR_CHUNK_CORRELATION][i] > G_MAXUINT32 ||
      values[HIR_CHUNK_ITERATION][i] > G_MAXUINT32 || values[HIR_CHUNK_TRACK][i] > G_MAXUINT16 ||
      values[HIR_CHUNK_KIND][i] > G_MAXUINT8 || values[HIR_CHUNK_PHASE][i] > G_MAXUINT8)
    return FALSE;
  /* Wraps around as it did during writing; the builder checks the sum. */
  event->start_ns = (gint64) ((guint64) base_ns + values[HIR_CHUNK_START][i]);
  event->end_ns = (gint64) ((guint64) event->start_ns + values[HIR_CHUNK_DURATION][i]);
  event->bytes = (gint64) values[HIR_CHUNK_BYTES][i];
  event->flops = (gint64) values[HIR_CHUNK_FLOPS][i];
  event->instruction = g_array_index (loader->instructions, guint64, instruction);
  event->name = g_array_index (loader->strings, guint32, name);
  event->correlation = (guint32) values[HIR_CHUNK_CORRELATION][i];
  event->iteration = (gint32) ((guint32) values[HIR_CHUNK_ITERATION][i] - 1);
  event->track = (guint16) values[HIR_CHUNK_TRACK][i];
  event->kind = (guint8) values[HIR_CHUNK_KIND][i];
  event->phase = (guint8) values[HIR_CHUNK_PHASE][i];
  return TRUE;
}

static gboolean
read_chunk (HirRow *row, gpointer user_data, GError **error)
{
  Loader *loader = user_data;
  gint64 base_ns;
  guint n;

  hir_row_get_int (row, 0, G_MAXINT64);
  row->is_bad |= hir_row_get_int (row, 0, G_MAXINT64) != (gint64) loader->n_events;
  n = (guint) hir_row_get_int (row, 1, HIR_RECORDING_CHUNK);
  base_ns = hir_row_get_int (row, G_MININT64, G_MAXINT64);
  for (guint c = 0; c < HIR_N_CHUNK_COLUMNS; c++)
    {
      gsize size;
      gconstpointer blob = hir_row_get_blob (row, &size);

      if (!hir_column_unpack (blob, size, n, loader->values[c]) ||
          (c == HIR_CHUNK_START && size == 0))
        row->is_bad = TRUE;
    }
  if (!hir_row_check (row, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      HirEvent event = { 0 };

      if (!decode_event (loader, i, base_ns, &event))
        return set_damaged (loader->reader, error, "an event's value is out of range");
      if (loader->source != NULL)
        event.source = loader->first_source + loader->n_events + i + 1;
      if (!hir_trace_builder_add (loader->builder, &event, error))
        return FALSE;
    }
  loader->n_events += n;
  return hir_load_progress_should_continue (loader->reader->progress, loader->builder,
                                            (double) ++loader->n_chunks /
                                                (double) loader->n_all_chunks,
                                            error);
}

/* Reads all rows of @table. */
static gboolean
read_table (Loader *loader, const char *table, HirRowFunc func, GError **error)
{
  const HirRecordingReader *reader = loader->reader;

  return hir_db_each_row (reader->db, reader->path, table, reader->ignore_digests, func, loader,
                          error);
}

/* Like read_table(), but older recordings have no such table. */
static gboolean
read_newer_table (Loader *loader, const char *table, HirRowFunc func, GError **error)
{
  g_autofree char *sql =
      g_strdup_printf ("SELECT count(*) FROM sqlite_master WHERE type='table' AND name='%s'",
                       table);
  gint64 n_tables;

  return read_number (loader->reader, sql, &n_tables, error) &&
         (n_tables == 0 || read_table (loader, table, func, error));
}

static gboolean
read_chunks (Loader *loader, GError **error)
{
  for (guint c = 0; c < HIR_N_CHUNK_COLUMNS; c++)
    {
      loader->values[c] = g_try_new (guint64, HIR_RECORDING_CHUNK);
      if (loader->values[c] == NULL)
        {
          hir_set_error (error, HIR_ERROR_LIMIT, NULL, "%s: out of memory; close other programs",
                         loader->reader->path);
          return FALSE;
        }
    }
  return read_number (loader->reader, "SELECT count(*) FROM chunks", &loader->n_all_chunks,
                      error) &&
         read_table (loader, "chunks", read_chunk, error);
}

/* Reads the data that a communication moved. */
static void
read_facts (Loader *loader, HirRow *row, HirCommRecord *record)
{
  HirDType dtype = HIR_DTYPE_NULL;

  record->op = hir_trace_builder_intern (loader->builder, hir_row_get_some_text (row));
  hir_dtype_lookup_short_name (hir_row_get_some_text (row), &dtype);
  record->dtype = (guint8) dtype;
  record->root = (gint32) hir_row_get_int (row, G_MININT32, G_MAXINT32);
  record->message_bytes = hir_row_get_int (row, 0, G_MAXINT64);
  record->in_elements = hir_row_get_int (row, 0, G_MAXINT64);
  record->out_elements = hir_row_get_int (row, 0, G_MAXINT64);
}

static gboolean
read_meeting (HirRow *row, gpointer user_data, GError **error)
{
  Loader *loader = user_data;
  HirCommRecord record = { .key = hir_trace_builder_intern (loader->builder,
                                                            hir_row_get_some_text (row)) };

  record.sequence = (guint32) hir_row_get_int (row, 0, G_MAXUINT32);
  record.side = (guint8) hir_row_get_int (row, 0, HIR_N_COMM_SIDES - 1);
  record.rank = (gint32) hir_row_get_int (row, G_MININT32, G_MAXINT32);
  record.correlation = (guint32) hir_row_get_int (row, 0, G_MAXUINT32);
  record.bytes = hir_row_get_int (row, G_MININT64, G_MAXINT64);
  if (loader->has_facts)
    read_facts (loader, row, &record);
  if (!hir_row_check (row, error))
    return FALSE;
  hir_trace_builder_add_comm_record (loader->builder, &record);
  return TRUE;
}

static gboolean
read_edge (HirRow *row, gpointer user_data, GError **error)
{
  Loader *loader = user_data;
  HirEdge edge = { .from_track = (guint16) hir_row_get_int (row, 0, G_MAXUINT16) };

  edge.from_correlation = (guint32) hir_row_get_int (row, 0, G_MAXUINT32);
  edge.to_track = (guint16) hir_row_get_int (row, 0, G_MAXUINT16);
  edge.to_correlation = (guint32) hir_row_get_int (row, 0, G_MAXUINT32);
  if (!hir_row_check (row, error))
    return FALSE;
  hir_trace_builder_add_edge (loader->builder, &edge);
  return TRUE;
}

static gboolean
read_flow (HirRow *row, gpointer user_data, GError **error)
{
  Loader *loader = user_data;
  HirFlowPoint point = { 0 };

  point.category = hir_trace_builder_intern (loader->builder, hir_row_get_some_text (row));
  point.name = hir_trace_builder_intern (loader->builder, hir_row_get_some_text (row));
  point.id = (guint64) hir_row_get_int (row, G_MININT64, G_MAXINT64);
  point.phase = (char) hir_row_get_int (row, 0, 127);
  point.is_enclosed = (guint8) hir_row_get_int (row, 0, 1);
  point.track = (guint16) hir_row_get_int (row, 0, G_MAXUINT16);
  point.time_ns = hir_row_get_int (row, G_MININT64, G_MAXINT64);
  if (!hir_row_check (row, error))
    return FALSE;
  hir_trace_builder_add_flow_point (loader->builder, &point);
  return TRUE;
}

static gboolean
read_baseline (HirRow *row, gpointer user_data, GError **error)
{
  Loader *loader = user_data;
  HirBaseline baseline = { .instruction = hir_row_get_id (row) };

  baseline.iteration = (gint32) hir_row_get_int (row, -1, G_MAXINT32);
  baseline.duration_ns = hir_row_get_int (row, 0, G_MAXINT64 / 4);
  baseline.rank = (gint32) hir_row_get_int (row, G_MININT32, G_MAXINT32);
  baseline.name = hir_trace_builder_intern (loader->builder, hir_row_get_some_text (row));
  if (!hir_row_check (row, error))
    return FALSE;
  hir_trace_builder_add_baseline (loader->builder, &baseline);
  return TRUE;
}

/* The summary is validated only when it is displayed. */
static gboolean
read_value (HirRow *row, gpointer user_data, GError **error)
{
  Loader *loader = user_data;
  guint64 tensor_id = hir_row_get_id (row);
  int rank = (int) hir_row_get_int (row, G_MININT32, G_MAXINT32);
  gsize n;
  gconstpointer data = hir_row_get_blob (row, &n);
  g_autoptr (GBytes) bytes = NULL;

  if (!hir_row_check (row, error))
    return FALSE;
  bytes = g_bytes_new (data, MIN (n, HIR_TRACE_MAX_VALUE_BYTES + 1));
  hir_trace_builder_add_value (loader->builder, tensor_id, rank, bytes);
  return TRUE;
}

/* Older recordings have no such table, and it is empty in recordings of our own runs. Its rows are
 * read on demand. */
static gboolean
find_args (Loader *loader, GError **error)
{
  gint64 n_tables, n_rows = 0;

  if (!read_number (loader->reader,
                    "SELECT count(*) FROM sqlite_master WHERE type='table' AND name='args'",
                    &n_tables, error) ||
      (n_tables > 0 && !read_number (loader->reader, "SELECT count(*) FROM args", &n_rows, error)))
    return FALSE;
  loader->n_args = (guint64) n_rows;
  if (n_rows == 0)
    return TRUE;
  loader->source =
      hir_event_source_new_recording (loader->reader->path, loader->reader->ignore_digests);
  loader->first_source =
      hir_trace_builder_add_source (loader->builder, hir_event_source_ref (loader->source));
  return TRUE;
}

static gboolean
read_account (HirRow *row, gpointer user_data, GError **error)
{
  Loader *loader = user_data;
  const char *text = hir_row_get_some_text (row);

  if (!hir_row_check (row, error))
    return FALSE;
  hir_trace_builder_add_account (loader->builder, "%s", text);
  return TRUE;
}

static gboolean
check_count (Loader *loader, const char *key, guint64 n, GError **error)
{
  const char *text = hir_recording_get_meta (loader->reader->recording, key);
  guint64 expected;

  if (text != NULL && g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT64, &expected, NULL) &&
      expected == n)
    return TRUE;
  return set_damaged (loader->reader, error, "rows are missing");
}

/* A recording that was closed contains the numbers of its rows. */
static gboolean
check_complete (Loader *loader, GError **error)
{
  HirRecording *recording = loader->reader->recording;

  if (loader->reader->progress != NULL && loader->reader->progress->is_enough)
    {
      hir_load_progress_write_account (loader->reader->progress, loader->builder);
      return TRUE;
    }
  recording->is_complete = g_strcmp0 (hir_recording_get_meta (recording, "hirs.closed"), "1") == 0;
  if (recording->is_complete)
    return check_count (loader, "hirs.n_events", loader->n_events, error) &&
           check_count (loader, "hirs.n_strings", loader->strings->len, error) &&
           check_count (loader, "hirs.n_tracks", loader->n_tracks, error) &&
           check_count (loader, "hirs.n_views", loader->n_views, error) &&
           (hir_recording_get_meta (recording, "hirs.n_args") == NULL ||
            check_count (loader, "hirs.n_args", loader->n_args, error));
  hir_trace_builder_add_account (loader->builder,
                                 "the recording was not closed: the run ended early or is still in "
                                 "progress; %" G_GUINT64_FORMAT " events were written",
                                 loader->n_events);
  return TRUE;
}

/* Counts the views first, because the callback may take them for programs of other ranks. */
static gboolean
tell_of_views (Loader *loader)
{
  HirRecordingReader *reader = loader->reader;

  loader->n_views = reader->recording->views->len;
  if (reader->has_views != NULL)
    reader->has_views (reader->recording, reader->user_data);
  return TRUE;
}

static gboolean
load (Loader *loader, GError **error)
{
  return check_kind (loader->reader, error) && read_table (loader, "meta", read_meta, error) &&
         read_table (loader, "strings", read_string, error) &&
         read_table (loader, "tracks", read_track, error) &&
         hir_recording_read_views (loader->reader, error) && tell_of_views (loader) &&
         find_args (loader, error) && read_chunks (loader, error) &&
         read_number (loader->reader,
                      "SELECT count(*) FROM pragma_table_info('meetings') WHERE name='op'",
                      &loader->has_facts, error) &&
         read_newer_table (loader, "meetings", read_meeting, error) &&
         read_newer_table (loader, "edges", read_edge, error) &&
         read_newer_table (loader, "flows", read_flow, error) &&
         read_newer_table (loader, "baseline", read_baseline, error) &&
         read_newer_table (loader, "tensor_values", read_value, error) &&
         read_table (loader, "account", read_account, error) && check_complete (loader, error);
}

static void
loader_clear (Loader *loader)
{
  for (guint c = 0; c < HIR_N_CHUNK_COLUMNS; c++)
    g_free (loader->values[c]);
  g_array_unref (loader->strings);
  g_array_unref (loader->instructions);
  g_array_unref (loader->is_id);
  hir_trace_builder_free (loader->builder);
  hir_event_source_unref (loader->source);
}

static HirRecording *
read_recording (const HirRecordingReader *how, GError **error)
{
  g_autoptr (HirRecording) recording = NULL;
  HirRecordingReader reader = *how;
  Loader loader = { .reader = &reader };
  const char *path = how->path;
  gboolean done;
  HirRecordingFile file;

  if (!hir_recording_file_open (&file, path, error))
    return NULL;
  recording = g_new0 (HirRecording, 1);
  recording->path = g_strdup (path);
  recording->meta = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  recording->views = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_program_view_unref);
  reader.db = file.db;
  reader.recording = recording;
  loader.builder = hir_trace_builder_new ();
  hir_trace_builder_set_rules (loader.builder,
                               reader.progress != NULL ? reader.progress->options->rules : NULL);
  loader.strings = g_array_new (FALSE, FALSE, sizeof (guint32));
  loader.instructions = g_array_new (FALSE, FALSE, sizeof (guint64));
  loader.is_id = g_array_new (FALSE, FALSE, sizeof (guint8));
  done = load (&loader, error);
  if (reader.progress != NULL)
    hir_load_progress_clear (reader.progress);
  if (done)
    recording->trace = hir_trace_builder_try_finish (g_steal_pointer (&loader.builder), error);
  hir_recording_file_close (&file, recording->trace != NULL);
  if (recording->trace != NULL && loader.source != NULL)
    hir_event_source_open_recording (loader.source);
  loader_clear (&loader);
  return recording->trace != NULL ? g_steal_pointer (&recording) : NULL;
}

HirRecording *
hir_recording_open_full (const char *path, gboolean ignore_digests, GError **error)
{
  const HirRecordingReader how = { .path = path, .ignore_digests = ignore_digests };

  return read_recording (&how, error);
}

HirRecording *
hir_recording_open_watched (const char *path,
                            HirLoadProgress *progress,
                            HirRecordingFunc has_views,
                            gpointer user_data,
                            GError **error)
{
  const HirRecordingReader how = {
    .path = path, .progress = progress, .has_views = has_views, .user_data = user_data
  };

  return read_recording (&how, error);
}

HirRecording *
hir_recording_open (const char *path, GError **error)
{
  return hir_recording_open_full (path, FALSE, error);
}

void
hir_recording_free (HirRecording *recording)
{
  if (recording == NULL)
    return;
  g_clear_pointer (&recording->trace, hir_trace_unref);
  g_ptr_array_unref (recording->views);
  g_hash_table_unref (recording->meta);
  g_free (recording->path);
  g_free (recording);
}

const char *
hir_recording_get_meta (const HirRecording *recording, const char *key)
{
  return g_hash_table_lookup (recording->meta, key);
}
