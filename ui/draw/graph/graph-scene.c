#include "draw/graph/graph-scene.h"

#include "draw/graph/group-titles.h"

#include <math.h>
#include <string.h>

/* Below these zoom levels, subtitles, then all text, then arrow heads and rounded corners are
 * omitted, because they would be illegible. */
#define SUBTITLE_ZOOM 0.45
#define TITLE_ZOOM 0.3
#define ORNAMENT_ZOOM 0.2

#define CORNER 6.0
#define QUIET 0.5
#define PORT 4.0 /* across */
#define ARROW 9.0
#define BREAK 5.0   /* radius */
#define GUTTER 10.0 /* width of the area to the left of a box that sets breakpoints */
/* The color of breakpoints in the text margin. */
#define BREAK_COLOR 0xffe03338

typedef struct
{
  const HirGraphScene *scene;
  HirDisplayList *list;
  const HirTheme *theme;
  HirRect visible;
} Draw;

static gboolean
is_selected (const HirGraphScene *scene, guint64 id)
{
  return scene->selected != NULL && id != 0 && g_hash_table_contains (scene->selected, &id);
}

/* @own: the change stored in the graph, if it compares two snapshots. */
static HirChange
get_change (const HirGraphScene *scene, guint64 id, HirChange own)
{
  if (scene->is_diff)
    return own;
  if (scene->changes == NULL || id == 0)
    return HIR_CHANGE_NONE;
  return (HirChange) GPOINTER_TO_UINT (g_hash_table_lookup (scene->changes, &id));
}

/* Fades unchanged items of a comparison. */
static HirColor
calm (const HirGraphScene *scene, HirChange change, HirColor color)
{
  return scene->is_diff && change == HIR_CHANGE_NONE ? hir_color_fade (color, QUIET) : color;
}

/* Lines are at least 0.7 screen pixels wide. */
static double
get_line_width (const Draw *draw, double width)
{
  return MAX (width, 0.7 / MAX (draw->scene->zoom, 1e-3));
}

static void
draw_lanes (const Draw *draw)
{
  const HirLayout *layout = draw->scene->layout;

  for (guint i = 0; i < layout->lanes->len; i++)
    {
      const HirLane *lane = &g_array_index (layout->lanes, HirLane, i);
      HirRect band = hir_rect (lane->x - 18, 0, lane->width + 36, layout->height + 12);

      if (!hir_rect_overlaps (&band, &draw->visible))
        continue;
      hir_display_list_add_rect (draw->list, band, hir_color_fade (draw->theme->panel, 0.55));
      if (draw->scene->zoom >= TITLE_ZOOM)
        hir_display_list_add_text (draw->list, hir_rect (band.x + 4, 4, band.width - 8, 20),
                                   lane->title, HIR_FONT_SANS_BOLD, 12, draw->theme->dim_text,
                                   HIR_ALIGN_CENTER);
    }
}

static guint
get_break (const HirGraphScene *scene, guint64 id)
{
  return scene->breaks != NULL && id != 0
             ? GPOINTER_TO_UINT (g_hash_table_lookup (scene->breaks, &id))
             : 0;
}

/* Draws a disc at the left edge, or a ring if the breakpoint is disabled or only possible. */
static void
draw_break (const Draw *draw, guint64 id, const HirRect *rect)
{
  const HirGraphScene *scene = draw->scene;
  guint is = get_break (scene, id);
  double y = rect->y + MIN (rect->height / 2, 13);
  double radius = MAX (BREAK, 3 / MAX (scene->zoom, 1e-3));
  HirRect disc = hir_rect (rect->x - radius, y - radius, 2 * radius, 2 * radius);
  HirColor color = BREAK_COLOR;

  if (is == 0 && (!scene->can_break || id == 0 || scene->hovered != id))
    return;
  hir_display_list_add_round_rect (draw->list, disc, radius,
                                   is == HIR_GRAPH_BREAK_ON ? color : draw->theme->background,
                                   is == 0 ? hir_color_fade (color, 0.55) : color,
                                   get_line_width (draw, 1.5), HIR_DASH_NONE);
}

/* Adds the hit area for breakpoints, above other areas. It is outside of the box, except for the
 * disc of a breakpoint. */
static void
add_break_edge (const Draw *draw, guint64 id, const HirRect *rect)
{
  double inside = get_break (draw->scene, id) != 0 ? BREAK : 0;

  if (draw->scene->can_break && id != 0 && draw->scene->zoom >= ORNAMENT_ZOOM)
    hir_display_list_add_hit (draw->list,
                              hir_rect (rect->x - GUTTER, rect->y, GUTTER + inside,
                                        MIN (rect->height, 40)),
                              id, HIR_HIT_BREAK);
}

static void
draw_breaks (const Draw *draw)
{
  const HirGraph *graph = draw->scene->graph;

  for (guint i = 0; i < graph->groups->len; i++)
    {
      const HirRect *rect = &g_array_index (draw->scene->layout->groups, HirRect, i);

      if (rect->width > 0 && hir_rect_overlaps (rect, &draw->visible))
        draw_break (draw, g_array_index (graph->groups, HirGraphGroup, i).id, rect);
    }
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const HirGraphNode *node = &g_array_index (graph->nodes, HirGraphNode, i);
      const HirRect *rect = &g_array_index (draw->scene->layout->nodes, HirRect, i);

      if (node->kind != HIR_GRAPH_TENSOR && rect->width > 0 &&
          hir_rect_overlaps (rect, &draw->visible))
        draw_break (draw, node->id, rect);
    }
}

static void
draw_group (const Draw *draw, guint index)
{
  const HirGraphGroup *group = &g_array_index (draw->scene->graph->groups, HirGraphGroup, index);
  const HirRect *rect = &g_array_index (draw->scene->layout->groups, HirRect, index);
  const HirTheme *theme = draw->theme;
  gboolean selected = is_selected (draw->scene, group->id);
  HirChange change = get_change (draw->scene, group->id, group->change);
  HirColor stroke = hir_theme_get_change_color (theme, change, theme->group);

  if (rect->width <= 0 || !hir_rect_overlaps (rect, &draw->visible))
    return;
  if (selected)
    stroke = theme->accent;
  else
    stroke = calm (draw->scene, change, stroke);
  hir_display_list_add_round_rect (draw->list, *rect, CORNER + 2,
                                   hir_color_fade (stroke, selected ? 0.10 : 0.045), stroke,
                                   get_line_width (draw, selected ? 2 : 1.3), HIR_DASH_DASHED);
  hir_display_list_add_hit (draw->list, *rect, group->id, HIR_HIT_GROUP);
  add_break_edge (draw, group->id, rect);
}

/* Draws a triangle that points down if the group is open and to the side if it is folded. */
static void
draw_fold_mark (
    const Draw *draw, double x, double y, gboolean is_folded, HirColor color, guint64 id)
{
  float left = (float) x, top = (float) y, size = 8;
  HirPoint down[3] = { { left, top + 1 }, { left + size, top + 1 }, { left + size / 2, top + 7 } };
  HirPoint aside[3] = { { left + 1, top }, { left + 7, top + size / 2 }, { left + 1, top + size } };

  hir_display_list_add_polygon (draw->list, is_folded ? aside : down, 3, color);
  hir_display_list_add_hit (draw->list, hir_rect (x - 4, y - 4, 16, 16), id, HIR_HIT_FOLD);
}

/* Drawn above the edges. */
static void
draw_group_title (const Draw *draw, guint index)
{
  const HirGraphGroup *group = &g_array_index (draw->scene->graph->groups, HirGraphGroup, index);
  const HirRect *rect = &g_array_index (draw->scene->layout->groups, HirRect, index);
  HirChange change = get_change (draw->scene, group->id, group->change);
  HirRect head = hir_rect (rect->x, rect->y, rect->width, HIR_GROUP_TITLE_PX * 2), title;
  HirColor ink = calm (draw->scene, change,
                       hir_theme_get_change_color (draw->theme, change, draw->theme->group_title));

  if (rect->width <= 0 || draw->scene->zoom < TITLE_ZOOM ||
      !hir_rect_overlaps (&head, &draw->visible))
    return;
  title = hir_group_title_get_rect (draw->scene->graph, draw->scene->layout, index,
                                    draw->scene->can_fold);
  hir_display_list_add_text (draw->list,
                             hir_rect (title.x, title.y - 2, title.width + 1,
                                       HIR_GROUP_TITLE_PX * 1.5),
                             group->title, HIR_FONT_MONO, HIR_GROUP_TITLE_PX, ink, HIR_ALIGN_START);
  if (draw->scene->can_fold)
    draw_fold_mark (draw, title.x - HIR_FOLD_MARK - 2, rect->y + 9, FALSE, ink, group->id);
}

static gboolean
is_edge_highlighted (const HirGraphScene *scene, const HirGraphEdge *edge)
{
  const HirGraphNode *nodes = (const HirGraphNode *) (gpointer) scene->graph->nodes->data;

  return is_selected (scene, nodes[edge->from].id) || is_selected (scene, nodes[edge->to].id) ||
         is_selected (scene, edge->id);
}

/* Marks where a value leaves or enters a box. */
static void
draw_port (const Draw *draw, HirPoint at, HirColor color)
{
  hir_display_list_add_round_rect (draw->list,
                                   hir_rect (at.x - PORT / 2, at.y - PORT / 2, PORT, PORT),
                                   PORT / 2, color, 0, 0, HIR_DASH_NONE);
}

/* Ends the line at the start of the arrow head, because a thick line would blunt the tip. */
static void
draw_arrow_line (
    const Draw *draw, const HirPoint *points, guint n, HirColor color, double width, HirDash dash)
{
  HirPoint few[32], *copy = n <= G_N_ELEMENTS (few) ? few : g_new (HirPoint, n);
  HirPoint tip = points[n - 1], from = points[n - 2];
  float dx, dy, length;

  for (guint i = n - 2; i > 0 && hypotf (tip.x - from.x, tip.y - from.y) < 0.5f; i--)
    from = points[i - 1];
  dx = tip.x - from.x;
  dy = tip.y - from.y;
  length = hypotf (dx, dy);
  memcpy (copy, points, n * sizeof *copy);
  if (draw->scene->zoom >= ORNAMENT_ZOOM && length > (float) ARROW)
    {
      float back = (float) ARROW * 0.8f / length;

      copy[n - 1] = (HirPoint){ tip.x - dx * back, tip.y - dy * back };
      /* Moves the last control point too, so that the curve keeps its direction. */
      if (hypotf (tip.x - copy[n - 2].x, tip.y - copy[n - 2].y) < (float) ARROW)
        copy[n - 2] = copy[n - 1];
    }
  hir_display_list_add_bezier (draw->list, copy, n, color, get_line_width (draw, width), dash);
  if (draw->scene->zoom >= ORNAMENT_ZOOM)
    hir_display_list_add_arrow (draw->list, from, tip, ARROW, color);
  if (copy != few)
    g_free (copy);
}

static void
draw_edge (const Draw *draw, guint index, gboolean is_highlighted)
{
  static const HirDash dashes[] = {
    [HIR_EDGE_DATA] = HIR_DASH_NONE,    [HIR_EDGE_ALIAS] = HIR_DASH_NONE,
    [HIR_EDGE_ORDER] = HIR_DASH_DOTTED, [HIR_EDGE_SYNC] = HIR_DASH_DASHED,
    [HIR_EDGE_COMM] = HIR_DASH_NONE,
  };
  static const double widths[] = {
    [HIR_EDGE_DATA] = 1.4, [HIR_EDGE_ALIAS] = 1.0, [HIR_EDGE_ORDER] = 1.0,
    [HIR_EDGE_SYNC] = 1.3, [HIR_EDGE_COMM] = 2.4,
  };
  const HirGraphEdge *edge = &g_array_index (draw->scene->graph->edges, HirGraphEdge, index);
  const HirLayoutEdge *path = &g_array_index (draw->scene->layout->edges, HirLayoutEdge, index);
  const HirPoint *points =
      (const HirPoint *) (gpointer) draw->scene->layout->points->data + path->first_point;
  HirRect bounds;
  HirChange change = draw->scene->is_diff ? edge->change : HIR_CHANGE_NONE;
  gboolean shines, is_value;
  HirColor color;

  if (path->n_points < 4 || is_edge_highlighted (draw->scene, edge) != is_highlighted)
    return;
  bounds = hir_points_get_bounds (points, path->n_points, 4);
  if (!hir_rect_overlaps (&bounds, &draw->visible))
    return;
  /* Edges of program order and synchronization keep their color; highlighted, they would look like
   * data. */
  is_value = edge->kind != HIR_EDGE_ORDER && edge->kind != HIR_EDGE_SYNC;
  shines = is_highlighted && is_value;
  color = shines ? draw->theme->accent
                 : hir_theme_get_change_color (draw->theme, change, draw->theme->edge[edge->kind]);
  color = is_highlighted ? color : calm (draw->scene, change, color);
  draw_arrow_line (draw, points, path->n_points, color,
                   widths[edge->kind] + (is_highlighted ? 0.8 : 0),
                   change == HIR_CHANGE_REMOVED ? HIR_DASH_DASHED : dashes[edge->kind]);
  if (is_value && draw->scene->zoom >= SUBTITLE_ZOOM)
    {
      draw_port (draw, points[0], color);
      draw_port (draw, points[path->n_points - 1], color);
    }
}

static HirColor
get_mark (const HirGraphScene *scene, guint64 id)
{
  for (guint i = 0; i < scene->n_marks; i++)
    if (scene->marks[i].id == id)
      return scene->marks[i].color;
  return 0;
}

static void
draw_labels (
    const Draw *draw, const HirGraphNode *node, const HirRect *rect, double indent, HirColor ink)
{
  gboolean has_subtitle = node->subtitle != NULL && *node->subtitle != '\0';
  double x = rect->x + HIR_NODE_PADDING_X + indent;
  double width = rect->width - 2 * HIR_NODE_PADDING_X - indent;
  double y = rect->y + HIR_NODE_PADDING_Y, height = rect->height - 2 * HIR_NODE_PADDING_Y;
  double share = HIR_NODE_TITLE_PX / (HIR_NODE_TITLE_PX + HIR_NODE_SUBTITLE_PX);

  if (draw->scene->zoom < TITLE_ZOOM)
    return;
  if (!has_subtitle)
    share = 1;
  hir_display_list_add_text (draw->list, hir_rect (x, y, width, height * share), node->title,
                             HIR_FONT_SANS_BOLD, HIR_NODE_TITLE_PX, ink, HIR_ALIGN_START);
  if (has_subtitle && draw->scene->zoom >= SUBTITLE_ZOOM)
    hir_display_list_add_text (draw->list,
                               hir_rect (x, y + height * share, width, height * (1 - share)),
                               node->subtitle, HIR_FONT_SANS, HIR_NODE_SUBTITLE_PX,
                               hir_color_fade (ink, 0.72), HIR_ALIGN_START);
}

/* Draws a bar at the left, as in the margin of a diff. An outline would hide the kind of the
 * box. */
static void
draw_change (const Draw *draw, const HirRect *rect, HirChange change)
{
  HirColor color = hir_theme_get_change_color (draw->theme, change, 0);

  if (color != 0)
    hir_display_list_add_round_rect (draw->list,
                                     hir_rect (rect->x + 3, rect->y + 5, 3.5, rect->height - 10),
                                     1.7, color, 0, 0, HIR_DASH_NONE);
}

static HirBoxColors
get_box_colors (const Draw *draw, const HirGraphNode *node, HirChange change, double *line)
{
  const HirTheme *theme = draw->theme;
  HirBoxColors colors = theme->node[node->kind];

  if (is_selected (draw->scene, node->id))
    {
      *line = 2.5;
      return (HirBoxColors){ theme->accent_fill, theme->accent };
    }
  if (draw->scene->is_diff && change != HIR_CHANGE_NONE)
    {
      colors.stroke = hir_theme_get_change_color (theme, change, colors.stroke);
      colors.fill = hir_color_fade (colors.stroke, change == HIR_CHANGE_REMOVED ? 0.06 : 0.22);
      *line = 1.8;
    }
  else if (draw->scene->is_diff)
    {
      colors.fill = hir_color_fade (colors.fill, QUIET);
      colors.stroke = hir_color_fade (colors.stroke, QUIET);
    }
  if (draw->scene->hovered != 0 && draw->scene->hovered == node->id)
    {
      colors.stroke = theme->accent;
      *line = MAX (*line, 1.5);
    }
  return colors;
}

/* Draws a second box behind the box, to show that it contains more. */
static void
draw_stack (const Draw *draw, const HirRect *rect, HirBoxColors colors)
{
  hir_display_list_add_round_rect (draw->list,
                                   hir_rect (rect->x + 3, rect->y + 3, rect->width, rect->height),
                                   CORNER, colors.fill, colors.stroke, get_line_width (draw, 1.0),
                                   HIR_DASH_NONE);
}

static void
draw_node (const Draw *draw, guint index)
{
  const HirGraphNode *node = &g_array_index (draw->scene->graph->nodes, HirGraphNode, index);
  const HirRect *rect = &g_array_index (draw->scene->layout->nodes, HirRect, index);
  const HirTheme *theme = draw->theme;
  HirBoxColors colors;
  HirChange change = get_change (draw->scene, node->id, node->change);
  HirColor mark = get_mark (draw->scene, node->id);
  gboolean is_fold = node->kind == HIR_GRAPH_FOLD;
  double line = 1.2;

  if (rect->width <= 0 || !hir_rect_overlaps (rect, &draw->visible))
    return;
  if (mark != 0)
    hir_display_list_add_round_rect (draw->list,
                                     hir_rect (rect->x - 4, rect->y - 4, rect->width + 8,
                                               rect->height + 8),
                                     CORNER + 4, 0, mark, get_line_width (draw, 3), HIR_DASH_NONE);
  colors = get_box_colors (draw, node, change, &line);
  if (draw->scene->zoom < ORNAMENT_ZOOM)
    {
      /* A box of a few pixels has the color of its outline, which identifies its kind best. */
      hir_display_list_add_rect (draw->list, *rect,
                                 hir_theme_get_change_color (theme, change, colors.stroke));
      hir_display_list_add_hit (draw->list, *rect, node->id, HIR_HIT_NODE);
      return;
    }
  if (is_fold)
    draw_stack (draw, rect, colors);
  hir_display_list_add_round_rect (draw->list, *rect, CORNER, colors.fill, colors.stroke,
                                   get_line_width (draw, line),
                                   draw->scene->is_diff && change == HIR_CHANGE_REMOVED
                                       ? HIR_DASH_DASHED
                                       : HIR_DASH_NONE);
  if (!draw->scene->is_diff)
    draw_change (draw, rect, change);
  draw_labels (draw, node, rect, is_fold ? HIR_FOLD_MARK : 0,
               change == HIR_CHANGE_REMOVED ? theme->dim_text
                                            : calm (draw->scene, change, theme->text));
  hir_display_list_add_hit (draw->list, *rect, node->id, HIR_HIT_NODE);
  if (node->kind != HIR_GRAPH_TENSOR)
    add_break_edge (draw, node->id, rect);
  if (is_fold)
    draw_fold_mark (draw, rect->x + HIR_NODE_PADDING_X - 2, rect->y + HIR_NODE_PADDING_Y + 5, TRUE,
                    theme->text, node->id);
}

/* Returns the box or the group of @id, or NULL if it is not in the picture. */
static const HirRect *
find_rect (const HirGraphScene *scene, guint64 id)
{
  for (guint i = 0; id != 0 && i < scene->graph->nodes->len; i++)
    if (g_array_index (scene->graph->nodes, HirGraphNode, i).id == id)
      return &g_array_index (scene->layout->nodes, HirRect, i);
  for (guint i = 0; id != 0 && i < scene->graph->groups->len; i++)
    if (g_array_index (scene->graph->groups, HirGraphGroup, i).id == id)
      return &g_array_index (scene->layout->groups, HirRect, i);
  return NULL;
}

static HirPoint
middle (const HirRect *rect)
{
  return (HirPoint){ rect->x + rect->width / 2, rect->y + rect->height / 2 };
}

/* Returns the point where the line from the center of @rect to @other leaves @rect. */
static HirPoint
leave (const HirRect *rect, HirPoint other)
{
  HirPoint from = middle (rect);
  float dx = other.x - from.x, dy = other.y - from.y;
  float across = dx != 0 ? rect->width / 2 / fabsf (dx) : G_MAXFLOAT;
  float down = dy != 0 ? rect->height / 2 / fabsf (dy) : G_MAXFLOAT;
  float part = MIN (MIN (across, down), 1);

  return (HirPoint){ from.x + dx * part, from.y + dy * part };
}

/* Draws the missing edge above everything else. */
static void
draw_pair (const Draw *draw)
{
  const HirRect *rects[2] = { find_rect (draw->scene, draw->scene->pair[0]),
                              find_rect (draw->scene, draw->scene->pair[1]) };
  HirColor color = draw->theme->removed;
  HirPoint points[4];
  HirRect label;

  for (guint i = 0; i < 2; i++)
    if (rects[i] != NULL)
      hir_display_list_add_round_rect (draw->list,
                                       hir_rect (rects[i]->x - 4, rects[i]->y - 4,
                                                 rects[i]->width + 8, rects[i]->height + 8),
                                       CORNER + 4, 0, color, get_line_width (draw, 2.2),
                                       HIR_DASH_NONE);
  if (rects[0] == NULL || rects[1] == NULL || rects[0] == rects[1])
    return;
  points[0] = leave (rects[0], middle (rects[1]));
  points[3] = leave (rects[1], middle (rects[0]));
  points[1] = (HirPoint){ points[0].x + (points[3].x - points[0].x) / 3,
                          points[0].y + (points[3].y - points[0].y) / 3 };
  points[2] = (HirPoint){ points[0].x + (points[3].x - points[0].x) * 2 / 3,
                          points[0].y + (points[3].y - points[0].y) * 2 / 3 };
  draw_arrow_line (draw, points, 4, color, 3, HIR_DASH_DASHED);
  if (draw->scene->zoom < SUBTITLE_ZOOM)
    return;
  label =
      hir_rect ((points[0].x + points[3].x) / 2 - 34, (points[0].y + points[3].y) / 2 - 9, 68, 18);
  hir_display_list_add_round_rect (draw->list, label, 9, color, 0, 0, HIR_DASH_NONE);
  hir_display_list_add_text (draw->list, label, "no order", HIR_FONT_SANS_BOLD, 11,
                             hir_theme_get_ink (color), HIR_ALIGN_CENTER);
}

/* Draws a frame and an arrow at the next instruction. */
static void
draw_pointer (const Draw *draw)
{
  const HirRect *rect = find_rect (draw->scene, draw->scene->pointer);
  HirColor color = draw->theme->changed;
  float y, tip;
  HirPoint points[3];

  if (rect == NULL)
    return;
  hir_display_list_add_round_rect (draw->list,
                                   hir_rect (rect->x - 4, rect->y - 4, rect->width + 8,
                                             rect->height + 8),
                                   CORNER + 4, 0, color, get_line_width (draw, 2.6), HIR_DASH_NONE);
  y = rect->y + rect->height / 2;
  tip = rect->x - 5;
  points[0] = (HirPoint){ tip, y };
  points[1] = (HirPoint){ tip - 13, y - 8 };
  points[2] = (HirPoint){ tip - 13, y + 8 };
  hir_display_list_add_polygon (draw->list, points, 3, color);
}

void
hir_graph_scene_draw (const HirGraphScene *scene, HirDisplayList *list)
{
  Draw draw = { scene, list, scene->theme, scene->visible };

  g_return_if_fail (scene->graph->nodes->len == scene->layout->nodes->len);
  g_return_if_fail (scene->graph->edges->len == scene->layout->edges->len);

  if (draw.visible.width <= 0)
    draw.visible = hir_rect (-1e7, -1e7, 2e7, 2e7);
  draw_lanes (&draw);
  for (guint i = 0; i < scene->graph->groups->len; i++)
    draw_group (&draw, i);
  for (guint i = 0; i < scene->graph->edges->len; i++)
    draw_edge (&draw, i, FALSE);
  /* Draws highlighted edges last, so that others do not hide them. */
  for (guint i = 0; i < scene->graph->edges->len && scene->selected != NULL; i++)
    draw_edge (&draw, i, TRUE);
  for (guint i = 0; i < scene->graph->groups->len; i++)
    draw_group_title (&draw, i);
  for (guint i = 0; i < scene->graph->nodes->len; i++)
    draw_node (&draw, i);
  draw_pair (&draw);
  draw_breaks (&draw);
  draw_pointer (&draw);
}
