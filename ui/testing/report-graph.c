#include "testing/report-widgets.h"
#include "testing/report.h"

/* Maximum number of reported boxes. */
#define MAX_PLACES 500

static const char *
get_change_name (HirChange change)
{
  static const char *const names[] = { "", "created", "changed", "removed" };

  return names[change];
}

static void
add_nodes (HirJsonOut *json, HirWindow *window, const HirPicture *picture)
{
  guint n = 0;

  hir_json_out_begin (json, "nodes", '[');
  for (guint i = 0; picture != NULL && i < picture->graph->nodes->len && n < MAX_PLACES; i++)
    {
      const HirGraphNode *node = &g_array_index (picture->graph->nodes, HirGraphNode, i);
      double at_x, at_y;
      HirRect rect;

      if (!hir_graph_view_get_node_rect (window->graph, i, &rect) ||
          !hir_report_get_place (GTK_WIDGET (window->graph), rect.x + rect.width / 2,
                                 rect.y + rect.height / 2, &at_x, &at_y))
        continue;
      n++;
      hir_json_out_begin (json, NULL, '{');
      hir_report_add_id (json, "id", node->id);
      hir_report_add_place (json, at_x, at_y);
      hir_json_out_add_int (json, "width", (int) rect.width);
      hir_report_add_string (json, "change", get_change_name (node->change));
      hir_report_add_string (json, "mark",
                             get_change_name (GPOINTER_TO_UINT (
                                 g_hash_table_lookup (picture->changes, &node->id))));
      hir_json_out_add_bool (json, "folded", node->kind == HIR_GRAPH_FOLD);
      hir_report_add_string (json, "title", node->title);
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
}

static void
add_groups (HirJsonOut *json, HirWindow *window, const HirPicture *picture)
{
  guint n = 0;

  hir_json_out_begin (json, "groups", '[');
  for (guint i = 0; picture != NULL && i < picture->graph->groups->len && n < MAX_PLACES; i++)
    {
      const HirGraphGroup *group = &g_array_index (picture->graph->groups, HirGraphGroup, i);
      double x, y, at_x, at_y;

      if (!hir_graph_view_get_fold_place (window->graph, i, &x, &y) ||
          !hir_report_get_place (GTK_WIDGET (window->graph), x, y, &at_x, &at_y))
        continue;
      n++;
      hir_json_out_begin (json, NULL, '{');
      hir_report_add_id (json, "id", group->id);
      hir_json_out_add_int (json, "fold_x", (int) at_x);
      hir_json_out_add_int (json, "fold_y", (int) at_y);
      hir_report_add_string (json, "title", group->title);
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
}

static void
add_marks (HirJsonOut *json, HirWindow *window)
{
  const GArray *marks = hir_graph_view_get_marks (window->graph);

  hir_json_out_begin (json, "marks", '[');
  for (guint i = 0; i < marks->len; i++)
    {
      const HirGraphMark *mark = &g_array_index (marks, HirGraphMark, i);
      char color[8];

      g_snprintf (color, sizeof color, "#%06x", mark->color & 0xffffff);
      hir_json_out_begin (json, NULL, '{');
      hir_report_add_id (json, "id", mark->id);
      hir_report_add_string (json, "color", color);
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
}

static void
add_rect (HirJsonOut *json, const char *key, double x, double y, double width, double height)
{
  hir_json_out_begin (json, key, '{');
  hir_report_add_place (json, x, y);
  hir_json_out_add_int (json, "width", (int) width);
  hir_json_out_add_int (json, "height", (int) height);
  hir_json_out_end (json, '}');
}

static void
add_map (HirJsonOut *json, HirWindow *window)
{
  double x, y;
  HirRect map;

  if (hir_graph_view_get_map_place (window->graph, &map) &&
      hir_report_get_place (GTK_WIDGET (window->graph), map.x, map.y, &x, &y))
    add_rect (json, "map", x, y, map.width, map.height);
  else
    hir_json_out_add_raw (json, "map", "null");
}

static void
add_legend (HirJsonOut *json, HirWindow *window)
{
  GtkWidget *legend = hir_graph_pane_get_legend_shown (window->graph_pane);
  double x, y;

  if (legend != NULL && hir_report_get_place (legend, 0, 0, &x, &y))
    add_rect (json, "legend_shown", x, y, gtk_widget_get_width (legend),
              gtk_widget_get_height (legend));
  else
    hir_json_out_add_raw (json, "legend_shown", "null");
}

void
hir_report_add_graph (HirJsonOut *json, HirWindow *window)
{
  HirPicture *picture = hir_graph_view_get_picture (window->graph);
  double zoom, dx, dy;

  hir_graph_view_get_place (window->graph, &zoom, &dx, &dy);
  hir_json_out_begin (json, "graph", '{');
  hir_json_out_add_bool (json, "lanes", picture != NULL && picture->choice->lanes);
  hir_json_out_add_double (json, "zoom", "%.4f", zoom);
  hir_json_out_add_double (json, "dx", "%.1f", dx);
  hir_json_out_add_double (json, "dy", "%.1f", dy);
  hir_json_out_add_uint (json, "n_all", picture != NULL ? picture->graph->nodes->len : 0);
  hir_json_out_add_bool (json, "legend", hir_graph_pane_get_legend (window->graph_pane));
  hir_json_out_add_double (json, "picture_ms", "%.1f", hir_graph_view_get_latency (window->graph));
  hir_json_out_add_bool (json, "preview", picture != NULL && picture->is_preview);
  hir_report_add_string (json, "busy", hir_graph_pane_get_progress (window->graph_pane));
  hir_report_add_string (json, "note", hir_graph_pane_get_note (window->graph_pane));
  add_nodes (json, window, picture);
  add_groups (json, window, picture);
  add_marks (json, window);
  add_map (json, window);
  add_legend (json, window);
  hir_json_out_end (json, '}');
  hir_json_out_begin (json, "diff", '{');
  hir_json_out_add_bool (json, "in_graph", picture != NULL && picture->choice->base != NULL);
  hir_json_out_add_bool (json, "sides", hir_text_pane_get_sides (window->text));
  hir_report_add_string (json, "summary", hir_text_pane_get_summary (window->text));
  hir_json_out_end (json, '}');
}
