#include "trace/json-out.h"

#include <math.h>
#include <string.h>

#include "print/printable.h"

void
hir_json_append_string (GString *out, const char *text)
{
  g_autofree char *valid = NULL;

  if (!g_utf8_validate (text, -1, NULL))
    text = valid = g_utf8_make_valid (text, -1);
  g_string_append_c (out, '"');
  for (const char *at = text; *at != '\0'; at++)
    switch (*at)
      {
      case '"':
        g_string_append (out, "\\\"");
        break;
      case '\\':
        g_string_append (out, "\\\\");
        break;
      case '\n':
        g_string_append (out, "\\n");
        break;
      default:
        if ((guchar) *at < 0x20 || *at == 0x7f)
          g_string_append_printf (out, "\\u%04x", (guchar) *at);
        else if ((guchar) *at >= 0xc2 && hir_printable_is_hostile (g_utf8_get_char (at)))
          {
            g_string_append_printf (out, "\\u%04x", g_utf8_get_char (at));
            at = g_utf8_next_char (at) - 1;
          }
        else
          g_string_append_c (out, *at);
        break;
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
  g_string_append (json->out, key);
  g_string_append_len (json->out, "\":", 2);
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
    g_string_append (json->out, "null");
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
  g_string_append_len (out, at, end - at);
}

void
hir_json_out_add_int (HirJsonOut *json, const char *key, gint64 value)
{
  begin_item (json, key);
  append_number (json->out, value < 0, value < 0 ? -(guint64) value : (guint64) value);
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
  g_string_append (json->out, value);
}
