#include "cuda/driver/cubin-store.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <utime.h>

typedef struct
{
  char *path;
  guint64 bytes;
  gint64 used_ns;
} Entry;

static void
clear_entry (gpointer data)
{
  g_free (((Entry *) data)->path);
}

static gboolean
is_elf (const char *data, gsize size)
{
  return size > 64 && memcmp (data, "\177ELF", 4) == 0;
}

GBytes *
hir_cubin_store_read (const char *path)
{
  g_autofree char *data = NULL;
  gsize size;

  if (!g_file_get_contents (path, &data, &size, NULL) || !is_elf (data, size))
    return NULL;
  /* Marks the file as used. Access times cannot be used: many file systems do not update them. */
  (void) utime (path, NULL);
  return g_bytes_new_take (g_steal_pointer (&data), size);
}

/* Returns the regular files of @folder. Files that other processes add or remove meanwhile may be
 * missing or included. */
static GArray *
list_files (const char *folder)
{
  GArray *entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  g_array_set_clear_func (entries, clear_entry);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      Entry entry = { .path = g_build_filename (folder, name, NULL) };
      struct stat info;

      if (lstat (entry.path, &info) != 0 || !S_ISREG (info.st_mode))
        {
          g_free (entry.path);
          continue;
        }
      entry.bytes = (guint64) info.st_size;
      entry.used_ns = (gint64) info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
      g_array_append_val (entries, entry);
    }
  return entries;
}

static int
by_use (gconstpointer a, gconstpointer b)
{
  const Entry *x = a, *y = b;

  return x->used_ns != y->used_ns ? (x->used_ns > y->used_ns) - (x->used_ns < y->used_ns)
                                  : strcmp (x->path, y->path);
}

static void
prune (const char *folder, const char *kept, guint64 max_bytes)
{
  g_autoptr (GArray) entries = list_files (folder);
  guint64 total = 0, wanted = max_bytes / 8 * 7;

  for (guint i = 0; i < entries->len; i++)
    total += g_array_index (entries, Entry, i).bytes;
  if (total <= max_bytes)
    return;
  g_array_sort (entries, by_use);
  for (guint i = 0; i < entries->len && total > wanted; i++)
    {
      const Entry *entry = &g_array_index (entries, Entry, i);

      if (strcmp (entry->path, kept) == 0)
        continue;
      /* Safe while another process reads the file, or if it has already removed it. */
      (void) g_unlink (entry->path);
      total -= entry->bytes;
    }
}

void
hir_cubin_store_write (const char *path, GBytes *cubin, guint64 max_bytes)
{
  g_autofree char *folder = g_path_get_dirname (path);
  gsize size;
  const char *data = g_bytes_get_data (cubin, &size);

  if (g_file_set_contents (path, data, (gssize) size, NULL))
    prune (folder, path, max_bytes);
}
