#include "window/outdated-strip.h"

#include "base/focus.h"

typedef struct
{
  HirDocument *document; /* borrowed; the window owns both */
  GtkWidget *strip;
  GtkLabel *label;
  GtkButton *show;
  GtkWidget *undo;
  GtkWidget *leave;
  GtkWidget *both, *end; /* of the offer */
  char *offer;           /* nullable */
} Strip;

static void
strip_free (gpointer data)
{
  Strip *self = data;

  g_free (self->offer);
  g_free (self);
}

static char *
dup_text (Strip *self)
{
  static const char *const programs[] = {
    [HIR_RUN_PROGRAM_OPEN] = "this program",
    [HIR_RUN_PROGRAM_EARLIER] = "an earlier program",
    [HIR_RUN_PROGRAM_OTHER_FUNCTION] = "another function",
    [HIR_RUN_PROGRAM_OTHER_SCRIPT] = "another script",
  };
  HirProgram *rejected = hir_document_get_rejected (self->document);
  HirRunEntry *run = hir_document_get_shown_run (self->document);
  g_autofree char *title = NULL;

  if (hir_document_shows_run (self->document))
    {
      title = run != NULL ? hir_run_entry_dup_long_title (run) : g_strdup ("An earlier run");
      return g_strdup_printf ("%s is of %s", title,
                              run != NULL
                                  ? programs[hir_document_get_run_program (self->document, run)]
                                  : programs[HIR_RUN_PROGRAM_EARLIER]);
    }
  if (hir_document_shows_rejected (self->document))
    return g_strdup_printf ("Program up to %s, which rejected the change",
                            rejected->failed_pass != NULL ? rejected->failed_pass : "the verifier");
  if (hir_document_is_outdated (self->document))
    return g_strdup ("This program is older than the last change");
  return g_strdup (self->offer);
}

static void
update (Strip *self)
{
  HirProgram *rejected = hir_document_get_rejected (self->document);
  gboolean shows = hir_document_shows_rejected (self->document);
  gboolean is_run = hir_document_shows_run (self->document);
  gboolean is_outdated = !is_run && hir_document_is_outdated (self->document);
  gboolean is_offer = !is_run && !is_outdated && self->offer != NULL;
  g_autofree char *text = dup_text (self);

  if (text == NULL)
    hir_focus_leave (self->strip, NULL);
  gtk_widget_set_visible (self->strip, text != NULL);
  /* The differences between two runs do not fit next to the buttons. */
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->strip),
                                  is_offer ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL);
  gtk_label_set_text (self->label, text != NULL ? text : "");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->label), text);
  gtk_widget_set_visible (GTK_WIDGET (self->show), is_outdated && rejected != NULL);
  gtk_widget_set_visible (self->undo, is_outdated);
  gtk_widget_set_visible (self->leave, is_run);
  gtk_widget_set_visible (self->both, is_offer);
  gtk_widget_set_visible (self->end, is_offer);
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
add_button (GtkWidget *strip, GtkWidget *button, const char *action, const char *tooltip)
{
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_widget_set_focus_on_click (button, FALSE);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (strip), button);
  return button;
}

void
hir_outdated_strip_set_offer (GtkWidget *strip, const char *offer)
{
  Strip *self = g_object_get_data (G_OBJECT (strip), "hir-strip");

  if (g_strcmp0 (self->offer, offer) == 0)
    return;
  g_free (self->offer);
  self->offer = g_strdup (offer);
  update (self);
}

GtkWidget *
hir_outdated_strip_new (HirDocument *document)
{
  Strip *self = g_new0 (Strip, 1);
  GtkWidget *label = gtk_label_new ("");
  GtkWidget *buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  self->document = document;
  self->strip = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  self->label = GTK_LABEL (label);
  gtk_label_set_xalign (self->label, 0);
  gtk_label_set_ellipsize (self->label, PANGO_ELLIPSIZE_END);
  gtk_label_set_wrap (self->label, TRUE);
  gtk_label_set_lines (self->label, 3);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_widget_add_css_class (self->strip, "behind-strip");
  gtk_box_append (GTK_BOX (self->strip), label);
  gtk_widget_set_halign (buttons, GTK_ALIGN_END);
  gtk_box_append (GTK_BOX (self->strip), buttons);
  self->show =
      GTK_BUTTON (add_button (buttons, gtk_button_new_with_label (""), "win.show-rejected", NULL));
  self->undo = add_button (buttons, gtk_button_new_with_label ("Undo"), "win.undo",
                           "Undo the change (Ctrl+Z)");
  self->leave = add_button (buttons, gtk_button_new_with_label ("Show Current"), "win.run-leave",
                            "Show the current program and its last run");
  self->both =
      add_button (buttons, gtk_button_new_with_label ("Run Both and Compare"), "win.run-both",
                  "Run with the old and the new options and compare; a run on the "
                  "modelled clock is not repeated");
  self->end = add_button (buttons, gtk_button_new_from_icon_name ("window-close-symbolic"),
                          "win.run-both-end", "Hide this offer");
  gtk_widget_add_css_class (self->end, "flat");
  g_object_set_data_full (G_OBJECT (self->strip), "hir-strip", self, strip_free);
  g_signal_connect_object (document, "edited", G_CALLBACK (on_edited), self->strip,
                           G_CONNECT_SWAPPED);
  update (self);
  return self->strip;
}
