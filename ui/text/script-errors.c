#include "text/script-errors.h"

#include "base/focus.h"

#define MAX_LISTED 20

typedef struct
{
  guint line;
  HirScriptErrorFunc clicked;
  gpointer user_data;
} Link;

static void
link_free (gpointer data, GClosure *closure)
{
  g_free (data);
}

static void
on_clicked (GtkButton *button, gpointer user_data)
{
  const Link *link = user_data;

  link->clicked (link->line, link->user_data);
}

static void
add_row (GtkBox *rows, HirPos pos, const char *message, HirScriptErrorFunc clicked, gpointer data)
{
  g_autofree char *text =
      pos.line > 0 ? g_strdup_printf ("%u:%u  %s", pos.line, MAX (pos.column, 1), message)
                   : g_strdup (message);
  GtkWidget *label = gtk_label_new (text);
  GtkWidget *button = gtk_button_new ();
  Link *link = g_new (Link, 1);

  *link = (Link){ pos.line, clicked, data };
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_button_set_child (GTK_BUTTON (button), label);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "script-error");
  g_signal_connect_data (button, "clicked", G_CALLBACK (on_clicked), link, link_free, 0);
  gtk_box_append (rows, button);
}

static gboolean
is_word (gunichar c)
{
  return g_unichar_isalnum (c) || c == '_';
}

/* Underlines the word or character at @pos, or before it at the end of a line. */
static void
underline (HirCodeView *view, HirPos pos)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
  GtkTextIter start, end;

  if ((int) pos.line > gtk_text_buffer_get_line_count (buffer))
    return;
  gtk_text_buffer_get_iter_at_line (buffer, &start, (int) pos.line - 1);
  for (guint i = 1; i < pos.column && !gtk_text_iter_ends_line (&start); i++)
    gtk_text_iter_forward_char (&start);
  if (gtk_text_iter_ends_line (&start) && !gtk_text_iter_starts_line (&start))
    gtk_text_iter_backward_char (&start);
  end = start;
  while (!gtk_text_iter_ends_line (&end) && is_word (gtk_text_iter_get_char (&end)))
    gtk_text_iter_forward_char (&end);
  if (gtk_text_iter_equal (&start, &end))
    gtk_text_iter_forward_char (&end);
  gtk_text_buffer_apply_tag_by_name (buffer, "error", &start, &end);
}

void
hir_script_errors_show (GtkBox *rows,
                        HirCodeView *view,
                        const GPtrArray *diagnostics,
                        HirScriptErrorFunc clicked,
                        gpointer user_data)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
  GtkWidget *child;
  GtkTextIter start, end;

  hir_focus_leave (GTK_WIDGET (rows), GTK_WIDGET (view));
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (rows))) != NULL)
    gtk_box_remove (rows, child);
  hir_code_view_unmark (view, HIR_MARK_ERROR);
  gtk_text_buffer_get_bounds (buffer, &start, &end);
  gtk_text_buffer_remove_tag_by_name (buffer, "error", &start, &end);
  for (guint i = 0; diagnostics != NULL && i < MIN (diagnostics->len, MAX_LISTED); i++)
    {
      const HirDiagnostic *diagnostic = diagnostics->pdata[i];

      add_row (rows, diagnostic->pos, diagnostic->message, clicked, user_data);
      if (diagnostic->pos.line == 0)
        continue;
      hir_code_view_mark (view, (int) diagnostic->pos.line - 1, (int) diagnostic->pos.line - 1,
                          HIR_MARK_ERROR);
      underline (view, diagnostic->pos);
    }
}
