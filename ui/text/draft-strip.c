#include "text/draft-strip.h"

static void
add_button (GtkWidget *strip, const char *label, const char *action, const char *tooltip)
{
  GtkWidget *button = gtk_button_new_with_label (label);

  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (strip), button);
}

GtkWidget *
hir_draft_strip_new (void)
{
  GtkWidget *strip = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *label = gtk_label_new ("");

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_widget_add_css_class (strip, "load-strip");
  gtk_box_append (GTK_BOX (strip), label);
  add_button (strip, "Restore", "win.draft-restore", "Continue with this text, without saving it");
  add_button (strip, "Discard", "win.draft-discard", "Delete these changes");
  gtk_widget_set_visible (strip, FALSE);
  return strip;
}

/* Returns "14:03", or with the day if that is another one (transfer full). */
static char *
dup_time (gint64 time_us)
{
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_local (time_us / G_USEC_PER_SEC);
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();

  if (time == NULL)
    return g_strdup ("");
  return g_date_time_format (time, g_date_time_get_year (time) == g_date_time_get_year (now) &&
                                           g_date_time_get_day_of_year (time) ==
                                               g_date_time_get_day_of_year (now)
                                       ? "%H:%M"
                                       : "%e %b %Y %H:%M");
}

void
hir_draft_strip_set (GtkWidget *strip, const HirLeftDraft *draft)
{
  g_autofree char *name =
      draft != NULL ? g_path_get_basename (draft->request->source->path) : g_strdup ("");
  g_autofree char *time = dup_time (draft != NULL ? draft->time_us : 0);
  g_autofree char *text = g_strdup_printf ("Unsaved changes of %s from %s", name, time);

  gtk_label_set_text (GTK_LABEL (gtk_widget_get_first_child (strip)), text);
  gtk_widget_set_visible (strip, draft != NULL);
}
