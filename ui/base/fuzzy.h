/* Fuzzy matching of a few typed letters with a name, for the command palette. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * hir_fuzzy_match:
 * @pattern: UTF-8; words are matched separately, an empty pattern matches every text with score 0
 * @text: UTF-8
 * @score: (out) (nullable): higher for starts of words, for adjacent letters and for short texts
 * @positions: (out) (nullable) (transfer full): array of guint, byte offsets of the matched
 * letters, ascending
 *
 * Checks whether @text contains the letters of each word of @pattern in order, ignoring case.
 *
 * Returns: TRUE if @text matches
 */
gboolean hir_fuzzy_match (const char *pattern, const char *text, int *score, GArray **positions);

G_END_DECLS
