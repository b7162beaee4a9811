#include "trace/nsight/nsys-db.h"

#include <string.h>

#include "diagnostic.h"
#include "trace/headroom.h"

#define CANCEL_ROWS 4096

gboolean
hir_nsys_db_open (HirNsysDb *db, const char *path, GError **error)
{
  g_autofree char *escaped = g_uri_escape_string (path, "/", FALSE);
  g_autofree char *uri = g_strdup_printf ("file:%s?mode=ro&immutable=1", escaped);

  db->path = path;
  if (sqlite3_open_v2 (uri, &db->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
                       NULL) != SQLITE_OK)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s cannot be read: %s", path,
                     db->db != NULL ? sqlite3_errmsg (db->db) : "out of memory");
      hir_nsys_db_clear (db);
      return FALSE;
    }
  sqlite3_db_config (db->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config (db->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  return TRUE;
}

void
hir_nsys_db_clear (HirNsysDb *db)
{
  g_clear_pointer (&db->db, sqlite3_close);
}

/* Ignores views: an export has tables, and a view could run forever. */
gboolean
hir_nsys_db_has (HirNsysDb *db, const char *table)
{
  sqlite3_stmt *statement = NULL;
  gboolean has = FALSE;

  if (sqlite3_prepare_v2 (db->db, "SELECT 1 FROM sqlite_master WHERE type='table' AND name=?", -1,
                          &statement, NULL) == SQLITE_OK)
    {
      sqlite3_bind_text (statement, 1, table, -1, SQLITE_STATIC);
      has = sqlite3_step (statement) == SQLITE_ROW;
    }
  sqlite3_finalize (statement);
  return has;
}

GPtrArray *
hir_nsys_db_dup_tables (HirNsysDb *db)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  sqlite3_stmt *statement = NULL;

  if (sqlite3_prepare_v2 (db->db, "SELECT name FROM sqlite_master WHERE type='table' ORDER BY name",
                          -1, &statement, NULL) == SQLITE_OK)
    while (sqlite3_step (statement) == SQLITE_ROW)
      {
        const char *name = (const char *) sqlite3_column_text (statement, 0);

        /* A name in quotes cannot end the quotes of a statement. */
        if (name != NULL && strchr (name, '"') == NULL && hir_has_headroom ())
          g_ptr_array_add (names, g_utf8_make_valid (name, -1));
      }
  sqlite3_finalize (statement);
  return names;
}

guint64
hir_nsys_db_guess_n_rows (HirNsysDb *db, const char *table)
{
  g_autofree char *sql = g_strdup_printf ("SELECT max(rowid) FROM \"%s\"", table);
  sqlite3_stmt *statement = NULL;
  gint64 n = 0;

  if (hir_nsys_db_has (db, table) &&
      sqlite3_prepare_v2 (db->db, sql, -1, &statement, NULL) == SQLITE_OK &&
      sqlite3_step (statement) == SQLITE_ROW)
    n = sqlite3_column_int64 (statement, 0);
  sqlite3_finalize (statement);
  return (guint64) CLAMP (n, 0, G_MAXINT32);
}

static GHashTable *
dup_columns (HirNsysDb *db, const char *table)
{
  GHashTable *columns = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  sqlite3_stmt *statement = NULL;

  if (sqlite3_prepare_v2 (db->db, "SELECT name FROM pragma_table_info(?)", -1, &statement, NULL) ==
      SQLITE_OK)
    {
      sqlite3_bind_text (statement, 1, table, -1, SQLITE_STATIC);
      while (sqlite3_step (statement) == SQLITE_ROW)
        g_hash_table_add (columns, g_strdup ((const char *) sqlite3_column_text (statement, 0)));
    }
  sqlite3_finalize (statement);
  return columns;
}

/* Tables created WITHOUT ROWID have none. */
static gboolean
has_row_numbers (HirNsysDb *db, const char *table)
{
  g_autofree char *sql = g_strdup_printf ("SELECT rowid FROM \"%s\"", table);
  sqlite3_stmt *statement = NULL;
  gboolean has = sqlite3_prepare_v2 (db->db, sql, -1, &statement, NULL) == SQLITE_OK;

  sqlite3_finalize (statement);
  return has;
}

static char *
dup_query (HirNsysDb *db, const char *table, const char *const *columns)
{
  g_autoptr (GHashTable) known = dup_columns (db, table);
  GString *sql = g_string_new ("SELECT ");

  for (guint i = 0; columns[i] != NULL; i++)
    /* A quoted unknown name would be a string. */
    if (g_str_equal (columns[i], HIR_NSYS_ROW) && has_row_numbers (db, table))
      g_string_append_printf (sql, "%s" HIR_NSYS_ROW, i > 0 ? "," : "");
    else if (g_hash_table_contains (known, columns[i]))
      g_string_append_printf (sql, "%s\"%s\"", i > 0 ? "," : "", columns[i]);
    else
      g_string_append_printf (sql, "%sNULL", i > 0 ? "," : "");
  g_string_append_printf (sql, " FROM \"%s\"", table);
  return g_string_free (sql, FALSE);
}

static gboolean
fail (HirNsysDb *db, const char *table, GError **error)
{
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s: table %s cannot be read: %s", db->path, table,
                 sqlite3_errmsg (db->db));
  return FALSE;
}

/* Reports progress periodically, between rows. Returns FALSE to stop. */
static gboolean
look_up (HirNsysDb *db, const char *table, guint n, GError **error)
{
  double share = db->n_rows_all > 0 ? (double) (db->n_rows_done + n) / (double) db->n_rows_all : 0;

  if (!hir_load_progress_should_continue (db->progress, db->builder, share, error))
    return FALSE;
  if (hir_has_headroom ())
    return TRUE;
  hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                 "%s: out of memory after %u events of table %s; export a part of it", db->path, n,
                 table);
  return FALSE;
}

gboolean
hir_nsys_db_each (HirNsysDb *db,
                  const char *table,
                  const char *const *columns,
                  HirNsysRow row,
                  gpointer user_data,
                  GError **error)
{
  g_autofree char *sql = NULL;
  sqlite3_stmt *statement = NULL;
  gboolean done = TRUE, goes_on = TRUE;
  guint n = 0;
  int code;

  if (!hir_nsys_db_has (db, table) || (db->progress != NULL && db->progress->is_enough))
    return TRUE;
  sql = dup_query (db, table, columns);
  if (sqlite3_prepare_v2 (db->db, sql, -1, &statement, NULL) != SQLITE_OK)
    return fail (db, table, error);
  while (done && goes_on && (code = sqlite3_step (statement)) != SQLITE_DONE)
    {
      if (code != SQLITE_ROW)
        done = fail (db, table, error);
      else if (++n % CANCEL_ROWS == 0 && !look_up (db, table, n, error))
        {
          goes_on = FALSE;
          done = db->progress != NULL && db->progress->is_enough;
        }
      else
        done = row (statement, user_data, error);
    }
  db->n_rows_done += n;
  sqlite3_finalize (statement);
  return done;
}
