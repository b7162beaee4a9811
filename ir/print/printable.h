/* Makes text from files safe for a terminal. Characters that could move the cursor, change colors,
 * ring the bell, or reverse the writing direction are replaced by escapes. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns @text on one line, always as UTF-8. Control characters (C0, DEL, C1), direction marks and
 * line separators become "\n", "\t", "\x1b" or "\u202e"; invalid bytes become "\xff". Backslashes
 * are not escaped, because the result is for people. Newly allocated. */
char *hir_printable_dup (const char *text);
/* Like hir_printable_dup(), but keeps newlines and tabs. */
char *hir_printable_dup_lines (const char *text);
/* Returns TRUE for the characters that are replaced, including newline and tab. */
gboolean hir_printable_is_hostile (gunichar c);

G_END_DECLS
