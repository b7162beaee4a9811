/* Reports inspector, clipboard and panes. */
#include "testing/report-widgets.h"
#include "window/window-private.h"

/* Appends one string per label, from top to bottom. */
static void
append_labels (GString *out, GtkWidget *widget)
{
  if (!gtk_widget_get_visible (widget))
    return;
  if (GTK_IS_LABEL (widget) && *gtk_label_get_text (GTK_LABEL (widget)) != '\0')
    {
      if (out->str[out->len - 1] != '[')
        g_string_append_c (out, ',');
      hir_report_append_string (out, gtk_label_get_text (GTK_LABEL (widget)));
      return;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    append_labels (out, child);
}

void
hir_report_append_home (GString *out, HirWindow *window)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (window));
  g_autofree char *formats = gdk_content_formats_to_string (gdk_clipboard_get_formats (clipboard));

  g_string_append (out, ",\"inspector\":[");
  append_labels (out, window->layout.inspector);
  g_string_append (out, "],\"clipboard\":");
  hir_report_append_string (out, formats);
  g_string_append_printf (
      out, ",\"panes\":{\"passes\":%s,\"inspector\":%s,\"timeline\":%s},\"text_size\":%d",
      gtk_widget_get_mapped (window->layout.passes_pane) ? "true" : "false",
      gtk_widget_get_mapped (window->layout.inspector) ? "true" : "false",
      gtk_widget_get_mapped (window->layout.bottom) ? "true" : "false",
      hir_settings_get (window->settings, HIR_SETTING_TEXT_SIZE));
}
