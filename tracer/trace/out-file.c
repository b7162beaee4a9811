#include "trace/out-file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A name has 255 bytes, of which what tells the hidden one takes some. */
#define MAX_NAME_BYTES 200
#define MAX_TRIES 100

static gboolean
fail (GError **error, int code)
{
  g_set_error_literal (error, G_FILE_ERROR, g_file_error_from_errno (code), g_strerror (code));
  return FALSE;
}

/* Not mkstemp(), which lets nobody else read it: the file gets the rights that the user's others have. */
static gboolean
make_beside (HirOutFile *file, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (file->final_path);
  g_autofree char *name = g_path_get_basename (file->final_path);

  for (int i = 0; i < MAX_TRIES; i++)
    {
      g_autofree char *hidden =
          g_strdup_printf (".%.*s.%08x.partial", MAX_NAME_BYTES, name, g_random_int ());
      g_autofree char *path = g_build_filename (folder, hidden, NULL);
      int fd = g_open (path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);

      if (fd >= 0)
        {
          close (fd);
          file->path = g_steal_pointer (&path);
          return TRUE;
        }
      if (errno != EEXIST)
        break;
    }
  return fail (error, errno);
}

/* A regular file, or none, is at @path. */
static gboolean
begin_file (HirOutFile *file, const char *path, GError **error)
{
  char *real = realpath (path, NULL);
  gboolean done;
  GStatBuf info;

  if (real == NULL && errno != ENOENT)
    return fail (error, errno);
  /* A link to nothing, or to what has no name any more, as /dev/stdout may be: not ours to replace. */
  if (real == NULL && g_lstat (path, &info) == 0)
    {
      file->path = g_strdup (path);
      return TRUE;
    }
  file->final_path = g_strdup (real != NULL ? real : path);
  free (real);
  done = make_beside (file, error);
  if (!done)
    g_clear_pointer (&file->final_path, g_free);
  return done;
}

gboolean
hir_out_file_begin (HirOutFile *file, const char *path, GError **error)
{
  GStatBuf info;

  *file = (HirOutFile){ .mode = -1 };
  if (g_stat (path, &info) != 0)
    return errno == ENOENT ? begin_file (file, path, error) : fail (error, errno);
  if (S_ISDIR (info.st_mode))
    return fail (error, EISDIR);
  if (g_access (path, W_OK) != 0)
    return fail (error, errno);
  if (S_ISREG (info.st_mode))
    {
      file->mode = (int) (info.st_mode & 0777);
      return begin_file (file, path, error);
    }
  file->path = g_strdup (path);
  return TRUE;
}

static void
clear (HirOutFile *file)
{
  g_clear_pointer (&file->path, g_free);
  g_clear_pointer (&file->final_path, g_free);
}

gboolean
hir_out_file_commit (HirOutFile *file, GError **error)
{
  g_return_val_if_fail (file->path != NULL, FALSE);
  if (file->final_path != NULL)
    {
      if (file->mode >= 0)
        (void) g_chmod (file->path, file->mode);
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
  if (file->final_path != NULL && file->path != NULL)
    g_unlink (file->path);
  clear (file);
}
