/* Suggests the nearest match for a mistyped word. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns the number of single-character insertions, deletions, replacements and swaps of neighbors
 * that turn @a into @b (optimal string alignment). Compares bytes and ignores case. */
guint hir_suggest_distance (const char *a, const char *b);

/* The nearest candidate so far. Initialize with { NULL, 0 }. */
typedef struct
{
  const char *best; /* borrowed from the caller; NULL if no candidate is near enough */
  guint distance;
} HirSuggestion;

/* Replaces the best candidate if @candidate is nearer to @typed. A candidate is near enough if its
 * distance is at most a third of the longer word's length (at least 1), or if it begins with @typed
 * and @typed has three or more letters. */
void hir_suggestion_offer (HirSuggestion *suggestion, const char *typed, const char *candidate);

G_END_DECLS
