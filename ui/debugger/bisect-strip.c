#include "debugger/bisect-strip.h"

#include "base/links.h"

struct _HirBisectStrip
{
  GtkWidget parent_instance;

  GtkWidget *box;
  GtkLabel *heading;
  GtkLabel *text, *report;
  GtkWidget *report_scroller;
  GtkProgressBar *bar;
  GtkEditable *pattern;
  GtkWidget *diff;
  GtkButton *stop;
};

G_DEFINE_FINAL_TYPE (HirBisectStrip, hir_bisect_strip, GTK_TYPE_WIDGET)

static void
hir_bisect_strip_dispose (GObject *object)
{
  g_clear_pointer (&HIR_BISECT_STRIP (object)->box, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_bisect_strip_parent_class)->dispose (object);
}

static void
hir_bisect_strip_class_init (HirBisectStripClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_bisect_strip_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
on_pattern (GtkEntry *entry)
{
  const char *pattern = gtk_editable_get_text (GTK_EDITABLE (entry));

  if (*pattern != '\0')
    gtk_widget_activate_action (GTK_WIDGET (entry), "win.bisect-text", "s", pattern);
}

static gboolean
on_escape (GtkWidget *widget, GVariant *arguments, gpointer user_data)
{
  return gtk_widget_activate_action (widget, "win.bisect-stop", NULL);
}

static GtkLabel *
add_label (GtkWidget *box, const char *css_class)
{
  GtkWidget *label = gtk_label_new ("");

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (label, css_class);
  gtk_box_append (GTK_BOX (box), label);
  return GTK_LABEL (label);
}

static GtkWidget *
create_entry (HirBisectStrip *self)
{
  GtkWidget *entry = gtk_entry_new ();
  GtkEventController *keys = gtk_shortcut_controller_new ();

  self->pattern = GTK_EDITABLE (entry);
  gtk_editable_set_width_chars (self->pattern, 10);
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), "Synchronize");
  gtk_widget_set_tooltip_text (entry, "Regular expression; press Enter to search");
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, "Pattern",
                                  -1);
  g_signal_connect (entry, "activate", G_CALLBACK (on_pattern), NULL);
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (keys),
                                        gtk_shortcut_new (gtk_shortcut_trigger_parse_string (
                                                              "Escape"),
                                                          gtk_callback_action_new (on_escape, NULL,
                                                                                   NULL)));
  gtk_widget_add_controller (entry, keys);
  return entry;
}

static void
hir_bisect_strip_init (HirBisectStrip *self)
{
  GtkWidget *buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  self->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  gtk_widget_add_css_class (self->box, "bisect-strip");
  self->heading = add_label (self->box, "bisect-heading");
  self->text = add_label (self->box, "pass-note");
  self->report_scroller = hir_links_new_report (&self->report);
  gtk_box_append (GTK_BOX (self->box), self->report_scroller);
  gtk_box_append (GTK_BOX (self->box), create_entry (self));
  self->bar = GTK_PROGRESS_BAR (gtk_progress_bar_new ());
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->bar));
  self->diff = gtk_button_new_with_label ("Show Changes");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->diff), "win.bisect-diff");
  self->stop = GTK_BUTTON (gtk_button_new_with_label ("Cancel"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->stop), "win.bisect-stop");
  gtk_widget_set_focus_on_click (self->diff, FALSE);
  gtk_widget_set_focus_on_click (GTK_WIDGET (self->stop), FALSE);
  gtk_box_append (GTK_BOX (buttons), self->diff);
  gtk_box_append (GTK_BOX (buttons), GTK_WIDGET (self->stop));
  gtk_box_append (GTK_BOX (self->box), buttons);
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

static void
show (HirBisectStrip *self, const char *heading, const char *text, const char *report)
{
  gtk_label_set_text (self->heading, heading);
  hir_links_set_text (self->text, text != NULL ? text : "", NULL, NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->text), text != NULL && *text != '\0');
  hir_links_set_text (self->report, report != NULL ? report : "", NULL, NULL);
  gtk_widget_set_visible (self->report_scroller, report != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->pattern), FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self->bar), FALSE);
  gtk_widget_set_visible (self->diff, FALSE);
  gtk_button_set_label (self->stop, "Cancel");
  gtk_widget_set_visible (GTK_WIDGET (self), TRUE);
}

void
hir_bisect_strip_clear (HirBisectStrip *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

void
hir_bisect_strip_show_progress (HirBisectStrip *self, const char *pass, guint index, guint n)
{
  g_autofree char *heading = g_strdup_printf ("Checking %s\xe2\x80\xa6", pass);

  show (self, heading, NULL, NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->bar), TRUE);
  gtk_progress_bar_set_fraction (self->bar, n > 0 ? (double) index / n : 0);
}

void
hir_bisect_strip_show_result (HirBisectStrip *self,
                              const char *heading,
                              const char *text,
                              const char *report,
                              gboolean has_diff)
{
  show (self, heading, text, report);
  gtk_widget_set_visible (self->diff, has_diff);
  gtk_button_set_label (self->stop, "Done");
}

void
hir_bisect_strip_ask (HirBisectStrip *self)
{
  show (self, "Find the first pass that adds or removes", NULL, NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->pattern), TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->pattern));
}

GtkWidget *
hir_bisect_strip_new (void)
{
  return g_object_new (HIR_TYPE_BISECT_STRIP, NULL);
}
