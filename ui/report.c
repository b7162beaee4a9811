#include "report.h"

#include <stdio.h>

#include "window-private.h"

/* Bars whose places are told; a test trace has fewer. */
#define MAX_BARS 500
#define SETTLE_MS 120

typedef struct
{
  HirWindow *window; /* borrowed: lives as long as the report */
  char *path;
  guint timeout;
} Report;

static void
append_string (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  for (const char *at = text != NULL ? text : ""; *at != '\0'; at++)
    {
      if (*at == '"' || *at == '\\')
        g_string_append_printf (out, "\\%c", *at);
      else if ((guchar) *at < 0x20)
        g_string_append_printf (out, "\\u%04x", *at);
      else
        g_string_append_c (out, *at);
    }
  g_string_append_c (out, '"');
}

/* Of a point of @widget, in pixels of the X window. */
static gboolean
get_place (HirWindow *window, GtkWidget *widget, double x, double y, double *out_x, double *out_y)
{
  double dx = 0, dy = 0;

  if (!gtk_widget_translate_coordinates (widget, GTK_WIDGET (window), x, y, out_x, out_y))
    return FALSE;
  gtk_native_get_surface_transform (GTK_NATIVE (window), &dx, &dy);
  *out_x += dx;
  *out_y += dy;
  return TRUE;
}

static void
append_bars (GString *out, HirWindow *window)
{
  HirTrace *trace = hir_selection_get_trace (window->selection);
  guint n = 0;

  g_string_append (out, ",\"bars\":[");
  for (guint track = 0; trace != NULL && track < hir_trace_get_n_tracks (trace); track++)
    {
      for (guint i = 0; i < hir_trace_get_track_n_events (trace, track) && n < MAX_BARS; i++)
        {
          double x, y, at_x, at_y;
          HirEvent event;
          char hex[17];

          if (!hir_timeline_view_get_event_position (window->timeline, track, i, &x, &y) ||
              !get_place (window, GTK_WIDGET (window->timeline), x, y, &at_x, &at_y))
            continue;
          hir_trace_get_event (trace, track, i, &event);
          hir_id_to_hex (event.instruction, hex);
          g_string_append (out, n++ > 0 ? ",{\"name\":" : "{\"name\":");
          append_string (out, hir_trace_get_string (trace, event.name));
          g_string_append (out, ",\"track\":");
          append_string (out, hir_trace_get_track (trace, track)->name);
          g_string_append_printf (out,
                                  ",\"instruction\":\"%s\",\"iteration\":%d,\"x\":%d,\"y\":%d}",
                                  hex, event.iteration, (int) at_x, (int) at_y);
        }
    }
  g_string_append_c (out, ']');
}

static void
append_nodes (GString *out, HirWindow *window)
{
  HirProgramView *view = hir_selection_get_view (window->selection);
  GArray *ids =
      hir_selection_get_nodes_at (window->selection, hir_selection_get_step (window->selection));

  g_string_append (out, ",\"selected\":[");
  for (guint i = 0; view != NULL && i < ids->len; i++)
    {
      guint64 id = g_array_index (ids, guint64, i);
      const HirNodeInfo *info = hir_program_view_lookup (view, id);
      char hex[17];

      hir_id_to_hex (id, hex);
      g_string_append_printf (out, "%s{\"id\":\"%s\",\"kind\":", i > 0 ? "," : "", hex);
      append_string (out, info != NULL ? info->kind : NULL);
      g_string_append (out, ",\"label\":");
      append_string (out, info != NULL ? info->label : NULL);
      g_string_append_c (out, '}');
    }
  g_string_append_c (out, ']');
}

static gboolean
write_report (gpointer user_data)
{
  Report *report = user_data;
  HirWindow *window = report->window;
  HirProgramView *view = hir_selection_get_view (window->selection);
  g_autoptr (GString) out = g_string_new ("{\"page\":");
  guint track, index;
  FILE *file;

  report->timeout = 0;
  append_string (out, gtk_stack_get_visible_child_name (window->pages));
  g_string_append (out, ",\"text_page\":");
  append_string (out, hir_text_pane_get_page (window->text));
  g_string_append (out, ",\"step\":");
  append_string (out, view != NULL ? view->pass_name : NULL);
  g_string_append_printf (out, ",\"script_line\":%u,\"running\":%s,\"lowering\":%s,\"status\":",
                          hir_selection_get_script_pos (window->selection).line,
                          hir_document_get_is_running (window->document) ? "true" : "false",
                          hir_document_get_is_lowering (window->document) ? "true" : "false");
  append_string (out, hir_document_get_status (window->document));
  g_string_append_printf (out, ",\"event\":%s",
                          hir_selection_get_event (window->selection, &track, &index) ? "true"
                                                                                      : "false");
  append_nodes (out, window);
  append_bars (out, window);
  g_string_append (out, "}\n");
  file = fopen (report->path, "a");
  if (file != NULL)
    {
      fputs (out->str, file);
      fclose (file);
    }
  return G_SOURCE_REMOVE;
}

/* What changed is drawn first: places are those of the last frame. */
static void
queue_report (Report *report)
{
  if (report->timeout == 0)
    report->timeout = g_timeout_add (SETTLE_MS, write_report, report);
}

static void
report_free (gpointer data)
{
  Report *report = data;

  g_clear_handle_id (&report->timeout, g_source_remove);
  g_signal_handlers_disconnect_by_data (report->window->selection, report);
  g_signal_handlers_disconnect_by_data (report->window->document, report);
  g_signal_handlers_disconnect_by_data (report->window->pages, report);
  g_signal_handlers_disconnect_by_data (report->window, report);
  g_free (report->path);
  g_free (report);
}

void
hir_report_attach (HirWindow *window)
{
  static const char *const selection_signals[] = { "program-changed", "step-changed",
                                                   "node-changed", "event-changed" };
  static const char *const document_signals[] = { "program-changed", "trace-changed",
                                                  "state-changed" };
  const char *path = g_getenv ("HIRSCOPE_REPORT");
  Report *report;

  if (path == NULL || *path == '\0')
    return;
  report = g_new0 (Report, 1);
  report->window = window;
  report->path = g_strdup (path);
  g_object_set_data_full (G_OBJECT (window), "hir-report", report, report_free);
  for (guint i = 0; i < G_N_ELEMENTS (selection_signals); i++)
    g_signal_connect_swapped (window->selection, selection_signals[i], G_CALLBACK (queue_report),
                              report);
  for (guint i = 0; i < G_N_ELEMENTS (document_signals); i++)
    g_signal_connect_swapped (window->document, document_signals[i], G_CALLBACK (queue_report),
                              report);
  g_signal_connect_swapped (window->pages, "notify::visible-child", G_CALLBACK (queue_report),
                            report);
  g_signal_connect_swapped (window, "map", G_CALLBACK (queue_report), report);
}
