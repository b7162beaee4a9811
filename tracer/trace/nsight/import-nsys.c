#include "trace/nsight/import-nsys.h"

#include <string.h>

#include "diagnostic.h"
#include "identity.h"
#include "trace/nsight/event-args-nsys.h"
#include "trace/nsight/nsys-own.h"
#include "trace/recording/recording.h"

/* A global id contains the hardware, the process and the thread. The last two have 24 bits each. */
#define PROCESS_OF(global) ((global) >> 24)
#define THREAD_OF(global) ((global) &0xffffff)
/* CUPTI's value for synchronizations of a whole context. */
#define NO_STREAM G_MAXUINT32

typedef enum
{
  GROUP_STREAM,
  GROUP_CALLS,
  GROUP_RANGES,
  GROUP_OVERHEAD,
} Group;

typedef struct
{
  gint64 process, thread; /* a stream has device << 32 | stream */
  Group group;
} Key;

typedef struct
{
  HirTraceBuilder *builder;
  HirNsysDb db;
  GHashTable *strings; /* gint64 -> index of an interned string */
  GHashTable *texts;   /* gint64 -> char* */
  GHashTable *devices; /* gint64 process -> device that it used; -1 if several */
  GHashTable *ranks;   /* gint64 process -> rank */
  GHashTable *names;   /* gint64 global thread -> char* */
  GHashTable *tracks;  /* Key -> track + 1 */
  HirEventKind kind;   /* of the current table */
  Group group;
  const char *default_name;
  guint64 source; /* HirEvent.source of row 0 of the current table; 0 if none */
  guint64 first_source;
  guint64 n_no_end, n_marks, n_events;
} Importer;

static guint
key_hash (gconstpointer data)
{
  const Key *key = data;
  guint64 mixed = (guint64) key->process * 1000003 ^ (guint64) key->thread * 31 ^ key->group;

  return hir_word_hash (&mixed);
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  const Key *x = a, *y = b;

  return x->process == y->process && x->thread == y->thread && x->group == y->group;
}

static gpointer
dup_int64 (gint64 value)
{
  return g_memdup2 (&value, sizeof value);
}

/* --- ids that events refer to ----------------------------------------------------------------- */

static gboolean
take_string (sqlite3_stmt *row, gpointer user_data, GError **error)
{
  Importer *self = user_data;
  const char *text = (const char *) sqlite3_column_text (row, 1);

  g_hash_table_replace (self->texts, dup_int64 (sqlite3_column_int64 (row, 0)), g_strdup (text));
  g_hash_table_replace (self->strings, dup_int64 (sqlite3_column_int64 (row, 0)),
                        GUINT_TO_POINTER (
                            hir_trace_builder_intern (self->builder, text != NULL ? text : "")));
  return TRUE;
}

/* The device of a synchronization is not reliable. Uses the device of the process, if it used only
 * one. */
static gboolean
take_process (sqlite3_stmt *row, gpointer user_data, GError **error)
{
  Importer *self = user_data;
  gint64 process = PROCESS_OF (sqlite3_column_int64 (row, 0));
  gint64 device = sqlite3_column_int64 (row, 1) & 0x7fffffff;
  gpointer known;

  if (!g_hash_table_lookup_extended (self->devices, &process, NULL, &known))
    g_hash_table_insert (self->devices, dup_int64 (process), GINT_TO_POINTER ((int) device));
  else if (GPOINTER_TO_INT (known) != device)
    g_hash_table_replace (self->devices, dup_int64 (process), GINT_TO_POINTER (-1));
  return TRUE;
}

static int
compare_ids (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* Assigns ranks to the processes that used a device, by process id. */
static gboolean
find_ranks (Importer *self, GError **error)
{
  static const char *const columns[] = { "globalPid", "deviceId", NULL };
  static const char *const tables[] = { "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY",
                                        "CUPTI_ACTIVITY_KIND_MEMSET" };
  g_autoptr (GArray) processes = g_array_new (FALSE, FALSE, sizeof (gint64));
  GHashTableIter iter;
  gpointer process;

  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    if (!hir_nsys_db_each (&self->db, tables[i], columns, take_process, self, error))
      return FALSE;
  g_hash_table_iter_init (&iter, self->devices);
  while (g_hash_table_iter_next (&iter, &process, NULL))
    g_array_append_val (processes, *(gint64 *) process);
  g_array_sort (processes, compare_ids);
  for (guint i = 0; i < processes->len; i++)
    g_hash_table_insert (self->ranks, dup_int64 (g_array_index (processes, gint64, i)),
                         GINT_TO_POINTER (i));
  return TRUE;
}

static int
ensure_rank (Importer *self, gint64 process)
{
  gpointer rank;

  if (g_hash_table_lookup_extended (self->ranks, &process, NULL, &rank))
    return GPOINTER_TO_INT (rank);
  rank = GINT_TO_POINTER ((int) g_hash_table_size (self->ranks));
  g_hash_table_insert (self->ranks, dup_int64 (process), rank);
  return GPOINTER_TO_INT (rank);
}

/* The row has globalTid, and the id of the name in StringIds. */
static gboolean
take_thread_name (sqlite3_stmt *row, gpointer user_data, GError **error)
{
  Importer *self = user_data;
  gint64 id = sqlite3_column_int64 (row, 1);
  const char *name = g_hash_table_lookup (self->texts, &id);

  if (name != NULL)
    g_hash_table_replace (self->names, dup_int64 (sqlite3_column_int64 (row, 0)), g_strdup (name));
  return TRUE;
}

/* --- tracks ----------------------------------------------------------------------------------- */

static char *
dup_track_name (Importer *self, const Key *key)
{
  gint64 global = (gint64) ((guint64) key->process << 24 | (guint64) key->thread);
  const char *name = g_hash_table_lookup (self->names, &global);
  g_autofree char *thread = name != NULL
                                ? g_strdup_printf ("%s (%" G_GINT64_FORMAT ")", name, key->thread)
                                : g_strdup_printf ("thread %" G_GINT64_FORMAT, key->thread);

  switch (key->group)
    {
    case GROUP_STREAM:
      if ((key->thread & 0xffffffff) == NO_STREAM)
        return g_strdup ("all streams");
      return g_strdup_printf ("stream %" G_GINT64_FORMAT, key->thread & 0xffffffff);

    case GROUP_RANGES:
      return g_strdup_printf ("%s: NVTX", thread);

    case GROUP_OVERHEAD:
      return g_strdup ("profiler overhead");

    case GROUP_CALLS:
    default:
      return g_steal_pointer (&thread);
    }
}

static guint
ensure_track (Importer *self, gint64 process, gint64 thread)
{
  Key key = { process, thread, self->group };
  gboolean is_stream = self->group == GROUP_STREAM;
  guint track = GPOINTER_TO_UINT (g_hash_table_lookup (self->tracks, &key));
  g_autofree char *name = NULL;
  HirTrack info;

  if (track > 0)
    return track - 1;
  name = dup_track_name (self, &key);
  info = (HirTrack){
    .kind = is_stream ? HIR_TRACK_STREAM : HIR_TRACK_HOST,
    .rank = ensure_rank (self, process),
    .device = is_stream ? (int) (thread >> 32) : -1,
    .stream = is_stream ? thread & 0xffffffff : -1,
    .name = name,
  };
  track = hir_trace_builder_add_track (self->builder, &info);
  g_hash_table_insert (self->tracks, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (track + 1));
  return track;
}

static gboolean
add (Importer *self,
     guint track,
     sqlite3_stmt *row,
     guint32 name,
     gint64 correlation,
     gint64 bytes,
     int row_column,
     GError **error)
{
  gint64 number = sqlite3_column_int64 (row, row_column);
  HirEvent event = {
    .start_ns = sqlite3_column_int64 (row, 0),
    .end_ns = sqlite3_column_int64 (row, 1),
    .bytes = MAX (bytes, 0),
    .name = name,
    .correlation = correlation > 0 && correlation <= G_MAXUINT32 ? (guint32) correlation : 0,
    .iteration = -1,
    .track = (guint16) track,
    .kind = self->kind,
    .source = number > 0 && number < G_GINT64_CONSTANT (1) << HIR_EVENT_ROW_SHIFT
                  ? self->source + (guint64) number
                  : 0,
  };

  /* The range was open when the capture ended. */
  if (sqlite3_column_type (row, 1) == SQLITE_NULL)
    {
      event.end_ns = event.start_ns;
      self->n_no_end++;
    }
  self->n_events++;
  return hir_trace_builder_add (self->builder, &event, error);
}

/* --- tables ----------------------------------------------------------------------------------- */

static guint32
lookup_string (Importer *self, sqlite3_stmt *row, int column)
{
  gint64 id = sqlite3_column_int64 (row, column);

  if (sqlite3_column_type (row, column) == SQLITE_NULL)
    return 0;
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->strings, &id));
}

static const char *
get_copy_name (gint64 kind)
{
  static const char *const names[] = {
    [1] = "copy host to device",
    [2] = "copy device to host",
    [8] = "copy device to device",
    [10] = "copy peer to peer",
  };

  return kind >= 0 && kind < (gint64) G_N_ELEMENTS (names) && names[kind] != NULL ? names[kind]
                                                                                  : "copy";
}

/* Tables whose rows are stored by number. Those that find_ranks() reads come first. */
#define N_DEVICE_TABLES 3
static const char *const source_tables[] = {
  "CUPTI_ACTIVITY_KIND_KERNEL",   "CUPTI_ACTIVITY_KIND_MEMCPY",
  "CUPTI_ACTIVITY_KIND_MEMSET",   "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
  "CUPTI_ACTIVITY_KIND_RUNTIME",  "NVTX_EVENTS",
  "CUPTI_ACTIVITY_KIND_OVERHEAD", NULL
};

static void
set_table (Importer *self, const char *table)
{
  for (guint i = 0; source_tables[i] != NULL; i++)
    if (g_str_equal (source_tables[i], table))
      self->source = self->first_source + ((guint64) (i + 1) << HIR_EVENT_ROW_SHIFT);
}

/* start, end, globalPid, deviceId, streamId, correlationId, bytes, name, other name, copyKind,
 * row */
static gboolean
take_device_row (sqlite3_stmt *row, gpointer user_data, GError **error)
{
  Importer *self = user_data;
  gint64 process = PROCESS_OF (sqlite3_column_int64 (row, 2));
  gint64 device = sqlite3_column_int64 (row, 3) & 0x7fffffff;
  gint64 stream = sqlite3_column_int64 (row, 4) & 0xffffffff;
  guint32 name = lookup_string (self, row, 7);
  gpointer only;
  guint track;

  if (self->kind == HIR_EVENT_SYNC &&
      g_hash_table_lookup_extended (self->devices, &process, NULL, &only) &&
      GPOINTER_TO_INT (only) >= 0)
    device = GPOINTER_TO_INT (only);
  track = ensure_track (self, process, device << 32 | stream);

  if (name == 0)
    name = lookup_string (self, row, 8);
  if (name == 0)
    name =
        hir_trace_builder_intern (self->builder, self->kind == HIR_EVENT_MEMCPY
                                                     ? get_copy_name (sqlite3_column_int64 (row, 9))
                                                     : self->default_name);
  return add (self, track, row, name, sqlite3_column_int64 (row, 5), sqlite3_column_int64 (row, 6),
              10, error);
}

static gboolean
read_device_tables (Importer *self, GError **error)
{
  static const char *const columns[] = { "start",    "end",           "globalPid",
                                         "deviceId", "streamId",      "correlationId",
                                         "bytes",    "demangledName", "shortName",
                                         "copyKind", HIR_NSYS_ROW,    NULL };
  static const struct
  {
    const char *table, *name;
    HirEventKind kind;
  } tables[] = {
    { "CUPTI_ACTIVITY_KIND_KERNEL", "kernel", HIR_EVENT_KERNEL },
    { "CUPTI_ACTIVITY_KIND_MEMCPY", "copy", HIR_EVENT_MEMCPY },
    { "CUPTI_ACTIVITY_KIND_MEMSET", "memset", HIR_EVENT_MEMSET },
    { "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "synchronize", HIR_EVENT_SYNC },
  };

  self->group = GROUP_STREAM;
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      self->kind = tables[i].kind;
      self->default_name = tables[i].name;
      set_table (self, tables[i].table);
      if (!hir_nsys_db_each (&self->db, tables[i].table, columns, take_device_row, self, error))
        return FALSE;
    }
  return TRUE;
}

/* start, end, globalTid, correlationId, nameId, textId, text, eventType, row */
static gboolean
take_host_row (sqlite3_stmt *row, gpointer user_data, GError **error)
{
  Importer *self = user_data;
  gint64 global = sqlite3_column_int64 (row, 2);
  const char *text = (const char *) sqlite3_column_text (row, 6);
  gint64 type = sqlite3_column_int64 (row, 7);
  guint32 name = lookup_string (self, row, 4);

  /* Other types of NVTX rows name objects. */
  if (self->group == GROUP_RANGES && type != 34 && type != 59 && type != 60)
    return TRUE;
  self->n_marks += self->group == GROUP_RANGES && type == 34;
  if (name == 0)
    name = lookup_string (self, row, 5);
  if (name == 0)
    name = hir_trace_builder_intern (self->builder, text != NULL ? text : self->default_name);
  return add (self, ensure_track (self, PROCESS_OF (global), THREAD_OF (global)), row, name,
              self->group == GROUP_CALLS ? sqlite3_column_int64 (row, 3) : 0, 0, 8, error);
}

static gboolean
read_host_tables (Importer *self, GError **error)
{
  static const char *const columns[] = { "start",  "end",  "globalTid", "correlationId", "nameId",
                                         "textId", "text", "eventType", HIR_NSYS_ROW,    NULL };
  static const struct
  {
    const char *table, *name;
    HirEventKind kind;
    Group group;
  } tables[] = {
    { "CUPTI_ACTIVITY_KIND_RUNTIME", "CUDA call", HIR_EVENT_ISSUE, GROUP_CALLS },
    { "NVTX_EVENTS", "range", HIR_EVENT_HOST, GROUP_RANGES },
    { "CUPTI_ACTIVITY_KIND_OVERHEAD", "overhead", HIR_EVENT_HOST, GROUP_OVERHEAD },
  };

  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      self->kind = tables[i].kind;
      self->group = tables[i].group;
      self->default_name = tables[i].name;
      set_table (self, tables[i].table);
      if (!hir_nsys_db_each (&self->db, tables[i].table, columns, take_host_row, self, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
take_start_time (sqlite3_stmt *row, gpointer user_data, GError **error)
{
  Importer *self = user_data;
  g_autofree char *base =
      g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) sqlite3_column_int64 (row, 0));

  hir_trace_builder_set_meta (self->builder, HIR_META_BASE_TIME, base);
  return TRUE;
}

static gboolean
read_names (Importer *self, GError **error)
{
  static const char *const string_columns[] = { "id", "value", NULL };
  static const char *const time_columns[] = { "utcEpochNs", NULL };
  static const char *const name_columns[] = { "globalTid", "nameId", NULL };

  return hir_nsys_db_each (&self->db, "StringIds", string_columns, take_string, self, error) &&
         hir_nsys_db_each (&self->db, "TARGET_INFO_SESSION_START_TIME", time_columns,
                           take_start_time, self, error) &&
         hir_nsys_db_each (&self->db, "ThreadNames", name_columns, take_thread_name, self, error);
}

static void
write_account (Importer *self)
{
  hir_load_progress_write_account (self->db.progress, self->builder);
  if (self->n_no_end > 0)
    hir_trace_builder_add_account (self->builder,
                                   "%s: %" G_GUINT64_FORMAT
                                   " events without an end (marks, and ranges that were open when "
                                   "the capture ended), drawn as instants",
                                   self->db.path, self->n_no_end);
  if (hir_nsys_db_has (&self->db, "OSRT_API"))
    hir_trace_builder_add_account (self->builder,
                                   "%s: calls of the operating system (OSRT_API) are not drawn",
                                   self->db.path);
}

/* Counts the rows of all tables. Tables of devices are read twice. */
static void
count_rows (HirNsysDb *db, gboolean is_own)
{
  db->n_rows_all = hir_nsys_db_guess_n_rows (db, "StringIds");
  for (guint i = 0; source_tables[i] != NULL; i++)
    db->n_rows_all +=
        hir_nsys_db_guess_n_rows (db, source_tables[i]) * (!is_own && i < N_DEVICE_TABLES ? 2 : 1);
}

static gboolean
import (Importer *self, GError **error)
{
  if (!hir_nsys_db_open (&self->db, self->db.path, error))
    return FALSE;
  count_rows (&self->db, hir_nsys_own_is (&self->db));
  if (hir_nsys_own_is (&self->db))
    {
      if (!hir_nsys_own_read (&self->db, self->builder, error))
        return FALSE;
      hir_load_progress_write_account (self->db.progress, self->builder);
      return TRUE;
    }
  self->first_source =
      hir_trace_builder_add_source (self->builder,
                                    hir_event_source_new_nsys (self->db.path, source_tables));
  if (!read_names (self, error) || !find_ranks (self, error) || !read_device_tables (self, error) ||
      !read_host_tables (self, error))
    return FALSE;
  if (self->n_events == 0 && !(self->db.progress != NULL && self->db.progress->is_enough))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "%s contains no CUDA or NVTX events; profile with --trace=cuda,nvtx",
                     self->db.path);
      return FALSE;
    }
  write_account (self);
  return TRUE;
}

gboolean
hir_import_nsys (HirTraceBuilder *builder,
                 const char *path,
                 HirLoadProgress *progress,
                 GError **error)
{
  Importer self = {
    .builder = builder,
    .db = { .path = path, .progress = progress, .builder = builder },
    .strings = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL),
    .texts = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free),
    .devices = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL),
    .ranks = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL),
    .names = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free),
    .tracks = g_hash_table_new_full (key_hash, key_equal, g_free, NULL),
  };
  gboolean done = import (&self, error);

  hir_nsys_db_clear (&self.db);
  g_hash_table_unref (self.strings);
  g_hash_table_unref (self.texts);
  g_hash_table_unref (self.devices);
  g_hash_table_unref (self.ranks);
  g_hash_table_unref (self.names);
  g_hash_table_unref (self.tracks);
  return done;
}

gboolean
hir_import_nsys_sniff (const char *path)
{
  static const char *const tables[] = { "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME",
                                        "NVTX_EVENTS", "StringIds" };
  HirNsysDb db = { 0 };
  gboolean found = FALSE;

  if (!hir_nsys_db_open (&db, path, NULL))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    found = found || hir_nsys_db_has (&db, tables[i]);
  hir_nsys_db_clear (&db);
  return found;
}
