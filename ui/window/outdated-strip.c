#include "window/outdated-strip.h"

typedef struct
{
  HirDocument *document; /* borrowed; the window owns both */
  GtkWidget *strip;
  GtkLabel *label;
  GtkButton *show;
} Strip;

static void
update (Strip *self)
{
  HirProgram *rejected = hir_document_get_rejected (self->document);
  gboolean shows = hir_document_shows_rejected (self->document);
  g_autofree char *text = NULL;

  gtk_widget_set_visible (self->strip, hir_document_is_outdated (self->document));
  if (shows)
    text = g_strdup_printf ("Program up to %s, which rejected the change",
                            rejected->failed_pass != NULL ? rejected->failed_pass : "the verifier");
  else
    text = g_strdup ("This program is older than the last change");
  gtk_label_set_text (self->label, text);
  gtk_widget_set_visible (GTK_WIDGET (self->show), rejected != NULL);
  gtk_button_set_label (self->show, shows ? "Show Previous" : "Show Rejected");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->show),
                               shows ? "Show the program from before the change"
                                     : "Show the program up to the pass that rejected the change");
}

static void
on_edited (GtkWidget *strip)
{
  update (g_object_get_data (G_OBJECT (strip), "hir-strip"));
}

static GtkWidget *
add_button (GtkWidget *strip, const char *label, const char *action)
{
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_focus_on_click (button, FALSE);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (strip), button);
  return button;
}

GtkWidget *
hir_outdated_strip_new (HirDocument *document)
{
  Strip *self = g_new0 (Strip, 1);
  GtkWidget *label = gtk_label_new ("");

  self->document = document;
  self->strip = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  self->label = GTK_LABEL (label);
  gtk_label_set_xalign (self->label, 0);
  gtk_label_set_ellipsize (self->label, PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_widget_add_css_class (self->strip, "behind-strip");
  gtk_box_append (GTK_BOX (self->strip), label);
  self->show = GTK_BUTTON (add_button (self->strip, "", "win.show-rejected"));
  gtk_widget_set_tooltip_text (add_button (self->strip, "Undo", "win.undo"),
                               "Undo the change (Ctrl+Z)");
  g_object_set_data_full (G_OBJECT (self->strip), "hir-strip", self, g_free);
  g_signal_connect_object (document, "edited", G_CALLBACK (on_edited), self->strip,
                           G_CONNECT_SWAPPED);
  update (self);
  return self->strip;
}
