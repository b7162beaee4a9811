#include "suggest.h"

#include <string.h>

guint
hir_suggest_distance (const char *a, const char *b)
{
  gsize n_a = strlen (a);
  gsize n_b = strlen (b);
  gsize width = n_b + 1;
  g_autofree guint *rows = g_new0 (guint, 3 * width); /* rows i - 2, i - 1 and i of the matrix */
  guint *before = rows;
  guint *last = rows + width;
  guint *row = rows + 2 * width;

  for (gsize j = 0; j <= n_b; j++)
    last[j] = j;
  for (gsize i = 1; i <= n_a; i++)
    {
      guint *spare = before;

      row[0] = i;
      for (gsize j = 1; j <= n_b; j++)
        {
          char x = g_ascii_tolower (a[i - 1]);
          char y = g_ascii_tolower (b[j - 1]);

          row[j] = MIN (MIN (last[j], row[j - 1]) + 1, last[j - 1] + (x != y));
          if (i > 1 && j > 1 && x == g_ascii_tolower (b[j - 2]) && y == g_ascii_tolower (a[i - 2]))
            row[j] = MIN (row[j], before[j - 2] + 1);
        }
      before = last;
      last = row;
      row = spare;
    }
  return last[n_b];
}

void
hir_suggestion_offer (HirSuggestion *suggestion, const char *typed, const char *candidate)
{
  gsize longer = MAX (strlen (typed), strlen (candidate));
  guint distance = hir_suggest_distance (typed, candidate);

  /* Abbreviations match, however many letters are missing. */
  if (strlen (typed) >= 3 && g_ascii_strncasecmp (typed, candidate, strlen (typed)) == 0)
    distance = MIN (distance, 1);
  if (distance > MAX (1, longer / 3))
    return;
  if (suggestion->best == NULL || distance < suggestion->distance)
    {
      suggestion->best = candidate;
      suggestion->distance = distance;
    }
}
