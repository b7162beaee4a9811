#include "trace/nsight/event-args-nsys.h"

#include <math.h>
#include <string.h>

#include "diagnostic.h"
#include "trace/nsight/nsys-db.h"

#define MAX_TABLES 32

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

static void
tell_row (sqlite3_stmt *row, sqlite3_stmt *strings, HirArgFunc func, gpointer user_data)
{
  g_autoptr (GString) key = g_string_new (NULL);
  g_autoptr (GString) value = g_string_new (NULL);

  for (int c = 0; c < sqlite3_column_count (row); c++)
    {
      const char *name = sqlite3_column_name (row, c);

      g_string_truncate (key, 0);
      g_string_truncate (value, 0);
      append_json_string (key, name != NULL ? name : "");
      if (append_value (row, c, strings, value))
        func (key->str, key->len, value->str, value->len, user_data);
    }
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
