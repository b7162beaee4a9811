/* Each history has a folder NAME and locks a file NAME.lock. */
#include "document/run-cache.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "diagnostic.h"
#include "document/run-kept.h"
#include "document/session-lock.h"

#define LOCK_SUFFIX ".lock"
#define MAX_TRIES 16
#define MAX_LISTED 100

/* Limits of all ended sessions. */
#define MAX_BYTES (G_GUINT64_CONSTANT (4) << 30)
#define MAX_AGE_S (30 * 24 * 60 * 60)
#define MAX_FILES 2000

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
      /* What stays in it needs the lock: others tell by it that the session has ended. */
      if (g_rmdir (self->folder) == 0)
        g_unlink (self->lock_path);
      close (self->lock);
    }
  g_mutex_clear (&self->mutex);
  g_free (self->parent);
  g_free (self->folder);
  g_free (self->lock_path);
  g_free (self);
}

/* A recording of an ended session. */
typedef struct
{
  char *path;
  gint64 time_s;
  guint64 n_bytes;
} Kept;

static void
kept_clear (gpointer data)
{
  g_free (((Kept *) data)->path);
}

/* Newest first. */
static int
compare_kept (gconstpointer a, gconstpointer b)
{
  const Kept *x = a, *y = b;

  return (x->time_s < y->time_s) - (x->time_s > y->time_s);
}

static void
delete_kept (const char *path)
{
  g_autofree char *facts = g_strconcat (path, HIR_RUN_KEPT_SUFFIX, NULL);

  g_unlink (facts);
  g_unlink (path);
}

/* Adds the recordings of a folder to @kept. Deletes other files: of a write that was interrupted.
 */
static void
add_folder (const char *folder, GArray *kept)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      Kept file = { .path = g_build_filename (folder, name, NULL) };
      g_autofree char *facts = g_strconcat (file.path, HIR_RUN_KEPT_SUFFIX, NULL);
      g_autofree char *recording =
          g_str_has_suffix (name, HIR_RUN_KEPT_SUFFIX)
              ? g_strndup (file.path, strlen (file.path) - strlen (HIR_RUN_KEPT_SUFFIX))
              : NULL;
      GStatBuf status;

      if (recording == NULL && g_file_test (facts, G_FILE_TEST_EXISTS) &&
          g_stat (file.path, &status) == 0)
        {
          file.time_s = (gint64) status.st_mtime;
          file.n_bytes = (guint64) status.st_size;
          g_array_append_val (kept, file);
          continue;
        }
      if (recording == NULL || !g_file_test (recording, G_FILE_TEST_EXISTS))
        g_unlink (file.path);
      g_free (file.path);
    }
}

/* Deletes what is too old or too much in the folders of ended sessions; everything if @max_bytes is
 * 0. Errors are ignored: another process may have deleted it, and nothing here is needed. */
static void
clean (const char *parent, guint64 max_bytes)
{
  g_autoptr (GDir) dir = g_dir_open (parent, 0, NULL);
  g_autoptr (GArray) kept = g_array_new (FALSE, FALSE, sizeof (Kept));
  g_autoptr (GPtrArray) folders = g_ptr_array_new_with_free_func (g_free);
  gint64 now_s = g_get_real_time () / G_USEC_PER_SEC;
  guint64 n_bytes = 0;
  const char *name;

  g_array_set_clear_func (kept, kept_clear);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *lock = g_build_filename (parent, name, NULL);
      int fd;

      if (!g_str_has_suffix (name, LOCK_SUFFIX) || (fd = hir_session_lock (lock, 0, LOCK_EX)) < 0)
        continue;
      g_ptr_array_add (folders, g_strndup (lock, strlen (lock) - strlen (LOCK_SUFFIX)));
      add_folder (g_ptr_array_index (folders, folders->len - 1), kept);
      /* A session that has ended never returns, so its folder can be changed without the lock. */
      close (fd);
    }
  g_array_sort (kept, compare_kept);
  for (guint i = 0; i < kept->len; i++)
    {
      const Kept *file = &g_array_index (kept, Kept, i);

      n_bytes += file->n_bytes;
      if (max_bytes == 0 || n_bytes > max_bytes || i >= MAX_FILES ||
          now_s - file->time_s > MAX_AGE_S)
        delete_kept (file->path);
    }
  for (guint i = 0; i < folders->len; i++)
    {
      const char *folder = g_ptr_array_index (folders, i);
      g_autofree char *lock = g_strconcat (folder, LOCK_SUFFIX, NULL);

      if (g_rmdir (folder) == 0 || errno == ENOENT)
        g_unlink (lock);
    }
}

void
hir_run_cache_delete_ended (HirRunCache *self)
{
  clean (self->parent, 0);
}

/* Adds the runs of an ended session. */
static void
list_folder (const char *folder, const char *key, GPtrArray *runs)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      HirRunEntry *entry =
          g_str_has_suffix (name, HIR_RUN_KEPT_SUFFIX) ? hir_run_kept_read (path, key) : NULL;

      if (entry != NULL && g_file_test (entry->path, G_FILE_TEST_EXISTS))
        g_ptr_array_add (runs, entry);
      else if (entry != NULL)
        hir_run_entry_unref (entry);
    }
}

static int
compare_starts (gconstpointer a, gconstpointer b)
{
  const HirRunEntry *x = *(HirRunEntry *const *) a, *y = *(HirRunEntry *const *) b;

  return (x->start_us > y->start_us) - (x->start_us < y->start_us);
}

GPtrArray *
hir_run_cache_list (HirRunCache *self, const char *key)
{
  GPtrArray *runs = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_run_entry_unref);
  g_autoptr (GDir) dir = g_dir_open (self->parent, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *lock = g_build_filename (self->parent, name, NULL);
      g_autofree char *folder = NULL;
      int fd;

      /* Shared: several windows may list at the same time, but none while the session runs. */
      if (!g_str_has_suffix (name, LOCK_SUFFIX) || (fd = hir_session_lock (lock, 0, LOCK_SH)) < 0)
        continue;
      folder = g_strndup (lock, strlen (lock) - strlen (LOCK_SUFFIX));
      list_folder (folder, key, runs);
      close (fd);
    }
  g_ptr_array_sort (runs, compare_starts);
  if (runs->len > MAX_LISTED)
    g_ptr_array_remove_range (runs, 0, runs->len - MAX_LISTED);
  return runs;
}

/* Chooses a new name, locks it and creates the folder. */
static gboolean
create (HirRunCache *self)
{
  g_autofree char *name = g_strdup_printf ("%d-%08x", (int) getpid (), g_random_int ());
  g_autofree char *folder = g_build_filename (self->parent, name, NULL);
  g_autofree char *lock = g_strconcat (folder, LOCK_SUFFIX, NULL);
  int fd = hir_session_lock (lock, O_CREAT | O_EXCL, LOCK_EX);

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
      clean (self->parent, MAX_BYTES);
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
