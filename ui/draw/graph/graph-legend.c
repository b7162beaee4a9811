/* Draws the legend and the overview map of a graph. */
#include "draw/graph/graph-scene.h"

#define ROW 18
#define N_CHANGES 3

static void
add_box (const HirTheme *theme, HirDisplayList *list, HirBoxColors colors, double x, double y)
{
  hir_display_list_add_round_rect (list, hir_rect (x, y + 3, 18, 12), 3, colors.fill, colors.stroke,
                                   1, HIR_DASH_NONE);
}

static void
add_word (const HirTheme *theme, HirDisplayList *list, const char *word, double x, double y)
{
  hir_display_list_add_text (list, hir_rect (x + 26, y, HIR_LEGEND_WIDTH - 26, ROW), word,
                             HIR_FONT_SANS, 11, theme->text, HIR_ALIGN_START);
}

typedef struct
{
  const char *word;
  HirColor color;
  HirDash dash;
} Row;

static const char *const kinds[] = { "tensor",        "op",         "memory", "stream",
                                     "communication", "folded loop" };

static void
add_change (const HirTheme *theme, HirDisplayList *list, guint i, double x, double y)
{
  const Row rows[] = {
    { "added", theme->created, HIR_DASH_NONE },
    { "changed", theme->changed, HIR_DASH_NONE },
    { "removed", theme->removed, HIR_DASH_DASHED },
  };

  hir_display_list_add_round_rect (list, hir_rect (x, y + 3, 18, 12), 3,
                                   hir_color_fade (rows[i].color, 0.22), rows[i].color, 1.6,
                                   rows[i].dash);
  add_word (theme, list, rows[i].word, x, y);
}

static void
add_edge (const HirTheme *theme, HirDisplayList *list, guint i, double x, double y)
{
  const Row rows[] = {
    { "data", theme->edge[0], HIR_DASH_NONE },
    { "slice of", theme->edge[1], HIR_DASH_NONE },
    { "stream order", theme->edge[2], HIR_DASH_DOTTED },
    { "synchronizes", theme->edge[3], HIR_DASH_DASHED },
    { "over the network", theme->edge[4], HIR_DASH_NONE },
  };
  HirPoint line[2] = { { (float) x, (float) y + 9 }, { (float) x + 18, (float) y + 9 } };

  hir_display_list_add_polyline (list, line, 2, rows[i].color, i == HIR_EDGE_COMM ? 2.4 : 1.4,
                                 rows[i].dash);
  add_word (theme, list, rows[i].word, x, y);
}

static guint32
get_change_row (HirChange change)
{
  return change == HIR_CHANGE_NONE ? 0 : 1u << (change - HIR_CHANGE_CREATED);
}

guint32
hir_graph_scene_get_legend (const HirGraph *graph, GHashTable *changes, gboolean is_diff)
{
  GHashTableIter iter;
  gpointer change;
  guint32 rows = 0;

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const HirGraphNode *node = &g_array_index (graph->nodes, HirGraphNode, i);

      rows |= 1u << (N_CHANGES + node->kind);
      rows |= is_diff ? get_change_row (node->change) : 0;
    }
  for (guint i = 0; i < graph->edges->len; i++)
    {
      const HirGraphEdge *edge = &g_array_index (graph->edges, HirGraphEdge, i);

      rows |= 1u << (N_CHANGES + HIR_GRAPH_N_KINDS + edge->kind);
      rows |= is_diff ? get_change_row (edge->change) : 0;
    }
  for (guint i = 0; is_diff && i < graph->groups->len; i++)
    rows |= get_change_row (g_array_index (graph->groups, HirGraphGroup, i).change);
  if (is_diff || changes == NULL)
    return rows;
  g_hash_table_iter_init (&iter, changes);
  while (g_hash_table_iter_next (&iter, NULL, &change))
    rows |= get_change_row ((HirChange) GPOINTER_TO_UINT (change));
  return rows;
}

static void
add_row (const HirTheme *theme, HirDisplayList *list, guint row, double x, double y)
{
  if (row < N_CHANGES)
    {
      add_change (theme, list, row, x, y);
    }
  else if (row < N_CHANGES + HIR_GRAPH_N_KINDS)
    {
      add_box (theme, list, theme->node[row - N_CHANGES], x, y);
      add_word (theme, list, kinds[row - N_CHANGES], x, y);
    }
  else
    {
      add_edge (theme, list, row - N_CHANGES - HIR_GRAPH_N_KINDS, x, y);
    }
}

double
hir_graph_scene_draw_legend (
    const HirTheme *theme, HirDisplayList *list, guint32 rows, guint n_columns, double x, double y)
{
  guint n = 0, n_rows, at = 0;

  for (guint32 rest = rows; rest != 0; rest &= rest - 1)
    n++;
  n_rows = (n + n_columns - 1) / n_columns;
  for (guint i = 0; list != NULL && i < N_CHANGES + HIR_GRAPH_N_KINDS + HIR_EDGE_N_KINDS; i++)
    if (rows & 1u << i)
      {
        add_row (theme, list, i, x + at / n_rows * HIR_LEGEND_WIDTH, y + at % n_rows * ROW);
        at++;
      }
  return n_rows * ROW;
}

void
hir_graph_scene_fit_map (
    const HirLayout *layout, const HirRect *bounds, double *zoom, double *dx, double *dy)
{
  double width = MAX (layout->width, 1), height = MAX (layout->height, 1);

  *zoom = MIN (bounds->width / width, bounds->height / height);
  *dx = bounds->x + (bounds->width - width * *zoom) / 2;
  *dy = bounds->y + (bounds->height - height * *zoom) / 2;
}

static HirColor
get_map_color (const HirGraphScene *scene, const HirGraphNode *node)
{
  const HirTheme *theme = scene->theme;

  if (scene->selected != NULL && g_hash_table_contains (scene->selected, &node->id))
    return theme->accent;
  return hir_theme_get_change_color (theme, scene->is_diff ? node->change : HIR_CHANGE_NONE,
                                     hir_color_fade (theme->node[node->kind].stroke,
                                                     scene->is_diff ? 0.5 : 0.9));
}

void
hir_graph_scene_draw_map (const HirGraphScene *scene,
                          HirDisplayList *list,
                          const HirRect *bounds,
                          const HirRect *shown)
{
  double zoom, dx, dy;
  HirRect frame;

  hir_graph_scene_fit_map (scene->layout, bounds, &zoom, &dx, &dy);
  hir_display_list_add_round_rect (list,
                                   hir_rect (bounds->x - 4, bounds->y - 4, bounds->width + 8,
                                             bounds->height + 8),
                                   6, hir_color_fade (scene->theme->panel, 0.94),
                                   scene->theme->line, 1, HIR_DASH_NONE);
  for (guint i = 0; i < scene->graph->nodes->len; i++)
    {
      const HirGraphNode *node = &g_array_index (scene->graph->nodes, HirGraphNode, i);
      const HirRect *rect = &g_array_index (scene->layout->nodes, HirRect, i);

      /* Keeps boxes below one pixel visible. */
      if (rect->width > 0)
        hir_display_list_add_rect (list,
                                   hir_rect (dx + rect->x * zoom, dy + rect->y * zoom,
                                             MAX (rect->width * zoom, 1),
                                             MAX (rect->height * zoom, 1)),
                                   get_map_color (scene, node));
    }
  frame = hir_rect (dx + shown->x * zoom, dy + shown->y * zoom, shown->width * zoom,
                    shown->height * zoom);
  frame = hir_rect_intersect (&frame, bounds);
  if (frame.width > 0 && frame.height > 0)
    hir_display_list_add_round_rect (list, frame, 2, hir_color_fade (scene->theme->accent, 0.12),
                                     scene->theme->accent, 1.2, HIR_DASH_NONE);
}
