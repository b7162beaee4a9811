#include "trace/event-args.h"

#include "trace/event-source.h"
#include "trace/trace-private.h"

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
  return source->klass->each (source, event.source & HIR_EVENT_SOURCE_MASK, func, user_data, error);
}

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
