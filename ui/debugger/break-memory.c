#include "debugger/break-memory.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "debugger/debug-breaks.h"
#include "trace/recording/recording-note.h"

/* Parts of a stored breakpoint. */
enum
{
  KIND,
  ID,
  WHERE,
  ITERATION,
  RANK,
  STREAM,
  CONDITION,
  LABEL,
  N_PARTS,
};

#define PREFIX "break-"

static HirBreak *
read_one (GKeyFile *file, const char *group, const char *key)
{
  gsize n;
  g_auto (GStrv) parts = g_key_file_get_string_list (file, group, key, &n, NULL);
  g_auto (GStrv) words = NULL;
  HirBreak *item;
  guint64 id = 0;

  if (parts == NULL || n != N_PARTS ||
      (*parts[ID] != '\0' &&
       !g_ascii_string_to_unsigned (parts[ID], 16, 1, G_MAXUINT64, &id, NULL)))
    return NULL;
  words = g_strsplit (parts[KIND], " ", -1);
  item = g_new0 (HirBreak, 1);
  item->is_watch = g_strv_contains ((const char *const *) words, "watch");
  item->is_disabled = g_strv_contains ((const char *const *) words, "off");
  item->id = id;
  item->where = g_strdup (parts[WHERE]);
  item->iteration = g_strdup (parts[ITERATION]);
  item->rank = g_strdup (parts[RANK]);
  item->stream = g_strdup (parts[STREAM]);
  item->condition = g_strdup (parts[CONDITION]);
  item->label = *parts[LABEL] != '\0' ? g_strdup (parts[LABEL]) : NULL;
  item->ids = g_array_new (FALSE, FALSE, sizeof (guint64));
  return item;
}

#define NOTE_GROUP "breakpoints"

static gboolean
can_write_note (const char *document)
{
  return g_str_has_suffix (document, ".hirs") && g_access (document, W_OK) == 0;
}

/* Returns the breakpoints stored in the file of @document. Returns NULL if the file is read-only
 * and the state folder has newer ones. */
static char *
dup_note (const char *document, GKeyFile *file, const char *group)
{
  if (!g_str_has_suffix (document, ".hirs") ||
      (!can_write_note (document) && g_key_file_has_group (file, group)))
    return NULL;
  return hir_recording_dup_note (document, HIR_NOTE_BREAKPOINTS);
}

typedef struct
{
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

/* Writes a note to a recording. If the file cannot be written, the breakpoints are in the state
 * folder only. */
static void
write_note (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  const Note *note = task_data;
  g_autofree char *before = hir_recording_dup_note (note->path, HIR_NOTE_BREAKPOINTS);
  g_autoptr (GError) error = NULL;

  /* Do not write an unchanged note, so that the file keeps its modification time. */
  if (g_strcmp0 (before != NULL ? before : "", note->text) != 0 &&
      !hir_recording_set_note (note->path, HIR_NOTE_BREAKPOINTS, note->text, &error))
    g_debug ("%s", error->message);
  g_task_return_boolean (task, TRUE);
}

static void
store_in_recording (const char *document, GKeyFile *file, const char *group, gboolean at_end)
{
  g_autoptr (GKeyFile) own = g_key_file_new ();
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);
  g_autoptr (GTask) task = NULL;
  Note *note;

  if (!can_write_note (document))
    return;
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      g_autofree char *value = g_key_file_get_value (file, group, keys[i], NULL);

      if (g_str_has_prefix (keys[i], PREFIX))
        g_key_file_set_value (own, NOTE_GROUP, keys[i], value);
    }
  note = g_new0 (Note, 1);
  note->path = g_strdup (document);
  note->text = g_key_file_to_data (own, NULL, NULL);
  task = g_task_new (NULL, NULL, NULL, NULL);
  g_task_set_task_data (task, note, note_free);
  if (at_end)
    g_task_run_in_thread_sync (task, write_note);
  else
    g_task_run_in_thread (task, write_note);
}

HirDocumentMemory *
hir_break_memory_new (void)
{
  HirDocumentMemory *memory = hir_document_memory_new ("breakpoints.ini");

  hir_document_memory_set_also (memory, store_in_recording);
  return memory;
}

void
hir_break_memory_restore (HirDocumentMemory *memory, const char *document, GPtrArray *breaks)
{
  g_autofree char *group = hir_document_memory_dup_group (document);
  GKeyFile *file = hir_document_memory_get_file (memory);
  g_autofree char *text = dup_note (document, file, group);
  g_autoptr (GKeyFile) note = g_key_file_new ();
  g_auto (GStrv) keys = NULL;

  if (text != NULL)
    {
      g_key_file_load_from_data (note, text, (gsize) -1, G_KEY_FILE_NONE, NULL);
      file = note;
      g_free (group);
      group = g_strdup (NOTE_GROUP);
    }
  keys = g_key_file_get_keys (file, group, NULL, NULL);
  g_ptr_array_set_size (breaks, 0);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      HirBreak *item = g_str_has_prefix (keys[i], PREFIX) ? read_one (file, group, keys[i]) : NULL;

      if (item != NULL)
        hir_debug_breaks_add (breaks, item);
    }
}

static void
write_one (GKeyFile *file, const char *group, guint i, const HirBreak *item)
{
  g_autofree char *key = g_strdup_printf (PREFIX "%u", i + 1);
  g_autofree char *kind = g_strdup_printf ("%s %s", item->is_watch ? "watch" : "break",
                                           item->is_disabled ? "off" : "on");
  g_autofree char *id =
      item->id != 0 ? g_strdup_printf ("%016" G_GINT64_MODIFIER "x", item->id) : g_strdup ("");
  const char *const parts[N_PARTS] = {
    [KIND] = kind,
    [ID] = id,
    [WHERE] = item->where,
    [ITERATION] = item->iteration,
    [RANK] = item->rank,
    [STREAM] = item->stream,
    [CONDITION] = item->condition,
    [LABEL] = item->label != NULL ? item->label : "",
  };

  g_key_file_set_string_list (file, group, key, parts, N_PARTS);
}

void
hir_break_memory_keep (HirDocumentMemory *memory, const char *document, const GPtrArray *breaks)
{
  g_autofree char *group = hir_document_memory_dup_group (document);
  GKeyFile *file = hir_document_memory_get_file (memory);

  g_key_file_remove_group (file, group, NULL);
  for (guint i = 0; i < breaks->len; i++)
    write_one (file, group, i, breaks->pdata[i]);
  hir_document_memory_keep (memory, document);
}
