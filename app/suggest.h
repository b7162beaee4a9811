/* Near matches: what a person who mistyped probably meant. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Number of single-character insertions, deletions, replacements and swaps of neighbours that turn
 * @a into
 * @b (optimal string alignment). Bytes, case ignored. */
guint hir_suggest_distance (const char *a, const char *b);

/* Keeps the nearest of the candidates it is shown. Start with {NULL, 0}. */
typedef struct
{
  const char *best; /* borrowed from the caller; NULL: none is near enough */
  guint distance;
} HirSuggestion;

/* Shows it @candidate for @typed: near enough is at most a third of the longer one's letters, and
 * at least one; or @candidate begins with @typed, of three letters or more. */
void hir_suggestion_offer (HirSuggestion *suggestion, const char *typed, const char *candidate);

G_END_DECLS
