#include "stats/compare-table.h"
#include "stats/compare-window.h"
#include "testing/report-widgets.h"
#include "testing/report.h"

#define MAX_ROWS 50

/* Appends the bars of both timelines, in pixels of the comparison window. */
static void
append_bars (GString *out, HirCompareWindow *window)
{
  HirTimelineView *view = hir_timeline_pane_get_view (hir_compare_window_get_pane (window));
  HirTrace *trace = hir_selection_get_trace (hir_compare_window_get_selection (window));
  guint n = 0;

  for (guint t = 0; trace != NULL && t < hir_trace_get_n_tracks (trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t) && n < MAX_ROWS; i++)
      {
        double x, y, at_x, at_y;
        HirEvent event;

        if (!hir_timeline_view_get_event_position (view, t, i, &x, &y) ||
            !hir_report_get_place (GTK_WIDGET (view), x, y, &at_x, &at_y))
          continue;
        hir_trace_get_event (trace, t, i, &event);
        g_string_append_printf (out,
                                "%s{\"rank\":%d,\"start_ns\":%" G_GINT64_FORMAT
                                ",\"x\":%d,\"y\":%d,\"name\":",
                                n++ > 0 ? "," : "", hir_trace_get_track (trace, t)->rank,
                                event.start_ns, (int) at_x, (int) at_y);
        hir_report_append_string (out, hir_trace_get_string (trace, event.name));
        g_string_append_c (out, '}');
      }
}

static void
append_window (GString *out, HirCompareWindow *window)
{
  g_autoptr (GPtrArray) cells = hir_compare_window_dup_cells (window, MAX_ROWS);
  HirSelection *selection = hir_compare_window_get_selection (window);
  gint64 start_ns = -1, end_ns;
  guint track, index;

  if (hir_selection_get_event (selection, &track, &index))
    hir_trace_get_interval (hir_selection_get_trace (selection), track, index, &start_ns, &end_ns);
  g_string_append_printf (out,
                          "{\"ready\":%s,\"empty\":%s,\"event_start_ns\":%" G_GINT64_FORMAT
                          ",\"rows\":[",
                          hir_compare_window_get_is_ready (window) ? "true" : "false",
                          hir_compare_window_get_is_empty (window) ? "true" : "false", start_ns);
  for (guint i = 0; i < cells->len; i++)
    {
      g_string_append (out, i % HIR_COMPARE_N_COLUMNS == 0 ? i > 0 ? "],[" : "[" : ",");
      hir_report_append_string (out, g_ptr_array_index (cells, i));
    }
  g_string_append (out, cells->len > 0 ? "]],\"failure\":" : "],\"failure\":");
  hir_report_append_string (out, hir_compare_window_get_failure (window));
  g_string_append (out, ",\"bars\":[");
  append_bars (out, window);
  g_string_append (out, "]}");
}

void
hir_report_append_compare (GString *out, HirWindow *window)
{
  GListModel *toplevels = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (toplevels); i++)
    {
      g_autoptr (GtkWidget) toplevel = g_list_model_get_item (toplevels, i);

      if (!HIR_IS_COMPARE_WINDOW (toplevel) || !gtk_widget_get_mapped (toplevel))
        continue;
      g_string_append (out, ",\"compare\":");
      append_window (out, HIR_COMPARE_WINDOW (toplevel));
      return;
    }
  g_string_append (out, ",\"compare\":null");
}
