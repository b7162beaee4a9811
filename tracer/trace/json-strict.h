/* Writes JSON text of other programs so that every parser accepts it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns whether the number or word in [@text, @text + @length) is JSON: not "nan", "inf", "+1" or
 * "01". */
gboolean hir_json_is_strict_word (const char *text, gsize length);
/* Appends a value or key as it is if it is JSON by RFC 8259. Otherwise repairs it: a number or word
 * that JSON does not have becomes a string, control characters are escaped, invalid UTF-8 is
 * replaced, surplus commas are left out. What is no value becomes a string. */
void hir_json_append_strict (GString *out, const char *text, gsize length);

G_END_DECLS
