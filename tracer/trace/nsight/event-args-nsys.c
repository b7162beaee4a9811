#include "trace/nsight/event-args-nsys.h"

#include <math.h>
#include <string.h>

#include "diagnostic.h"
#include "trace/json-out.h"
#include "trace/nsight/nsight-schema.h"
#include "trace/nsight/nsys-db.h"
#include "trace/nsight/nsys-names.h"

#define MAX_TABLES 32
#define NVTX_MARK 34 /* eventType of a mark */
#define CHECK_US 1000

/* How a column becomes an argument. */
typedef enum
{
  FORM_VALUE,
  FORM_STRING_ID,
  FORM_LIST, /* this column and the next two */
  FORM_STREAM,
} Form;

typedef struct
{
  int column;
  Form form;
  char *key; /* as JSON */
} Arg;

/* A table, whose columns are looked up once. Columns that it lacks are -1. */
typedef struct
{
  sqlite3_stmt *row; /* NULL before the first use */
  GArray *args;      /* Arg */
  int own_args;      /* of our own exports: all arguments */
  int overhead_type, event_type, fixed_memory, dynamic_memory, sync_type;
} Table;

typedef struct
{
  HirEventSource base;
  GMutex mutex; /* guards the fields below */
  char *path;
  HirNsysDb db; /* opened on first use */
  sqlite3_stmt *strings;
  Table read[MAX_TABLES];
  char **tables;
  GString *value;
  HirFileStamp stamp;
  gint64 checked_us; /* when the stamp was compared last, by the monotonic clock */
} NsysSource;

/* The database is opened as immutable, so it must not have changed. */
static gboolean
check_unchanged (NsysSource *source, GError **error)
{
  gint64 now_us = g_get_monotonic_time ();
  HirFileStamp now;

  /* An export reads many rows per millisecond. */
  if (source->checked_us != 0 && now_us - source->checked_us < CHECK_US)
    return TRUE;
  source->checked_us = now_us;
  if (hir_file_stamp_read (&now, source->path) && hir_file_stamp_equal (&now, &source->stamp))
    return TRUE;
  source->checked_us = 0;
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s has changed since it was loaded; load it again",
                 source->path);
  return FALSE;
}

/* Returns whether @column contains the id of a string. */
static gboolean
is_string_id (const char *column)
{
  static const char *const columns[] = { "demangledName", "shortName", "mangledName",
                                         "nameId",        "textId",    "jsonTextId" };

  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    if (g_str_equal (column, columns[i]))
      return TRUE;
  return FALSE;
}

static gboolean
append_string_of (sqlite3_stmt *strings, gint64 id, GString *json)
{
  gboolean found;

  if (strings == NULL)
    return FALSE;
  sqlite3_bind_int64 (strings, 1, id);
  found = sqlite3_step (strings) == SQLITE_ROW && sqlite3_column_text (strings, 0) != NULL;
  if (found)
    hir_json_append_string (json, (const char *) sqlite3_column_text (strings, 0));
  sqlite3_reset (strings);
  return found;
}

/* Returns FALSE if the value is empty. */
static gboolean
append_value (sqlite3_stmt *row, const Arg *arg, sqlite3_stmt *strings, GString *json)
{
  const char *text;
  gint64 number;
  double real;

  switch (sqlite3_column_type (row, arg->column))
    {
    case SQLITE_INTEGER:
      number = sqlite3_column_int64 (row, arg->column);
      if (arg->form != FORM_STRING_ID || !append_string_of (strings, number, json))
        hir_json_append_int (json, number);
      return TRUE;

    case SQLITE_FLOAT:
      {
        char text_of_number[G_ASCII_DTOSTR_BUF_SIZE];

        real = sqlite3_column_double (row, arg->column);
        if (!isfinite (real))
          return FALSE;
        g_string_append (json, g_ascii_dtostr (text_of_number, sizeof text_of_number, real));
        return TRUE;
      }

    case SQLITE_TEXT:
      text = (const char *) sqlite3_column_text (row, arg->column);
      hir_json_append_string (json, text != NULL ? text : "");
      return TRUE;

    default:
      return FALSE;
    }
}

/* Appends the numbers of column @c and of the next two as a list. */
static void
append_list (sqlite3_stmt *row, int c, GString *json)
{
  g_string_append_c (json, '[');
  for (int i = 0; i < 3; i++)
    {
      if (i > 0)
        g_string_append (json, ", ");
      hir_json_append_int (json, sqlite3_column_int64 (row, c + i));
    }
  g_string_append_c (json, ']');
}

/* Columns that have a name in Kineto's traces, which many programs read. NULL: the event itself has
 * the value. */
static const char *const kineto_names[][2] = {
  { "start", NULL },
  { "end", NULL },
  { "demangledName", NULL },
  { "deviceId", "device" },
  { "contextId", "context" },
  { "streamId", "stream" },
  { "correlationId", "correlation" },
  { "registersPerThread", "registers per thread" },
  { "gridX", "grid" },
  { "gridY", NULL },
  { "gridZ", NULL },
  { "blockX", "block" },
  { "blockY", NULL },
  { "blockZ", NULL },
  { "graphId", "graph id" },
  { "graphNodeId", "graph node id" },
  { "eventId", "event_id" },
};

/* Returns the name of column @name as an argument, or NULL if it is none. */
static const char *
lookup_arg_name (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (kineto_names); i++)
    if (g_str_equal (name, kineto_names[i][0]))
      return kineto_names[i][1];
  return name;
}

static Form
get_form (const char *column, const char *name)
{
  if (g_str_equal (name, "grid") || g_str_equal (name, "block"))
    return FORM_LIST;
  if (g_str_equal (name, "stream"))
    return FORM_STREAM;
  return is_string_id (column) ? FORM_STRING_ID : FORM_VALUE;
}

static gboolean
append_arg (sqlite3_stmt *row, const Arg *arg, sqlite3_stmt *strings, GString *value)
{
  if (arg->form == FORM_LIST)
    append_list (row, arg->column, value);
  /* CUPTI's number for no stream. */
  else if (arg->form == FORM_STREAM && sqlite3_column_int64 (row, arg->column) == G_MAXUINT32)
    g_string_append (value, "-1");
  else
    return append_value (row, arg, strings, value);
  return TRUE;
}

/* Kineto gives the sum of both kinds of shared memory. */
static void
tell_shared_memory (const Table *table, HirArgFunc func, gpointer user_data, GString *value)
{
  static const char key[] = "\"shared memory\"";

  if (table->fixed_memory < 0 || table->dynamic_memory < 0)
    return;
  g_string_truncate (value, 0);
  hir_json_append_int (value, sqlite3_column_int64 (table->row, table->fixed_memory) +
                                  sqlite3_column_int64 (table->row, table->dynamic_memory));
  func (key, sizeof key - 1, value->str, value->len, user_data);
}

static void
tell_sync_kind (const Table *table, HirArgFunc func, gpointer user_data, GString *value)
{
  static const char key[] = "\"cuda_sync_kind\"";
  const char *name =
      table->sync_type >= 0
          ? hir_nsys_get_sync_name (sqlite3_column_int64 (table->row, table->sync_type))
          : NULL;

  if (name == NULL)
    return;
  g_string_printf (value, "\"%s\"", name);
  func (key, sizeof key - 1, value->str, value->len, user_data);
}

static void
tell_own_row (const Table *table, HirArgFunc func, gpointer user_data, GString *value)
{
  const char *text = (const char *) sqlite3_column_text (table->row, table->own_args);
  HirJson json;

  g_string_assign (value, "{");
  g_string_append (value, text != NULL ? text : "");
  g_string_append_c (value, '}');
  hir_json_init (&json, value->str, value->len);
  hir_event_source_read_args (&json, func, user_data);
}

static void
tell_row (
    const Table *table, sqlite3_stmt *strings, HirArgFunc func, gpointer user_data, GString *value)
{
  if (table->own_args >= 0)
    {
      tell_own_row (table, func, user_data, value);
      return;
    }
  if (table->overhead_type >= 0)
    func (HIR_EVENT_CATEGORY, 0, "\"overhead\"", strlen ("\"overhead\""), user_data);
  if (table->event_type >= 0 && sqlite3_column_int64 (table->row, table->event_type) == NVTX_MARK)
    func (HIR_EVENT_INSTANT, 0, "\"t\"", strlen ("\"t\""), user_data);
  for (guint i = 0; i < table->args->len; i++)
    {
      const Arg *arg = &g_array_index (table->args, Arg, i);

      g_string_truncate (value, 0);
      if (append_arg (table->row, arg, strings, value))
        func (arg->key, strlen (arg->key), value->str, value->len, user_data);
    }
  tell_shared_memory (table, func, user_data, value);
  tell_sync_kind (table, func, user_data, value);
}

/* Keeps the database open, because opening it takes longer than reading a row. */
static gboolean
open_once (NsysSource *source, GError **error)
{
  if (source->db.db != NULL)
    return TRUE;
  if (!hir_nsys_db_open (&source->db, source->path, error))
    return FALSE;
  /* Statements outside of a transaction start and end one for each row. */
  sqlite3_exec (source->db.db, "BEGIN", NULL, NULL, NULL);
  if (sqlite3_prepare_v2 (source->db.db, "SELECT value FROM StringIds WHERE id=?", -1,
                          &source->strings, NULL) != SQLITE_OK)
    source->strings = NULL;
  return TRUE;
}

static void
clear_arg (gpointer data)
{
  g_free (((Arg *) data)->key);
}

static int
find_column (sqlite3_stmt *row, const char *name)
{
  for (int c = 0; c < sqlite3_column_count (row); c++)
    if (g_strcmp0 (sqlite3_column_name (row, c), name) == 0)
      return c;
  return -1;
}

static void
add_args (Table *table)
{
  for (int c = 0; c < sqlite3_column_count (table->row); c++)
    {
      const char *column = sqlite3_column_name (table->row, c);
      const char *name = lookup_arg_name (column != NULL ? column : "");
      g_autoptr (GString) key = g_string_new (NULL);
      Arg arg;

      if (name == NULL)
        continue;
      /* Overhead is no work that a call has launched. */
      if (table->overhead_type >= 0 && g_str_equal (name, "correlation"))
        name = "correlationId";
      hir_json_append_string (key, name);
      arg = (Arg){ c, get_form (column != NULL ? column : "", name), g_strdup (key->str) };
      g_array_append_val (table->args, arg);
    }
}

/* Prepares to read rows of @table, which is called @name. Leaves it without a statement on
 * failure. */
static void
open_table (sqlite3 *db, const char *name, Table *table)
{
  g_autofree char *all = g_strdup_printf ("SELECT * FROM \"%s\" WHERE rowid=?", name);
  g_autofree char *own =
      g_strdup_printf ("SELECT \"" HIR_NSIGHT_ARGS "\" FROM \"%s\" WHERE rowid=?", name);

  if (sqlite3_prepare_v2 (db, all, -1, &table->row, NULL) != SQLITE_OK)
    return;
  table->own_args = find_column (table->row, HIR_NSIGHT_ARGS);
  if (table->own_args >= 0)
    {
      sqlite3_finalize (table->row);
      table->own_args = 0;
      if (sqlite3_prepare_v2 (db, own, -1, &table->row, NULL) != SQLITE_OK)
        table->row = NULL;
      return;
    }
  table->overhead_type = find_column (table->row, "overheadType");
  table->event_type = find_column (table->row, "eventType");
  table->fixed_memory = find_column (table->row, "staticSharedMemory");
  table->dynamic_memory = find_column (table->row, "dynamicSharedMemory");
  table->sync_type = find_column (table->row, "syncType");
  table->args = g_array_new (FALSE, FALSE, sizeof (Arg));
  g_array_set_clear_func (table->args, clear_arg);
  add_args (table);
}

static gboolean
read_row (NsysSource *source,
          guint table,
          gint64 number,
          HirArgFunc func,
          gpointer user_data,
          GError **error)
{
  Table *read = &source->read[table];
  sqlite3_stmt *row;
  gboolean found = FALSE;

  if (read->row == NULL)
    open_table (source->db.db, source->tables[table], read);
  row = read->row;
  if (row != NULL)
    {
      sqlite3_bind_int64 (row, 1, number);
      found = sqlite3_step (row) == SQLITE_ROW;
      if (found)
        tell_row (read, source->strings, func, user_data, source->value);
    }
  if (!found)
    hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s: a row of table %s cannot be read: %s",
                   source->path, source->tables[table], sqlite3_errmsg (source->db.db));
  if (row != NULL)
    sqlite3_reset (row);
  return found;
}

static gboolean
each_nsys (
    HirEventSource *base, guint64 position, HirArgFunc func, gpointer user_data, GError **error)
{
  NsysSource *source = (NsysSource *) base;
  guint64 table = position >> HIR_EVENT_ROW_SHIFT;
  gint64 number = (gint64) (position & ((G_GUINT64_CONSTANT (1) << HIR_EVENT_ROW_SHIFT) - 1));
  gboolean done;

  if (table == 0 || table > MAX_TABLES || table > g_strv_length (source->tables))
    return TRUE;
  g_mutex_lock (&source->mutex);
  done = check_unchanged (source, error) && open_once (source, error) &&
         read_row (source, (guint) table - 1, number, func, user_data, error);
  g_mutex_unlock (&source->mutex);
  return done;
}

static void
free_nsys (HirEventSource *base)
{
  NsysSource *source = (NsysSource *) base;

  for (guint i = 0; i < MAX_TABLES; i++)
    {
      sqlite3_finalize (source->read[i].row);
      g_clear_pointer (&source->read[i].args, g_array_unref);
    }
  g_string_free (source->value, TRUE);
  sqlite3_finalize (source->strings);
  hir_nsys_db_clear (&source->db);
  g_mutex_clear (&source->mutex);
  g_strfreev (source->tables);
  g_free (source->path);
  g_free (source);
}

static const HirEventSourceClass nsys_class = { each_nsys, free_nsys, NULL };

HirEventSource *
hir_event_source_new_nsys (const char *path, const char *const *tables)
{
  NsysSource *source = g_new0 (NsysSource, 1);

  hir_event_source_init (&source->base, &nsys_class);
  g_mutex_init (&source->mutex);
  source->path = g_strdup (path);
  source->tables = g_strdupv ((char **) tables);
  source->value = g_string_new (NULL);
  hir_file_stamp_read (&source->stamp, path);
  return &source->base;
}
