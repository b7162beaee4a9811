/* Reads the arguments of an event from a JSON trace. A position is the offset of the event's object
 * in the text. */
#include "diagnostic.h"
#include "trace/chrome/import-chrome-private.h"

#define FIRST_BYTES 4096
#define MAX_BYTES (256 * 1024 * 1024)

typedef struct
{
  HirEventSource base;
  HirTextSource *text;
} JsonSource;

/* Returns the text of the event at @offset, up to its end. */
static char *
dup_event_text (HirTextSource *source, guint64 offset, gsize *length, GError **error)
{
  for (gsize size = FIRST_BYTES; size <= MAX_BYTES; size *= 4)
    {
      g_autofree char *text = g_try_malloc (size);

      if (text == NULL)
        break;
      if (!hir_text_source_read (source, offset, text, size, length, error))
        return NULL;
      if (hir_json_is_object (text, *length))
        return g_steal_pointer (&text);
      if (*length < size)
        break;
    }
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "%s: the event cannot be found again; load the file "
                 "again",
                 hir_text_source_get_name (source));
  return NULL;
}

static gboolean
each_json (
    HirEventSource *source, guint64 position, HirArgFunc func, gpointer user_data, GError **error)
{
  gsize length;
  g_autofree char *text = dup_event_text (((JsonSource *) source)->text, position, &length, error);
  gboolean first = TRUE;
  HirJsonText key;
  HirJson json;

  if (text == NULL)
    return FALSE;
  hir_json_init (&json, text, length);
  hir_json_enter (&json);
  while (hir_json_next_member (&json, &first, &key))
    if (hir_json_text_is (&key, "args"))
      hir_event_source_read_args (&json, func, user_data);
    else
      hir_json_skip (&json);
  return TRUE;
}

static void
free_json (HirEventSource *source)
{
  hir_text_source_unref (((JsonSource *) source)->text);
  g_free (source);
}

static gsize
get_json_size_bytes (const HirEventSource *source)
{
  return hir_text_source_get_size_bytes (((const JsonSource *) source)->text);
}

static const HirEventSourceClass json_class = { each_json, free_json, get_json_size_bytes };

HirEventSource *
hir_event_source_new_json (HirTextSource *text)
{
  JsonSource *source = g_new0 (JsonSource, 1);

  hir_event_source_init (&source->base, &json_class);
  source->text = hir_text_source_ref (text);
  return &source->base;
}
