#include "stats/compare-table.h"
#include "stats/compare-window.h"
#include "testing/report-widgets.h"
#include "testing/report.h"

#define MAX_ROWS 50

static void
add_window (HirJsonOut *json, HirCompareWindow *window)
{
  g_autoptr (GPtrArray) cells = hir_compare_window_dup_cells (window, MAX_ROWS);
  HirSelection *selection = hir_compare_window_get_selection (window);
  gint64 start_ns = -1, end_ns;
  guint track, index;

  if (hir_selection_get_event (selection, &track, &index))
    hir_trace_get_interval (hir_selection_get_trace (selection), track, index, &start_ns, &end_ns);
  hir_json_out_begin (json, "compare", '{');
  hir_report_add_string (json, "name", hir_compare_window_get_name_b (window));
  hir_json_out_add_bool (json, "ready", hir_compare_window_get_is_ready (window));
  hir_json_out_add_bool (json, "empty", hir_compare_window_get_is_empty (window));
  hir_json_out_add_int (json, "event_start_ns", start_ns);
  hir_json_out_begin (json, "rows", '[');
  for (guint row = 0; row < cells->len; row += HIR_COMPARE_N_COLUMNS)
    {
      hir_json_out_begin (json, NULL, '[');
      for (guint i = row; i < MIN (row + HIR_COMPARE_N_COLUMNS, cells->len); i++)
        hir_report_add_string (json, NULL, g_ptr_array_index (cells, i));
      hir_json_out_end (json, ']');
    }
  hir_json_out_end (json, ']');
  hir_json_out_begin (json, "labels", '[');
  hir_report_add_labels (json, GTK_WIDGET (window));
  hir_json_out_end (json, ']');
  hir_report_add_string (json, "failure", hir_compare_window_get_failure (window));
  hir_report_add_bars (json, hir_timeline_pane_get_view (hir_compare_window_get_pane (window)),
                       hir_selection_get_trace (selection));
  hir_json_out_end (json, '}');
}

void
hir_report_add_compare (HirJsonOut *json, HirWindow *window)
{
  GListModel *toplevels = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (toplevels); i++)
    {
      g_autoptr (GtkWidget) toplevel = g_list_model_get_item (toplevels, i);

      if (!HIR_IS_COMPARE_WINDOW (toplevel) || !gtk_widget_get_mapped (toplevel))
        continue;
      add_window (json, HIR_COMPARE_WINDOW (toplevel));
      return;
    }
  hir_json_out_add_raw (json, "compare", "null");
}
