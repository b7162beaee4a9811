#include "trace/export/export-nsight.h"

#include <sqlite3.h>
#include <string.h>

#include "diagnostic.h"
#include "trace/comm-records.h"
#include "trace/event-category.h"
#include "trace/export/nsight-values.h"
#include "trace/flow.h"
#include "trace/nsight/nsight-schema.h"
#include "trace/out-file.h"
#include "trace/recording/recording.h"
#include "trace/trace-header.h"

#define STEPS_A_LOOK 10000 /* in instructions of SQLite's virtual machine */

typedef enum
{
  TABLE_KERNEL,
  TABLE_MEMCPY,
  TABLE_MEMSET,
  TABLE_SYNC,
  TABLE_RUNTIME,
  TABLE_NVTX,
  TABLE_COUNTER,
  N_TABLES
} Table;

/* Parameters: ?1 start, ?2 end, ?3 device, ?4 stream, ?5 correlation, ?6 global process or thread,
 * ?7 name, ?8 bytes, ?9 to ?18 as HIR_NSIGHT_EXTRA, ?19 the value of a sample, ?20 and on: the
 * values of nsight-values.h. An unknown correlation is NULL, as is a kind of memory. */
#define FIRST_VALUE 20
#define EXTRA "?9,?10,?11,?12,?13,?14,?15,?16,?17,?18)"
#define DEVICE "(?1,?2,?3,?20,NULL,?4,nullif(?5,0),?6,"
static const char *const inserts[N_TABLES] = {
  [TABLE_KERNEL] = "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES " DEVICE
                   "?7,?7,?7,?21,?22,?23,?24,?25,?26,?27,?28,?29," EXTRA,
  [TABLE_MEMCPY] = "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES " DEVICE
                   "?8,?30,nullif(?31,-1),nullif(?32,-1)," EXTRA,
  [TABLE_MEMSET] =
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES " DEVICE "?33,?8,nullif(?34,-1)," EXTRA,
  [TABLE_SYNC] = "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES " DEVICE "?35,?36," EXTRA,
  [TABLE_RUNTIME] =
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?1,?2,0,?6,nullif(?5,0),?7,0," EXTRA,
  [TABLE_NVTX] =
      "INSERT INTO NVTX_EVENTS VALUES (?1,?2,CASE WHEN ?2 IS NULL THEN 34 ELSE 59 END,NULL,?6,?7," EXTRA,
  [TABLE_COUNTER] = "INSERT INTO HIRSCOPE_COUNTERS VALUES (?1,?2,?7,?19," EXTRA,
};

typedef struct
{
  const HirTrace *trace;
  sqlite3 *db;
  sqlite3_stmt *inserts[N_TABLES];
  HirExportProgress *progress; /* nullable */
  HirEventJson args;           /* of the current event */
  GError *error; /* nullable; set if the export was cancelled or args cannot be read */
} Export;

static gboolean
run (Export *self, const char *sql)
{
  return sqlite3_exec (self->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

/* Called between rows, and periodically within a statement. */
static int
should_stop (gpointer user_data)
{
  Export *self = user_data;

  return self->error != NULL || !hir_export_progress_should_continue (self->progress, &self->error);
}

static gboolean
finish_row (Export *self, sqlite3_stmt *statement)
{
  return sqlite3_step (statement) == SQLITE_DONE && sqlite3_reset (statement) == SQLITE_OK &&
         !should_stop (self);
}

/* --- tables that events refer to ------------------------------------------------------------- */

static gboolean
write_strings (Export *self, sqlite3_stmt *insert)
{
  for (guint32 i = 0; i < hir_trace_get_n_strings (self->trace); i++)
    {
      sqlite3_bind_int64 (insert, 1, i);
      sqlite3_bind_text (insert, 2, hir_trace_get_string (self->trace, i), -1, SQLITE_STATIC);
      if (!finish_row (self, insert))
        return FALSE;
    }
  return TRUE;
}

/* Names of tracks follow those of the trace. */
static gint64
get_track_name_id (Export *self, guint t)
{
  return (gint64) hir_trace_get_n_strings (self->trace) + t;
}

static gboolean
write_track_names (Export *self, sqlite3_stmt *insert)
{
  for (guint t = 0; t < hir_trace_get_n_tracks (self->trace); t++)
    {
      sqlite3_bind_int64 (insert, 1, get_track_name_id (self, t));
      sqlite3_bind_text (insert, 2, hir_trace_get_track (self->trace, t)->name, -1, SQLITE_STATIC);
      if (!finish_row (self, insert))
        return FALSE;
    }
  return TRUE;
}

static gint64
get_global_thread (Export *self, guint t)
{
  return HIR_NSIGHT_PID (hir_trace_get_track (self->trace, t)->rank) | (t + 1);
}

static gboolean
write_threads (Export *self, sqlite3_stmt *insert)
{
  for (guint t = 0; t < hir_trace_get_n_tracks (self->trace); t++)
    {
      if (hir_trace_get_track (self->trace, t)->kind != HIR_TRACK_HOST)
        continue;
      sqlite3_bind_int64 (insert, 1, get_track_name_id (self, t));
      sqlite3_bind_int64 (insert, 2, get_global_thread (self, t));
      if (!finish_row (self, insert))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_gpus (Export *self, sqlite3_stmt *insert)
{
  g_autoptr (GArray) gpus = hir_trace_header_dup_gpus (self->trace);

  for (guint i = 0; i < gpus->len; i++)
    {
      const HirTraceGpu *gpu = &g_array_index (gpus, HirTraceGpu, i);
      const gint64 values[] = { gpu->id,           0,          gpu->memory_bytes,
                                gpu->n_processors, gpu->major, gpu->minor };

      for (guint k = 0; k < G_N_ELEMENTS (values); k++)
        sqlite3_bind_int64 (insert, (int) k + 1, values[k]);
      sqlite3_bind_text (insert, 2, gpu->name, -1, SQLITE_STATIC);
      if (!finish_row (self, insert))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_tracks (Export *self, sqlite3_stmt *insert)
{
  for (guint t = 0; t < hir_trace_get_n_tracks (self->trace); t++)
    {
      const HirTrack *track = hir_trace_get_track (self->trace, t);

      sqlite3_bind_int64 (insert, 1, t);
      sqlite3_bind_int64 (insert, 2, track->kind);
      sqlite3_bind_int64 (insert, 3, track->rank);
      sqlite3_bind_int64 (insert, 4, track->device);
      sqlite3_bind_int64 (insert, 5, track->stream);
      sqlite3_bind_text (insert, 6, track->name, -1, SQLITE_STATIC);
      if (!finish_row (self, insert))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_processes (Export *self, sqlite3_stmt *insert)
{
  g_autoptr (GHashTable) ranks = g_hash_table_new (NULL, NULL);

  for (guint t = 0; t < hir_trace_get_n_tracks (self->trace); t++)
    {
      int rank = hir_trace_get_track (self->trace, t)->rank;
      g_autofree char *name = g_strdup_printf ("rank %d", rank);

      if (!g_hash_table_add (ranks, GINT_TO_POINTER (rank)))
        continue;
      sqlite3_bind_int64 (insert, 1, HIR_NSIGHT_PID (rank));
      sqlite3_bind_int64 (insert, 2, rank + 1);
      sqlite3_bind_text (insert, 3, name, -1, SQLITE_TRANSIENT);
      if (!finish_row (self, insert))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_meetings (Export *self, sqlite3_stmt *insert)
{
  for (guint i = 0; i < hir_trace_get_n_comm_records (self->trace); i++)
    {
      const HirCommRecord *m = hir_trace_get_comm_record (self->trace, i);
      const gint64 values[] = { m->key,         m->sequence,      m->side,        m->rank,
                                m->correlation, m->bytes,         m->op,          m->dtype,
                                m->root,        m->message_bytes, m->in_elements, m->out_elements };

      for (guint k = 0; k < G_N_ELEMENTS (values); k++)
        sqlite3_bind_int64 (insert, (int) k + 1, values[k]);
      if (!finish_row (self, insert))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_flows (Export *self, sqlite3_stmt *insert)
{
  for (guint i = 0; i < hir_trace_get_n_flow_points (self->trace); i++)
    {
      const HirFlowPoint *point = hir_trace_get_flow_point (self->trace, i);
      const gint64 values[] = { point->category,    point->name,    (gint64) point->id, 0,
                                point->is_enclosed, point->time_ns, point->track };

      for (guint k = 0; k < G_N_ELEMENTS (values); k++)
        sqlite3_bind_int64 (insert, (int) k + 1, values[k]);
      sqlite3_bind_text (insert, 4, &point->phase, 1, SQLITE_STATIC);
      if (!finish_row (self, insert))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_meta (Export *self, sqlite3_stmt *insert)
{
  g_autofree const char **keys = hir_trace_dup_meta_keys (self->trace);

  for (guint i = 0; keys[i] != NULL; i++)
    {
      sqlite3_bind_text (insert, 1, keys[i], -1, SQLITE_STATIC);
      sqlite3_bind_text (insert, 2, hir_trace_get_meta (self->trace, keys[i]), -1, SQLITE_STATIC);
      if (!finish_row (self, insert))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_account (Export *self, sqlite3_stmt *insert)
{
  const char *const *account = hir_trace_get_account (self->trace);

  for (guint i = 0; account[i] != NULL; i++)
    {
      sqlite3_bind_text (insert, 1, account[i], -1, SQLITE_STATIC);
      if (!finish_row (self, insert))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_start_time (Export *self, sqlite3_stmt *insert)
{
  const char *base = hir_trace_get_meta (self->trace, HIR_META_BASE_TIME);

  if (base == NULL)
    return TRUE;
  sqlite3_bind_int64 (insert, 1, g_ascii_strtoll (base, NULL, 10));
  return finish_row (self, insert);
}

typedef gboolean (*Writer) (Export *self, sqlite3_stmt *insert);

static gboolean
write_with (Export *self, const char *sql, Writer writer)
{
  sqlite3_stmt *insert = NULL;
  gboolean done =
      sqlite3_prepare_v2 (self->db, sql, -1, &insert, NULL) == SQLITE_OK && writer (self, insert);

  sqlite3_finalize (insert);
  return done;
}

static gboolean
write_small_tables (Export *self)
{
  static const struct
  {
    const char *sql;
    Writer writer;
  } tables[] = {
    { "INSERT INTO StringIds VALUES (?,?)", write_strings },
    { "INSERT INTO StringIds VALUES (?,?)", write_track_names },
    { "INSERT INTO ThreadNames VALUES (?,0,?)", write_threads },
    { "INSERT INTO TARGET_INFO_GPU VALUES (0,?,?,?,?,?,?)", write_gpus },
    { "INSERT INTO HIRSCOPE_TRACKS VALUES (?,?,?,?,?,?)", write_tracks },
    { "INSERT INTO PROCESSES VALUES (?,?,?)", write_processes },
    { "INSERT INTO HIRSCOPE_MEETINGS VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", write_meetings },
    { "INSERT INTO HIRSCOPE_FLOWS VALUES (?,?,?,?,?,?,?)", write_flows },
    { "INSERT INTO HIRSCOPE_META VALUES (?,?)", write_meta },
    { "INSERT INTO HIRSCOPE_ACCOUNT VALUES (?)", write_account },
    { "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (?,NULL,NULL)", write_start_time },
  };

  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    if (!write_with (self, tables[i].sql, tables[i].writer))
      return FALSE;
  return TRUE;
}

/* --- events ----------------------------------------------------------------------------------- */

/* Depends on the track too: a wait of a host thread is a call, not a record of a device. */
static Table
get_table (const HirTrack *track, const HirEvent *event)
{
  if (event->kind == HIR_EVENT_COUNTER)
    return TABLE_COUNTER;
  if (!hir_track_is_of_device (track))
    return event->kind == HIR_EVENT_ISSUE ? TABLE_RUNTIME : TABLE_NVTX;
  switch (event->kind)
    {
    case HIR_EVENT_KERNEL:
    case HIR_EVENT_COMMUNICATION:
      return TABLE_KERNEL;

    case HIR_EVENT_MEMCPY:
      return TABLE_MEMCPY;

    case HIR_EVENT_MEMSET:
      return TABLE_MEMSET;

    case HIR_EVENT_SYNC:
      return TABLE_SYNC;

    default:
      return TABLE_NVTX;
    }
}

/* Binds the arguments of the event. Returns FALSE if they cannot be read. */
static gboolean
bind_args (Export *self, sqlite3_stmt *insert, guint t, guint index, const HirEvent *event)
{
  int n_parameters = sqlite3_bind_parameter_count (insert);
  gint64 values[HIR_N_NSIGHT_VALUES];
  const GString *args = self->args.json;

  g_string_truncate (self->args.json, 0);
  if (event->source != 0 &&
      !hir_event_category_read_json (&self->args, self->trace, t, index, &self->error))
    return FALSE;
  if (n_parameters >= FIRST_VALUE)
    hir_nsight_values_read (values, event->kind, hir_trace_get_string (self->trace, event->name),
                            args->str);
  for (int i = 0; i < HIR_N_NSIGHT_VALUES && FIRST_VALUE + i <= n_parameters; i++)
    sqlite3_bind_int64 (insert, FIRST_VALUE + i, values[i]);
  if (args->len > 0)
    sqlite3_bind_text64 (insert, 18, args->str, args->len, SQLITE_STATIC, SQLITE_UTF8);
  else
    sqlite3_bind_null (insert, 18);
  return TRUE;
}

static gboolean
write_event (Export *self, guint t, guint index)
{
  const HirTrack *track = hir_trace_get_track (self->trace, t);
  sqlite3_stmt *insert;
  HirEvent event;
  Table table;

  hir_trace_get_event (self->trace, t, index, &event);
  table = get_table (track, &event);
  insert = self->inserts[table];
  {
    const gint64 values[] = { event.start_ns,
                              event.end_ns,
                              track->device,
                              track->stream,
                              event.correlation,
                              table == TABLE_RUNTIME || table == TABLE_NVTX
                                  ? get_global_thread (self, t)
                                  : HIR_NSIGHT_PID (track->rank),
                              event.name,
                              event.bytes,
                              t,
                              event.kind,
                              event.name,
                              event.bytes,
                              event.flops,
                              (gint64) event.instruction,
                              event.iteration,
                              event.phase,
                              event.correlation };

    for (guint i = 0; i < G_N_ELEMENTS (values); i++)
      sqlite3_bind_int64 (insert, (int) i + 1, values[i]);
    if (table == TABLE_COUNTER)
      sqlite3_bind_double (insert, 19, hir_event_get_value (&event));
  }
  if (!bind_args (self, insert, t, index, &event))
    return FALSE;
  /* A mark has no end. */
  if (table == TABLE_NVTX && event.source != 0 && self->args.instant != 0 &&
      event.start_ns == event.end_ns)
    sqlite3_bind_null (insert, 2);
  return finish_row (self, insert);
}

static gboolean
write_events (Export *self)
{
  for (guint i = 0; i < N_TABLES; i++)
    if (sqlite3_prepare_v2 (self->db, inserts[i], -1, &self->inserts[i], NULL) != SQLITE_OK)
      return FALSE;
  for (guint t = 0; t < hir_trace_get_n_tracks (self->trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (self->trace, t); i++)
      if (!write_event (self, t, i) || !hir_export_progress_step (self->progress, &self->error))
        return FALSE;
  return TRUE;
}

static gboolean
write_database (Export *self, const char *path)
{
  if (sqlite3_open (path, &self->db) != SQLITE_OK)
    return FALSE;
  sqlite3_progress_handler (self->db, STEPS_A_LOOK, should_stop, self);
  return run (self, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN") &&
         run (self, HIR_NSIGHT_SCHEMA) && write_small_tables (self) && write_events (self) &&
         run (self, "COMMIT");
}

static char *
dup_counter_note (const HirTrace *trace)
{
  guint64 n_samples = 0;
  guint n = 0;

  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    if (hir_trace_get_track (trace, t)->kind == HIR_TRACK_COUNTER)
      {
        n++;
        n_samples += hir_trace_get_track_n_events (trace, t);
      }
  if (n_samples == 0)
    return NULL;
  return g_strdup_printf ("%" G_GUINT64_FORMAT
                          " sample%s of %u counter%s are in the table HIRSCOPE_COUNTERS",
                          n_samples, n_samples == 1 ? "" : "s", n, n == 1 ? "" : "s");
}

char *
hir_export_nsight_dup_note (const HirTrace *trace)
{
  g_autofree char *counters = dup_counter_note (trace);
  guint n = hir_trace_get_n_flow_points (trace);

  if (counters == NULL && n == 0)
    return NULL;
  if (n == 0)
    return g_strconcat (counters, ", which Nsight does not show", NULL);
  return g_strdup_printf ("%s%s%u point%s of flows %s in the table HIRSCOPE_FLOWS, which Nsight "
                          "does not show",
                          counters != NULL ? counters : "", counters != NULL ? "; " : "", n,
                          n == 1 ? "" : "s", n == 1 ? "is" : "are");
}

gboolean
hir_export_nsight_file (const HirTrace *trace,
                        const char *path,
                        HirExportProgress *progress,
                        GError **error)
{
  Export self = { .trace = trace, .progress = progress };
  g_autoptr (GError) failure = NULL;
  g_autofree char *why = NULL;
  HirOutFile file;

  hir_event_json_init (&self.args);
  hir_export_progress_expect (progress, hir_trace_get_n_events (trace));
  if (!hir_out_file_begin (&file, path, TRUE, &failure))
    why = g_strdup (failure->message);
  else if (file.final_path == NULL)
    why = g_strdup ("a database can only be written to a regular file");
  else if (!write_database (&self, file.path))
    why = g_strdup (self.db != NULL ? sqlite3_errmsg (self.db) : "out of memory");
  for (guint i = 0; i < N_TABLES; i++)
    sqlite3_finalize (self.inserts[i]);
  sqlite3_close (self.db);
  hir_event_json_clear (&self.args);
  if (why == NULL && !hir_out_file_commit (&file, &failure))
    why = g_strdup (failure->message);
  if (why == NULL)
    return TRUE;
  hir_out_file_discard (&file);
  if (g_error_matches (self.error, HIR_ERROR, HIR_ERROR_INPUT))
    g_propagate_error (error, g_steal_pointer (&self.error));
  else if (self.error != NULL)
    hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "%s was not written: it was cancelled", path);
  else
    hir_set_error (error, HIR_ERROR_RUN, NULL,
                   "%s cannot be written (%s); choose another name, or free some space", path, why);
  g_clear_error (&self.error);
  return FALSE;
}
