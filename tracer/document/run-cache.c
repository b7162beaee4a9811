/* Each history has a folder NAME and a file NAME.lock, which it locks with flock(). The kernel
 * releases the lock when the process ends. */
#include "document/run-cache.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diagnostic.h"

#define LOCK_SUFFIX ".lock"
#define MAX_TRIES 16

struct _HirRunCache
{
  gatomicrefcount ref_count;
  GMutex mutex;
  char *parent;
  char *folder; /* NULL until it is created */
  char *lock_path;
  int lock;
};

HirRunCache *
hir_run_cache_new (const char *folder)
{
  HirRunCache *self = g_new0 (HirRunCache, 1);

  g_atomic_ref_count_init (&self->ref_count);
  g_mutex_init (&self->mutex);
  self->lock = -1;
  self->parent = folder != NULL
                     ? g_strdup (folder)
                     : g_build_filename (g_get_user_cache_dir (), "hirscope", "runs", NULL);
  return self;
}

HirRunCache *
hir_run_cache_ref (HirRunCache *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
hir_run_cache_unref (HirRunCache *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  if (self->folder != NULL)
    {
      g_rmdir (self->folder);
      g_unlink (self->lock_path);
      close (self->lock);
    }
  g_mutex_clear (&self->mutex);
  g_free (self->parent);
  g_free (self->folder);
  g_free (self->lock_path);
  g_free (self);
}

/* Returns a locked file at @path, or -1: another process holds it, or deletes it. */
static int
lock_file (const char *path, int flags)
{
  int fd = open (path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
  struct stat of_fd, of_path;

  if (fd < 0)
    return -1;
  if (flock (fd, LOCK_EX | LOCK_NB) == 0 && fstat (fd, &of_fd) == 0 && stat (path, &of_path) == 0 &&
      of_fd.st_ino == of_path.st_ino)
    return fd;
  close (fd);
  return -1;
}

/* Deletes a folder that contains only files. */
static void
delete_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);

      g_unlink (file);
    }
  g_rmdir (path);
}

/* Deletes the folders whose processes have ended. Errors are ignored: somebody else may have
 * deleted them, and nothing here is needed. */
static void
clean (const char *parent)
{
  g_autoptr (GDir) dir = g_dir_open (parent, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *lock = g_build_filename (parent, name, NULL);
      g_autofree char *folder = NULL;
      int fd;

      if (!g_str_has_suffix (name, LOCK_SUFFIX) || (fd = lock_file (lock, 0)) < 0)
        continue;
      folder = g_strndup (lock, strlen (lock) - strlen (LOCK_SUFFIX));
      delete_folder (folder);
      g_unlink (lock);
      close (fd);
    }
}

/* Chooses a new name, locks it and creates the folder. */
static gboolean
create (HirRunCache *self)
{
  g_autofree char *name = g_strdup_printf ("%d-%08x", (int) getpid (), g_random_int ());
  g_autofree char *folder = g_build_filename (self->parent, name, NULL);
  g_autofree char *lock = g_strconcat (folder, LOCK_SUFFIX, NULL);
  int fd = lock_file (lock, O_CREAT | O_EXCL);

  if (fd < 0)
    return FALSE;
  if (g_mkdir (folder, 0700) != 0)
    {
      g_unlink (lock);
      close (fd);
      return FALSE;
    }
  self->lock = fd;
  self->folder = g_steal_pointer (&folder);
  self->lock_path = g_steal_pointer (&lock);
  return TRUE;
}

static gboolean
prepare_locked (HirRunCache *self, GError **error)
{
  if (self->folder != NULL)
    return TRUE;
  if (g_mkdir_with_parents (self->parent, 0700) == 0)
    {
      clean (self->parent);
      for (guint i = 0; i < MAX_TRIES; i++)
        if (create (self))
          return TRUE;
    }
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "cannot create a folder for runs in %s: %s; check its permissions", self->parent,
                 g_strerror (errno));
  return FALSE;
}

char *
hir_run_cache_dup_path (HirRunCache *self, guint number, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  g_autofree char *name = g_strdup_printf ("%u.hirs", number);

  if (!prepare_locked (self, error))
    return NULL;
  return g_build_filename (self->folder, name, NULL);
}
