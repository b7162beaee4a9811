#include "trace/event-args.h"

#include <string.h>

#include "trace/event-source.h"
#include "trace/json-strict.h"
#include "trace/trace-private.h"

/* Keys are compared with at most this number of others. */
#define MAX_COMPARED 256

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
  HirEventArg arg;

  if (*key != '"')
    return;
  arg =
      (HirEventArg){ dup_plain (key, key_length), dup_plain (value, value_length), *value == '"' };
  g_array_append_val ((GArray *) user_data, arg);
}

GArray *
hir_trace_dup_event_args (const HirTrace *trace, guint track, guint index, GError **error)
{
  g_autoptr (GArray) args = g_array_new (FALSE, FALSE, sizeof (HirEventArg));

  g_array_set_clear_func (args, clear_arg);
  return each_arg (trace, track, index, take_arg, args, error) ? g_steal_pointer (&args) : NULL;
}

typedef struct
{
  gsize from, key_length, length; /* without the comma */
} Member;

void
hir_event_json_init (HirEventJson *json)
{
  *json = (HirEventJson){ .json = g_string_new (NULL),
                          .category = g_string_new (NULL),
                          .members = g_array_new (FALSE, FALSE, sizeof (Member)) };
}

void
hir_event_json_clear (HirEventJson *json)
{
  g_string_free (json->json, TRUE);
  g_string_free (json->category, TRUE);
  g_array_unref (json->members);
}

/* Removes an earlier member with the key that was appended last. As in most parsers, the last of
 * several members with the same key counts. */
static void
remove_duplicate (HirEventJson *self, const Member *last)
{
  GString *json = self->json;
  const char *key = json->str + last->from;
  guint64 bit = G_GUINT64_CONSTANT (1) << ((last->key_length + (guint8) key[1] * 5u +
                                            (guint8) key[last->key_length / 2] * 11u) %
                                           64);
  gboolean is_new = (self->seen_keys & bit) == 0;

  self->seen_keys |= bit;
  if (is_new)
    return;
  for (guint i = 0; i < self->members->len; i++)
    {
      const Member *member = &g_array_index (self->members, Member, i);
      gsize gap = member->length + 1;

      if (member->key_length != last->key_length ||
          memcmp (json->str + member->from, json->str + last->from, last->key_length) != 0)
        continue;
      g_string_erase (json, (gssize) member->from, (gssize) gap);
      g_array_remove_index (self->members, i);
      for (; i < self->members->len; i++)
        g_array_index (self->members, Member, i).from -= gap;
      return;
    }
}

static void
take_property (HirEventJson *self, const char *key, const char *value, gsize length)
{
  g_autofree char *plain = dup_plain (value, length);

  if (strcmp (key, HIR_EVENT_INSTANT) == 0)
    {
      self->instant =
          plain != NULL && strlen (plain) == 1 && strchr ("tpg", *plain) != NULL ? *plain : 't';
      return;
    }
  self->has_category = plain != NULL;
  g_string_assign (self->category, plain != NULL ? plain : "");
}

static void
take_json (
    const char *key, gsize key_length, const char *value, gsize value_length, gpointer user_data)
{
  HirEventJson *self = user_data;
  Member member;

  if (*key != '"')
    {
      take_property (self, key, value, value_length);
      return;
    }
  if (self->json->len > 0)
    g_string_append_c (self->json, ',');
  member.from = self->json->len;
  hir_json_append_strict (self->json, key, key_length);
  member.key_length = self->json->len - member.from;
  g_string_append_c (self->json, ':');
  hir_json_append_strict (self->json, value, value_length);
  member.length = self->json->len - member.from;
  if (self->members->len < MAX_COMPARED)
    {
      remove_duplicate (self, &member);
      member.from = self->json->len - member.length;
      g_array_append_val (self->members, member);
    }
}

gboolean
hir_event_json_read (
    HirEventJson *json, const HirTrace *trace, guint track, guint index, GError **error)
{
  g_string_truncate (json->json, 0);
  g_string_truncate (json->category, 0);
  json->has_category = FALSE;
  json->instant = 0;
  g_array_set_size (json->members, 0);
  json->seen_keys = 0;
  return each_arg (trace, track, index, take_json, json, error);
}

char *
hir_trace_dup_event_json (
    const HirTrace *trace, guint track, guint index, char **category, GError **error)
{
  g_auto (HirEventJson) json = { 0 };
  gboolean done;

  hir_event_json_init (&json);
  done = hir_event_json_read (&json, trace, track, index, error);
  if (category != NULL)
    *category = json.has_category ? g_strdup (json.category->str) : NULL;
  return done ? g_strdup (json.json->str) : NULL;
}
