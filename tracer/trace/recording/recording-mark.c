#include "trace/recording/recording-mark.h"

#include <stdio.h>
#include <string.h>

#define CHANGES_AT 24 /* big-endian 32-bit field in the header of an SQLite file */

char *
hir_recording_dup_meta (sqlite3 *db, const char *path, const char *key)
{
  sqlite3_stmt *stmt =
      hir_db_prepare (db, path, "SELECT * FROM meta WHERE key = ? ORDER BY rowid DESC LIMIT 1",
                      NULL);
  char *value = NULL;
  HirRow row;

  if (stmt == NULL)
    return NULL;
  sqlite3_bind_text (stmt, 1, key, -1, SQLITE_STATIC);
  hir_row_begin (&row, stmt, path, "meta");
  if (hir_row_next (&row, NULL))
    {
      (void) hir_row_get_some_text (&row);
      value = g_strdup (hir_row_get_some_text (&row));
      if (!hir_row_check (&row, NULL))
        g_clear_pointer (&value, g_free);
    }
  sqlite3_finalize (stmt);
  return value;
}

static guint32
read_changes (const char *path)
{
  FILE *file = fopen (path, "rbe");
  guint32 n = 0;

  if (file == NULL)
    return 0;
  if (fseek (file, CHANGES_AT, SEEK_SET) != 0 || fread (&n, sizeof n, 1, file) != 1)
    n = 0;
  fclose (file);
  return GUINT32_FROM_BE (n);
}

void
hir_recording_mark_read (HirRecordingMark *mark, sqlite3 *db, const char *path)
{
  g_autofree char *n_notes = hir_recording_dup_meta (db, path, HIR_META_N_NOTES);

  hir_recording_mark_clear (mark);
  mark->id = hir_recording_dup_meta (db, path, HIR_META_FILE_ID);
  mark->n_changes = read_changes (path);
  mark->n_notes = n_notes != NULL ? g_ascii_strtoull (n_notes, NULL, 10) : 0;
}

gboolean
hir_recording_mark_is_same (const HirRecordingMark *mark, const HirRecordingMark *now)
{
  return mark->id != NULL && g_strcmp0 (mark->id, now->id) == 0 &&
         now->n_changes - mark->n_changes == (guint32) (now->n_notes - mark->n_notes);
}

void
hir_recording_mark_clear (HirRecordingMark *mark)
{
  g_free (mark->id);
  memset (mark, 0, sizeof *mark);
}
