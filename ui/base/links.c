#include "base/links.h"

#include <string.h>

/* Returns a regular expression that always compiles, with one group per kind of link. */
static GRegex *
regex_new (void)
{
  return g_regex_new (
      "(?:\\bline |[\\w./+-]+\\.(?:py|txt|log|hirs):)(?<line>[1-9]\\d{0,8})(?::\\d+)?"
      "|\\brank (?<rank>\\d{1,9})\\b"
      "|\\bstream (?<stream>\\d{1,9})\\b"
      "|(?-i:\\bT(?<tensor>\\d{1,9}))\\b",
      G_REGEX_CASELESS | G_REGEX_OPTIMIZE, 0, NULL);
}

static char *
dup_target (const GMatchInfo *match)
{
  static const char *const kinds[] = { "line", "rank", "stream", "tensor" };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *number = g_match_info_fetch_named (match, kinds[i]);

      if (number != NULL && *number != '\0')
        return g_strdup_printf ("%s/%s", kinds[i], number);
    }
  return g_strdup ("");
}

/* Adds @text[from, to) as markup. Returns whether there is a link in it. */
static gboolean
add_markup (GString *markup, const char *text, gsize from, gsize to)
{
  g_autofree char *part = g_strndup (text + from, to - from);
  g_autoptr (GRegex) regex = regex_new ();
  g_autoptr (GMatchInfo) match = NULL;
  g_autofree char *rest = NULL;
  int at = 0, start, end;

  for (g_regex_match (regex, part, 0, &match); g_match_info_matches (match);
       g_match_info_next (match, NULL))
    {
      g_autofree char *target = dup_target (match);
      g_autofree char *before = NULL, *word = NULL;

      g_match_info_fetch_pos (match, 0, &start, &end);
      before = g_markup_escape_text (part + at, start - at);
      word = g_markup_escape_text (part + start, end - start);
      g_string_append_printf (markup, "%s<a href=\"%s\">%s</a>", before, target, word);
      at = end;
    }
  rest = g_markup_escape_text (part + at, -1);
  g_string_append (markup, rest);
  return at > 0;
}

char *
hir_links_dup_markup (const char *text)
{
  g_autoptr (GString) markup = g_string_new (NULL);

  return add_markup (markup, text, 0, strlen (text)) ? g_strdup (markup->str) : NULL;
}

static gboolean
on_link (GtkLabel *label, const char *uri, gpointer user_data)
{
  gtk_widget_activate_action (GTK_WIDGET (label), "win.link", "s", uri);
  return TRUE;
}

void
hir_links_set_text (GtkLabel *label, const char *text, const char *words, const char *target)
{
  const char *found = words != NULL && *words != '\0' ? strstr (text, words) : NULL;
  gsize from = found != NULL ? (gsize) (found - text) : strlen (text);
  g_autoptr (GString) markup = g_string_new (NULL);
  gboolean has_links = add_markup (markup, text, 0, from);

  if (found != NULL)
    {
      g_autofree char *link = g_markup_printf_escaped ("<a href=\"%s\">%s</a>", target, words);

      g_string_append (markup, link);
      (void) add_markup (markup, text, from + strlen (words), strlen (text));
      has_links = TRUE;
    }
  g_signal_handlers_disconnect_by_func (label, on_link, NULL);
  if (!has_links)
    {
      gtk_label_set_text (label, text);
      return;
    }
  gtk_label_set_markup (label, markup->str);
  g_signal_connect (label, "activate-link", G_CALLBACK (on_link), NULL);
}
