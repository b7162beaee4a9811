#include "trace/nsight/event-args-nsys.h"

#include <math.h>
#include <string.h>

#include "diagnostic.h"
#include "trace/nsight/nsight-schema.h"
#include "trace/nsight/nsys-db.h"
#include "trace/nsight/nsys-names.h"

#define MAX_TABLES 32
#define NVTX_MARK 34 /* eventType of a mark */

typedef struct
{
  HirEventSource base;
  GMutex mutex; /* guards the fields below */
  char *path;
  HirNsysDb db; /* opened on first use */
  sqlite3_stmt *rows[MAX_TABLES], *strings;
  char **tables;
  HirFileStamp stamp;
} NsysSource;

/* The database is opened as immutable, so it must not have changed. */
static gboolean
check_unchanged (const NsysSource *source, GError **error)
{
  HirFileStamp now;

  if (hir_file_stamp_read (&now, source->path) && hir_file_stamp_equal (&now, &source->stamp))
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s has changed since it was loaded; load it again",
                 source->path);
  return FALSE;
}

static void
append_json_string (GString *json, const char *text)
{
  g_string_append_c (json, '"');
  for (; *text != '\0'; text++)
    if (*text == '"' || *text == '\\')
      g_string_append_printf (json, "\\%c", *text);
    else if ((guint8) *text < 0x20)
      g_string_append_printf (json, "\\u%04x", (guint) *text);
    else
      g_string_append_c (json, *text);
  g_string_append_c (json, '"');
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
    append_json_string (json, (const char *) sqlite3_column_text (strings, 0));
  sqlite3_reset (strings);
  return found;
}

/* Returns FALSE if the value is empty. */
static gboolean
append_value (sqlite3_stmt *row, int column, sqlite3_stmt *strings, GString *json)
{
  const char *text;

  switch (sqlite3_column_type (row, column))
    {
    case SQLITE_INTEGER:
      if (!is_string_id (sqlite3_column_name (row, column)) ||
          !append_string_of (strings, sqlite3_column_int64 (row, column), json))
        g_string_append_printf (json, "%" G_GINT64_FORMAT,
                                (gint64) sqlite3_column_int64 (row, column));
      return TRUE;

    case SQLITE_FLOAT:
      {
        char number[G_ASCII_DTOSTR_BUF_SIZE];

        if (!isfinite (sqlite3_column_double (row, column)))
          return FALSE;
        g_string_append (json, g_ascii_dtostr (number, sizeof number,
                                               sqlite3_column_double (row, column)));
        return TRUE;
      }

    case SQLITE_TEXT:
      text = (const char *) sqlite3_column_text (row, column);
      append_json_string (json, text != NULL ? text : "");
      return TRUE;

    default:
      return FALSE;
    }
}

static int
find_column (sqlite3_stmt *row, const char *name)
{
  for (int c = 0; c < sqlite3_column_count (row); c++)
    if (g_strcmp0 (sqlite3_column_name (row, c), name) == 0)
      return c;
  return -1;
}

/* Appends the numbers of columns @c and, if @n is larger, those after it, as a list. */
static void
append_list (sqlite3_stmt *row, int c, int n, GString *json)
{
  g_string_append_c (json, '[');
  for (int i = 0; i < n; i++)
    g_string_append_printf (json, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "",
                            (gint64) sqlite3_column_int64 (row, c + i));
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

/* Sets @name to the name of column @c as an argument. Returns FALSE if it is none. */
static gboolean
get_arg_name (sqlite3_stmt *row, int c, const char **name)
{
  *name = sqlite3_column_name (row, c);
  if (*name == NULL)
    *name = "";
  for (guint i = 0; i < G_N_ELEMENTS (kineto_names); i++)
    if (g_str_equal (*name, kineto_names[i][0]))
      {
        *name = kineto_names[i][1];
        return *name != NULL;
      }
  return TRUE;
}

static gboolean
append_arg (sqlite3_stmt *row, int c, const char *name, sqlite3_stmt *strings, GString *value)
{
  if (g_str_equal (name, "grid") || g_str_equal (name, "block"))
    append_list (row, c, 3, value);
  /* CUPTI's number for no stream. */
  else if (g_str_equal (name, "stream") && sqlite3_column_int64 (row, c) == G_MAXUINT32)
    g_string_append (value, "-1");
  else
    return append_value (row, c, strings, value);
  return TRUE;
}

/* Kineto gives the sum of both kinds of shared memory. */
static void
tell_shared_memory (sqlite3_stmt *row, HirArgFunc func, gpointer user_data)
{
  static const char key[] = "\"shared memory\"";
  int fixed = find_column (row, "staticSharedMemory");
  int dynamic = find_column (row, "dynamicSharedMemory");
  char value[24];

  if (fixed < 0 || dynamic < 0)
    return;
  g_snprintf (value, sizeof value, "%" G_GINT64_FORMAT,
              (gint64) (sqlite3_column_int64 (row, fixed) + sqlite3_column_int64 (row, dynamic)));
  func (key, sizeof key - 1, value, strlen (value), user_data);
}

static void
tell_sync_kind (sqlite3_stmt *row, HirArgFunc func, gpointer user_data)
{
  static const char key[] = "\"cuda_sync_kind\"";
  int column = find_column (row, "syncType");
  const char *name =
      column >= 0 ? hir_nsys_get_sync_name (sqlite3_column_int64 (row, column)) : NULL;
  g_autofree char *value = name != NULL ? g_strdup_printf ("\"%s\"", name) : NULL;

  if (value != NULL)
    func (key, sizeof key - 1, value, strlen (value), user_data);
}

/* Our own exports have all arguments in one column. Returns FALSE for other rows. */
static gboolean
tell_own_row (sqlite3_stmt *row, HirArgFunc func, gpointer user_data)
{
  int column = find_column (row, HIR_NSIGHT_ARGS);
  g_autofree char *object = NULL;
  HirJson json;

  if (column < 0)
    return FALSE;
  object = g_strdup_printf ("{%s}", sqlite3_column_type (row, column) == SQLITE_TEXT
                                        ? (const char *) sqlite3_column_text (row, column)
                                        : "");
  hir_json_init (&json, object, strlen (object));
  hir_event_source_read_args (&json, func, user_data);
  return TRUE;
}

static gboolean
is_mark (sqlite3_stmt *row)
{
  int column = find_column (row, "eventType");

  return column >= 0 && sqlite3_column_int64 (row, column) == NVTX_MARK;
}

static void
tell_row (sqlite3_stmt *row, sqlite3_stmt *strings, HirArgFunc func, gpointer user_data)
{
  g_autoptr (GString) key = g_string_new (NULL);
  g_autoptr (GString) value = g_string_new (NULL);
  gboolean is_overhead;

  if (tell_own_row (row, func, user_data))
    return;
  /* Overhead is no work that a call has launched. */
  is_overhead = find_column (row, "overheadType") >= 0;
  if (is_overhead)
    func (HIR_EVENT_CATEGORY, 0, "\"overhead\"", strlen ("\"overhead\""), user_data);
  if (is_mark (row))
    func (HIR_EVENT_INSTANT, 0, "\"t\"", strlen ("\"t\""), user_data);
  for (int c = 0; c < sqlite3_column_count (row); c++)
    {
      const char *name;

      if (!get_arg_name (row, c, &name))
        continue;
      if (is_overhead && g_str_equal (name, "correlation"))
        name = "correlationId";
      g_string_truncate (key, 0);
      g_string_truncate (value, 0);
      append_json_string (key, name);
      if (append_arg (row, c, name, strings, value))
        func (key->str, key->len, value->str, value->len, user_data);
    }
  tell_shared_memory (row, func, user_data);
  tell_sync_kind (row, func, user_data);
}

/* Keeps the database open, because opening it takes longer than reading a row. */
static gboolean
open_once (NsysSource *source, GError **error)
{
  if (source->db.db != NULL)
    return TRUE;
  if (!hir_nsys_db_open (&source->db, source->path, error))
    return FALSE;
  if (sqlite3_prepare_v2 (source->db.db, "SELECT value FROM StringIds WHERE id=?", -1,
                          &source->strings, NULL) != SQLITE_OK)
    source->strings = NULL;
  return TRUE;
}

static sqlite3_stmt *
ensure_statement (NsysSource *source, guint table)
{
  g_autofree char *sql = NULL;

  if (source->rows[table] != NULL)
    return source->rows[table];
  sql = g_strdup_printf ("SELECT * FROM \"%s\" WHERE rowid=?", source->tables[table]);
  if (sqlite3_prepare_v2 (source->db.db, sql, -1, &source->rows[table], NULL) != SQLITE_OK)
    source->rows[table] = NULL;
  return source->rows[table];
}

static gboolean
read_row (NsysSource *source,
          guint table,
          gint64 number,
          HirArgFunc func,
          gpointer user_data,
          GError **error)
{
  sqlite3_stmt *row = ensure_statement (source, table);
  gboolean found = FALSE;

  if (row != NULL)
    {
      sqlite3_bind_int64 (row, 1, number);
      found = sqlite3_step (row) == SQLITE_ROW;
      if (found)
        tell_row (row, source->strings, func, user_data);
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
    sqlite3_finalize (source->rows[i]);
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
  hir_file_stamp_read (&source->stamp, path);
  return &source->base;
}
