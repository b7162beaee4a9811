#include "trace/recording/recording-note.h"

#include "trace/recording/recording-file.h"
#include "trace/recording/recording-mark.h"

static gboolean
is_recording (sqlite3 *db, const char *path, GError **error)
{
  sqlite3_stmt *stmt = hir_db_prepare (db, path, "PRAGMA application_id", error);
  gboolean is;

  if (stmt == NULL)
    return FALSE;
  is = sqlite3_step (stmt) == SQLITE_ROW &&
       sqlite3_column_int64 (stmt, 0) == HIR_RECORDING_APPLICATION_ID;
  sqlite3_finalize (stmt);
  if (!is)
    hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s is not a recording; give a .hirs file", path);
  return is;
}

char *
hir_recording_dup_note (const char *path, const char *key)
{
  HirRecordingFile file = { 0 };
  char *value;

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR) || !hir_recording_file_open (&file, path, NULL))
    return NULL;
  value = is_recording (file.db, path, NULL) ? hir_recording_dup_meta (file.db, path, key) : NULL;
  hir_recording_file_close (&file, FALSE);
  return value;
}

static gboolean
replace_note (sqlite3 *db, const char *path, const char *key, const char *value, GError **error)
{
  sqlite3_stmt *stmt = hir_db_prepare (db, path, "DELETE FROM meta WHERE key = ?", error);
  HirRow row;
  int code;
  gboolean done;

  if (stmt == NULL)
    return FALSE;
  sqlite3_bind_text (stmt, 1, key, -1, SQLITE_STATIC);
  code = sqlite3_step (stmt);
  if (code != SQLITE_DONE)
    hir_db_set_error (error, db, code, path, TRUE);
  sqlite3_finalize (stmt);
  stmt = code == SQLITE_DONE ? hir_db_prepare_insert (db, path, "meta", error) : NULL;
  if (stmt == NULL)
    return FALSE;
  hir_row_begin (&row, stmt, path, "meta");
  hir_row_put_text (&row, key);
  hir_row_put_text (&row, value);
  done = hir_row_insert (&row, error);
  sqlite3_finalize (stmt);
  return done;
}

/* Counts the note, so that other readers of the file can detect that nothing else changed. */
static gboolean
count_note (sqlite3 *db, const char *path, GError **error)
{
  g_autofree char *before = hir_recording_dup_meta (db, path, HIR_META_N_NOTES);
  g_autofree char *n =
      g_strdup_printf ("%" G_GUINT64_FORMAT,
                       before != NULL ? g_ascii_strtoull (before, NULL, 10) + 1 : 1);

  return replace_note (db, path, HIR_META_N_NOTES, n, error);
}

gboolean
hir_recording_set_note (const char *path, const char *key, const char *value, GError **error)
{
  sqlite3 *db = NULL;
  int code = sqlite3_open_v2 (path, &db, SQLITE_OPEN_READWRITE, NULL);
  gboolean done = FALSE;

  if (code != SQLITE_OK)
    hir_db_set_error (error, db, code, path, TRUE);
  else
    {
      hir_recording_file_restrict (db);
      done = hir_db_exec (db, path, "BEGIN IMMEDIATE", error) && is_recording (db, path, error) &&
             replace_note (db, path, key, value, error) && count_note (db, path, error) &&
             hir_db_exec (db, path, "COMMIT", error);
    }
  sqlite3_close (db);
  return done;
}
