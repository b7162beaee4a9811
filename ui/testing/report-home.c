/* Reports inspector, clipboard and panes. */
#include "testing/report-widgets.h"
#include "window/window-private.h"

/* Adds one string per label, from top to bottom. */
static void
add_labels (HirJsonOut *json, GtkWidget *widget)
{
  if (!gtk_widget_get_visible (widget))
    return;
  if (GTK_IS_LABEL (widget) && *gtk_label_get_text (GTK_LABEL (widget)) != '\0')
    {
      hir_report_add_string (json, NULL, gtk_label_get_text (GTK_LABEL (widget)));
      return;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    add_labels (json, child);
}

void
hir_report_add_home (HirJsonOut *json, HirWindow *window)
{
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (window));
  g_autofree char *formats = gdk_content_formats_to_string (gdk_clipboard_get_formats (clipboard));

  hir_json_out_begin (json, "inspector", '[');
  add_labels (json, window->layout.inspector);
  hir_json_out_end (json, ']');
  hir_report_add_string (json, "clipboard", formats);
  hir_json_out_begin (json, "panes", '{');
  hir_json_out_add_bool (json, "passes", gtk_widget_get_mapped (window->layout.passes_pane));
  hir_json_out_add_bool (json, "inspector", gtk_widget_get_mapped (window->layout.inspector));
  hir_json_out_add_bool (json, "timeline", gtk_widget_get_mapped (window->layout.bottom));
  hir_json_out_end (json, '}');
  hir_json_out_add_int (json, "text_size",
                        hir_settings_get (window->settings, HIR_SETTING_TEXT_SIZE));
}
