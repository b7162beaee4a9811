/* Writes JSON into a GString: commas, quotes and escapes. Numbers do not depend on the locale. */
#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

typedef struct
{
  GString *out; /* borrowed */
  gboolean needs_comma, needs_line;
} HirJsonOut;

/* Appends @n bytes of @text, which is JSON or a part of it. Inline, because JSON consists of short
 * pieces. */
static inline void
hir_json_append_raw (GString *out, const char *text, gsize n)
{
  if (n < out->allocated_len - out->len)
    {
      memcpy (out->str + out->len, text, n);
      out->len += n;
      out->str[out->len] = '\0';
    }
  else
    g_string_append_len (out, text, (gssize) n);
}

/* Appends @text in quotes. Escapes control characters; repairs invalid UTF-8. */
void hir_json_append_string (GString *out, const char *text);
/* Appends a signed integer. */
void hir_json_append_int (GString *out, gint64 value);
/* Returns the number of leading bytes of @text that need no escape: ASCII without controls, quotes
 * and backslashes. @n: length of @text */
gsize hir_json_count_plain (const char *text, gsize n);
/* Writes @key, any text. The next item is its value and has the key NULL. */
void hir_json_out_add_key (HirJsonOut *json, const char *key);
/* Opens an object ('{') or an array ('['). In this and the next functions, @key is NULL in an array
 * and at the root, otherwise ASCII without escapes. */
void hir_json_out_begin (HirJsonOut *json, const char *key, char bracket);
/* Closes an object ('}') or an array (']'). */
void hir_json_out_end (HirJsonOut *json, char bracket);
/* Starts a new line before the next item. */
void hir_json_out_break (HirJsonOut *json);
/* Adds a string, or null if @text is NULL. */
void hir_json_out_add_string (HirJsonOut *json, const char *key, const char *text);
/* Adds a signed integer. */
void hir_json_out_add_int (HirJsonOut *json, const char *key, gint64 value);
/* Adds an unsigned integer. */
void hir_json_out_add_uint (HirJsonOut *json, const char *key, guint64 value);
/* Adds true or false. */
void hir_json_out_add_bool (HirJsonOut *json, const char *key, gboolean value);
/* Adds @value in the printf() format @format, or null if it is not finite. */
void hir_json_out_add_double (HirJsonOut *json, const char *key, const char *format, double value);
/* Adds @value, which is JSON text; if "", the caller appends the value itself. */
void hir_json_out_add_raw (HirJsonOut *json, const char *key, const char *value);

G_END_DECLS
