#include "testing/report-graph.h"

#include "testing/report-widgets.h"

/* Maximum number of reported boxes. */
#define MAX_PLACES 500

static const char *
json_boolean (gboolean value)
{
  return value ? "true" : "false";
}

static const char *
get_change_name (HirChange change)
{
  static const char *const names[] = { "", "created", "changed", "removed" };

  return names[change];
}

static void
append_nodes (GString *out, HirWindow *window, const HirPicture *picture)
{
  guint n = 0;

  g_string_append (out, ",\"nodes\":[");
  for (guint i = 0; picture != NULL && i < picture->graph->nodes->len && n < MAX_PLACES; i++)
    {
      const HirGraphNode *node = &g_array_index (picture->graph->nodes, HirGraphNode, i);
      double at_x, at_y;
      HirRect rect;
      char hex[17];

      if (!hir_graph_view_get_node_rect (window->graph, i, &rect) ||
          !hir_report_get_place (GTK_WIDGET (window->graph), rect.x + rect.width / 2,
                                 rect.y + rect.height / 2, &at_x, &at_y))
        continue;
      hir_id_to_hex (node->id, hex);
      g_string_append_printf (out,
                              "%s{\"id\":\"%s\",\"x\":%d,\"y\":%d,\"width\":%d,\"change\":\"%s\","
                              "\"folded\":%s,\"title\":",
                              n++ > 0 ? "," : "", hex, (int) at_x, (int) at_y, (int) rect.width,
                              get_change_name (node->change),
                              json_boolean (node->kind == HIR_GRAPH_FOLD));
      hir_report_append_string (out, node->title);
      g_string_append_c (out, '}');
    }
  g_string_append (out, "],\"groups\":[");
  n = 0;
  for (guint i = 0; picture != NULL && i < picture->graph->groups->len && n < MAX_PLACES; i++)
    {
      const HirGraphGroup *group = &g_array_index (picture->graph->groups, HirGraphGroup, i);
      double x, y, at_x, at_y;
      char hex[17];

      if (!hir_graph_view_get_fold_place (window->graph, i, &x, &y) ||
          !hir_report_get_place (GTK_WIDGET (window->graph), x, y, &at_x, &at_y))
        continue;
      hir_id_to_hex (group->id, hex);
      g_string_append_printf (out, "%s{\"id\":\"%s\",\"fold_x\":%d,\"fold_y\":%d,\"title\":",
                              n++ > 0 ? "," : "", hex, (int) at_x, (int) at_y);
      hir_report_append_string (out, group->title);
      g_string_append_c (out, '}');
    }
  g_string_append_c (out, ']');
}

static void
append_marks (GString *out, HirWindow *window)
{
  const GArray *marks = hir_graph_view_get_marks (window->graph);

  g_string_append (out, ",\"marks\":[");
  for (guint i = 0; i < marks->len; i++)
    {
      const HirGraphMark *mark = &g_array_index (marks, HirGraphMark, i);
      char hex[17];

      hir_id_to_hex (mark->id, hex);
      g_string_append_printf (out, "%s{\"id\":\"%s\",\"color\":\"#%06x\"}", i > 0 ? "," : "", hex,
                              mark->color & 0xffffff);
    }
  g_string_append_c (out, ']');
}

static void
append_map (GString *out, HirWindow *window)
{
  double x, y;
  HirRect map;

  if (hir_graph_view_get_map_place (window->graph, &map) &&
      hir_report_get_place (GTK_WIDGET (window->graph), map.x, map.y, &x, &y))
    g_string_append_printf (out, ",\"map\":{\"x\":%d,\"y\":%d,\"width\":%d,\"height\":%d}", (int) x,
                            (int) y, (int) map.width, (int) map.height);
  else
    g_string_append (out, ",\"map\":null");
}

static void
append_legend (GString *out, HirWindow *window)
{
  GtkWidget *legend = hir_graph_pane_get_legend_shown (window->graph_pane);
  double x, y;

  if (legend != NULL && hir_report_get_place (legend, 0, 0, &x, &y))
    g_string_append_printf (out, ",\"legend_shown\":{\"x\":%d,\"y\":%d,\"width\":%d,\"height\":%d}",
                            (int) x, (int) y, gtk_widget_get_width (legend),
                            gtk_widget_get_height (legend));
  else
    g_string_append (out, ",\"legend_shown\":null");
}

void
hir_report_append_graph (GString *out, HirWindow *window)
{
  HirPicture *picture = hir_graph_view_get_picture (window->graph);
  double zoom, dx, dy;

  hir_graph_view_get_place (window->graph, &zoom, &dx, &dy);
  g_string_append_printf (out,
                          ",\"graph\":{\"lanes\":%s,\"zoom\":%.4f,\"dx\":%.1f,\"dy\":%.1f,\"n_"
                          "all\":%u,\"legend\":%s,"
                          "\"picture_ms\":%.1f,\"preview\":%s,\"busy\":",
                          json_boolean (picture != NULL && picture->choice->lanes), zoom, dx, dy,
                          picture != NULL ? picture->graph->nodes->len : 0,
                          json_boolean (hir_graph_pane_get_legend (window->graph_pane)),
                          hir_graph_view_get_latency (window->graph),
                          json_boolean (picture != NULL && picture->is_preview));
  hir_report_append_string (out, hir_graph_pane_get_progress (window->graph_pane));
  g_string_append (out, ",\"note\":");
  hir_report_append_string (out, hir_graph_pane_get_note (window->graph_pane));
  append_nodes (out, window, picture);
  append_marks (out, window);
  append_map (out, window);
  append_legend (out, window);
  g_string_append_printf (out, "},\"diff\":{\"in_graph\":%s,\"sides\":%s,\"summary\":",
                          json_boolean (picture != NULL && picture->choice->base != NULL),
                          json_boolean (hir_text_pane_get_sides (window->text)));
  hir_report_append_string (out, hir_text_pane_get_summary (window->text));
  g_string_append_c (out, '}');
}
