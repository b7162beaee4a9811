#include "trace/recording/recording-file.h"
#include "diagnostic.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define HEADER_BYTES 100
#define MAX_PARTIALS 1000
#define MAX_VALUE_BYTES (256 * 1024 * 1024)

static const char *const companions[] = { "-wal", "-journal", "-shm" };

/* Reads the first bytes of an SQLite file: the magic, and the application id at offset 68. */
static gboolean
read_header (const char *path, guint8 header[HEADER_BYTES])
{
  FILE *file = fopen (path, "rbe");
  gsize n = file != NULL ? fread (header, 1, HEADER_BYTES, file) : 0;

  if (file != NULL)
    fclose (file);
  return n == HEADER_BYTES;
}

static guint32
get_u32 (const guint8 *bytes)
{
  guint32 value;

  memcpy (&value, bytes, sizeof value);
  return GUINT32_FROM_BE (value);
}

gboolean
hir_recording_sniff (const char *path)
{
  guint8 header[HEADER_BYTES];

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR) || !read_header (path, header))
    return FALSE;
  return memcmp (header, "SQLite format 3", 16) == 0 &&
         get_u32 (header + 68) == HIR_RECORDING_APPLICATION_ID;
}

/* Returns whether a non-empty journal is next to @path. */
static gboolean
has_journal (const char *path)
{
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *journal = g_strconcat (path, companions[i], NULL);
      GStatBuf info;

      if (g_stat (journal, &info) == 0 && info.st_size > 0)
        return TRUE;
    }
  return FALSE;
}

static gboolean
is_writable (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);

  return g_access (path, W_OK) == 0 && g_access (folder, W_OK) == 0;
}

/* Creates an empty file. @name is for the message. */
static gboolean
create_empty (const char *path, const char *name, GError **error)
{
  int fd = g_open (path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);

  if (fd >= 0)
    {
      close (fd);
      return TRUE;
    }
  if (errno == ENOENT)
    hir_set_error (error, HIR_ERROR_INPUT, NULL,
                   "%s cannot be written: its folder does not exist; create it, or choose another "
                   "name",
                   name);
  else
    hir_set_error (error, HIR_ERROR_INPUT, NULL,
                   "%s cannot be written (%s); choose a folder that you can write to", name,
                   g_strerror (errno));
  return FALSE;
}

/* Merges the journal of the old recording into the file, so that the file stays complete even if
 * the new recording is never finished. Returns FALSE if another program is writing it. */
static gboolean
settle_old (const char *path, GError **error)
{
  sqlite3 *db = NULL;
  int code = SQLITE_OK;

  if (!has_journal (path))
    return TRUE;
  if (sqlite3_open_v2 (path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK)
    code = sqlite3_exec (db, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
  sqlite3_close (db);
  if ((code & 0xff) != SQLITE_BUSY && (code & 0xff) != SQLITE_LOCKED)
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "%s is being written by another program; wait for it, or choose another "
                 "name",
                 path);
  return FALSE;
}

static char *
create_partial (const char *path, GError **error)
{
  for (guint i = 1; i < MAX_PARTIALS; i++)
    {
      g_autofree char *partial = i == 1 ? g_strconcat (path, ".partial", NULL)
                                        : g_strdup_printf ("%s.partial-%u", path, i);

      /* An existing partial file was left by a crash and must not be overwritten. */
      if (g_file_test (partial, G_FILE_TEST_EXISTS))
        continue;
      return create_empty (partial, path, error) ? g_steal_pointer (&partial) : NULL;
    }
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "%s.partial and many similar files already exist; delete those that you do not "
                 "need",
                 path);
  return NULL;
}

char *
hir_recording_file_create (const char *path, gboolean beside, char **final_path, GError **error)
{
  g_autofree char *resolved = NULL;
  char *real = realpath (path, NULL);
  GStatBuf info;

  resolved = g_strdup (real != NULL ? real : path);
  free (real);
  *final_path = NULL;
  if (g_stat (resolved, &info) != 0)
    {
      *final_path = g_strdup (resolved);
      if (beside)
        return create_partial (resolved, error);
      if (!create_empty (resolved, resolved, error))
        return NULL;
      return g_steal_pointer (&resolved);
    }
  if (!S_ISREG (info.st_mode) || (info.st_size > 0 && !hir_recording_sniff (resolved)))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "'%s' exists and is not a Hirscope recording; choose another name or delete "
                     "it first",
                     path);
      return NULL;
    }
  if (!settle_old (resolved, error))
    return NULL;
  *final_path = g_strdup (resolved);
  return create_partial (resolved, error);
}

gboolean
hir_recording_file_put_in_place (const char *partial, const char *final_path, GError **error)
{
  if (has_journal (partial))
    {
      hir_set_error (error, HIR_ERROR_RUN, NULL,
                     "%s is being read by another program, so %s was not replaced; open the first "
                     "file instead",
                     partial, final_path);
      return FALSE;
    }
  /* SQLite would apply a leftover journal to the new file. */
  for (guint i = 0; i < G_N_ELEMENTS (companions); i++)
    {
      g_autofree char *companion = g_strconcat (final_path, companions[i], NULL);

      g_unlink (companion);
    }
  if (g_rename (partial, final_path) == 0)
    return TRUE;
  hir_set_error (error, HIR_ERROR_RUN, NULL,
                 "%s cannot be replaced (%s); the new recording is in %s", final_path,
                 g_strerror (errno), partial);
  return FALSE;
}

void
hir_recording_file_remove (const char *path)
{
  for (guint i = 0; i < G_N_ELEMENTS (companions); i++)
    {
      g_autofree char *companion = g_strconcat (path, companions[i], NULL);

      g_unlink (companion);
    }
  g_unlink (path);
}

/* Returns the size stored in the header, or 0 if there is none. SQLite itself detects only a
 * missing page that it reads. */
static gint64
get_claimed_size (const guint8 header[HEADER_BYTES])
{
  guint32 page = (guint32) header[16] << 8 | header[17];

  if (get_u32 (header + 24) != get_u32 (header + 92))
    return 0;
  return (gint64) (page == 1 ? 65536 : page) * get_u32 (header + 28);
}

static gboolean
check_readable (const char *path, GError **error)
{
  g_autofree char *partial = g_strconcat (path, ".partial", NULL);
  guint8 header[HEADER_BYTES];
  GStatBuf info;

  if (g_stat (path, &info) != 0)
    hir_set_error (error, HIR_ERROR_INPUT, NULL,
                   g_file_test (partial, G_FILE_TEST_EXISTS) ? "%s: %s; open %s.partial instead"
                                                             : "%s: %s; check the name",
                   path, g_strerror (errno), path);
  else if (!S_ISREG (info.st_mode))
    hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s is not a regular file; give a .hirs file",
                   path);
  else if (g_access (path, R_OK) != 0)
    hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s cannot be read (%s); check its permissions",
                   path, g_strerror (errno));
  else if (info.st_size == 0 && !has_journal (path))
    hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s is empty; record the run again", path);
  else if (info.st_size > 0 &&
           (!read_header (path, header) || memcmp (header, "SQLite format 3", 16) != 0))
    hir_set_error (error, HIR_ERROR_INPUT, NULL,
                   "%s is not a recording, or its first bytes are damaged; give a .hirs file",
                   path);
  else if (info.st_size > 0 && !has_journal (path) && info.st_size < get_claimed_size (header))
    hir_set_error (error, HIR_ERROR_INPUT, NULL,
                   "%s: the recording is truncated: %" G_GINT64_FORMAT " bytes of %" G_GINT64_FORMAT
                   "; copy it again",
                   path, (gint64) info.st_size, get_claimed_size (header));
  else
    return TRUE;
  return FALSE;
}

static gboolean
copy_file (const char *from, const char *to, GError **error)
{
  g_autoptr (GFile) source = g_file_new_for_path (from);
  g_autoptr (GFile) target = g_file_new_for_path (to);

  return g_file_copy (source, target, G_FILE_COPY_NONE, NULL, NULL, NULL, error);
}

/* Copies the file and its journal. SQLite cannot read a journal without writing next to it, which
 * may not be permitted. */
static char *
copy_with_journal (HirRecordingFile *file, const char *path, GError **error)
{
  g_autofree char *copy = NULL;

  file->temporary = g_dir_make_tmp ("hirscope-XXXXXX", error);
  if (file->temporary == NULL)
    return NULL;
  copy = g_build_filename (file->temporary, "copy.hirs", NULL);
  if (!copy_file (path, copy, error))
    return NULL;
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *journal = g_strconcat (path, companions[i], NULL);
      g_autofree char *journal_copy = g_strconcat (copy, companions[i], NULL);

      if (g_file_test (journal, G_FILE_TEST_EXISTS) && !copy_file (journal, journal_copy, error))
        return NULL;
    }
  return g_steal_pointer (&copy);
}

void
hir_recording_file_restrict (sqlite3 *db)
{
  sqlite3_db_config (db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config (db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config (db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  sqlite3_db_config (db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  sqlite3_limit (db, SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES);
  sqlite3_limit (db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_busy_timeout (db, 2000);
}

/* Opens @real_path and reads from it, so that an unusable journal is detected here. */
static int
open_connection (HirRecordingFile *file, const char *real_path, gboolean writable)
{
  g_autofree char *escaped = g_uri_escape_string (real_path, "/", TRUE);
  g_autofree char *uri =
      g_strdup_printf ("file:%s?%s", escaped, writable ? "mode=rw" : "immutable=1");
  int flags = SQLITE_OPEN_URI | (writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
  int code = sqlite3_open_v2 (uri, &file->db, flags, NULL);

  if (code != SQLITE_OK)
    return code;
  hir_recording_file_restrict (file->db);
  return sqlite3_exec (file->db,
                       "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; "
                       "BEGIN;"
                       "SELECT count(*) FROM sqlite_schema",
                       NULL, NULL, NULL);
}

/* Returns whether @code can come from the journal's location, so that a copy elsewhere may help. */
static gboolean
is_about_place (int code)
{
  switch (code & 0xff)
    {
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return TRUE;
    default:
      return FALSE;
    }
}

gboolean
hir_recording_file_open (HirRecordingFile *file, const char *path, GError **error)
{
  g_autofree char *copy = NULL;
  gboolean journal, writable;
  int code = SQLITE_CANTOPEN;

  memset (file, 0, sizeof *file);
  if (!check_readable (path, error))
    return FALSE;
  journal = has_journal (path);
  writable = is_writable (path);
  file->may_fold = journal;
  if (!journal || writable)
    code = open_connection (file, path, writable);
  /* Reading a journal needs a file next to it, which a full or read-only disk does not allow. */
  if (journal && is_about_place (code))
    {
      hir_recording_file_close (file, FALSE);
      file->may_fold = FALSE;
      copy = copy_with_journal (file, path, error);
      if (copy == NULL)
        {
          g_prefix_error (error, "%s: its journal cannot be copied for reading: ", path);
          hir_recording_file_close (file, FALSE);
          return FALSE;
        }
      code = open_connection (file, copy, TRUE);
    }
  if (code == SQLITE_OK)
    return TRUE;
  hir_db_set_error (error, file->db, code, path, FALSE);
  hir_recording_file_close (file, FALSE);
  return FALSE;
}

void
hir_recording_file_close (HirRecordingFile *file, gboolean is_good)
{
  if (file->db != NULL)
    {
      sqlite3_exec (file->db, "ROLLBACK", NULL, NULL, NULL);
      sqlite3_busy_timeout (file->db, 0);
      /* This fails while the writer is open, which is intended. */
      if (is_good && file->may_fold)
        sqlite3_exec (file->db, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
      /* A damaged file must not change. Closing the last connection would merge the journal,
       * too. */
      else if (file->may_fold)
        sqlite3_db_config (file->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
      sqlite3_close (file->db);
    }
  if (file->temporary != NULL)
    {
      g_autofree char *copy = g_build_filename (file->temporary, "copy.hirs", NULL);

      g_unlink (copy);
      for (guint i = 0; i < G_N_ELEMENTS (companions); i++)
        {
          g_autofree char *companion = g_strconcat (copy, companions[i], NULL);

          g_unlink (companion);
        }
      g_rmdir (file->temporary);
    }
  g_clear_pointer (&file->temporary, g_free);
  file->db = NULL;
}

sqlite3 *
hir_recording_file_open_again (const char *path)
{
  HirRecordingFile file = { 0 };

  if (open_connection (&file, path, FALSE) != SQLITE_OK)
    {
      sqlite3_close (file.db);
      return NULL;
    }
  return file.db;
}
