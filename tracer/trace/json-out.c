#include "trace/json-out.h"

#include <math.h>
#include <string.h>

#include "print/printable.h"

#define ONES G_GUINT64_CONSTANT (0x0101010101010101)
#define HIGHS G_GUINT64_CONSTANT (0x8080808080808080)
/* Sets the high bit of each byte below @n (at most 128), and perhaps of higher bytes after it. */
#define BYTES_BELOW(word, n) (((word) -ONES * (n)) & ~(word) &HIGHS)

gsize
hir_json_count_plain (const char *text, gsize n)
{
  gsize i = 0;

  for (; i + 8 <= n; i += 8)
    {
      guint64 word;

      memcpy (&word, text + i, 8);
      if (((word & HIGHS) | BYTES_BELOW (word, 0x20) | BYTES_BELOW (word ^ ONES * '"', 1) |
           BYTES_BELOW (word ^ ONES * '\\', 1) | BYTES_BELOW (word ^ ONES * 0x7f, 1)) != 0)
        break;
    }
  while (i < n && text[i] >= 0x20 && text[i] < 0x7f && text[i] != '"' && text[i] != '\\')
    i++;
  return i;
}

/* Returns the position after the character at @at, which needs an escape or is not ASCII. */
static const char *
append_special (GString *out, const char *at)
{
  gunichar c = g_utf8_get_char (at);
  const char *next = g_utf8_next_char (at);

  if (c == '"' || c == '\\')
    {
      g_string_append_c (out, '\\');
      g_string_append_c (out, *at);
    }
  else if (c == '\n')
    hir_json_append_raw (out, "\\n", 2);
  else if (c < 0x20 || c == 0x7f || hir_printable_is_hostile (c))
    g_string_append_printf (out, "\\u%04x", c);
  else
    hir_json_append_raw (out, at, (gsize) (next - at));
  return next;
}

void
hir_json_append_string (GString *out, const char *text)
{
  g_autofree char *valid = NULL;
  gsize n = strlen (text), n_plain = hir_json_count_plain (text, n);
  const char *end;

  g_string_append_c (out, '"');
  hir_json_append_raw (out, text, n_plain);
  text += n_plain;
  n -= n_plain;
  if (n > 0 && !g_utf8_validate_len (text, n, NULL))
    {
      text = valid = g_utf8_make_valid (text, (gssize) n);
      n = strlen (valid);
    }
  for (end = text + n; text < end;)
    {
      text = append_special (out, text);
      n_plain = hir_json_count_plain (text, (gsize) (end - text));
      hir_json_append_raw (out, text, n_plain);
      text += n_plain;
    }
  g_string_append_c (out, '"');
}

static void
begin_item (HirJsonOut *json, const char *key)
{
  if (json->needs_comma)
    g_string_append_c (json->out, ',');
  if (json->needs_line)
    g_string_append_c (json->out, '\n');
  json->needs_comma = TRUE;
  json->needs_line = FALSE;
  if (key == NULL)
    return;
  g_string_append_c (json->out, '"');
  hir_json_append_raw (json->out, key, strlen (key));
  hir_json_append_raw (json->out, "\":", 2);
}

void
hir_json_out_add_key (HirJsonOut *json, const char *key)
{
  begin_item (json, NULL);
  hir_json_append_string (json->out, key);
  g_string_append_c (json->out, ':');
  json->needs_comma = FALSE;
}

void
hir_json_out_begin (HirJsonOut *json, const char *key, char bracket)
{
  begin_item (json, key);
  g_string_append_c (json->out, bracket);
  json->needs_comma = FALSE;
}

void
hir_json_out_end (HirJsonOut *json, char bracket)
{
  g_string_append_c (json->out, bracket);
  json->needs_comma = TRUE;
}

void
hir_json_out_break (HirJsonOut *json)
{
  json->needs_line = TRUE;
}

void
hir_json_out_add_string (HirJsonOut *json, const char *key, const char *text)
{
  begin_item (json, key);
  if (text != NULL)
    hir_json_append_string (json->out, text);
  else
    hir_json_append_raw (json->out, "null", 4);
}

/* printf() takes several times as long. */
static void
append_number (GString *out, gboolean is_negative, guint64 value)
{
  char digits[24], *end = digits + sizeof digits, *at = end;

  do
    *--at = (char) ('0' + value % 10);
  while ((value /= 10) != 0);
  if (is_negative)
    *--at = '-';
  hir_json_append_raw (out, at, (gsize) (end - at));
}

void
hir_json_append_int (GString *out, gint64 value)
{
  append_number (out, value < 0, value < 0 ? -(guint64) value : (guint64) value);
}

void
hir_json_out_add_int (HirJsonOut *json, const char *key, gint64 value)
{
  begin_item (json, key);
  hir_json_append_int (json->out, value);
}

void
hir_json_out_add_uint (HirJsonOut *json, const char *key, guint64 value)
{
  begin_item (json, key);
  append_number (json->out, FALSE, value);
}

void
hir_json_out_add_bool (HirJsonOut *json, const char *key, gboolean value)
{
  hir_json_out_add_raw (json, key, value ? "true" : "false");
}

void
hir_json_out_add_double (HirJsonOut *json, const char *key, const char *format, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  hir_json_out_add_raw (json, key,
                        isfinite (value) ? g_ascii_formatd (text, sizeof text, format, value)
                                         : "null");
}

void
hir_json_out_add_raw (HirJsonOut *json, const char *key, const char *value)
{
  begin_item (json, key);
  hir_json_append_raw (json->out, value, strlen (value));
}
