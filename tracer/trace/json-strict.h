/* Writes JSON text of other programs so that every parser accepts it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns whether the number or word in [@text, @text + @length) is JSON: not "nan", "inf", "+1" or
 * "01". */
gboolean hir_json_is_strict_word (const char *text, gsize length);
/* Appends a value or key as it is if it is JSON by RFC 8259. Otherwise repairs it: a number or word
 * that JSON does not have becomes a string, control characters are escaped, invalid UTF-8 is
 * replaced, surplus commas are left out. If a member of an object occurs
 * twice, the last one counts. What is no value becomes a string. */
void hir_json_append_strict (GString *out, const char *text, gsize length);
/* Sets @is_repaired if hir_json_append_strict() would repair the value, and @has_twice if an object
 * in it has two members of one name; otherwise leaves them. */
void
hir_json_check_strict (const char *text, gsize length, gboolean *is_repaired, gboolean *has_twice);

G_END_DECLS
