/* How well a few typed letters fit a name: for the command palette. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Whether the letters of @pattern stand in @text in that order, whatever their case, each word of it by itself; and how well: *@score
 * (nullable) is higher for beginnings of words, for letters that follow each other, and for short texts. *@positions (nullable): array of
 * guint, byte offsets of the letters found, in order; the caller's. An empty pattern fits everything with 0. Both are UTF-8. */
gboolean hir_fuzzy_match (const char *pattern, const char *text, int *score, GArray **positions);

G_END_DECLS
