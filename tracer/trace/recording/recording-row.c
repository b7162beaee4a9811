#include "diagnostic.h"
#include "identity.h"
#include "trace/recording/recording-db.h"

#include <errno.h>
#include <string.h>

/* Distinguishes values of different types in the checksum. */
enum
{
  TAG_NULL = 1,
  TAG_INT,
  TAG_TEXT,
  TAG_BLOB,
};

void
hir_db_set_error (GError **error, sqlite3 *db, int code, const char *path, gboolean is_writing)
{
  HirErrorCode kind = is_writing ? HIR_ERROR_RUN : HIR_ERROR_INPUT;
  const char *reason = db != NULL ? sqlite3_errmsg (db) : sqlite3_errstr (code);
  int system_errno = db != NULL ? sqlite3_system_errno (db) : 0;

  switch (code & 0xff)
    {
    case SQLITE_FULL:
      hir_set_error (error, kind, NULL,
                     "%s: the disk is full; free some space, or record to another disk with "
                     "-o",
                     path);
      break;
    case SQLITE_IOERR:
      hir_set_error (error, kind, NULL, "%s: %s failed (%s); check the disk it is on", path,
                     is_writing ? "writing" : "reading",
                     system_errno != 0 ? g_strerror (system_errno) : reason);
      break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      hir_set_error (error, kind, NULL, "%s: the recording is damaged (%s); record the run again",
                     path, reason);
      break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      hir_set_error (error, kind, NULL,
                     "%s: another program is writing the recording; wait until it has "
                     "finished",
                     path);
      break;
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      hir_set_error (error, kind, NULL, "%s cannot be opened%s (%s); check its permissions", path,
                     is_writing ? " for writing" : "",
                     system_errno != 0 ? g_strerror (system_errno) : reason);
      break;
    case SQLITE_NOMEM:
      hir_set_error (error, HIR_ERROR_LIMIT, NULL, "%s: out of memory; close other programs", path);
      break;
    default:
      hir_set_error (error, kind, NULL, "%s: the recording cannot be %s (%s)", path,
                     is_writing ? "written" : "read", reason);
      break;
    }
}

gboolean
hir_db_exec (sqlite3 *db, const char *path, const char *sql, GError **error)
{
  int code = sqlite3_exec (db, sql, NULL, NULL, NULL);

  if (code == SQLITE_OK)
    return TRUE;
  hir_db_set_error (error, db, code, path, !sqlite3_db_readonly (db, "main"));
  return FALSE;
}

sqlite3_stmt *
hir_db_prepare (sqlite3 *db, const char *path, const char *sql, GError **error)
{
  sqlite3_stmt *stmt;
  int code = sqlite3_prepare_v2 (db, sql, -1, &stmt, NULL);

  if (code == SQLITE_OK)
    return stmt;
  hir_db_set_error (error, db, code, path, FALSE);
  return NULL;
}

sqlite3_stmt *
hir_db_prepare_insert (sqlite3 *db, const char *path, const char *table, GError **error)
{
  g_autofree char *pragma = g_strdup_printf ("SELECT count(*) FROM pragma_table_info('%s')", table);
  GString *sql = g_string_new (NULL);
  sqlite3_stmt *stmt = hir_db_prepare (db, path, pragma, error);
  int n = 0;

  if (stmt != NULL && sqlite3_step (stmt) == SQLITE_ROW)
    n = sqlite3_column_int (stmt, 0);
  sqlite3_finalize (stmt);
  if (n == 0)
    {
      g_string_free (sql, TRUE);
      if (error != NULL && *error == NULL)
        hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s: the recording has no table %s", path,
                       table);
      return NULL;
    }
  g_string_printf (sql, "INSERT INTO %s VALUES(?", table);
  for (int i = 1; i < n; i++)
    g_string_append (sql, ",?");
  g_string_append (sql, ")");
  stmt = hir_db_prepare (db, path, sql->str, error);
  g_string_free (sql, TRUE);
  return stmt;
}

static void
restart (HirRow *row)
{
  row->column = 0;
  row->digest = hir_hash_text (0, row->table);
  row->is_bad = FALSE;
}

void
hir_row_begin (HirRow *row, sqlite3_stmt *stmt, const char *path, const char *table)
{
  memset (row, 0, sizeof *row);
  row->stmt = stmt;
  row->path = path;
  row->table = table;
  restart (row);
}

static void
mix (HirRow *row, guint64 tag, guint64 word)
{
  row->digest = hir_hash_mix (hir_hash_mix (row->digest, tag), word);
}

static void
mix_bytes (HirRow *row, guint64 tag, const guint8 *data, gsize size)
{
  guint64 word;

  mix (row, tag, size);
  for (; size >= sizeof word; data += sizeof word, size -= sizeof word)
    {
      memcpy (&word, data, sizeof word);
      row->digest = hir_hash_mix (row->digest, GUINT64_FROM_LE (word));
    }
  if (size > 0)
    {
      word = 0;
      memcpy (&word, data, size);
      row->digest = hir_hash_mix (row->digest, GUINT64_FROM_LE (word));
    }
}

static gint64
fold (guint64 digest)
{
  return (gint64) ((digest ^ digest >> 32) & G_MAXUINT32);
}

void
hir_row_put_int (HirRow *row, gint64 value)
{
  mix (row, TAG_INT, (guint64) value);
  sqlite3_bind_int64 (row->stmt, ++row->column, value);
}

void
hir_row_put_text (HirRow *row, const char *text)
{
  g_autofree char *valid = NULL;

  row->column++;
  if (text == NULL)
    {
      mix (row, TAG_NULL, 0);
      sqlite3_bind_null (row->stmt, row->column);
      return;
    }
  if (!g_utf8_validate (text, -1, NULL))
    text = valid = g_utf8_make_valid (text, -1);
  mix_bytes (row, TAG_TEXT, (const guint8 *) text, strlen (text));
  sqlite3_bind_text64 (row->stmt, row->column, text, strlen (text), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void
hir_row_put_id (HirRow *row, guint64 id)
{
  char hex[17];

  hir_id_to_hex (id, hex);
  hir_row_put_text (row, hex);
}

void
hir_row_put_blob (HirRow *row, gconstpointer data, gsize size)
{
  mix_bytes (row, TAG_BLOB, data, size);
  sqlite3_bind_blob64 (row->stmt, ++row->column, size > 0 ? data : "", size, SQLITE_STATIC);
}

gboolean
hir_row_insert (HirRow *row, GError **error)
{
  int code;

  sqlite3_bind_int64 (row->stmt, ++row->column, fold (row->digest));
  g_assert (row->column == sqlite3_bind_parameter_count (row->stmt));
  code = sqlite3_step (row->stmt);
  if (code != SQLITE_DONE)
    hir_db_set_error (error, sqlite3_db_handle (row->stmt), code, row->path, TRUE);
  sqlite3_reset (row->stmt);
  sqlite3_clear_bindings (row->stmt);
  restart (row);
  return code == SQLITE_DONE;
}

gboolean
hir_row_next (HirRow *row, GError **error)
{
  int code = sqlite3_step (row->stmt);

  restart (row);
  if (code == SQLITE_ROW)
    return TRUE;
  if (code != SQLITE_DONE)
    hir_db_set_error (error, sqlite3_db_handle (row->stmt), code, row->path, FALSE);
  return FALSE;
}

gint64
hir_row_get_int (HirRow *row, gint64 min, gint64 max)
{
  int column = row->column++;
  gint64 value = sqlite3_column_int64 (row->stmt, column);

  if (sqlite3_column_type (row->stmt, column) != SQLITE_INTEGER)
    row->is_bad = TRUE;
  mix (row, TAG_INT, (guint64) value);
  if (value >= min && value <= max)
    return value;
  row->is_bad = TRUE;
  return min;
}

const char *
hir_row_get_text (HirRow *row)
{
  int column = row->column++;
  int type = sqlite3_column_type (row->stmt, column);
  const char *text;
  gsize size;

  if (type == SQLITE_NULL)
    {
      mix (row, TAG_NULL, 0);
      return NULL;
    }
  if (type != SQLITE_TEXT)
    {
      row->is_bad = TRUE;
      return "";
    }
  text = (const char *) sqlite3_column_text (row->stmt, column);
  size = (gsize) sqlite3_column_bytes (row->stmt, column);
  if (text == NULL || strlen (text) != size || !g_utf8_validate (text, (gssize) size, NULL))
    {
      row->is_bad = TRUE;
      return "";
    }
  mix_bytes (row, TAG_TEXT, (const guint8 *) text, size);
  return text;
}

const char *
hir_row_get_some_text (HirRow *row)
{
  const char *text = hir_row_get_text (row);

  if (text != NULL)
    return text;
  row->is_bad = TRUE;
  return "";
}

guint64
hir_row_get_id (HirRow *row)
{
  guint64 id = 0;

  if (!hir_id_from_hex (hir_row_get_some_text (row), &id))
    row->is_bad = TRUE;
  return id;
}

gconstpointer
hir_row_get_blob (HirRow *row, gsize *size)
{
  int column = row->column++;
  gconstpointer data;

  *size = 0;
  if (sqlite3_column_type (row->stmt, column) != SQLITE_BLOB)
    {
      row->is_bad = TRUE;
      return "";
    }
  data = sqlite3_column_blob (row->stmt, column);
  if (data != NULL)
    *size = (gsize) sqlite3_column_bytes (row->stmt, column);
  mix_bytes (row, TAG_BLOB, data, *size);
  return data != NULL ? data : "";
}

gboolean
hir_row_check (HirRow *row, GError **error)
{
  gint64 digest = sqlite3_column_int64 (row->stmt, row->column);

  if (!row->is_bad && (row->ignore_digest || digest == fold (row->digest)))
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "%s: the recording is damaged (%s in table %s); record the run again", row->path,
                 row->is_bad ? "a value out of range" : "an incorrect checksum", row->table);
  return FALSE;
}

gboolean
hir_db_each_row (sqlite3 *db,
                 const char *path,
                 const char *table,
                 gboolean ignore_digests,
                 HirRowFunc func,
                 gpointer user_data,
                 GError **error)
{
  g_autofree char *sql = g_strdup_printf ("SELECT * FROM %s ORDER BY rowid", table);
  sqlite3_stmt *stmt = hir_db_prepare (db, path, sql, error);
  GError *failure = NULL;
  HirRow row;

  if (stmt == NULL)
    return FALSE;
  hir_row_begin (&row, stmt, path, table);
  row.ignore_digest = ignore_digests;
  while (hir_row_next (&row, &failure) && func (&row, user_data, &failure))
    ;
  sqlite3_finalize (stmt);
  if (failure == NULL)
    return TRUE;
  g_propagate_error (error, failure);
  return FALSE;
}
