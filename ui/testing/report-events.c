/* Reports the events table. */
#include "testing/report-widgets.h"
#include "testing/report.h"

#define MAX_ROWS 60

static void
add_cells (HirJsonOut *json, HirEventsCanvas *canvas, gint64 row, double left)
{
  char *text;
  double x;

  hir_json_out_begin (json, "cells", '[');
  for (guint c = 0; (text = hir_events_canvas_dup_cell (canvas, row, c, &x)) != NULL; c++)
    {
      hir_report_add_string (json, NULL, text);
      g_free (text);
    }
  hir_json_out_end (json, ']');
  if (row >= 0)
    return;
  hir_json_out_begin (json, "xs", '[');
  for (guint c = 0; (text = hir_events_canvas_dup_cell (canvas, row, c, &x)) != NULL; c++)
    {
      hir_json_out_add_int (json, NULL, (int) (left + x));
      g_free (text);
    }
  hir_json_out_end (json, ']');
}

void
hir_report_add_events (HirJsonOut *json, HirWindow *window)
{
  HirEventsCanvas *canvas = hir_events_page_get_canvas (window->events);
  HirEventsModel *model = hir_events_page_get_model (window->events);
  g_autofree char *marked = hir_events_sql_dup_marked (hir_events_page_get_sql (window->events));
  g_autofree char *sql = hir_events_sql_dup_text (hir_events_page_get_sql (window->events));
  HirEventsPlace place;
  double x = 0, y = 0;
  gboolean is_shown = gtk_widget_get_mapped (GTK_WIDGET (canvas));

  hir_json_out_begin (json, "events", '{');
  hir_report_add_string (json, "title", hir_events_page_get_title (window->events));
  hir_json_out_add_bool (json, "shown", is_shown);
  hir_json_out_add_bool (json, "busy", hir_events_model_is_busy (model));
  hir_json_out_add_uint (json, "n_rows", hir_events_model_get_n_rows (model));
  hir_json_out_add_int (json, "current", hir_events_canvas_get_current (canvas));
  hir_json_out_add_bool (json, "focused", gtk_widget_has_focus (GTK_WIDGET (canvas)));
  hir_report_add_string (json, "sql", sql);
  hir_report_add_string (json, "marked", marked);
  hir_json_out_begin (json, "rows", '[');
  if (is_shown && hir_report_get_place (GTK_WIDGET (canvas), 0, 0, &x, &y))
    for (guint i = 0; i < MAX_ROWS && hir_events_canvas_get_place (canvas, i, &place); i++)
      {
        hir_json_out_begin (json, NULL, '{');
        hir_json_out_add_int (json, "row", place.row);
        hir_json_out_add_int (json, "x", (int) x + 20);
        hir_json_out_add_int (json, "y", (int) (y + place.y));
        hir_json_out_add_bool (json, "selected", place.is_selected);
        add_cells (json, canvas, place.row, x);
        hir_json_out_end (json, '}');
      }
  hir_json_out_end (json, ']');
  hir_json_out_end (json, '}');
}
