#include "draw/link-text.h"

#include <string.h>

#include "trace/trace.h"

GRegex *
hir_link_text_create_pattern (void)
{
  return g_regex_new (
      "\\bprogram line (?<program>[1-9]\\d{0,8})"
      "|(?:\\bline |[\\w./+-]+\\.(?:py|txt|log|hirs):)(?<line>[1-9]\\d{0,8})(?::\\d+)?"
      "|\\brank (?<rank>\\d{1,9})\\b"
      "|\\branks (?<ranks>\\d{1,9}(?:(?:, ?|-| and )\\d{1,9})+)\\b"
      "|\\bstream (?<stream>\\d{1,9})\\b(?! \\(the default stream|\\w* in the program)"
      "|\\b(?<default>default stream)\\b"
      "|(?-i:\\bT(?<tensor>\\d{1,9}))\\b",
      G_REGEX_CASELESS | G_REGEX_OPTIMIZE, 0, NULL);
}

static void
link_clear (gpointer data)
{
  g_free (((HirLink *) data)->target);
}

static gboolean
is_free (const GArray *links, guint start, guint end)
{
  for (guint i = 0; i < links->len; i++)
    {
      const HirLink *link = &g_array_index (links, HirLink, i);

      if (start < link->end && link->start < end)
        return FALSE;
    }
  return TRUE;
}

/* Takes @target. Returns FALSE if there is a link already. */
static gboolean
add (GArray *links, guint start, guint end, char *target)
{
  const HirLink link = { start, end, target };

  if (!is_free (links, start, end))
    {
      g_free (target);
      return FALSE;
    }
  g_array_append_val (links, link);
  return TRUE;
}

static gboolean
is_word_char (char c)
{
  return g_ascii_isalnum (c) || c == '_';
}

static void
add_words (GArray *links, const char *text, const HirLinkWords *words)
{
  gsize n = words->words != NULL ? strlen (words->words) : 0;

  for (const char *at = text; n > 0 && (at = strstr (at, words->words)) != NULL; at += n)
    if ((at == text || !is_word_char (at[-1]) || !is_word_char (*at)) &&
        (!is_word_char (at[n]) || !is_word_char (at[n - 1])) &&
        add (links, (guint) (at - text), (guint) (at - text + n), g_strdup (words->target)))
      return;
}

/* Adds a link for each number of a list of ranks. */
static void
add_ranks (GArray *links, const char *text, guint start, guint end)
{
  for (guint at = start; at < end; at++)
    {
      guint from = at;

      while (at < end && g_ascii_isdigit (text[at]))
        at++;
      if (at > from)
        (void) add (links, from, at, g_strdup_printf ("rank/%.*s", (int) (at - from), text + from));
    }
}

static void
add_match (GArray *links, const char *text, const GMatchInfo *match)
{
  static const struct
  {
    const char *name, *target;
  } kinds[] = { { "program", "instruction" },
                { "line", "line" },
                { "rank", "rank" },
                { "stream", "stream" },
                { "tensor", "tensor" } };
  int start, end, from, to;

  if (g_match_info_fetch_named_pos (match, "ranks", &start, &end) && start >= 0)
    {
      add_ranks (links, text, (guint) start, (guint) end);
      return;
    }
  g_match_info_fetch_pos (match, 0, &start, &end);
  if (g_match_info_fetch_named_pos (match, "default", &from, &to) && from >= 0)
    {
      (void) add (links, (guint) start, (guint) end,
                  g_strdup_printf ("stream/%d", HIR_DEFAULT_STREAM));
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *number = g_match_info_fetch_named (match, kinds[i].name);

      if (number != NULL && *number != '\0')
        (void) add (links, (guint) start, (guint) end,
                    g_strdup_printf ("%s/%s", kinds[i].target, number));
    }
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const HirLink *x = a, *y = b;

  return (x->start > y->start) - (x->start < y->start);
}

GArray *
hir_link_text_find (GRegex *pattern, const char *text, const HirLinkWords *words, guint n_words)
{
  GArray *links = g_array_new (FALSE, FALSE, sizeof (HirLink));
  g_autoptr (GMatchInfo) match = NULL;

  g_array_set_clear_func (links, link_clear);
  for (guint i = 0; i < n_words; i++)
    add_words (links, text, &words[i]);
  for (g_regex_match (pattern, text, 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL))
    add_match (links, text, match);
  g_array_sort (links, compare);
  return links;
}
