/* Reads the arguments of an event from a JSON trace. A position is the offset of the event's object
 * in the text. */
#include <string.h>

#include "diagnostic.h"
#include "trace/chrome/import-chrome-private.h"

#define FIRST_BYTES 2048
#define MAX_BYTES (256 * 1024 * 1024)

typedef struct
{
  HirEventSource base;
  HirTextSource *text;
} JsonSource;

/* The members of an event that are needed. Of several with one key, the last counts. */
typedef struct
{
  const char *args, *category, *scope; /* NULL: none */
  gsize n_args, n_category, n_scope;
  gboolean is_instant;
} Parts;

/* Returns FALSE if @text does not start with a complete object. */
static gboolean
find_parts (const char *text, gsize length, Parts *parts)
{
  gboolean first = TRUE;
  HirJsonText key;
  HirJson json;

  *parts = (Parts){ 0 };
  hir_json_init (&json, text, length);
  if (hir_json_peek (&json) != HIR_JSON_OBJECT || !hir_json_enter (&json))
    return FALSE;
  while (hir_json_next_member (&json, &first, &key))
    {
      const char *value;

      hir_json_peek (&json);
      value = json.at;
      if (!hir_json_skip (&json))
        return FALSE;
      if (hir_json_text_is (&key, "args"))
        {
          parts->args = value;
          parts->n_args = (gsize) (json.at - value);
        }
      else if (*value == '"' && hir_json_text_is (&key, "cat"))
        {
          parts->category = value;
          parts->n_category = (gsize) (json.at - value);
        }
      else if (*value == '"' && hir_json_text_is (&key, "s"))
        {
          parts->scope = value;
          parts->n_scope = (gsize) (json.at - value);
        }
      else if (*value == '"' && hir_json_text_is (&key, "ph"))
        parts->is_instant = memchr ("iIn", value[1], 3) != NULL;
    }
  return json.error == NULL;
}

/* Reads the event at @offset into @small (FIRST_BYTES), or into @large (transfer full) if it does
 * not fit. */
static gboolean
read_parts (
    HirTextSource *source, guint64 offset, char *small, char **large, Parts *parts, GError **error)
{
  char *text = small;
  gsize length;

  for (gsize size = FIRST_BYTES; text != NULL; size *= 4)
    {
      if (!hir_text_source_read (source, offset, text, size, &length, error))
        return FALSE;
      if (find_parts (text, length, parts))
        return TRUE;
      if (length < size || size > MAX_BYTES / 4)
        break;
      g_free (*large);
      text = *large = g_try_malloc (size * 4);
    }
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "%s: the event cannot be found again; load the file "
                 "again",
                 hir_text_source_get_name (source));
  return FALSE;
}

static gboolean
each_json (
    HirEventSource *source, guint64 position, HirArgFunc func, gpointer user_data, GError **error)
{
  char small[FIRST_BYTES];
  g_autofree char *large = NULL;
  HirJson json;
  Parts parts;

  if (!read_parts (((JsonSource *) source)->text, position, small, &large, &parts, error))
    return FALSE;
  if (parts.category != NULL)
    func (HIR_EVENT_CATEGORY, 0, parts.category, parts.n_category, user_data);
  if (parts.is_instant && parts.scope != NULL)
    func (HIR_EVENT_INSTANT, 0, parts.scope, parts.n_scope, user_data);
  else if (parts.is_instant)
    func (HIR_EVENT_INSTANT, 0, "\"t\"", 3, user_data);
  if (parts.args != NULL)
    {
      hir_json_init (&json, parts.args, parts.n_args);
      hir_event_source_read_args (&json, func, user_data);
    }
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
