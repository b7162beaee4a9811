#include "draw/graph/layout.h"

#include "draw/graph/program-order.h"

#include <math.h>
#include <string.h>

HirSizes *
hir_sizes_new_empty (void)
{
  HirSizes *sizes = g_new0 (HirSizes, 1);

  sizes->nodes = g_array_new (FALSE, TRUE, sizeof (HirSizesNode));
  sizes->groups = g_array_new (FALSE, TRUE, sizeof (HirSizesGroup));
  sizes->edges = g_array_new (FALSE, TRUE, sizeof (HirSizesEdge));
  sizes->constraints = g_array_new (FALSE, TRUE, sizeof (HirSizesConstraint));
  sizes->order = g_array_new (FALSE, TRUE, sizeof (guint32));
  return sizes;
}

void
hir_sizes_free (HirSizes *sizes)
{
  if (sizes == NULL)
    return;
  g_array_unref (sizes->nodes);
  g_array_unref (sizes->groups);
  g_array_unref (sizes->edges);
  g_array_unref (sizes->constraints);
  g_array_unref (sizes->order);
  g_free (sizes);
}

static void
measure_node (HirMeasure *measure, const HirGraphNode *node, float *width, float *height)
{
  double title_w = 0, title_h = 0, sub_w = 0, sub_h = 0;
  double mark = node->kind == HIR_GRAPH_FOLD ? HIR_FOLD_MARK : 0;

  hir_measure_text (measure, HIR_FONT_SANS_BOLD, HIR_NODE_TITLE_PX, node->title, &title_w,
                    &title_h);
  if (node->subtitle != NULL && *node->subtitle != '\0')
    hir_measure_text (measure, HIR_FONT_SANS, HIR_NODE_SUBTITLE_PX, node->subtitle, &sub_w, &sub_h);
  /* Whole pixels give crisp edges at zoom 1. */
  *width = (float) ceil (CLAMP (MAX (title_w, sub_w) + mark + 2 * HIR_NODE_PADDING_X + 1,
                                HIR_NODE_MIN_WIDTH,
                                mark > 0 ? 1.5 * HIR_NODE_MAX_WIDTH : HIR_NODE_MAX_WIDTH));
  *height = (float) ceil (title_h + sub_h + 2 * HIR_NODE_PADDING_Y);
}

HirSizes *
hir_sizes_new (const HirGraph *graph, HirMeasure *measure)
{
  HirSizes *sizes;

  g_return_val_if_fail (graph != NULL && measure != NULL, NULL);

  sizes = hir_sizes_new_empty ();
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const HirGraphNode *node = &g_array_index (graph->nodes, HirGraphNode, i);
      HirSizesNode size = { .group = node->group };

      measure_node (measure, node, &size.width, &size.height);
      g_array_append_val (sizes->nodes, size);
    }
  for (guint i = 0; i < graph->groups->len; i++)
    {
      const HirGraphGroup *group = &g_array_index (graph->groups, HirGraphGroup, i);
      HirSizesGroup size = { .parent = group->parent };
      double width = 0, height = 0;

      hir_measure_text (measure, HIR_FONT_MONO, HIR_GROUP_TITLE_PX, group->title, &width, &height);
      size.title_width = (float) MIN (width + 2 + HIR_FOLD_MARK, 2 * HIR_NODE_MAX_WIDTH);
      size.title_height = (float) height;
      g_array_append_val (sizes->groups, size);
    }
  for (guint i = 0; i < graph->edges->len; i++)
    {
      const HirGraphEdge *edge = &g_array_index (graph->edges, HirGraphEdge, i);
      HirSizesEdge size = { edge->from, edge->to, edge->kind };

      g_array_append_val (sizes->edges, size);
    }
  hir_sizes_add_program_order (sizes, graph);
  return sizes;
}

static guint64
hash_bytes (guint64 hash, gconstpointer data, gsize size)
{
  const guint8 *bytes = data;

  for (gsize i = 0; i < size; i++)
    hash = (hash ^ bytes[i]) * 1099511628211ull;
  return hash;
}

static guint64
hash_array (guint64 hash, const GArray *array)
{
  hash = hash_bytes (hash, &array->len, sizeof array->len);
  return hash_bytes (hash, array->data, array->len * g_array_get_element_size ((GArray *) array));
}

guint64
hir_sizes_hash (const HirSizes *sizes)
{
  guint64 hash = 14695981039346656037ull;

  g_return_val_if_fail (sizes != NULL, 0);

  hash = hash_array (hash, sizes->nodes);
  hash = hash_array (hash, sizes->groups);
  hash = hash_array (hash, sizes->edges);
  hash = hash_array (hash, sizes->constraints);
  return hash_array (hash, sizes->order);
}

static void
clear_lane (gpointer data)
{
  g_free (((HirLane *) data)->title);
}

HirLayout *
hir_layout_new (HirLayoutKind kind)
{
  HirLayout *layout = g_new0 (HirLayout, 1);

  g_atomic_ref_count_init (&layout->ref_count);
  layout->kind = kind;
  layout->nodes = g_array_new (FALSE, TRUE, sizeof (HirRect));
  layout->groups = g_array_new (FALSE, TRUE, sizeof (HirRect));
  layout->edges = g_array_new (FALSE, TRUE, sizeof (HirLayoutEdge));
  layout->points = g_array_new (FALSE, TRUE, sizeof (HirPoint));
  layout->lanes = g_array_new (FALSE, TRUE, sizeof (HirLane));
  g_array_set_clear_func (layout->lanes, clear_lane);
  return layout;
}

HirLayout *
hir_layout_ref (HirLayout *layout)
{
  g_return_val_if_fail (layout != NULL, NULL);

  g_atomic_ref_count_inc (&layout->ref_count);
  return layout;
}

void
hir_layout_unref (HirLayout *layout)
{
  if (layout == NULL || !g_atomic_ref_count_dec (&layout->ref_count))
    return;
  g_array_unref (layout->nodes);
  g_array_unref (layout->groups);
  g_array_unref (layout->edges);
  g_array_unref (layout->points);
  g_array_unref (layout->lanes);
  g_free (layout->note);
  g_free (layout);
}

HirLayout *
hir_layout_new_noted (const HirLayout *layout, const char *note)
{
  HirLayout *copy = g_new0 (HirLayout, 1);

  g_atomic_ref_count_init (&copy->ref_count);
  copy->kind = layout->kind;
  copy->width = layout->width;
  copy->height = layout->height;
  copy->nodes = g_array_ref (layout->nodes);
  copy->groups = g_array_ref (layout->groups);
  copy->edges = g_array_ref (layout->edges);
  copy->points = g_array_ref (layout->points);
  copy->lanes = g_array_ref (layout->lanes);
  copy->note = g_strdup (note);
  return copy;
}

void
hir_layout_add_edge (HirLayout *layout, const HirPoint *points, guint n_points)
{
  HirLayoutEdge edge = { layout->points->len, n_points };

  if (n_points > 0)
    g_array_append_vals (layout->points, points, n_points);
  g_array_append_val (layout->edges, edge);
}

static float
mix (float a, float b, double t)
{
  return (float) (a + (b - a) * t);
}

static HirRect
mix_rects (const HirRect *a, const HirRect *b, double t)
{
  if (a->width <= 0 || b->width <= 0)
    return *b;
  return (HirRect){ mix (a->x, b->x, t), mix (a->y, b->y, t), mix (a->width, b->width, t),
                    mix (a->height, b->height, t) };
}

HirLayout *
hir_layout_new_between (const HirLayout *from,
                        const HirLayout *to,
                        const int *from_index,
                        const HirSizesEdge *edges,
                        double t)
{
  HirLayout *layout = hir_layout_new (to->kind);

  layout->width = mix (from->width, to->width, t);
  layout->height = mix (from->height, to->height, t);
  for (guint i = 0; i < to->nodes->len; i++)
    {
      HirRect rect = g_array_index (to->nodes, HirRect, i);

      if (from_index[i] >= 0)
        rect = mix_rects (&g_array_index (from->nodes, HirRect, from_index[i]), &rect, t);
      g_array_append_val (layout->nodes, rect);
    }
  g_array_append_vals (layout->groups, to->groups->data, to->groups->len);
  for (guint i = 0; i < to->edges->len; i++)
    {
      const HirRect *a = &g_array_index (layout->nodes, HirRect, edges[i].from);
      const HirRect *b = &g_array_index (layout->nodes, HirRect, edges[i].to);
      HirPoint start = { a->x + a->width / 2, a->y + a->height };
      HirPoint end = { b->x + b->width / 2, b->y };
      HirPoint line[4] = { start, start, end, end };

      hir_layout_add_edge (layout, line,
                           g_array_index (to->edges, HirLayoutEdge, i).n_points ? 4 : 0);
    }
  return layout;
}

static void
grow (HirRect *group, const HirRect *member, float side, float top)
{
  HirRect around = { member->x - side, member->y - top, member->width + 2 * side,
                     member->height + top + side };

  *group = group->width > 0 ? hir_rect_union (group, &around) : around;
}

static void
widen_for_title (HirRect *rect, const HirSizesGroup *group, const HirRect *limit)
{
  if (limit != NULL && limit->width > 0)
    {
      float right = MAX (rect->x + rect->width, limit->x + limit->width);
      float bottom = rect->y + rect->height;

      rect->x = MIN (rect->x, limit->x);
      rect->y = MIN (rect->y, limit->y);
      rect->width = right - rect->x;
      rect->height = bottom - rect->y;
    }
  rect->width = MAX (rect->width, group->title_width + 2 * (float) HIR_GROUP_PADDING);
}

void
hir_layout_fit_groups (HirLayout *layout, const HirSizes *sizes, const HirRect *limits)
{
  g_array_set_size (layout->groups, 0);
  g_array_set_size (layout->groups, sizes->groups->len);
  for (guint i = 0; i < sizes->nodes->len; i++)
    {
      const HirSizesNode *node = &g_array_index (sizes->nodes, HirSizesNode, i);
      const HirRect *rect = &g_array_index (layout->nodes, HirRect, i);

      if (node->group < 0 || rect->width <= 0)
        continue;
      const HirSizesGroup *group = &g_array_index (sizes->groups, HirSizesGroup, node->group);
      grow (&g_array_index (layout->groups, HirRect, node->group), rect, HIR_GROUP_PADDING,
            group->title_height + HIR_GROUP_PADDING);
    }
  /* Children follow their parents. In reverse order, each group is complete before its parent
   * includes it. */
  for (guint i = sizes->groups->len; i > 0; i--)
    {
      const HirSizesGroup *group = &g_array_index (sizes->groups, HirSizesGroup, i - 1);
      HirRect *rect = &g_array_index (layout->groups, HirRect, i - 1);

      if (rect->width <= 0)
        continue;
      widen_for_title (rect, group, limits != NULL ? &limits[i - 1] : NULL);
      if (group->parent >= 0)
        grow (&g_array_index (layout->groups, HirRect, group->parent), rect, HIR_GROUP_PADDING / 2,
              g_array_index (sizes->groups, HirSizesGroup, group->parent).title_height +
                  HIR_GROUP_PADDING);
    }
}

static void
take_in (HirRect *all, const GArray *rects)
{
  for (guint i = 0; i < rects->len; i++)
    {
      const HirRect *rect = &g_array_index (rects, HirRect, i);

      if (rect->width > 0)
        *all = all->width > 0 ? hir_rect_union (all, rect) : *rect;
    }
}

static void
move_rects (GArray *rects, float dx, float dy)
{
  for (guint i = 0; i < rects->len; i++)
    {
      g_array_index (rects, HirRect, i).x += dx;
      g_array_index (rects, HirRect, i).y += dy;
    }
}

void
hir_layout_fit_origin (HirLayout *layout)
{
  HirRect all = { 0, 0, 0, 0 };
  float right, bottom;

  take_in (&all, layout->nodes);
  take_in (&all, layout->groups);
  right = all.x + all.width;
  bottom = all.y + all.height;
  for (guint i = 0; i < layout->points->len; i++)
    {
      const HirPoint *point = &g_array_index (layout->points, HirPoint, i);

      all.x = MIN (all.x, point->x);
      all.y = MIN (all.y, point->y);
      right = MAX (right, point->x);
      bottom = MAX (bottom, point->y);
    }
  /* Titles of lanes are above everything, at 0. */
  if (layout->lanes->len > 0)
    all.y = MIN (all.y, 0);
  all.x = floorf (all.x);
  all.y = floorf (all.y);
  move_rects (layout->nodes, -all.x, -all.y);
  move_rects (layout->groups, -all.x, -all.y);
  for (guint i = 0; i < layout->points->len; i++)
    {
      g_array_index (layout->points, HirPoint, i).x -= all.x;
      g_array_index (layout->points, HirPoint, i).y -= all.y;
    }
  for (guint i = 0; i < layout->lanes->len; i++)
    g_array_index (layout->lanes, HirLane, i).x -= all.x;
  layout->width = ceilf (right - all.x);
  layout->height = ceilf (bottom - all.y);
}

HirRect
hir_layout_get_bounds (const HirLayout *layout)
{
  HirRect all = { 0, 0, 0, 0 };

  if (layout->lanes->len > 0)
    return hir_rect (0, 0, layout->width, layout->height);
  take_in (&all, layout->nodes);
  take_in (&all, layout->groups);
  for (guint i = 0; i < layout->edges->len; i++)
    {
      const HirLayoutEdge *edge = &g_array_index (layout->edges, HirLayoutEdge, i);
      const HirPoint *points = (const HirPoint *) (gpointer) layout->points->data;
      HirRect route;

      if (edge->n_points == 0)
        continue;
      route = hir_points_get_bounds (points + edge->first_point, edge->n_points, 0);
      all = hir_rect_union (&all, &route);
    }
  return all;
}
