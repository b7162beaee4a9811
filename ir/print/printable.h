/* Text that others wrote, made fit for a terminal: what would move the cursor, change colours, ring, or turn the order of
 * writing around is shown as an escape instead. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* @text on one line, newly allocated, always UTF-8: control characters (C0, DEL, C1), marks of direction, and line
 * separators become "\n", "\t", "\x1b" or "\u202e"; bytes that are no UTF-8 "\xff". A backslash stays one: what is
 * printed is for people. */
char *hir_printable_dup (const char *text);
/* The same of a text of several lines: newlines and tabs stay. */
char *hir_printable_dup_lines (const char *text);
/* Whether it is one of those characters, newline and tab too. */
gboolean hir_printable_is_hostile (gunichar c);

G_END_DECLS
