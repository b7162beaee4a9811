#include "trace/event-args-private.h"

#include <string.h>

#include "diagnostic.h"
#include "trace/chrome/chrome-event.h"
#include "trace/trace-builder-private.h"

#define FIRST_BYTES 4096
#define MAX_BYTES (256 * 1024 * 1024)

/* --- sources -----------------------------------------------------------------------------------
 */

HirEventSource *
hir_event_source_new_json (HirTextSource *text)
{
  HirEventSource *source = g_new0 (HirEventSource, 1);

  g_atomic_ref_count_init (&source->ref_count);
  g_mutex_init (&source->mutex);
  source->text = hir_text_source_ref (text);
  return source;
}

HirEventSource *
hir_event_source_ref (HirEventSource *source)
{
  g_atomic_ref_count_inc (&source->ref_count);
  return source;
}

void
hir_event_source_unref (HirEventSource *source)
{
  if (source == NULL || !g_atomic_ref_count_dec (&source->ref_count))
    return;
  hir_text_source_unref (source->text);
  hir_event_source_close_nsys (source);
  hir_event_source_close_recording (source);
  g_mutex_clear (&source->mutex);
  g_free (source->path);
  g_free (source);
}

gsize
hir_event_source_get_size_bytes (HirEventSource *source)
{
  return sizeof *source +
         (source->text != NULL ? hir_text_source_get_size_bytes (source->text) : 0);
}

guint64
hir_trace_builder_add_source (HirTraceBuilder *builder, HirEventSource *source)
{
  if (builder->trace == NULL)
    {
      hir_event_source_unref (source);
      return 0;
    }
  g_ptr_array_add (builder->trace->sources, source);
  return (guint64) (builder->trace->sources->len - 1) << HIR_EVENT_SOURCE_SHIFT;
}

/* --- JSON --------------------------------------------------------------------------------------
 */

/* The members of the args object that comes next. */
static void
read_args (HirJson *json, HirArgFunc func, gpointer user_data)
{
  gboolean first = TRUE;
  HirJsonText key;

  if (hir_json_peek (json) != HIR_JSON_OBJECT)
    {
      hir_json_skip (json);
      return;
    }
  hir_json_enter (json);
  while (hir_json_next_member (json, &first, &key))
    {
      const char *value;

      hir_json_peek (json);
      value = json->at;
      /* What an export of ours added. */
      if (hir_json_skip (json) && !hir_json_text_is (&key, HIR_CHROME_OWN_ARGS))
        func (key.at - 1, key.length + 2, value, json->at - value, user_data);
    }
}

/* An event's object, that may be followed by anything. */
static gboolean
is_whole (const char *text, gsize length)
{
  HirJson json;

  hir_json_init (&json, text, length);
  return hir_json_peek (&json) == HIR_JSON_OBJECT && hir_json_skip (&json);
}

/* Text of the event at @offset; as much as it takes. */
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
      if (is_whole (text, *length))
        return g_steal_pointer (&text);
      if (*length < size)
        break;
    }
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s: the event can't be found again: load it again",
                 hir_text_source_get_name (source));
  return NULL;
}

static gboolean
each_json (
    HirEventSource *source, guint64 place, HirArgFunc func, gpointer user_data, GError **error)
{
  gsize length;
  g_autofree char *text = dup_event_text (source->text, place, &length, error);
  gboolean first = TRUE;
  HirJsonText key;
  HirJson json;

  if (text == NULL)
    return FALSE;
  hir_json_init (&json, text, length);
  hir_json_enter (&json);
  while (hir_json_next_member (&json, &first, &key))
    if (hir_json_text_is (&key, "args"))
      read_args (&json, func, user_data);
    else
      hir_json_skip (&json);
  return TRUE;
}

static gboolean
each_recorded (
    HirEventSource *source, guint64 place, HirArgFunc func, gpointer user_data, GError **error)
{
  GError *failure = NULL;
  gsize length;
  g_autofree char *text = hir_event_source_dup_recording (source, place, &length, &failure);
  HirJson json;

  if (failure != NULL)
    {
      g_propagate_error (error, failure);
      return FALSE;
    }
  if (text == NULL)
    return TRUE;
  if (!is_whole (text, length))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "%s: the recording is damaged (args of an event); save it again", source->path);
      return FALSE;
    }
  hir_json_init (&json, text, length);
  read_args (&json, func, user_data);
  return TRUE;
}

static gboolean
each_arg (const HirTrace *trace,
          guint track,
          guint index,
          HirArgFunc func,
          gpointer user_data,
          GError **error)
{
  HirEventSource *source;
  HirEvent event;
  guint64 number;

  hir_trace_get_event (trace, track, index, &event);
  number = event.source >> HIR_EVENT_SOURCE_SHIFT;
  if (event.source == 0 || number >= trace->sources->len)
    return TRUE;
  source = g_ptr_array_index (trace->sources, number);
  if (source->text != NULL)
    return each_json (source, event.source & HIR_EVENT_SOURCE_MASK, func, user_data, error);
  if (source->is_recording)
    return each_recorded (source, event.source & HIR_EVENT_SOURCE_MASK, func, user_data, error);
  return hir_event_source_each_nsys (source, event.source & HIR_EVENT_SOURCE_MASK, func, user_data,
                                     error);
}

/* --- for others --------------------------------------------------------------------------------
 */

static void
clear_arg (gpointer data)
{
  HirEventArg *arg = data;

  g_free (arg->key);
  g_free (arg->value);
}

static char *
dup_plain (const char *text, gsize length)
{
  HirJson json;

  hir_json_init (&json, text, length);
  return hir_json_dup_value (&json);
}

static void
take_arg (
    const char *key, gsize key_length, const char *value, gsize value_length, gpointer user_data)
{
  HirEventArg arg = { dup_plain (key, key_length), dup_plain (value, value_length), *value == '"' };

  g_array_append_val ((GArray *) user_data, arg);
}

GArray *
hir_trace_dup_event_args (const HirTrace *trace, guint track, guint index, GError **error)
{
  g_autoptr (GArray) args = g_array_new (FALSE, FALSE, sizeof (HirEventArg));

  g_array_set_clear_func (args, clear_arg);
  return each_arg (trace, track, index, take_arg, args, error) ? g_steal_pointer (&args) : NULL;
}

static void
take_json (
    const char *key, gsize key_length, const char *value, gsize value_length, gpointer user_data)
{
  GString *json = user_data;

  if (json->len > 0)
    g_string_append_c (json, ',');
  g_string_append_len (json, key, key_length);
  g_string_append_c (json, ':');
  g_string_append_len (json, value, value_length);
}

char *
hir_trace_dup_event_json (const HirTrace *trace, guint track, guint index, GError **error)
{
  GString *json = g_string_new (NULL);
  gboolean done = each_arg (trace, track, index, take_json, json, error);

  return g_string_free (json, !done);
}
