#include "debugger/mismatch-strip.h"

#include "base/focus.h"
#include "base/links.h"
#include "config.h"

struct _HirMismatchStrip
{
  GtkWidget parent_instance;

  GtkWidget *box;
  GtkSpinner *spinner;
  GtkLabel *heading, *text, *report;
  GtkWidget *report_scroller;
  GtkWidget *show, *stop_there;
  GtkButton *stop;
};

G_DEFINE_FINAL_TYPE (HirMismatchStrip, hir_mismatch_strip, GTK_TYPE_WIDGET)

static GtkWidget *
add_button (GtkWidget *box, const char *label, const char *action, const char *tooltip)
{
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_widget_set_focus_on_click (button, FALSE);
  gtk_widget_set_valign (button, GTK_ALIGN_START);
  gtk_box_append (GTK_BOX (box), button);
  return button;
}

static void
hir_mismatch_strip_dispose (GObject *object)
{
  g_clear_pointer (&HIR_MISMATCH_STRIP (object)->box, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_mismatch_strip_parent_class)->dispose (object);
}

static void
hir_mismatch_strip_class_init (HirMismatchStripClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_mismatch_strip_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

static void
hir_mismatch_strip_init (HirMismatchStrip *self)
{
  GtkWidget *words = gtk_box_new (GTK_ORIENTATION_VERTICAL, 1);

  self->box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  gtk_widget_add_css_class (self->box, "wrong-strip");
  self->spinner = GTK_SPINNER (gtk_spinner_new ());
  gtk_widget_set_valign (GTK_WIDGET (self->spinner), GTK_ALIGN_START);
  self->heading = GTK_LABEL (gtk_label_new (NULL));
  self->text = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (self->heading, 0);
  gtk_label_set_xalign (self->text, 0);
  gtk_label_set_wrap (self->heading, TRUE);
  gtk_label_set_wrap (self->text, TRUE);
  gtk_label_set_wrap_mode (self->text, PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (GTK_WIDGET (self->heading), "heading-small");
  gtk_widget_set_hexpand (words, TRUE);
  gtk_box_append (GTK_BOX (words), GTK_WIDGET (self->heading));
  gtk_box_append (GTK_BOX (words), GTK_WIDGET (self->text));
  self->report_scroller = hir_links_new_report (&self->report);
  gtk_box_append (GTK_BOX (words), self->report_scroller);
  gtk_box_append (GTK_BOX (self->box), GTK_WIDGET (self->spinner));
  gtk_box_append (GTK_BOX (self->box), words);
  self->show = add_button (self->box, "Show", "win.find-wrong-show",
                           "Show the instruction in text and graph");
  self->stop_there = add_button (self->box, "Set Breakpoint", "win.find-wrong-break",
                                 "Set a breakpoint at this instruction, iteration and rank");
  self->stop = GTK_BUTTON (add_button (self->box, "Cancel", "win.find-wrong-end", NULL));
  gtk_widget_set_parent (self->box, GTK_WIDGET (self));
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

static void
show (HirMismatchStrip *self,
      const char *heading,
      const char *text,
      const char *report,
      gboolean found,
      gboolean busy)
{
  gtk_label_set_text (self->heading, heading);
  hir_links_set_text (self->text, text != NULL ? text : "", NULL, NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->text), text != NULL && *text != '\0');
  hir_links_set_text (self->report, report != NULL ? report : "", NULL, NULL);
  gtk_widget_set_visible (self->report_scroller, report != NULL);
  gtk_widget_set_visible (self->show, found);
  gtk_widget_set_visible (self->stop_there, found);
  gtk_widget_set_visible (GTK_WIDGET (self->spinner), busy);
  gtk_spinner_set_spinning (self->spinner, busy);
  gtk_button_set_label (self->stop, busy ? "Cancel" : "Done");
  gtk_widget_set_visible (GTK_WIDGET (self), TRUE);
}

void
hir_mismatch_strip_clear (HirMismatchStrip *self)
{
  hir_focus_leave (GTK_WIDGET (self), NULL);
  gtk_spinner_set_spinning (self->spinner, FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

void
hir_mismatch_strip_show_progress (HirMismatchStrip *self, guint n_compared)
{
  g_autofree char *text =
      g_strdup_printf ("%u result%s so far", n_compared, n_compared == 1 ? "" : "s");

  show (self, "Comparing each result with sequential execution\xe2\x80\xa6", text, NULL, FALSE,
        TRUE);
}

void
hir_mismatch_strip_show_result (HirMismatchStrip *self,
                                const char *heading,
                                const char *text,
                                const char *report,
                                gboolean found)
{
  show (self, heading, text, report, found, FALSE);
}

#if HIR_TESTING
char *
hir_mismatch_strip_dup_text (HirMismatchStrip *self)
{
  if (!gtk_widget_get_visible (GTK_WIDGET (self)))
    return g_strdup ("");
  return g_strdup_printf ("%s\n%s\n%s", gtk_label_get_text (self->heading),
                          gtk_label_get_text (self->text), gtk_label_get_text (self->report));
}

GtkWidget *
hir_mismatch_strip_get_report (HirMismatchStrip *self)
{
  return GTK_WIDGET (self->report);
}
#endif

GtkWidget *
hir_mismatch_strip_new (void)
{
  return g_object_new (HIR_TYPE_MISMATCH_STRIP, NULL);
}
