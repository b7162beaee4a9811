#include "trace/json-scan.h"

#include <string.h>

#define MAX_DEPTH 512

static const char text_ends[] = "the text ends here, before its last bracket";

void
hir_json_init (HirJson *json, const char *text, gsize length)
{
  *json = (HirJson){ .start = text, .at = text, .end = text + length };
}

gboolean
hir_json_fail (HirJson *json, const char *message)
{
  if (json->error == NULL)
    {
      json->error = message;
      json->error_at = json->at;
      json->is_cut = json->at >= json->end;
    }
  return FALSE;
}

/* Character classes. */
#define SPACE 1
#define PLAIN 2 /* part of a number or a word */
#define MARK 4  /* a quote or a bracket */
#define WORD 8  /* a letter */
static const guint8 classes[256] = {
  [' '] = SPACE,
  ['\n'] = SPACE,
  ['\t'] = SPACE,
  ['\r'] = SPACE,
  ['.'] = PLAIN,
  ['-'] = PLAIN,
  ['+'] = PLAIN,
  ['"'] = MARK,
  ['{'] = MARK,
  ['}'] = MARK,
  ['['] = MARK,
  [']'] = MARK,
  ['0' ... '9'] = PLAIN,
  ['a' ... 'z'] = PLAIN | WORD,
  ['A' ... 'Z'] = PLAIN | WORD,
};

static inline guint8
classify (const char *at)
{
  return classes[*(const guint8 *) at];
}

static inline void
skip_space (HirJson *json)
{
  const char *at = json->at, *end = json->end;

  while (at < end && classify (at) == SPACE)
    at++;
  json->at = at;
}

HirJsonKind
hir_json_peek (HirJson *json)
{
  skip_space (json);
  if (json->at >= json->end)
    return HIR_JSON_END;
  switch (*json->at)
    {
    case '{':
      return HIR_JSON_OBJECT;

    case '[':
      return HIR_JSON_ARRAY;

    case '"':
      return HIR_JSON_STRING;

    default:
      return *json->at == '-' || g_ascii_isdigit (*json->at) ? HIR_JSON_NUMBER : HIR_JSON_OTHER;
    }
}

gboolean
hir_json_enter (HirJson *json)
{
  HirJsonKind kind = hir_json_peek (json);

  if (json->error != NULL)
    return FALSE;
  if (kind != HIR_JSON_OBJECT && kind != HIR_JSON_ARRAY)
    return hir_json_fail (json, "an object or an array was expected");
  json->at++;
  return TRUE;
}

#define ONES G_GUINT64_CONSTANT (0x0101010101010101)
#define HIGHS G_GUINT64_CONSTANT (0x8080808080808080)
/* Sets the high bit of each zero byte; bits below the first zero byte are 0. */
#define ZERO_BYTES(word) (((word) -ONES) & ~(word) &HIGHS)

/* Returns the first quote or backslash in [@at, @end), or @end. Processes eight bytes at a time,
 * because names are long. */
static inline const char *
find_special (const char *at, const char *end)
{
  for (; end - at >= 8; at += 8)
    {
      guint64 word, hits;

      memcpy (&word, at, 8);
      word = GUINT64_FROM_LE (word);
      hits = ZERO_BYTES (word ^ ONES * '"') | ZERO_BYTES (word ^ ONES * '\\');
      if (hits != 0)
        return at + (__builtin_ctzll (hits) >> 3);
    }
  while (at < end && *at != '"' && *at != '\\')
    at++;
  return at;
}

/* Returns the closing quote of the string that starts at @at, or NULL. */
static inline const char *
find_quote (const char *at, const char *end, gboolean *escaped)
{
  *escaped = FALSE;
  for (;;)
    {
      at = find_special (at, end);
      if (at >= end)
        return NULL;
      if (*at == '"')
        return at;
      *escaped = TRUE;
      if (end - at < 2)
        return NULL;
      at += 2;
    }
}

/* Like hir_json_read_string(), but the next character is known to be a quote. */
static inline gboolean
read_quoted (HirJson *json, HirJsonText *text)
{
  const char *quote;

  text->at = json->at + 1;
  quote = find_quote (text->at, json->end, &text->escaped);
  if (quote == NULL)
    {
      hir_json_fail (json, "a string has no closing quote");
      json->is_cut = TRUE;
      return FALSE;
    }
  if (quote - text->at > G_MAXINT32)
    return hir_json_fail (json, "a string is longer than 2 GB");
  text->length = (guint32) (quote - text->at);
  json->at = quote + 1;
  return TRUE;
}

/* Advances to the next element. Returns FALSE after @close. */
static inline gboolean
next (HirJson *json, gboolean *first, char close)
{
  if (json->error != NULL)
    return FALSE;
  skip_space (json);
  if (json->at >= json->end)
    return hir_json_fail (json, text_ends);
  if (!*first && *json->at == ',')
    {
      json->at++;
      skip_space (json);
      if (json->at >= json->end)
        return hir_json_fail (json, text_ends);
    }
  else if (!*first && *json->at != close)
    return hir_json_fail (json, "a comma or a closing bracket was expected");
  *first = FALSE;
  if (*json->at != close)
    return TRUE;
  json->at++;
  return FALSE;
}

gboolean
hir_json_next_element (HirJson *json, gboolean *first)
{
  return next (json, first, ']');
}

gboolean
hir_json_next_member (HirJson *json, gboolean *first, HirJsonText *key)
{
  if (!next (json, first, '}'))
    return FALSE;
  if (*json->at != '"')
    return hir_json_fail (json, "a string was expected");
  if (!read_quoted (json, key))
    return FALSE;
  skip_space (json);
  if (json->at >= json->end || *json->at != ':')
    return hir_json_fail (json, "a colon was expected");
  json->at++;
  return TRUE;
}

gboolean
hir_json_read_string (HirJson *json, HirJsonText *text)
{
  if (json->error != NULL)
    return FALSE;
  skip_space (json);
  if (json->at >= json->end)
    return hir_json_fail (json, text_ends);
  if (*json->at != '"')
    return hir_json_fail (json, "a string was expected");
  return read_quoted (json, text);
}

/* Skips a number or a word. */
static gboolean
skip_plain (HirJson *json)
{
  const char *from = json->at, *at = from, *end = json->end;
  guint8 class, seen = 0;

  for (; at < end && ((class = classify (at)) & PLAIN) != 0; at++)
    seen |= class;
  json->at = at;
  json->has_word = (seen & WORD) != 0;
  return at > from || hir_json_fail (json, "a value was expected");
}

/* Skips a nested value. Considers only brackets and strings. Brackets must match, up to
 * MAX_DEPTH. */
static gboolean
skip_nested (HirJson *json)
{
  char closing[MAX_DEPTH];
  guint depth = 0;
  guint8 class = 0, seen = 0;
  HirJsonText text;

  do
    {
      const char *at = json->at;
      char c;

      for (; at < json->end && (class = classify (at)) != MARK; at++)
        seen |= class;
      json->at = at;
      if (at >= json->end)
        return hir_json_fail (json, text_ends);
      c = *at;
      if (c == '"')
        {
          if (!read_quoted (json, &text))
            return FALSE;
          continue;
        }
      if (c == '{' || c == '[')
        {
          if (depth == MAX_DEPTH)
            return hir_json_fail (json, "values are nested more than 512 deep");
          closing[depth++] = c == '{' ? '}' : ']';
        }
      else if (closing[--depth] != c)
        return hir_json_fail (json, "a closing bracket of the wrong kind");
      json->at++;
    }
  while (depth > 0);
  json->has_word = (seen & WORD) != 0;
  return TRUE;
}

gboolean
hir_json_skip (HirJson *json)
{
  HirJsonText text;

  if (json->error != NULL)
    return FALSE;
  switch (hir_json_peek (json))
    {
    case HIR_JSON_OBJECT:
    case HIR_JSON_ARRAY:
      return skip_nested (json);

    case HIR_JSON_STRING:
      return hir_json_read_string (json, &text);

    case HIR_JSON_NUMBER:
    case HIR_JSON_OTHER:
      return skip_plain (json);

    case HIR_JSON_END:
    default:
      return hir_json_fail (json, text_ends);
    }
}

gboolean
hir_json_try_enter (HirJson *json, HirJsonKind kind)
{
  if (hir_json_peek (json) == kind)
    return hir_json_enter (json);
  hir_json_skip (json);
  return FALSE;
}

gboolean
hir_json_is_object (const char *text, gsize length)
{
  HirJson json;

  hir_json_init (&json, text, length);
  return hir_json_peek (&json) == HIR_JSON_OBJECT && hir_json_skip (&json);
}

/* Finds the text of a number, also within a string. Returns FALSE and skips any other value. */
static gboolean
read_number (HirJson *json, const char **at, const char **end)
{
  HirJsonText text;

  switch (hir_json_peek (json))
    {
    case HIR_JSON_NUMBER:
      *at = json->at;
      if (!skip_plain (json))
        return FALSE;
      *end = json->at;
      return TRUE;

    case HIR_JSON_STRING:
      if (!hir_json_read_string (json, &text))
        return FALSE;
      *at = text.at;
      *end = text.at + text.length;
      return *at < *end && (g_ascii_isdigit (**at) || **at == '-');

    case HIR_JSON_END:
    case HIR_JSON_OBJECT:
    case HIR_JSON_ARRAY:
    case HIR_JSON_OTHER:
    default:
      hir_json_skip (json);
      return FALSE;
    }
}

/* sign, digits * 10^exponent. Digits that do not fit are rounded off and increase the exponent. */
typedef struct
{
  gboolean negative;
  guint64 digits;
  gint64 exponent;
} Decimal;

static gboolean
parse_exponent (const char *p, const char *end, gint64 *exponent)
{
  gboolean negative = p < end && *p == '-';
  gint64 value = 0;

  if (p < end && (*p == '-' || *p == '+'))
    p++;
  if (p == end)
    return FALSE;
  for (; p < end && g_ascii_isdigit (*p); p++)
    value = MIN (value * 10 + (*p - '0'), 100000);
  *exponent += negative ? -value : value;
  return TRUE;
}

static gboolean
parse_decimal (const char *p, const char *end, Decimal *decimal)
{
  gboolean seen_point = FALSE;
  const char *from;

  *decimal = (Decimal){ .negative = p < end && *p == '-' };
  if (decimal->negative)
    p++;
  from = p;
  for (; p < end && (g_ascii_isdigit (*p) || (*p == '.' && !seen_point)); p++)
    {
      if (*p == '.')
        {
          seen_point = TRUE;
          continue;
        }
      if (decimal->digits < (G_MAXUINT64 - 9) / 10)
        {
          decimal->digits = decimal->digits * 10 + (guint64) (*p - '0');
          decimal->exponent -= seen_point;
        }
      else
        decimal->exponent += !seen_point;
    }
  if (p == from)
    return FALSE;
  if (p < end && (*p == 'e' || *p == 'E'))
    return parse_exponent (p + 1, end, &decimal->exponent);
  return TRUE;
}

/* Returns @decimal * 10^@shift, saturated. Rounds half away from zero if @round, otherwise
 * truncates. */
static gint64
decimal_to_int (Decimal decimal, int shift, gboolean round)
{
  gint64 exponent = decimal.exponent + shift;
  guint64 value = decimal.digits;
  guint last_digit = 0;

  for (; exponent > 0 && value > 0; exponent--)
    {
      if (value > G_MAXINT64 / 10)
        return decimal.negative ? G_MININT64 : G_MAXINT64;
      value *= 10;
    }
  for (; exponent < 0 && (value > 0 || last_digit > 0); exponent++)
    {
      last_digit = value % 10;
      value /= 10;
    }
  if (round && last_digit >= 5)
    value++;
  value = MIN (value, G_MAXINT64);
  return decimal.negative ? -(gint64) value : (gint64) value;
}

/* Fast path for up to 16 digits, and up to three decimals for microseconds. Returns FALSE without
 * reading anything for other numbers. */
static inline gboolean
read_short (HirJson *json, int shift, gint64 *value)
{
  const char *at = json->at, *limit = json->end - at > 24 ? at + 20 : at;
  guint64 digits = 0;
  guint n_digits = 0;
  gboolean negative = at < limit && *at == '-';

  at += negative;
  for (; at < limit && g_ascii_isdigit (*at); at++, n_digits++)
    digits = digits * 10 + (guint64) (*at - '0');
  if (n_digits == 0)
    return FALSE;
  if (shift > 0 && at < limit && *at == '.')
    for (at++; at < limit && shift > 0 && g_ascii_isdigit (*at); at++, n_digits++, shift--)
      digits = digits * 10 + (guint64) (*at - '0');
  for (; shift > 0; shift--, n_digits++)
    digits *= 10;
  if (at >= limit || (classify (at) & PLAIN) != 0 || n_digits > 19 || digits > G_MAXINT64 / 16)
    return FALSE;
  json->at = at;
  *value = negative ? -(gint64) digits : (gint64) digits;
  return TRUE;
}

static gboolean
read_decimal (HirJson *json, int shift, gboolean round, gint64 *value)
{
  const char *at, *end;
  Decimal decimal;

  if (json->error != NULL)
    return FALSE;
  skip_space (json);
  if (read_short (json, shift, value))
    return TRUE;

  if (!read_number (json, &at, &end) || !parse_decimal (at, end, &decimal))
    return FALSE;
  *value = decimal_to_int (decimal, shift, round);
  return TRUE;
}

gboolean
hir_json_read_int (HirJson *json, gint64 *value)
{
  return read_decimal (json, 0, FALSE, value);
}

gboolean
hir_json_read_us (HirJson *json, gint64 *ns)
{
  return read_decimal (json, 3, TRUE, ns);
}

gboolean
hir_json_text_is (const HirJsonText *text, const char *word)
{
  return text->length == strlen (word) && memcmp (text->at, word, text->length) == 0;
}

/* Parses four hexadecimal digits at @p. Returns -1 if there are fewer. */
static int
parse_hex (const char *p, const char *end)
{
  int value = 0;

  if (end - p < 4)
    return -1;
  for (guint i = 0; i < 4; i++)
    {
      int digit = g_ascii_xdigit_value (p[i]);

      if (digit < 0)
        return -1;
      value = value * 16 + digit;
    }
  return value;
}

/* Appends the character of a "\u" escape and returns the position after it. */
static const char *
unescape_unicode (const char *p, const char *end, GString *s)
{
  int high = parse_hex (p, end), low;

  if (high < 0)
    {
      g_string_append (s, "\uFFFD");
      return p;
    }
  p += 4;
  if (high >= 0xd800 && high < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u')
    {
      low = parse_hex (p + 2, end);
      if (low >= 0xdc00 && low < 0xe000)
        {
          g_string_append_unichar (s, 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
          return p + 6;
        }
    }
  if (high == 0 || (high >= 0xd800 && high < 0xe000))
    g_string_append (s, "\uFFFD");
  else
    g_string_append_unichar (s, high);
  return p;
}

char *
hir_json_text_dup (const HirJsonText *text)
{
  static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
  const char *end = text->at + MIN (text->length, HIR_JSON_MAX_TEXT);
  GString *s = g_string_sized_new (end - text->at + 1);
  char *valid;

  for (const char *p = text->at; p < end;)
    {
      const char *known;

      if (*p != '\\' || p + 1 == end)
        {
          g_string_append_c (s, *p != '\0' ? *p : ' ');
          p++;
          continue;
        }
      p++;
      known = *p != '\0' ? strchr (from, *p) : NULL;
      if (*p == 'u')
        p = unescape_unicode (p + 1, end, s);
      else
        {
          g_string_append_c (s, known != NULL ? to[known - from] : *p != '\0' ? *p : ' ');
          p++;
        }
    }
  if (g_utf8_validate_len (s->str, s->len, NULL))
    return g_string_free (s, FALSE);
  valid = g_utf8_make_valid (s->str, s->len);
  g_string_free (s, TRUE);
  return valid;
}

char *
hir_json_dup_value (HirJson *json)
{
  const char *from;
  HirJsonText text;

  if (hir_json_peek (json) == HIR_JSON_STRING)
    return hir_json_read_string (json, &text) ? hir_json_text_dup (&text) : NULL;
  from = json->at;
  if (!hir_json_skip (json))
    return NULL;
  return g_utf8_make_valid (from, MIN (json->at - from, HIR_JSON_MAX_TEXT));
}
