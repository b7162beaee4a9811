/* Names that others gave may be ten thousand letters long; a label that wraps such a text is measured for seconds. What is
 * shown of it is its begin and its end. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Of what stands under the pointer: some fifteen lines. */
#define HIR_TOOLTIP_MAX_CHARS 1200

/* @text, or where it has more characters than @max_chars its begin, an ellipsis, its end: @max_chars in all.
 * No character is taken from the marks (accents) on it. *@was_cut: nullable. Newly allocated. */
char *hir_long_text_dup (const char *text, guint max_chars, gboolean *was_cut);

G_END_DECLS
