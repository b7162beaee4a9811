#include "trace/nsight/nsys-own.h"

#include "diagnostic.h"
#include "trace/comm-records.h"
#include "trace/flow.h"
#include "trace/nsight/event-args-nsys.h"
#include "trace/nsight/nsight-schema.h"

static const char *const own_tables[] = {
  "CUPTI_ACTIVITY_KIND_KERNEL",  "CUPTI_ACTIVITY_KIND_MEMCPY",
  "CUPTI_ACTIVITY_KIND_MEMSET",  "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
  "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS",
  "HIRSCOPE_COUNTERS",           NULL
};

typedef struct
{
  HirTraceBuilder *builder;
  guint64 first_source, source; /* HirEvent.source of the file, and of row 0 of the table */
  GHashTable *strings;          /* gint64 -> index */
} Reader;

gboolean
hir_nsys_own_is (HirNsysDb *db)
{
  return hir_nsys_db_has (db, "HIRSCOPE_TRACKS") && hir_nsys_db_has (db, "StringIds");
}

static const char *
get_text (sqlite3_stmt *row, int column)
{
  const char *text = (const char *) sqlite3_column_text (row, column);

  return text != NULL ? text : "";
}

static gboolean
take_string (sqlite3_stmt *row, gpointer user_data, GError **error)
{
  Reader *self = user_data;
  gint64 id = sqlite3_column_int64 (row, 0);
  guint32 index = hir_trace_builder_intern (self->builder, get_text (row, 1));

  g_hash_table_replace (self->strings, g_memdup2 (&id, sizeof id), GUINT_TO_POINTER (index));
  return TRUE;
}

static guint32
lookup_string (Reader *self, gint64 id)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->strings, &id));
}

static gboolean
take_track (sqlite3_stmt *row, gpointer user_data, GError **error)
{
  Reader *self = user_data;
  const HirTrack track = {
    .kind = (HirTrackKind) CLAMP (sqlite3_column_int (row, 0), 0, HIR_N_TRACK_KINDS - 1),
    .rank = sqlite3_column_int (row, 1),
    .device = sqlite3_column_int (row, 2),
    .stream = sqlite3_column_int64 (row, 3),
    .name = (char *) get_text (row, 4),
  };

  hir_trace_builder_add_track (self->builder, &track);
  return TRUE;
}

static gint32
to_int32 (gint64 value)
{
  return (gint32) CLAMP (value, G_MININT32, G_MAXINT32);
}

/* start, end, hirTrack, hirKind, hirName, hirBytes, hirFlops, hirInstruction, hirIteration,
 * hirPhase, hirCorrelation, hirArgs, row */
static gboolean
take_event (sqlite3_stmt *row, gpointer user_data, GError **error)
{
  Reader *self = user_data;
  gint64 track = sqlite3_column_int64 (row, 2), number = sqlite3_column_int64 (row, 12);
  const HirEvent event = {
    .start_ns = sqlite3_column_int64 (row, 0),
    .end_ns = sqlite3_column_int64 (row, sqlite3_column_type (row, 1) != SQLITE_NULL ? 1 : 0),
    .bytes = sqlite3_column_int64 (row, 5),
    .flops = sqlite3_column_int64 (row, 6),
    .instruction = (guint64) sqlite3_column_int64 (row, 7),
    .name = lookup_string (self, sqlite3_column_int64 (row, 4)),
    .correlation = (guint32) sqlite3_column_int64 (row, 10),
    .iteration = to_int32 (sqlite3_column_int64 (row, 8)),
    .track = track >= 0 && track < G_MAXUINT16 ? (guint16) track : G_MAXUINT16,
    .kind = (guint8) CLAMP (sqlite3_column_int64 (row, 3), 0, 255),
    .phase = (guint8) CLAMP (sqlite3_column_int64 (row, 9), 0, 255),
    .source = sqlite3_column_type (row, 11) != SQLITE_NULL && number > 0 &&
                      number < G_GINT64_CONSTANT (1) << HIR_EVENT_ROW_SHIFT
                  ? self->source + (guint64) number
                  : 0,
  };

  return hir_trace_builder_add (self->builder, &event, error);
}

static gboolean
take_meeting (sqlite3_stmt *row, gpointer user_data, GError **error)
{
  Reader *self = user_data;
  const HirCommRecord record = {
    .bytes = sqlite3_column_int64 (row, 5),
    .key = lookup_string (self, sqlite3_column_int64 (row, 0)),
    .sequence = (guint32) sqlite3_column_int64 (row, 1),
    .correlation = (guint32) sqlite3_column_int64 (row, 4),
    .rank = to_int32 (sqlite3_column_int64 (row, 3)),
    .side = (guint8) CLAMP (sqlite3_column_int64 (row, 2), 0, 255),
    .dtype = (guint8) CLAMP (sqlite3_column_int64 (row, 7), 0, 255),
    .op = lookup_string (self, sqlite3_column_int64 (row, 6)),
    .root = to_int32 (sqlite3_column_int64 (row, 8)),
    .message_bytes = sqlite3_column_int64 (row, 9),
    .in_elements = sqlite3_column_int64 (row, 10),
    .out_elements = sqlite3_column_int64 (row, 11),
  };

  hir_trace_builder_add_comm_record (self->builder, &record);
  return TRUE;
}

static gboolean
take_flow (sqlite3_stmt *row, gpointer user_data, GError **error)
{
  Reader *self = user_data;
  gint64 track = sqlite3_column_int64 (row, 6);
  const HirFlowPoint point = {
    .category = lookup_string (self, sqlite3_column_int64 (row, 0)),
    .name = lookup_string (self, sqlite3_column_int64 (row, 1)),
    .id = (guint64) sqlite3_column_int64 (row, 2),
    .phase = *get_text (row, 3),
    .is_enclosed = sqlite3_column_int64 (row, 4) != 0,
    .time_ns = sqlite3_column_int64 (row, 5),
    .track = track >= 0 && track < G_MAXUINT16 ? (guint16) track : G_MAXUINT16,
  };

  hir_trace_builder_add_flow_point (self->builder, &point);
  return TRUE;
}

static gboolean
take_meta (sqlite3_stmt *row, gpointer user_data, GError **error)
{
  Reader *self = user_data;

  hir_trace_builder_set_meta (self->builder, get_text (row, 0), get_text (row, 1));
  return TRUE;
}

static gboolean
take_line (sqlite3_stmt *row, gpointer user_data, GError **error)
{
  Reader *self = user_data;

  hir_trace_builder_add_account (self->builder, "%s", get_text (row, 0));
  return TRUE;
}

static gboolean
read_events (HirNsysDb *db, Reader *self, GError **error)
{
  static const char *const columns[] = {
    "start",        "end",      "hirTrack",       "hirKind",
    "hirName",      "hirBytes", "hirFlops",       "hirInstruction",
    "hirIteration", "hirPhase", "hirCorrelation", HIR_NSIGHT_ARGS,
    HIR_NSYS_ROW,   NULL
  };

  for (guint i = 0; own_tables[i] != NULL; i++)
    {
      self->source = self->first_source + ((guint64) (i + 1) << HIR_EVENT_ROW_SHIFT);
      if (!hir_nsys_db_each (db, own_tables[i], columns, take_event, self, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
hir_nsys_own_read (HirNsysDb *db, HirTraceBuilder *builder, GError **error)
{
  static const char *const strings[] = { "id", "value", NULL };
  static const char *const tracks[] = { "kind", "rank", "device", "stream", "name", NULL };
  static const char *const meetings[] = {
    "key",   "sequence", "side",         "rank",       "correlation", "bytes", "op",
    "dtype", "root",     "messageBytes", "inElements", "outElements", NULL
  };
  static const char *const flows[] = { "category",   "name", "id",    "phase",
                                       "isEnclosed", "time", "track", NULL };
  static const char *const meta[] = { "key", "value", NULL };
  static const char *const lines[] = { "line", NULL };
  Reader self = {
    .builder = builder,
    .first_source =
        hir_trace_builder_add_source (builder, hir_event_source_new_nsys (db->path, own_tables)),
    .strings = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL),
  };
  gboolean done =
      hir_nsys_db_each (db, "StringIds", strings, take_string, &self, error) &&
      hir_nsys_db_each (db, "HIRSCOPE_TRACKS", tracks, take_track, &self, error) &&
      read_events (db, &self, error) &&
      hir_nsys_db_each (db, "HIRSCOPE_MEETINGS", meetings, take_meeting, &self, error) &&
      hir_nsys_db_each (db, "HIRSCOPE_FLOWS", flows, take_flow, &self, error) &&
      hir_nsys_db_each (db, "HIRSCOPE_META", meta, take_meta, &self, error) &&
      hir_nsys_db_each (db, "HIRSCOPE_ACCOUNT", lines, take_line, &self, error);

  g_hash_table_unref (self.strings);
  return done;
}
