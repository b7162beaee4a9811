#include "base/document-memory.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "trace/recording/recording-note.h"

#define MAX_DOCUMENTS 100
#define KEY_PATH "document"
#define KEY_TIME "used"
#define WRITE_AFTER_MS 500

struct _HirDocumentMemory
{
  GKeyFile *file; /* includes changes that are not written yet */
  char *path;
  GHashTable *changed; /* groups that are not written yet */
  const char *note;    /* nullable: key of the note of recordings; also its group */
  guint timeout;
};

HirDocumentMemory *
hir_document_memory_new (const char *name)
{
  HirDocumentMemory *self = g_new0 (HirDocumentMemory, 1);

  self->file = g_key_file_new ();
  self->path = g_build_filename (g_get_user_state_dir (), "hirscope", name, NULL);
  self->changed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_key_file_load_from_file (self->file, self->path, G_KEY_FILE_NONE, NULL);
  return self;
}

char *
hir_document_memory_dup_group (const char *document)
{
  return g_compute_checksum_for_string (G_CHECKSUM_SHA1, document, -1);
}

static void
drop_oldest (GKeyFile *file)
{
  gsize n;
  g_auto (GStrv) groups = g_key_file_get_groups (file, &n);

  for (; n > MAX_DOCUMENTS; n--)
    {
      const char *oldest = NULL;
      gint64 oldest_time = G_MAXINT64;

      for (guint i = 0; groups[i] != NULL; i++)
        {
          gint64 time = g_key_file_get_int64 (file, groups[i], KEY_TIME, NULL);

          if (g_key_file_has_group (file, groups[i]) && time < oldest_time)
            {
              oldest = groups[i];
              oldest_time = time;
            }
        }
      if (oldest == NULL)
        return;
      g_key_file_remove_group (file, oldest, NULL);
    }
}

static void
copy_group (GKeyFile *from, GKeyFile *to, const char *group)
{
  g_auto (GStrv) keys = g_key_file_get_keys (from, group, NULL, NULL);

  g_key_file_remove_group (to, group, NULL);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      g_autofree char *value = g_key_file_get_value (from, group, keys[i], NULL);

      g_key_file_set_value (to, group, keys[i], value);
    }
}

static gboolean
can_write_note (const char *document)
{
  return g_str_has_suffix (document, ".hirs") && g_access (document, W_OK) == 0;
}

/* Returns the data stored in the file of @document. Returns NULL if newer data is not written yet,
 * or is in the state folder because the file is read-only. */
static char *
dup_note (HirDocumentMemory *self, const char *document, const char *group)
{
  if (self->note == NULL || !g_str_has_suffix (document, ".hirs") ||
      g_hash_table_contains (self->changed, group) ||
      (!can_write_note (document) && g_key_file_has_group (self->file, group)))
    return NULL;
  return hir_recording_dup_note (document, self->note);
}

typedef struct
{
  const char *key;
  char *path, *text;
} Note;

static void
note_free (gpointer data)
{
  Note *note = data;

  g_free (note->path);
  g_free (note->text);
  g_free (note);
}

/* Writes a note to a recording. If the file cannot be written, the data is in the state
 * folder only. */
static void
write_note (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  const Note *note = task_data;
  g_autofree char *before = hir_recording_dup_note (note->path, note->key);
  g_autoptr (GError) error = NULL;

  /* Do not write an unchanged note, so that the file keeps its modification time. */
  if (g_strcmp0 (before != NULL ? before : "", note->text) != 0 &&
      !hir_recording_set_note (note->path, note->key, note->text, &error))
    g_debug ("%s", error->message);
  g_task_return_boolean (task, TRUE);
}

static void
store_in_recording (HirDocumentMemory *self,
                    const char *document,
                    const char *group,
                    gboolean at_end)
{
  g_autoptr (GKeyFile) own = g_key_file_new ();
  g_auto (GStrv) keys = g_key_file_get_keys (self->file, group, NULL, NULL);
  g_autoptr (GTask) task = NULL;
  Note *note;

  if (!can_write_note (document))
    return;
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      g_autofree char *value = g_key_file_get_value (self->file, group, keys[i], NULL);

      if (!g_str_equal (keys[i], KEY_PATH) && !g_str_equal (keys[i], KEY_TIME))
        g_key_file_set_value (own, self->note, keys[i], value);
    }
  note = g_new0 (Note, 1);
  note->key = self->note;
  note->path = g_strdup (document);
  note->text = g_key_file_to_data (own, NULL, NULL);
  task = g_task_new (NULL, NULL, NULL, NULL);
  g_task_set_task_data (task, note, note_free);
  if (at_end)
    g_task_run_in_thread_sync (task, write_note);
  else
    g_task_run_in_thread (task, write_note);
}

/* Reads the file again and replaces only the changed groups: another window may have written its
 * groups. */
static void
write_changes (HirDocumentMemory *self, gboolean at_end)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *folder = g_path_get_dirname (self->path);
  GHashTableIter iter;
  gpointer group;

  g_clear_handle_id (&self->timeout, g_source_remove);
  if (g_hash_table_size (self->changed) == 0)
    return;
  g_key_file_load_from_file (file, self->path, G_KEY_FILE_NONE, NULL);
  g_hash_table_iter_init (&iter, self->changed);
  while (g_hash_table_iter_next (&iter, &group, NULL))
    {
      g_autofree char *document = g_key_file_get_string (self->file, group, KEY_PATH, NULL);

      copy_group (self->file, file, group);
      if (self->note != NULL && document != NULL)
        store_in_recording (self, document, group, at_end);
    }
  drop_oldest (file);
  g_hash_table_remove_all (self->changed);
  if (g_mkdir_with_parents (folder, 0700) == 0)
    g_key_file_save_to_file (file, self->path, NULL);
}

static gboolean
on_timeout (gpointer user_data)
{
  HirDocumentMemory *self = user_data;

  self->timeout = 0;
  write_changes (self, FALSE);
  return G_SOURCE_REMOVE;
}

void
hir_document_memory_free (HirDocumentMemory *self)
{
  if (self == NULL)
    return;
  write_changes (self, TRUE);
  g_hash_table_unref (self->changed);
  g_key_file_unref (self->file);
  g_free (self->path);
  g_free (self);
}

void
hir_document_memory_set_note (HirDocumentMemory *self, const char *note)
{
  self->note = note;
}

GKeyFile *
hir_document_memory_dup_data (HirDocumentMemory *self, const char *document, char **group)
{
  g_autofree char *own = hir_document_memory_dup_group (document);
  g_autofree char *text = dup_note (self, document, own);
  GKeyFile *data;

  if (text == NULL)
    {
      *group = g_steal_pointer (&own);
      return g_key_file_ref (self->file);
    }
  data = g_key_file_new ();
  g_key_file_load_from_data (data, text, (gsize) -1, G_KEY_FILE_NONE, NULL);
  *group = g_strdup (self->note);
  return data;
}

GKeyFile *
hir_document_memory_get_file (HirDocumentMemory *self)
{
  return self->file;
}

void
hir_document_memory_keep (HirDocumentMemory *self, const char *document)
{
  g_autofree char *group = hir_document_memory_dup_group (document);

  g_key_file_set_string (self->file, group, KEY_PATH, document);
  g_key_file_set_int64 (self->file, group, KEY_TIME, g_get_real_time () / G_USEC_PER_SEC);
  g_hash_table_add (self->changed, g_steal_pointer (&group));
  if (self->timeout == 0)
    self->timeout = g_timeout_add (WRITE_AFTER_MS, on_timeout, self);
}
