#include "base/fuzzy.h"

#include <string.h>

/* Longer names and patterns are cut, to limit the size of the table. */
#define MAX_TEXT 160
#define MAX_PATTERN 32

#define AT_WORD 12
#define AFTER_LAST 14
#define AFTER_GAP (-4)
#define AT_START 3
#define SAME_CASE 1
#define NONE (-100000)

typedef struct
{
  gunichar letters[MAX_TEXT];
  guint offsets[MAX_TEXT];
  gboolean
      begins[MAX_TEXT]; /* starts of words: after a space or sign, capitals after small letters */
  guint n;
} Text;

static void
split (Text *text, const char *utf8, guint max)
{
  gunichar before = ' ';

  text->n = 0;
  for (const char *at = utf8; *at != '\0' && text->n < max; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);

      text->letters[text->n] = c;
      text->offsets[text->n] = (guint) (at - utf8);
      text->begins[text->n++] =
          g_unichar_isalnum (c) &&
          (!g_unichar_isalnum (before) || (g_unichar_isupper (c) && g_unichar_islower (before)) ||
           (g_unichar_isdigit (c) && !g_unichar_isdigit (before)));
      before = c;
    }
}

static int
score_letter (const Text *text, guint i, gunichar wanted)
{
  if (g_unichar_tolower (text->letters[i]) != g_unichar_tolower (wanted))
    return NONE;
  return 1 + (text->begins[i] ? AT_WORD : 0) + (i == 0 ? AT_START : 0) +
         (text->letters[i] == wanted ? SAME_CASE : 0);
}

/* best[p][i] is the best score of the first p + 1 letters if the last of them is at i. */
static gboolean
match_word (const Text *word, const Text *text, int *score, GArray *positions)
{
  static const guint nowhere = G_MAXUINT;
  g_autofree int *best = g_new (int, (gsize) word->n *MAX_TEXT);
  g_autofree guint *from = g_new (guint, (gsize) word->n * MAX_TEXT);
  guint at = nowhere;
  int total = NONE;

  for (guint p = 0; p < word->n; p++)
    {
      int before = NONE; /* the best score of p letters if the last of them is before i - 1 */
      guint before_at = nowhere;

      for (guint i = 0; i < text->n; i++)
        {
          int here = score_letter (text, i, word->letters[p]);
          int *cell = &best[p * MAX_TEXT + i];

          *cell = NONE;
          from[p * MAX_TEXT + i] = nowhere;
          if (p == 0)
            {
              *cell = here;
              continue;
            }
          if (i >= 2 && best[(p - 1) * MAX_TEXT + i - 2] > before)
            {
              before = best[(p - 1) * MAX_TEXT + i - 2];
              before_at = i - 2;
            }
          int next_to = i >= 1 ? best[(p - 1) * MAX_TEXT + i - 1] : NONE;

          if (here == NONE || (next_to <= NONE && before <= NONE))
            continue;
          gboolean follows = next_to > NONE && next_to + AFTER_LAST >= before + AFTER_GAP;

          *cell = here + (follows ? next_to + AFTER_LAST : before + AFTER_GAP);
          from[p * MAX_TEXT + i] = follows ? i - 1 : before_at;
        }
    }
  for (guint i = 0; i < text->n; i++)
    if (best[(word->n - 1) * MAX_TEXT + i] > total)
      {
        total = best[(word->n - 1) * MAX_TEXT + i];
        at = i;
      }
  if (at == nowhere)
    return FALSE;
  *score += total;
  for (guint p = word->n; p-- > 0; at = from[p * MAX_TEXT + at])
    if (positions != NULL)
      g_array_append_val (positions, text->offsets[at]);
  return TRUE;
}

static gint
compare_offsets (gconstpointer a, gconstpointer b)
{
  guint left = *(const guint *) a, right = *(const guint *) b;

  return left < right ? -1 : left > right;
}

gboolean
hir_fuzzy_match (const char *pattern, const char *text, int *score, GArray **positions)
{
  g_auto (GStrv) words = g_strsplit (pattern, " ", -1);
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree Text *haystack = g_new (Text, 1);
  g_autofree Text *needle = g_new (Text, 1);
  gboolean is_empty = TRUE;
  int total = 0;

  split (haystack, text, MAX_TEXT);
  for (char **word = words; *word != NULL; word++)
    {
      if (**word == '\0')
        continue;
      is_empty = FALSE;
      split (needle, *word, MAX_PATTERN);
      if (!match_word (needle, haystack, &total, found))
        return FALSE;
    }
  if (score != NULL)
    *score = is_empty ? 0 : total * 16 - (int) haystack->n;
  g_array_sort (found, compare_offsets);
  if (positions != NULL)
    *positions = g_steal_pointer (&found);
  return TRUE;
}
