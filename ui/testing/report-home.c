/* Reports inspector, clipboard and panes. */
#include "testing/report-widgets.h"
#include "trace/duration.h"
#include "window/text-file-controller.h"

void
hir_report_add_labels (HirJsonOut *json, GtkWidget *widget)
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
    hir_report_add_labels (json, child);
}

/* Adds the runs, oldest first. */
static void
add_runs (HirJsonOut *json, HirWindow *window)
{
  HirRunHistory *runs = hir_document_get_runs (window->document);
  HirRunEntry *shown = hir_document_get_shown_run (window->document);

  hir_json_out_begin (json, "runs", '[');
  for (guint i = 0; i < hir_run_history_get_n (runs); i++)
    {
      const HirRunEntry *entry = hir_run_history_get (runs, i);
      g_autofree char *title = hir_run_entry_dup_title (entry);
      g_autofree char *note = hir_document_dup_run_note (window->document, entry);
      g_autofree char *total = hir_format_duration (entry->total_ns);

      hir_json_out_begin (json, NULL, '{');
      hir_report_add_string (json, "title", title);
      hir_report_add_string (json, "note", note);
      hir_report_add_string (json, "total", total);
      hir_report_add_string (json, "verdict", hir_run_verdict_get_text (entry->verdict));
      hir_json_out_add_bool (json, "shown", entry == shown);
      hir_json_out_add_bool (json, "pinned", entry->name != NULL);
      hir_json_out_add_bool (json, "stays", entry->stays && entry->path != NULL);
      hir_json_out_add_bool (json, "earlier",
                             hir_document_is_earlier_run (window->document, entry));
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
}

/* Adds left, top, width and height of @pane, or nothing if it is hidden. */
static void
add_box (HirJsonOut *json, const char *name, GtkWidget *pane)
{
  double x, y;

  if (!gtk_widget_get_mapped (pane) || !hir_report_get_place (pane, 0, 0, &x, &y))
    return;
  hir_json_out_begin (json, name, '[');
  hir_json_out_add_int (json, NULL, (int) x);
  hir_json_out_add_int (json, NULL, (int) y);
  hir_json_out_add_int (json, NULL, gtk_widget_get_width (pane));
  hir_json_out_add_int (json, NULL, gtk_widget_get_height (pane));
  hir_json_out_end (json, ']');
}

/* Adds a checksum of the picture that the window has copied; "" if there is none. */
static void
add_copied_picture (HirJsonOut *json, GdkClipboard *clipboard)
{
  GdkContentProvider *content = gdk_clipboard_get_content (clipboard);
  g_auto (GValue) value = G_VALUE_INIT;
  g_autoptr (GBytes) png = NULL;
  g_autofree char *sum = NULL;

  g_value_init (&value, GDK_TYPE_TEXTURE);
  if (content != NULL && gdk_content_provider_get_value (content, &value, NULL))
    png = gdk_texture_save_to_png_bytes (g_value_get_object (&value));
  if (png != NULL)
    sum = g_compute_checksum_for_bytes (G_CHECKSUM_SHA1, png);
  hir_report_add_string (json, "copied", sum);
}

void
hir_report_add_home (HirJsonOut *json, HirWindow *window)
{
  static const char *const names[HIR_N_PANES] = { "passes", "text", "views", "inspector",
                                                  "bottom" };
  GdkClipboard *clipboard = gtk_widget_get_clipboard (GTK_WIDGET (window));
  AdwToast *toast = g_object_get_data (G_OBJECT (window), "hir-toast");
  g_autofree char *formats = gdk_content_formats_to_string (gdk_clipboard_get_formats (clipboard));

  hir_json_out_begin (json, "inspector", '[');
  hir_report_add_labels (json, window->layout.panes[HIR_PANE_INSPECTOR]);
  hir_json_out_end (json, ']');
  hir_report_add_string (json, "clipboard", formats);
  add_copied_picture (json, clipboard);
  add_runs (json, window);
  hir_json_out_begin (json, "draft", '[');
  hir_report_add_labels (json, hir_text_file_controller_get_draft_strip (window->text_file));
  hir_json_out_end (json, ']');
  hir_json_out_begin (json, "changedFile", '[');
  hir_report_add_labels (json, hir_text_file_controller_get_changed_strip (window->text_file));
  hir_json_out_end (json, ']');
  hir_json_out_begin (json, "outdated", '[');
  hir_report_add_labels (json, window->outdated);
  hir_json_out_end (json, ']');
  hir_json_out_begin (json, "bisect", '[');
  hir_report_add_labels (json, window->bottom.pages[HIR_BOTTOM_BISECT]);
  hir_json_out_end (json, ']');
  hir_json_out_begin (json, "pass_labels", '[');
  hir_report_add_labels (json, window->layout.panes[HIR_PANE_PASSES]);
  hir_json_out_end (json, ']');
  if (toast != NULL)
    hir_json_out_add_uint (json, "toast_s", adw_toast_get_timeout (toast));
  hir_json_out_begin (json, "toasts", '[');
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (window->toasts)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (g_str_equal (G_OBJECT_TYPE_NAME (child), "AdwToastWidget"))
      hir_report_add_labels (json, child);
  hir_json_out_end (json, ']');
  hir_json_out_begin (json, "panes", '{');
  for (int i = 0; i < HIR_N_PANES; i++)
    hir_json_out_add_bool (json, names[i], gtk_widget_get_mapped (window->layout.panes[i]));
  hir_json_out_add_bool (json, "timeline",
                         gtk_widget_get_mapped (GTK_WIDGET (window->timeline_pane)));
  hir_json_out_end (json, '}');
  hir_json_out_begin (json, "pane_places", '{');
  for (int i = 0; i < HIR_N_PANES; i++)
    add_box (json, names[i], window->layout.panes[i]);
  hir_json_out_end (json, '}');
  hir_json_out_add_int (json, "text_size",
                        hir_settings_get (window->settings, HIR_SETTING_TEXT_SIZE));
}
