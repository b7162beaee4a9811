#include "window/export-strip.h"

#include "base/focus.h"

#define UPDATE_MS 100
#define SHOW_AFTER_MS 300 /* avoids flicker for short exports */

typedef struct
{
  GtkWidget *strip;
  GtkLabel *label;
  GtkProgressBar *bar;
  const HirExportProgress *progress; /* borrowed; NULL if no file is being written */
  char *name;
  guint timer;
  gint64 began_us;
} Strip;

static gboolean
update (gpointer user_data)
{
  Strip *self = user_data;
  double share = hir_export_progress_get_share (self->progress);
  g_autofree char *text = share > 0
                              ? g_strdup_printf ("Writing %s: %.0f%%", self->name, share * 100)
                              : g_strdup_printf ("Writing %s", self->name);

  gtk_label_set_text (self->label, text);
  if (share > 0)
    gtk_progress_bar_set_fraction (self->bar, share);
  else
    gtk_progress_bar_pulse (self->bar);
  if (g_get_monotonic_time () - self->began_us >= SHOW_AFTER_MS * 1000)
    gtk_widget_set_visible (self->strip, TRUE);
  return G_SOURCE_CONTINUE;
}

void
hir_export_strip_end (GtkWidget *strip)
{
  Strip *self = g_object_get_data (G_OBJECT (strip), "hir-strip");

  g_clear_handle_id (&self->timer, g_source_remove);
  g_clear_pointer (&self->name, g_free);
  self->progress = NULL;
  hir_focus_leave (strip, NULL);
  gtk_widget_set_visible (strip, FALSE);
}

void
hir_export_strip_begin (GtkWidget *strip, const char *path, const HirExportProgress *progress)
{
  Strip *self = g_object_get_data (G_OBJECT (strip), "hir-strip");

  hir_export_strip_end (strip);
  self->name = g_path_get_basename (path);
  self->progress = progress;
  self->began_us = g_get_monotonic_time ();
  self->timer = g_timeout_add (UPDATE_MS, update, self);
  gtk_progress_bar_set_fraction (self->bar, 0);
}

static void
strip_free (gpointer data)
{
  Strip *self = data;

  g_clear_handle_id (&self->timer, g_source_remove);
  g_free (self->name);
  g_free (self);
}

GtkWidget *
hir_export_strip_new (void)
{
  Strip *self = g_new0 (Strip, 1);
  GtkWidget *label = gtk_label_new ("");
  GtkWidget *bar = gtk_progress_bar_new ();
  GtkWidget *cancel = gtk_button_new_with_label ("Cancel Export");

  self->strip = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  self->label = GTK_LABEL (label);
  self->bar = GTK_PROGRESS_BAR (bar);
  gtk_label_set_xalign (self->label, 0);
  gtk_label_set_ellipsize (self->label, PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_hexpand (bar, TRUE);
  gtk_widget_set_valign (bar, GTK_ALIGN_CENTER);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (cancel), "win.cancel-export");
  gtk_widget_set_tooltip_text (cancel,
                               "Cancel the export without leaving a partial file (Shift+Escape)");
  gtk_widget_add_css_class (self->strip, "load-strip");
  gtk_box_append (GTK_BOX (self->strip), label);
  gtk_box_append (GTK_BOX (self->strip), bar);
  gtk_box_append (GTK_BOX (self->strip), cancel);
  gtk_widget_set_visible (self->strip, FALSE);
  g_object_set_data_full (G_OBJECT (self->strip), "hir-strip", self, strip_free);
  return self->strip;
}
