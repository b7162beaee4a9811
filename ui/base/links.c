#include "base/links.h"

#include "base/control-words.h"
#include "draw/link-text.h"

/* Returns @text with links as markup, or NULL if there are none. */
static char *
dup_markup (const char *text, const HirLinkWords *words, guint n_words)
{
  g_autoptr (GRegex) pattern = hir_link_text_create_pattern ();
  g_autoptr (GArray) links = hir_link_text_find (pattern, text, words, n_words);
  g_autoptr (GString) markup = g_string_new (NULL);
  g_autofree char *rest = NULL;
  guint at = 0;

  for (guint i = 0; i < links->len; i++)
    {
      const HirLink *link = &g_array_index (links, HirLink, i);
      g_autofree char *before = g_markup_escape_text (text + at, link->start - at);
      g_autofree char *word = g_markup_escape_text (text + link->start, link->end - link->start);

      g_string_append_printf (markup, "%s<a href=\"%s\">%s</a>", before, link->target, word);
      at = link->end;
    }
  rest = g_markup_escape_text (text + at, -1);
  g_string_append (markup, rest);
  return links->len > 0 ? g_strdup (markup->str) : NULL;
}

char *
hir_links_dup_markup (const char *text)
{
  return dup_markup (text, NULL, 0);
}

GtkWidget *
hir_links_new_report (GtkLabel **label)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();
  GtkWidget *report = gtk_label_new ("");

  gtk_label_set_xalign (GTK_LABEL (report), 0);
  gtk_widget_add_css_class (report, "report");
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), report);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_AUTOMATIC,
                                  GTK_POLICY_NEVER);
  *label = GTK_LABEL (report);
  return scroller;
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
  const HirLinkWords other = { words, target };
  g_autofree char *shown = hir_control_words_dup (text);
  g_autofree char *markup = dup_markup (shown, &other, 1);

  g_signal_handlers_disconnect_by_func (label, on_link, NULL);
  if (markup == NULL)
    {
      gtk_label_set_text (label, shown);
      return;
    }
  gtk_label_set_markup (label, markup);
  g_signal_connect (label, "activate-link", G_CALLBACK (on_link), NULL);
}
