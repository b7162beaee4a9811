#include "trace/json-strict.h"

#include <string.h>

#include "trace/json-out.h"
#include "trace/json-scan.h"

#define MAX_DEPTH 256

static const char *
skip_digits (const char *at, const char *end)
{
  while (at < end && g_ascii_isdigit (*at))
    at++;
  return at;
}

gboolean
hir_json_is_strict_word (const char *text, gsize length)
{
  const char *at = text, *end = text + length, *digits;

#define IS(word) (length == sizeof word - 1 && memcmp (text, word, sizeof word - 1) == 0)
  if (IS ("true") || IS ("false") || IS ("null"))
    return TRUE;
#undef IS
  if (at < end && *at == '-')
    at++;
  digits = at;
  at = skip_digits (at, end);
  if (at == digits || (*digits == '0' && at > digits + 1))
    return FALSE;
  if (at < end && *at == '.')
    {
      digits = at + 1;
      at = skip_digits (digits, end);
      if (at == digits)
        return FALSE;
    }
  if (at < end && (*at == 'e' || *at == 'E'))
    {
      at++;
      if (at < end && (*at == '-' || *at == '+'))
        at++;
      digits = at;
      at = skip_digits (digits, end);
      if (at == digits)
        return FALSE;
    }
  return at == end;
}

typedef struct
{
  GString *out;
  gboolean is_repaired; /* what was written differs from the text in more than white space */
} Writer;

/* Returns whether the text between two quotes is a valid string. */
static gboolean
is_strict_string (const HirJsonText *text)
{
  const char *at = text->at, *end = text->at + text->length;

  for (; at < end; at++)
    {
      if ((guint8) *at < 0x20)
        return FALSE;
      if (*at != '\\')
        continue;
      if (++at == end || strchr ("\"\\/bfnrtu", *at) == NULL)
        return FALSE;
      if (*at != 'u')
        continue;
      for (guint i = 0; i < 4; i++)
        if (++at >= end || !g_ascii_isxdigit (*at))
          return FALSE;
    }
  return g_utf8_validate_len (text->at, text->length, NULL);
}

static void
append_string (Writer *self, const HirJsonText *text)
{
  g_autofree char *plain = NULL;

  if (is_strict_string (text))
    {
      g_string_append_len (self->out, text->at - 1, (gssize) text->length + 2);
      return;
    }
  self->is_repaired = TRUE;
  plain = hir_json_text_dup (text);
  hir_json_append_string (self->out, plain);
}

static gboolean append_value (Writer *self, HirJson *json, guint depth);

/* Called after a closing bracket. */
static void
note_surplus_comma (Writer *self, const HirJson *json)
{
  const char *at = json->at - 1;

  while (at > json->start && g_ascii_isspace (at[-1]))
    at--;
  self->is_repaired = self->is_repaired || (at > json->start && at[-1] == ',');
}

static gboolean
append_members (Writer *self, HirJson *json, guint depth)
{
  gboolean first = TRUE, is_first = TRUE;
  HirJsonText key;

  g_string_append_c (self->out, '{');
  for (; hir_json_next_member (json, &first, &key); is_first = FALSE)
    {
      if (!is_first)
        g_string_append_c (self->out, ',');
      append_string (self, &key);
      g_string_append_c (self->out, ':');
      if (!append_value (self, json, depth + 1))
        return FALSE;
    }
  note_surplus_comma (self, json);
  g_string_append_c (self->out, '}');
  return json->error == NULL;
}

static gboolean
append_elements (Writer *self, HirJson *json, guint depth)
{
  gboolean first = TRUE, is_first = TRUE;

  g_string_append_c (self->out, '[');
  for (; hir_json_next_element (json, &first); is_first = FALSE)
    {
      if (!is_first)
        g_string_append_c (self->out, ',');
      if (!append_value (self, json, depth + 1))
        return FALSE;
    }
  note_surplus_comma (self, json);
  g_string_append_c (self->out, ']');
  return json->error == NULL;
}

static void
append_word (Writer *self, const char *text, gsize length)
{
  g_autofree char *plain = NULL;

  if (hir_json_is_strict_word (text, length))
    {
      g_string_append_len (self->out, text, (gssize) length);
      return;
    }
  self->is_repaired = TRUE;
  plain = g_utf8_make_valid (text, (gssize) length);
  hir_json_append_string (self->out, plain);
}

/* Returns FALSE if the text is no value. */
static gboolean
append_value (Writer *self, HirJson *json, guint depth)
{
  HirJsonKind kind = hir_json_peek (json);
  HirJsonText text;
  const char *from;

  if (depth > MAX_DEPTH)
    return FALSE;
  switch (kind)
    {
    case HIR_JSON_OBJECT:
      return hir_json_enter (json) && append_members (self, json, depth);

    case HIR_JSON_ARRAY:
      return hir_json_enter (json) && append_elements (self, json, depth);

    case HIR_JSON_STRING:
      if (!hir_json_read_string (json, &text))
        return FALSE;
      append_string (self, &text);
      return TRUE;

    case HIR_JSON_NUMBER:
    case HIR_JSON_OTHER:
      from = json->at;
      if (!hir_json_skip (json))
        return FALSE;
      append_word (self, from, (gsize) (json->at - from));
      return TRUE;

    case HIR_JSON_END:
    default:
      return FALSE;
    }
}

void
hir_json_append_strict (GString *out, const char *text, gsize length)
{
  Writer self = { .out = out };
  gsize before = out->len;
  g_autofree char *plain = NULL;
  HirJson json;
  gboolean done;

  hir_json_init (&json, text, length);
  done = append_value (&self, &json, 0) && hir_json_peek (&json) == HIR_JSON_END;
  if (done && self.is_repaired)
    return;
  g_string_truncate (out, before);
  if (done)
    {
      g_string_append_len (out, text, (gssize) length);
      return;
    }
  plain = g_utf8_make_valid (text, (gssize) length);
  hir_json_append_string (out, plain);
}
