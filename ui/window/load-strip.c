#include "window/load-strip.h"

#include "base/focus.h"
#include "config.h"

#define UPDATE_MS 100
#define SHOW_AFTER_MS 300 /* avoids flicker for short loads */

typedef struct
{
  HirDocument *document; /* borrowed; the window owns both */
  GtkWidget *strip;
  GtkLabel *label;
  GtkProgressBar *bar;
  GtkWidget *keep;
  guint timer; /* updates the progress, or 0 */
  gint64 began_us;
} Strip;

static char *
describe (const char *const *paths, gboolean is_tying, guint64 done, guint64 total)
{
  g_autofree char *name = g_path_get_basename (paths[0]);
  g_autofree char *read = g_format_size_full (done, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *all = g_format_size_full (total, G_FORMAT_SIZE_IEC_UNITS);
  guint n_more = g_strv_length ((char **) paths) - 1;
  GString *text = g_string_new (is_tying ? "Tying to the program: " : "Loading ");

  g_string_append (text, name);
  if (n_more > 0)
    g_string_append_printf (text, " and %u more", n_more);
  if (is_tying)
    return g_string_free (text, FALSE);
  if (done > 0 && total > 0)
    g_string_append_printf (text, ": %s of %s", read, all);
  else if (done > 0)
    g_string_append_printf (text, ": %s", read);
  return g_string_free (text, FALSE);
}

/* Returns a description of the current loading or lowering, or NULL. *@share is the completed
 * share, negative if it is unknown. */
static char *
dup_state (Strip *self, double *share)
{
  const char *const *paths;
  const char *what;
  guint64 done, total;
  guint n_done, n_steps;

  *share = -1;
  if (hir_document_get_loading (self->document, &paths, &done, &total))
    {
      if (total > 0 && done < total)
        *share = (double) done / (double) total;
      return describe (paths, hir_document_get_is_attaching (self->document) && done >= total, done,
                       total);
    }
  if (!hir_document_get_lowering (self->document, &what, &n_done, &n_steps))
    return NULL;
  if (n_steps == 0)
    return g_strdup ("Lowering: the script");
  *share = (double) n_done / n_steps;
  return g_strdup_printf ("Lowering: %s (%u of %u)", what, MIN (n_done + 1, n_steps), n_steps);
}

static void
show (Strip *self, const char *text, double share)
{
  gboolean is_partial = hir_document_get_is_partial (self->document);

  gtk_label_set_text (self->label, text);
  if (share >= 0)
    gtk_progress_bar_set_fraction (self->bar, share);
  else
    gtk_progress_bar_pulse (self->bar);
  gtk_widget_set_visible (self->keep, is_partial);
  gtk_widget_set_visible (self->strip, is_partial || g_get_monotonic_time () - self->began_us >=
                                                         SHOW_AFTER_MS * 1000);
}

static gboolean
update (gpointer user_data)
{
  Strip *self = user_data;
  double share;
  g_autofree char *text = dup_state (self, &share);

  if (text != NULL)
    {
      show (self, text, share);
      return G_SOURCE_CONTINUE;
    }
  hir_focus_leave (self->strip, NULL);
  gtk_widget_set_visible (self->strip, FALSE);
  self->timer = 0;
  return G_SOURCE_REMOVE;
}

static void
on_state_changed (GtkWidget *strip)
{
  Strip *self = g_object_get_data (G_OBJECT (strip), "hir-strip");
  double share;
  g_autofree char *text = dup_state (self, &share);

  if (text == NULL)
    {
      hir_focus_leave (self->strip, NULL);
      gtk_widget_set_visible (self->strip, FALSE);
      return;
    }
  if (self->timer != 0)
    return;
  self->began_us = g_get_monotonic_time ();
  gtk_progress_bar_set_fraction (self->bar, 0);
  self->timer = g_timeout_add (UPDATE_MS, update, self);
}

static void
strip_free (gpointer data)
{
  Strip *self = data;

  if (self->timer != 0)
    g_source_remove (self->timer);
  g_free (self);
}

#if HIR_TESTING
const char *
hir_load_strip_get_text (GtkWidget *strip)
{
  Strip *self = g_object_get_data (G_OBJECT (strip), "hir-strip");

  return gtk_widget_get_visible (strip) ? gtk_label_get_text (self->label) : "";
}
#endif

GtkWidget *
hir_load_strip_new (HirDocument *document)
{
  Strip *self = g_new0 (Strip, 1);
  GtkWidget *label = gtk_label_new ("");
  GtkWidget *bar = gtk_progress_bar_new ();
  GtkWidget *cancel = gtk_button_new_with_label ("Cancel");

  self->document = document;
  self->strip = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  self->label = GTK_LABEL (label);
  self->bar = GTK_PROGRESS_BAR (bar);
  gtk_label_set_xalign (self->label, 0);
  gtk_label_set_ellipsize (self->label, PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_hexpand (bar, TRUE);
  gtk_widget_set_valign (bar, GTK_ALIGN_CENTER);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (cancel), "win.cancel-loading");
  gtk_widget_set_tooltip_text (cancel, "Cancel and keep the previous document (Escape)");
  self->keep = gtk_button_new_with_label ("Keep Loaded Part");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->keep), "win.keep-loaded");
  gtk_widget_set_tooltip_text (self->keep, "Stop loading and keep the events read so far");
  gtk_widget_set_visible (self->keep, FALSE);
  gtk_widget_add_css_class (self->strip, "load-strip");
  gtk_box_append (GTK_BOX (self->strip), label);
  gtk_box_append (GTK_BOX (self->strip), bar);
  gtk_box_append (GTK_BOX (self->strip), self->keep);
  gtk_box_append (GTK_BOX (self->strip), cancel);
  gtk_widget_set_visible (self->strip, FALSE);
  g_object_set_data_full (G_OBJECT (self->strip), "hir-strip", self, strip_free);
  g_signal_connect_object (document, "state-changed", G_CALLBACK (on_state_changed), self->strip,
                           G_CONNECT_SWAPPED);
  return self->strip;
}
