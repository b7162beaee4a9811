#include "trace/out-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A file name has at most 255 bytes; the hidden name adds some. */
#define MAX_NAME_BYTES 200
#define MAX_TRIES 100

static gboolean
fail (GError **error, int code)
{
  g_set_error_literal (error, G_FILE_ERROR, g_file_error_from_errno (code), g_strerror (code));
  return FALSE;
}

/* Creates an unnamed file, which disappears if the program is killed. Returns FALSE if the file
 * system or /proc does not support it. */
static gboolean
make_unnamed (HirOutFile *file)
{
  g_autofree char *folder = g_path_get_dirname (file->final_path);
  g_autofree char *path = NULL;
  int fd = g_open (folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);

  if (fd < 0)
    return FALSE;
  path = g_strdup_printf ("/proc/self/fd/%d", fd);
  if (g_access (path, W_OK) != 0)
    {
      close (fd);
      return FALSE;
    }
  file->fd = fd;
  file->path = g_steal_pointer (&path);
  return TRUE;
}

/* Returns a hidden name next to the target for which make() succeeds, or NULL with errno set. Does
 * not use mkstemp(), whose files are not readable by other users. */
static char *
make_beside (const HirOutFile *file, gboolean (*make) (const HirOutFile *file, const char *path))
{
  g_autofree char *folder = g_path_get_dirname (file->final_path);
  g_autofree char *name = g_path_get_basename (file->final_path);

  for (int i = 0; i < MAX_TRIES; i++)
    {
      g_autofree char *hidden =
          g_strdup_printf (".%.*s.%08x.partial", MAX_NAME_BYTES, name, g_random_int ());
      g_autofree char *path = g_build_filename (folder, hidden, NULL);

      if (make (file, path))
        return g_steal_pointer (&path);
      if (errno != EEXIST)
        break;
    }
  return NULL;
}

static gboolean
create (const HirOutFile *file, const char *path)
{
  int fd = g_open (path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);

  return fd >= 0 && close (fd) == 0;
}

static gboolean
give_name (const HirOutFile *file, const char *path)
{
  return linkat (AT_FDCWD, file->path, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}

/* @path is a regular file or does not exist. */
static gboolean
begin_file (HirOutFile *file, const char *path, gboolean needs_name, GError **error)
{
  char *real = realpath (path, NULL);
  GStatBuf info;

  if (real == NULL && errno != ENOENT)
    return fail (error, errno);
  /* A dangling link, or a link to an unnamed file such as /dev/stdout. Do not replace it. */
  if (real == NULL && g_lstat (path, &info) == 0)
    {
      file->path = g_strdup (path);
      return TRUE;
    }
  file->final_path = g_strdup (real != NULL ? real : path);
  free (real);
  if (!needs_name && make_unnamed (file))
    return TRUE;
  file->path = make_beside (file, create);
  if (file->path != NULL)
    return TRUE;
  fail (error, errno);
  g_clear_pointer (&file->final_path, g_free);
  return FALSE;
}

gboolean
hir_out_file_begin (HirOutFile *file, const char *path, gboolean needs_name, GError **error)
{
  GStatBuf info;

  *file = (HirOutFile){ .mode = -1, .fd = -1 };
  if (g_stat (path, &info) != 0)
    return errno == ENOENT ? begin_file (file, path, needs_name, error) : fail (error, errno);
  if (S_ISDIR (info.st_mode))
    return fail (error, EISDIR);
  if (g_access (path, W_OK) != 0)
    return fail (error, errno);
  if (S_ISREG (info.st_mode))
    {
      file->mode = (int) (info.st_mode & 0777);
      return begin_file (file, path, needs_name, error);
    }
  file->path = g_strdup (path);
  return TRUE;
}

static void
clear (HirOutFile *file)
{
  if (file->fd >= 0)
    close (file->fd);
  file->fd = -1;
  g_clear_pointer (&file->path, g_free);
  g_clear_pointer (&file->final_path, g_free);
}

/* Links the unnamed file under a hidden name, because linkat() cannot replace a file. Returns FALSE
 * and discards the file on failure. */
static gboolean
take_name (HirOutFile *file, GError **error)
{
  char *path = make_beside (file, give_name);

  if (path == NULL)
    {
      fail (error, errno);
      clear (file);
      return FALSE;
    }
  close (file->fd);
  file->fd = -1;
  g_free (file->path);
  file->path = path;
  return TRUE;
}

gboolean
hir_out_file_commit (HirOutFile *file, GError **error)
{
  g_return_val_if_fail (file->path != NULL, FALSE);
  if (file->final_path != NULL)
    {
      if (file->mode >= 0)
        (void) g_chmod (file->path, file->mode);
      if (file->fd >= 0 && !take_name (file, error))
        return FALSE;
      if (g_rename (file->path, file->final_path) != 0)
        {
          fail (error, errno);
          hir_out_file_discard (file);
          return FALSE;
        }
    }
  clear (file);
  return TRUE;
}

void
hir_out_file_discard (HirOutFile *file)
{
  if (file->final_path != NULL && file->path != NULL && file->fd < 0)
    g_unlink (file->path);
  clear (file);
}
