/* Shortens long texts in the middle. Names in traces can have 10,000 letters, and GTK takes seconds
 * to measure a label that wraps such a text. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Maximum length of a tooltip: about 15 lines. */
#define HIR_TOOLTIP_MAX_CHARS 1200

/**
 * hir_long_text_dup:
 * @max_chars: maximum number of characters of the result
 * @was_cut: (out) (nullable): whether @text was shortened
 *
 * Replaces the middle of @text by an ellipsis if @text is too long. Never separates a letter from
 * its combining marks.
 *
 * Returns: (transfer full): the text
 */
char *hir_long_text_dup (const char *text, guint max_chars, gboolean *was_cut);

G_END_DECLS
