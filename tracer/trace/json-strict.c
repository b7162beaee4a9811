#include "trace/json-strict.h"

#include <math.h>
#include <string.h>

#include "trace/json-names.h"
#include "trace/json-out.h"
#include "trace/json-scan.h"

#define MAX_DEPTH 256
#define MANY_DIGITS 300 /* a double holds any number with fewer digits */

static const char *
skip_digits (const char *at, const char *end)
{
  while (at < end && g_ascii_isdigit (*at))
    at++;
  return at;
}

/* Many readers turn a number that a double cannot hold, such as 1e400, into an infinity, which JSON
 * does not have. */
static gboolean
is_finite (const char *text, gsize length)
{
  g_autofree char *number = NULL;

  if (length < MANY_DIGITS && memchr (text, 'e', length) == NULL &&
      memchr (text, 'E', length) == NULL)
    return TRUE;
  number = g_strndup (text, length);
  return isfinite (g_ascii_strtod (number, NULL));
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
  return at == end && is_finite (text, length);
}

typedef struct
{
  GString *out;         /* NULL: only checks */
  gboolean is_repaired; /* what was written differs from the text in more than white space */
  gboolean has_twice;   /* an object has two members of one name */
} Writer;

static void
append (Writer *self, const char *text, gsize length)
{
  if (self->out != NULL)
    hir_json_append_raw (self->out, text, length);
}

/* Takes @plain and writes it instead of a part of the text. */
static void
append_repaired (Writer *self, char *plain)
{
  self->is_repaired = TRUE;
  if (self->out != NULL)
    hir_json_append_string (self->out, plain);
  g_free (plain);
}

/* Returns whether the text between two quotes is a valid string. */
static gboolean
is_strict_string (const HirJsonText *text)
{
  const char *at = text->at, *end = text->at + text->length;
  gboolean is_ascii = TRUE;

  for (; at < end; at++)
    {
      if ((guint8) *at < 0x20)
        return FALSE;
      is_ascii = is_ascii && (guint8) *at < 0x80;
      if (*at != '\\')
        continue;
      if (++at == end || *at == '\0' || strchr ("\"\\/bfnrtu", *at) == NULL)
        return FALSE;
      if (*at != 'u')
        continue;
      for (guint i = 0; i < 4; i++)
        if (++at >= end || !g_ascii_isxdigit (*at))
          return FALSE;
    }
  return is_ascii || g_utf8_validate_len (text->at, text->length, NULL);
}

static void
append_string (Writer *self, const HirJsonText *text)
{
  if (is_strict_string (text))
    append (self, text->at - 1, text->length + 2);
  else
    append_repaired (self, hir_json_text_dup (text));
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

/* Returns whether one of the next members, behind the value at @json, has the name @key. */
static gboolean
occurs_again (const HirJson *json, const HirJsonText *key)
{
  HirJson ahead = *json;
  gboolean first = FALSE;
  HirJsonText other;

  for (guint i = 0; i < HIR_JSON_MAX_NAMES && hir_json_skip (&ahead) &&
                    hir_json_next_member (&ahead, &first, &other);
       i++)
    if (other.length == key->length && memcmp (other.at, key->at, key->length) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
append_members (Writer *self, HirJson *json, guint depth)
{
  gboolean first = TRUE, is_first = TRUE;
  HirJsonNames names;
  HirJsonText key;

  hir_json_names_init (&names);
  append (self, "{", 1);
  while (hir_json_next_member (json, &first, &key))
    {
      if (self->out == NULL)
        self->has_twice |= hir_json_names_add (&names, &key);
      else if (self->has_twice && occurs_again (json, &key))
        {
          hir_json_skip (json);
          continue;
        }
      if (!is_first)
        append (self, ",", 1);
      is_first = FALSE;
      append_string (self, &key);
      append (self, ":", 1);
      if (!append_value (self, json, depth + 1))
        return FALSE;
    }
  note_surplus_comma (self, json);
  append (self, "}", 1);
  return json->error == NULL;
}

static gboolean
append_elements (Writer *self, HirJson *json, guint depth)
{
  gboolean first = TRUE, is_first = TRUE;

  append (self, "[", 1);
  for (; hir_json_next_element (json, &first); is_first = FALSE)
    {
      if (!is_first)
        append (self, ",", 1);
      if (!append_value (self, json, depth + 1))
        return FALSE;
    }
  note_surplus_comma (self, json);
  append (self, "]", 1);
  return json->error == NULL;
}

static void
append_word (Writer *self, const char *text, gsize length)
{
  if (hir_json_is_strict_word (text, length))
    append (self, text, length);
  else
    append_repaired (self, g_utf8_make_valid (text, (gssize) length));
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

/* Returns FALSE if the text is no value. */
static gboolean
append_text (Writer *self, const char *text, gsize length)
{
  HirJson json;

  hir_json_init (&json, text, length);
  return append_value (self, &json, 0) && hir_json_peek (&json) == HIR_JSON_END;
}

/* Recognizes most values without a scanner. */
static gboolean
is_simple (const char *text, gsize length)
{
  if (length >= 2 && *text == '"')
    return hir_json_count_plain (text + 1, length - 1) == length - 2 && text[length - 1] == '"';
  return hir_json_is_strict_word (text, length);
}

void
hir_json_check_strict (const char *text, gsize length, gboolean *is_repaired, gboolean *has_twice)
{
  Writer check = { 0 };

  *is_repaired = !append_text (&check, text, length) || check.is_repaired || *is_repaired;
  *has_twice = check.has_twice || *has_twice;
}

void
hir_json_append_strict (GString *out, const char *text, gsize length)
{
  Writer check = { 0 };

  if (is_simple (text, length))
    hir_json_append_raw (out, text, length);
  else if (!append_text (&check, text, length))
    append_repaired (&(Writer){ .out = out }, g_utf8_make_valid (text, (gssize) length));
  else if (!check.is_repaired && !check.has_twice)
    hir_json_append_raw (out, text, length);
  else
    append_text (&(Writer){ .out = out, .has_twice = check.has_twice }, text, length);
}
