/* Camera of the graph view, and the animation of camera and boxes. */
#include <math.h>
#include <string.h>

#include "graph/graph-view-private.h"

#define READABLE_ZOOM 0.62    /* smallest zoom of a picture fitted automatically, */
#define SMALLEST_ZOOM 0.54    /* unless its whole width fits at a smaller zoom */
#define NOTE_HEIGHT 26.0      /* pixels of the note at the lower edge */
#define SELECTION_MARGIN 40.0 /* around selected boxes that are fitted to the pane */
#define GLIDE_US 250000.0     /* duration of an animation */
/* Above this number of boxes the boxes are not animated. */
#define MAX_MOVING 1500

static double
get_min_zoom (HirGraphView *self, double width)
{
  HirCamera camera;

  if (self->shows_all)
    return HIR_GRAPH_MIN_ZOOM;
  if (hir_camera_fit (&camera, self->shown->layout, width, G_MAXINT, SMALLEST_ZOOM) &&
      camera.zoom > SMALLEST_ZOOM)
    return MIN (camera.zoom, READABLE_ZOOM);
  return READABLE_ZOOM;
}

static HirRect
get_map_corner (HirGraphView *self, gboolean is_above)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  double height = gtk_widget_get_height (GTK_WIDGET (self));

  return hir_rect (width - HIR_GRAPH_MAP_WIDTH - HIR_GRAPH_MAP_MARGIN,
                   is_above ? HIR_GRAPH_MAP_MARGIN
                            : height - HIR_GRAPH_MAP_HEIGHT - HIR_GRAPH_MAP_MARGIN,
                   HIR_GRAPH_MAP_WIDTH, HIR_GRAPH_MAP_HEIGHT);
}

/* Returns the area of the boxes that @map would cover. */
static double
get_covered (HirGraphView *self, const HirCamera *camera, HirRect map)
{
  const GArray *nodes = self->shown->layout->nodes;
  double area = 0;

  for (guint i = 0; i < nodes->len; i++)
    {
      const HirRect *rect = &g_array_index (nodes, HirRect, i);
      double x = camera->dx + rect->x * camera->zoom, y = camera->dy + rect->y * camera->zoom;
      double width = MIN (x + rect->width * camera->zoom, map.x + map.width) - MAX (x, map.x);
      double height = MIN (y + rect->height * camera->zoom, map.y + map.height) - MAX (y, map.y);

      if (width > 0 && height > 0)
        area += width * height;
    }
  return area;
}

/* Returns the bounds of the boxes at the center of the neighborhood; zero width if there are none.
 */
static HirRect
get_center (HirGraphView *self)
{
  const HirGraph *graph = self->shown->graph;
  const HirLayout *layout = self->shown->layout;
  const GArray *near = self->shown->choice->near;
  HirRect all = { 0 };

  for (guint i = 0; i < graph->nodes->len + graph->groups->len; i++)
    {
      gboolean is_node = i < graph->nodes->len;
      guint at = is_node ? i : i - graph->nodes->len;
      guint64 id = is_node ? g_array_index (graph->nodes, HirGraphNode, at).id
                           : g_array_index (graph->groups, HirGraphGroup, at).id;
      const HirRect *rect = &g_array_index (is_node ? layout->nodes : layout->groups, HirRect, at);

      for (guint k = 0; k < near->len && rect->width > 0; k++)
        if (g_array_index (near, guint64, k) == id)
          all = all.width > 0 ? hir_rect_union (&all, rect) : *rect;
    }
  return all;
}

/* Returns the offset that centers @center; it leaves no empty space beyond the picture. */
static double
get_near_offset (
    double size, double center, double start, double extent, double zoom, double fitted)
{
  if (extent * zoom <= size)
    return fitted;
  return CLAMP (size / 2 - center * zoom, size - (start + extent) * zoom, -start * zoom);
}

/* Centers a neighborhood that does not fit on its center. */
static void
center_near (HirGraphView *self, HirCamera *camera, double width, double height)
{
  HirRect all = hir_layout_get_bounds (self->shown->layout), center = get_center (self);

  if (!self->shown->is_near || center.width <= 0)
    return;
  camera->dx = get_near_offset (width, center.x + center.width / 2, all.x, all.width, camera->zoom,
                                camera->dx);
  camera->dy = get_near_offset (height, center.y + center.height / 2, all.y, all.height,
                                camera->zoom, camera->dy);
}

/* In a smaller pane the map would cover boxes. */
static gboolean
has_map_room (double width, double height)
{
  return width >= 3 * HIR_GRAPH_MAP_WIDTH && height >= 3 * HIR_GRAPH_MAP_HEIGHT;
}

/* Computes the fitted camera. The overlay at the lower edge is left free if there is space: the
 * map if the picture does not fit, otherwise the note. */
static gboolean
get_fitting (HirGraphView *self, HirCamera *camera)
{
  const HirLayout *layout = self->shown->layout;
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  double height = gtk_widget_get_height (GTK_WIDGET (self));
  double min_zoom = get_min_zoom (self, width);
  double map = HIR_GRAPH_MAP_HEIGHT + HIR_GRAPH_MAP_MARGIN;

  if (height < 2 * map)
    return hir_camera_fit (camera, layout, width, height, min_zoom);
  if (!hir_camera_fit (camera, layout, width, height - (self->has_note ? NOTE_HEIGHT : 0),
                       min_zoom))
    return FALSE;
  /* The zoom is already the smallest allowed one, so only the position changes. */
  if (self->has_map && has_map_room (width, height) &&
      (self->bounds.width * camera->zoom > width || self->bounds.height * camera->zoom > height))
    hir_camera_fit (camera, layout, width, height - map, min_zoom);
  center_near (self, camera, width, height);
  /* The titles of lanes are at the upper edge. */
  self->is_map_above =
      layout->lanes->len == 0 && get_covered (self, camera, get_map_corner (self, TRUE)) <
                                     get_covered (self, camera, get_map_corner (self, FALSE));
  return TRUE;
}

static gboolean
is_animated (HirGraphView *self)
{
  gboolean animate = TRUE;

  g_object_get (gtk_widget_get_settings (GTK_WIDGET (self)), "gtk-enable-animations", &animate,
                NULL);
  return animate && gtk_widget_get_frame_clock (GTK_WIDGET (self)) != NULL;
}

static gint64
get_now_us (HirGraphView *self)
{
  return gdk_frame_clock_get_frame_time (gtk_widget_get_frame_clock (GTK_WIDGET (self)));
}

void
hir_graph_view_stop_glide (HirGraphView *self)
{
  if (self->glide != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->glide);
  self->glide = 0;
}

static gboolean
on_glide (GtkWidget *widget, GdkFrameClock *clock, gpointer user_data)
{
  HirGraphView *self = HIR_GRAPH_VIEW (widget);
  double t = (double) (gdk_frame_clock_get_frame_time (clock) - self->glide_start_us) / GLIDE_US;

  gtk_widget_queue_draw (widget);
  if (t >= 1)
    {
      self->now = self->to;
      self->glide = 0;
      return G_SOURCE_REMOVE;
    }
  self->now = hir_camera_between (self->from, self->to, t);
  return G_SOURCE_CONTINUE;
}

static void
glide_to (HirGraphView *self, HirCamera to)
{
  if (self->glide != 0 && memcmp (&to, &self->to, sizeof to) == 0)
    return;
  if (self->glide == 0 && memcmp (&to, &self->now, sizeof to) == 0)
    return;
  hir_graph_view_stop_glide (self);
  if (!is_animated (self))
    {
      self->now = to;
      return;
    }
  self->from = self->now;
  self->to = to;
  self->glide_start_us = get_now_us (self);
  self->glide = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_glide, NULL, NULL);
}

void
hir_graph_view_follow_fit (HirGraphView *self)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self));
  int height = gtk_widget_get_height (GTK_WIDGET (self));
  HirCamera camera;

  if (!get_fitting (self, &camera))
    return;
  if (self->is_new || width != self->width || height != self->height)
    {
      hir_graph_view_stop_glide (self);
      self->now = camera;
      self->width = width;
      self->height = height;
    }
  else
    {
      glide_to (self, camera);
    }
  self->is_new = FALSE;
}

void
hir_graph_view_zoom_at (HirGraphView *self, double factor, double x, double y)
{
  double zoom = CLAMP (self->now.zoom * factor, HIR_GRAPH_MIN_ZOOM, HIR_GRAPH_MAX_ZOOM);

  hir_graph_view_stop_glide (self);
  self->now.dx = x - (x - self->now.dx) * zoom / self->now.zoom;
  self->now.dy = y - (y - self->now.dy) * zoom / self->now.zoom;
  self->now.zoom = zoom;
  self->is_fitted = self->is_revealed = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
hir_graph_view_fit (HirGraphView *self)
{
  self->is_fitted = TRUE;
  self->shows_all = TRUE;
  hir_layouts_resume (self->layouts);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
hir_graph_view_zoom (HirGraphView *self, double factor)
{
  hir_graph_view_zoom_at (self, factor, gtk_widget_get_width (GTK_WIDGET (self)) / 2.0,
                          gtk_widget_get_height (GTK_WIDGET (self)) / 2.0);
}

void
hir_graph_view_move_by (HirGraphView *self, double dx, double dy)
{
  hir_graph_view_stop_glide (self);
  self->now.dx += dx;
  self->now.dy += dy;
  self->is_fitted = self->is_revealed = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static HirCamera
center_on (HirGraphView *self, HirCamera camera, double x, double y)
{
  camera.dx = gtk_widget_get_width (GTK_WIDGET (self)) / 2.0 - x * camera.zoom;
  camera.dy = gtk_widget_get_height (GTK_WIDGET (self)) / 2.0 - y * camera.zoom;
  return camera;
}

void
hir_graph_view_reveal (HirGraphView *self)
{
  guint step = hir_selection_get_step (self->selection);
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  double height = gtk_widget_get_height (GTK_WIDGET (self));
  HirCamera camera = self->glide != 0 ? self->to : self->now;
  const HirRect *first = NULL;
  guint64 folded = 0;

  if (self->shown == NULL || self->is_new || hir_selection_get_node (self->selection) == 0)
    return;
  /* The current instruction of a debugged program may be inside a folded loop. */
  if (hir_selection_get_node (self->selection) == hir_selection_get_pointer (self->selection))
    folded = hir_picture_find_shown (self->shown, hir_selection_get_pointer (self->selection));
  if (self->is_fitted)
    get_fitting (self, &camera);
  for (guint i = 0; i < self->shown->graph->nodes->len; i++)
    {
      const HirRect *rect = &g_array_index (self->shown->layout->nodes, HirRect, i);
      guint64 id = g_array_index (self->shown->graph->nodes, HirGraphNode, i).id;
      double x = camera.dx + (rect->x + rect->width / 2) * camera.zoom;
      double y = camera.dy + (rect->y + rect->height / 2) * camera.zoom;

      if (rect->width <= 0 ||
          (!hir_selection_has_node_at (self->selection, step, id) && (folded == 0 || folded != id)))
        continue;
      if (x > 0 && x < width && y > 0 && y < height)
        return;
      if (first == NULL)
        first = rect;
    }
  if (first == NULL)
    return;
  self->is_revealed |= self->is_fitted;
  self->is_fitted = FALSE;
  glide_to (self,
            center_on (self, camera, first->x + first->width / 2, first->y + first->height / 2));
}

void
hir_graph_view_fit_selection (HirGraphView *self)
{
  guint step = hir_selection_get_step (self->selection);
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  double height = gtk_widget_get_height (GTK_WIDGET (self));
  HirCamera camera = { 1, 0, 0 };
  HirRect all = { 0 };

  for (guint i = 0; self->shown != NULL && i < self->shown->graph->nodes->len; i++)
    {
      const HirRect *rect = &g_array_index (self->shown->layout->nodes, HirRect, i);

      if (rect->width > 0 &&
          hir_selection_has_node_at (self->selection, step,
                                     g_array_index (self->shown->graph->nodes, HirGraphNode, i).id))
        all = all.width > 0 ? hir_rect_union (&all, rect) : *rect;
    }
  if (all.width <= 0)
    {
      hir_graph_view_fit (self);
      return;
    }
  camera.zoom = CLAMP (MIN (width / (all.width + 2 * SELECTION_MARGIN),
                            height / (all.height + 2 * SELECTION_MARGIN)),
                       HIR_GRAPH_MIN_ZOOM, 1);
  self->is_fitted = self->is_revealed = FALSE;
  glide_to (self, center_on (self, camera, all.x + all.width / 2, all.y + all.height / 2));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static HirRect
to_widget (HirGraphView *self, const HirRect *rect)
{
  return hir_rect (self->now.dx + rect->x * self->now.zoom, self->now.dy + rect->y * self->now.zoom,
                   rect->width * self->now.zoom, rect->height * self->now.zoom);
}

gboolean
hir_graph_view_get_node_rect (HirGraphView *self, guint index, HirRect *rect)
{
  if (self->shown == NULL || index >= self->shown->layout->nodes->len)
    return FALSE;
  *rect =
      to_widget (self, &g_array_index (hir_graph_view_get_layout (self)->nodes, HirRect, index));
  return rect->width > 0;
}

gboolean
hir_graph_view_get_map_place (HirGraphView *self, HirRect *rect)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  double height = gtk_widget_get_height (GTK_WIDGET (self));
  HirRect all;

  if (!self->has_map || self->shown == NULL || !has_map_room (width, height))
    return FALSE;
  all = to_widget (self, &self->bounds);
  *rect = get_map_corner (self, self->is_map_above);
  /* The map is needed only if some boxes are outside of the pane. */
  return all.x < -1 || all.y < -1 || all.x + all.width > width + 1 ||
         all.y + all.height > height + 1;
}

void
hir_graph_view_go_to_map (HirGraphView *self, double x, double y)
{
  HirRect map;
  double zoom, dx, dy;

  if (self->shown == NULL || !hir_graph_view_get_map_place (self, &map))
    return;
  map = hir_rect (map.x + 6, map.y + 6, map.width - 12, map.height - 12);
  hir_graph_scene_fit_map (self->shown->layout, &map, &zoom, &dx, &dy);
  hir_graph_view_stop_glide (self);
  self->now = center_on (self, self->now, (x - dx) / zoom, (y - dy) / zoom);
  self->is_fitted = self->is_revealed = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
hir_graph_view_stop_move (HirGraphView *self)
{
  if (self->move != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->move);
  self->move = 0;
  g_clear_pointer (&self->moving, hir_layout_unref);
  g_clear_pointer (&self->origin, hir_layout_unref);
  g_clear_pointer (&self->match, g_free);
}

static gboolean
on_move (GtkWidget *widget, GdkFrameClock *clock, gpointer user_data)
{
  HirGraphView *self = HIR_GRAPH_VIEW (widget);
  double t = (double) (gdk_frame_clock_get_frame_time (clock) - self->move_start_us) / GLIDE_US;
  const GArray *edges = self->shown->graph->edges;
  g_autofree HirSizesEdge *ends = NULL;

  gtk_widget_queue_draw (widget);
  if (t >= 1)
    {
      self->move = 0;
      hir_graph_view_stop_move (self);
      return G_SOURCE_REMOVE;
    }
  ends = g_new (HirSizesEdge, edges->len + 1);
  for (guint i = 0; i < edges->len; i++)
    {
      const HirGraphEdge *edge = &g_array_index (edges, HirGraphEdge, i);

      ends[i] = (HirSizesEdge){ edge->from, edge->to, edge->kind };
    }
  g_clear_pointer (&self->moving, hir_layout_unref);
  /* Decelerate towards the end. */
  self->moving = hir_layout_new_between (self->origin, self->shown->layout, self->match, ends,
                                         1 - pow (1 - MAX (t, 0), 3));
  return G_SOURCE_CONTINUE;
}

static gboolean
moves (const HirLayout *from, const HirLayout *to, const int *match)
{
  for (guint i = 0; i < to->nodes->len; i++)
    {
      const HirRect *a, *b = &g_array_index (to->nodes, HirRect, i);

      if (match[i] < 0)
        continue;
      a = &g_array_index (from->nodes, HirRect, match[i]);
      if (fabsf (a->x - b->x) > 1 || fabsf (a->y - b->y) > 1)
        return TRUE;
    }
  return FALSE;
}

static HirRect
get_bounds (const HirLayout *layout)
{
  HirRect bounds = { 0 };

  for (guint i = 0; i < layout->nodes->len; i++)
    {
      const HirRect *rect = &g_array_index (layout->nodes, HirRect, i);

      if (rect->width > 0)
        bounds = bounds.width > 0 ? hir_rect_union (&bounds, rect) : *rect;
    }
  return bounds;
}

void
hir_graph_view_take_picture (HirGraphView *self, HirPicture *picture)
{
  g_autoptr (HirPicture) before = self->shown;

  hir_graph_view_stop_move (self);
  self->shown = hir_picture_ref (picture);
  self->bounds = get_bounds (picture->layout);
  if (before != NULL && !self->is_new && is_animated (self) &&
      picture->graph->nodes->len <= MAX_MOVING && before->graph->nodes->len <= MAX_MOVING)
    {
      int *match = hir_picture_match (before, picture);

      if (moves (before->layout, picture->layout, match))
        {
          self->match = match;
          self->origin = hir_layout_ref (before->layout);
          self->move_start_us = get_now_us (self);
          self->move = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_move, NULL, NULL);
        }
      else
        g_free (match);
    }
}

HirLayout *
hir_graph_view_get_layout (HirGraphView *self)
{
  return self->moving != NULL ? self->moving : self->shown->layout;
}
