#include "trace/nsight/import-nsys.h"

#include <string.h>

#include "diagnostic.h"
#include "identity.h"
#include "trace/headroom.h"
#include "trace/nsight/event-args-nsys.h"
#include "trace/nsight/nsys-names.h"
#include "trace/nsight/nsys-own.h"
#include "trace/nsight/nsys-ranks.h"
#include "trace/nsight/nsys-tables.h"
#include "trace/recording/recording.h"
#include "trace/trace-header.h"

/* CUPTI's value for synchronizations of a whole context. */
#define NO_STREAM G_MAXUINT32
/* Event types of NVTX. Other types name objects. */
#define NVTX_MARK 34
#define NVTX_PUSH_POP 59
#define NVTX_START_END 60
#define NVTX_DOMAIN 75

typedef struct
{
  gint64 process, thread; /* a stream has device << 32 | stream */
  gint64 domain;          /* of NVTX; 0: default */
  HirNsysGroup group;
} Key;

typedef struct
{
  HirTraceBuilder *builder;
  HirNsysDb db;
  GHashTable *strings; /* gint64 -> index of an interned string */
  GHashTable *texts;   /* gint64 -> char* */
  HirNsysRanks ranks;
  GHashTable *names;   /* gint64 global thread -> char* */
  GHashTable *domains; /* Key of a process and an NVTX domain -> char* */
  GHashTable *tracks;  /* Key -> track + 1 */
  GArray *sources;     /* HirNsysSource */
  const HirNsysTable *table;
  guint64 source; /* HirEvent.source of row 0 of the current table; 0 if none */
  guint64 first_source;
  guint64 n_no_start;
  guint64 n_no_end, n_events;
} Importer;

static guint
key_hash (gconstpointer data)
{
  const Key *key = data;
  guint64 mixed = (guint64) key->process * 1000003 ^ (guint64) key->thread * 31 ^
                  (guint64) key->domain * 8191 ^ key->group;

  return hir_word_hash (&mixed);
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  const Key *x = a, *y = b;

  return x->process == y->process && x->thread == y->thread && x->domain == y->domain &&
         x->group == y->group;
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

/* globalTid, domainId, eventType, text, textId */
static gboolean
take_domain (sqlite3_stmt *row, gpointer user_data, GError **error)
{
  Importer *self = user_data;
  const Key key = { HIR_NSYS_PROCESS (sqlite3_column_int64 (row, 0)), 0,
                    sqlite3_column_int64 (row, 1), HIR_NSYS_RANGES };
  gint64 id = sqlite3_column_int64 (row, 4);
  const char *text = (const char *) sqlite3_column_text (row, 3);

  if (text == NULL)
    text = g_hash_table_lookup (self->texts, &id);
  if (sqlite3_column_int64 (row, 2) == NVTX_DOMAIN && text != NULL)
    g_hash_table_replace (self->domains, g_memdup2 (&key, sizeof key),
                          g_utf8_make_valid (text, -1));
  return TRUE;
}

/* --- tracks ----------------------------------------------------------------------------------- */

/* Ranges of two domains need not nest in each other, so each domain has a track. */
static char *
dup_ranges_name (Importer *self, const Key *key, const char *thread)
{
  const Key domain = { key->process, 0, key->domain, HIR_NSYS_RANGES };
  const char *name = g_hash_table_lookup (self->domains, &domain);

  if (name != NULL)
    return g_strdup_printf ("%s: NVTX %s", thread, name);
  if (key->domain != 0)
    return g_strdup_printf ("%s: NVTX domain %" G_GINT64_FORMAT, thread, key->domain);
  return g_strdup_printf ("%s: NVTX", thread);
}

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
    case HIR_NSYS_STREAM:
      if ((key->thread & 0xffffffff) == NO_STREAM)
        return g_strdup ("all streams");
      return g_strdup_printf ("stream %" G_GINT64_FORMAT, key->thread & 0xffffffff);

    case HIR_NSYS_RANGES:
      return dup_ranges_name (self, key, thread);

    case HIR_NSYS_MPI:
      return g_strdup_printf ("%s: MPI", thread);

    case HIR_NSYS_OVERHEAD:
      return g_strdup ("profiler overhead");

    case HIR_NSYS_CALLS:
    default:
      return g_steal_pointer (&thread);
    }
}

static guint
ensure_track (Importer *self, gint64 process, gint64 thread, gint64 domain)
{
  Key key = { process, thread, domain, self->table->group };
  gboolean is_stream = key.group == HIR_NSYS_STREAM;
  guint track = GPOINTER_TO_UINT (g_hash_table_lookup (self->tracks, &key));
  g_autofree char *name = NULL;
  HirTrack info;

  if (track > 0)
    return track - 1;
  name = dup_track_name (self, &key);
  info = (HirTrack){
    .kind = is_stream ? HIR_TRACK_STREAM : HIR_TRACK_HOST,
    .rank = hir_nsys_ranks_ensure (&self->ranks, process),
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
    .kind = self->table->kind,
    .source = number > 0 && number < G_GINT64_CONSTANT (1) << HIR_EVENT_ROW_SHIFT
                  ? self->source + (guint64) number
                  : 0,
  };

  if (sqlite3_column_type (row, 0) == SQLITE_NULL)
    {
      self->n_no_start++;
      return TRUE;
    }
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

/* Returns the name in @column, an id in StringIds or a text; 0 if there is none. */
static guint32
get_name (Importer *self, sqlite3_stmt *row, int column)
{
  if (sqlite3_column_type (row, column) == SQLITE_TEXT)
    return hir_trace_builder_intern (self->builder,
                                     (const char *) sqlite3_column_text (row, column));
  return lookup_string (self, row, column);
}

/* Returns the kind of memory in @column, or -1. */
static gint64
get_memory (sqlite3_stmt *row, int column)
{
  return sqlite3_column_type (row, column) == SQLITE_INTEGER ? sqlite3_column_int64 (row, column)
                                                             : -1;
}

/* Returns the name of a device event without a name, in Kineto's words; @row as in
 * take_device_row(). */
static guint32
intern_device_name (Importer *self, sqlite3_stmt *row)
{
  gint64 graph = sqlite3_column_int64 (row, 11);
  g_autofree char *name = NULL;

  if (self->table->kind == HIR_EVENT_MEMCPY)
    name = hir_nsys_dup_copy_name (sqlite3_column_int64 (row, 9), get_memory (row, 13),
                                   get_memory (row, 14));
  else if (self->table->kind == HIR_EVENT_MEMSET)
    name = hir_nsys_dup_fill_name (get_memory (row, 15));
  else if (self->table->kind == HIR_EVENT_SYNC)
    name = g_strdup (hir_nsys_get_sync_name (sqlite3_column_int64 (row, 16)));
  else if (graph > 0)
    name = g_strdup_printf ("%s %" G_GINT64_FORMAT, self->table->event, graph);
  return hir_trace_builder_intern (self->builder, name != NULL ? name : self->table->event);
}

/* start, end, globalPid, deviceId, streamId, correlationId, bytes, name, other name, copyKind,
 * row, graphId, third name, srcKind, dstKind, memKind, syncType */
static gboolean
take_device_row (sqlite3_stmt *row, gpointer user_data, GError **error)
{
  Importer *self = user_data;
  gint64 process = HIR_NSYS_PROCESS (sqlite3_column_int64 (row, 2));
  gint64 device = sqlite3_column_int64 (row, 3) & 0x7fffffff;
  gint64 stream = sqlite3_column_int64 (row, 4) & 0xffffffff;
  guint32 name = get_name (self, row, 7);
  guint track;

  /* The device of a synchronization is not reliable. */
  if (self->table->kind == HIR_EVENT_SYNC)
    device = hir_nsys_ranks_get_only_device (&self->ranks, process, device);
  track = ensure_track (self, process, device << 32 | stream, 0);

  if (name == 0)
    name = get_name (self, row, 8);
  if (name == 0)
    name = get_name (self, row, 12);
  if (name == 0)
    name = intern_device_name (self, row);
  return add (self, track, row, name, sqlite3_column_int64 (row, 5), sqlite3_column_int64 (row, 6),
              10, error);
}

/* Like Kineto, removes the version of CUDA from the name of a call: "cudaLaunchKernel_v7000". */
static guint32
intern_call (Importer *self, guint32 name)
{
  const char *full = hir_trace_builder_get_string (self->builder, name);
  gsize n = hir_nsys_get_call_length (full);
  g_autofree char *call = NULL;

  if (full[n] == '\0')
    return name;
  call = g_strndup (full, n);
  return hir_trace_builder_intern (self->builder, call);
}

/* start, end, globalTid, correlationId, nameId, textId, text, eventType, row, domainId, size */
static gboolean
take_host_row (sqlite3_stmt *row, gpointer user_data, GError **error)
{
  Importer *self = user_data;
  HirNsysGroup group = self->table->group;
  gint64 global = sqlite3_column_int64 (row, 2);
  const char *text = (const char *) sqlite3_column_text (row, 6);
  gint64 type = sqlite3_column_int64 (row, 7);
  guint32 name = lookup_string (self, row, 4);
  guint track;

  if (group == HIR_NSYS_RANGES && type != NVTX_MARK && type != NVTX_PUSH_POP &&
      type != NVTX_START_END)
    return TRUE;
  if (name == 0)
    name = lookup_string (self, row, 5);
  if (group == HIR_NSYS_CALLS)
    name = intern_call (self, name);
  if (name == 0)
    name = hir_trace_builder_intern (self->builder, text != NULL ? text : self->table->event);
  track = ensure_track (self, HIR_NSYS_PROCESS (global), HIR_NSYS_THREAD (global),
                        group == HIR_NSYS_RANGES ? sqlite3_column_int64 (row, 9) : 0);
  return add (self, track, row, name, group == HIR_NSYS_CALLS ? sqlite3_column_int64 (row, 3) : 0,
              group == HIR_NSYS_MPI ? sqlite3_column_int64 (row, 10) : 0, 8, error);
}

static gboolean
read_tables (Importer *self, GError **error)
{
  static const char *const device_columns[] = {
    "start", "end",           "globalPid", "deviceId", "streamId",   "correlationId",
    "bytes", "demangledName", "shortName", "copyKind", HIR_NSYS_ROW, "graphId",
    "name",  "srcKind",       "dstKind",   "memKind",  "syncType",   NULL
  };
  static const char *const host_columns[] = { "start",         "end",       "globalTid",
                                              "correlationId", "nameId",    "textId",
                                              "text",          "eventType", HIR_NSYS_ROW,
                                              "domainId",      "size",      NULL };

  for (guint i = 0; i < self->sources->len; i++)
    {
      const HirNsysSource *source = &g_array_index (self->sources, HirNsysSource, i);
      gboolean is_device = source->table->group == HIR_NSYS_STREAM;

      self->table = source->table;
      self->source = self->first_source + ((guint64) (i + 1) << HIR_EVENT_ROW_SHIFT);
      if (!hir_nsys_db_each (&self->db, source->name, is_device ? device_columns : host_columns,
                             is_device ? take_device_row : take_host_row, self, error))
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

/* id, name, totalMemory, smCount, computeMajor, computeMinor */
static gboolean
take_gpu (sqlite3_stmt *row, gpointer user_data, GError **error)
{
  HirTraceGpu gpu = {
    .id = sqlite3_column_int64 (row, 0),
    .name = g_utf8_make_valid (sqlite3_column_text (row, 1) != NULL
                                   ? (const char *) sqlite3_column_text (row, 1)
                                   : "",
                               -1),
    .memory_bytes = sqlite3_column_int64 (row, 2),
    .n_processors = sqlite3_column_int64 (row, 3),
    .major = sqlite3_column_int64 (row, 4),
    .minor = sqlite3_column_int64 (row, 5),
  };

  if (hir_has_headroom ())
    g_array_append_val ((GArray *) user_data, gpu);
  else
    g_free (gpu.name);
  return TRUE;
}

static gboolean
read_gpus (Importer *self, GError **error)
{
  static const char *const columns[] = { "id",           "name",         "totalMemory", "smCount",
                                         "computeMajor", "computeMinor", NULL };
  g_autoptr (GArray) gpus = hir_trace_gpus_new ();

  if (!hir_nsys_db_each (&self->db, "TARGET_INFO_GPU", columns, take_gpu, gpus, error))
    return FALSE;
  hir_trace_header_set_gpus (self->builder, gpus);
  return TRUE;
}

static gboolean
read_names (Importer *self, GError **error)
{
  static const char *const string_columns[] = { "id", "value", NULL };
  static const char *const time_columns[] = { "utcEpochNs", NULL };
  static const char *const name_columns[] = { "globalTid", "nameId", NULL };
  static const char *const domain_columns[] = { "globalTid", "domainId", "eventType",
                                                "text",      "textId",   NULL };

  return hir_nsys_db_each (&self->db, "StringIds", string_columns, take_string, self, error) &&
         hir_nsys_db_each (&self->db, "TARGET_INFO_SESSION_START_TIME", time_columns,
                           take_start_time, self, error) &&
         hir_nsys_db_each (&self->db, "ThreadNames", name_columns, take_thread_name, self, error) &&
         hir_nsys_db_each (&self->db, "NVTX_EVENTS", domain_columns, take_domain, self, error);
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
  if (self->n_no_start > 0)
    hir_trace_builder_add_account (self->builder,
                                   "%s: %" G_GUINT64_FORMAT " event%s without a time, left out",
                                   self->db.path, self->n_no_start,
                                   self->n_no_start == 1 ? "" : "s");
  hir_nsys_tables_write_ignored (&self->db, self->builder);
}

/* Counts the rows of all tables. Tables of devices and of ranges are read twice. */
static void
count_rows (Importer *self)
{
  gboolean is_own = hir_nsys_own_is (&self->db);

  self->db.n_rows_all = hir_nsys_db_guess_n_rows (&self->db, "StringIds");
  for (guint i = 0; i < self->sources->len; i++)
    {
      const HirNsysSource *source = &g_array_index (self->sources, HirNsysSource, i);
      gboolean is_twice = source->table->is_work || source->table->group == HIR_NSYS_RANGES;

      self->db.n_rows_all +=
          hir_nsys_db_guess_n_rows (&self->db, source->name) * (!is_own && is_twice ? 2 : 1);
    }
}

static void
add_source (Importer *self)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < self->sources->len; i++)
    g_ptr_array_add (names, g_array_index (self->sources, HirNsysSource, i).name);
  g_ptr_array_add (names, NULL);
  self->first_source =
      hir_trace_builder_add_source (self->builder,
                                    hir_event_source_new_nsys (self->db.path,
                                                               (const char *const *) names->pdata));
}

static gboolean
import (Importer *self, GError **error)
{
  if (!hir_nsys_db_open (&self->db, self->db.path, error))
    return FALSE;
  self->sources = hir_nsys_tables_find (&self->db);
  count_rows (self);
  if (hir_nsys_own_is (&self->db))
    {
      self->ranks.is_stated = TRUE;
      if (!hir_nsys_own_read (&self->db, self->builder, error))
        return FALSE;
      hir_load_progress_write_account (self->db.progress, self->builder);
      return TRUE;
    }
  add_source (self);
  if (!read_names (self, error) || !read_gpus (self, error) ||
      !hir_nsys_ranks_find (&self->ranks, &self->db, self->sources, error) ||
      !read_tables (self, error))
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
                 gboolean *has_ranks,
                 GError **error)
{
  Importer self = {
    .builder = builder,
    .db = { .path = path, .progress = progress, .builder = builder },
    .strings = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL),
    .texts = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free),
    .names = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free),
    .domains = g_hash_table_new_full (key_hash, key_equal, g_free, g_free),
    .tracks = g_hash_table_new_full (key_hash, key_equal, g_free, NULL),
  };
  gboolean done;

  hir_nsys_ranks_init (&self.ranks);
  done = import (&self, error);
  hir_nsys_db_clear (&self.db);
  g_hash_table_unref (self.strings);
  g_hash_table_unref (self.texts);
  hir_nsys_ranks_clear (&self.ranks);
  g_hash_table_unref (self.names);
  g_hash_table_unref (self.domains);
  g_hash_table_unref (self.tracks);
  g_clear_pointer (&self.sources, g_array_unref);
  if (has_ranks != NULL)
    *has_ranks = self.ranks.is_stated;
  return done;
}

gboolean
hir_import_nsys_sniff (const char *path)
{
  HirNsysDb db = { 0 };
  g_autoptr (GArray) sources = NULL;
  gboolean found;

  if (!hir_nsys_db_open (&db, path, NULL))
    return FALSE;
  sources = hir_nsys_tables_find (&db);
  /* Tables of nvprof have the same names, but other columns. */
  found = (sources->len > 0 && !hir_nsys_db_has (&db, "StringTable")) ||
          hir_nsys_db_has (&db, "StringIds");
  hir_nsys_db_clear (&db);
  return found;
}
