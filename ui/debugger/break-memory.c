#include "debugger/break-memory.h"

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

#define BREAK "break-"
#define WATCH "watch-"

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

HirDocumentMemory *
hir_break_memory_new (void)
{
  HirDocumentMemory *memory = hir_document_memory_new ("breakpoints.ini");

  hir_document_memory_set_note (memory, HIR_NOTE_BREAKPOINTS);
  return memory;
}

void
hir_break_memory_restore (HirDocumentMemory *memory,
                          const char *document,
                          GPtrArray *breaks,
                          HirDebugWatches *watches)
{
  g_autofree char *group = NULL;
  g_autoptr (GKeyFile) file = hir_document_memory_dup_data (memory, document, &group);
  g_auto (GStrv) keys = NULL;

  keys = g_key_file_get_keys (file, group, NULL, NULL);
  g_ptr_array_set_size (breaks, 0);
  hir_debug_watches_clear (watches);
  for (guint i = 0; keys != NULL && keys[i] != NULL; i++)
    {
      HirBreak *item = g_str_has_prefix (keys[i], BREAK) ? read_one (file, group, keys[i]) : NULL;
      g_autofree char *watch = g_str_has_prefix (keys[i], WATCH)
                                   ? g_key_file_get_string (file, group, keys[i], NULL)
                                   : NULL;

      if (item != NULL)
        hir_debug_breaks_add (breaks, item);
      if (watch != NULL)
        (void) hir_debug_watches_add (watches, watch);
    }
}

static void
write_one (GKeyFile *file, const char *group, guint i, const HirBreak *item)
{
  g_autofree char *key = g_strdup_printf (BREAK "%u", i + 1);
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
hir_break_memory_keep (HirDocumentMemory *memory,
                       const char *document,
                       const GPtrArray *breaks,
                       const HirDebugWatches *watches)
{
  const GPtrArray *texts = hir_debug_watches_get (watches);
  g_autofree char *group = hir_document_memory_dup_group (document);
  GKeyFile *file = hir_document_memory_get_file (memory);

  g_key_file_remove_group (file, group, NULL);
  for (guint i = 0; i < breaks->len; i++)
    write_one (file, group, i, breaks->pdata[i]);
  for (guint i = 0; i < texts->len; i++)
    {
      g_autofree char *key = g_strdup_printf (WATCH "%u", i + 1);

      g_key_file_set_string (file, group, key, ((const HirWatch *) texts->pdata[i])->text);
    }
  hir_document_memory_keep (memory, document);
}
