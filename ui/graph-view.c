#include "graph-view.h"

#include <math.h>
#include <string.h>

#include "canvas.h"
#include "draw/graph-scene.h"
#include "layouts.h"

#define MIN_ZOOM 0.02
#define MAX_ZOOM 4.0
#define FIT_MARGIN 16.0
#define KEY_STEP 60.0      /* pixels a WASD key moves */
#define READABLE_ZOOM 0.62 /* a picture that came by itself is not smaller */
#define GLIDE_US 200000.0  /* how long the picture takes to its new place */

/* A point (x, y) of the layout is at (x * zoom + dx, y * zoom + dy) of the widget. */
typedef struct
{
  double zoom, dx, dy;
} Camera;

struct _HirGraphView
{
  GtkWidget parent_instance;

  HirSelection *selection;
  HirLayouts *layouts;
  HirDisplayList *list;
  HirTextCache *texts;
  gboolean lanes;
  gboolean is_fitted; /* follow the picture's size ... */
  gboolean shows_all; /* ... also where that makes it too small to read */
  Camera now;
  Camera from, to; /* of a glide */
  gint64 glide_start_us;
  guint glide;       /* tick callback; 0: none */
  gboolean is_new;   /* no picture of this program was shown yet: nothing to glide from */
  int width, height; /* of the last frame */
  double pointer_x, pointer_y;
  double drag_dx, drag_dy;
  guint64 hovered;
};

G_DEFINE_FINAL_TYPE (HirGraphView, hir_graph_view, GTK_TYPE_WIDGET)

static HirLayout *
get_layout (HirGraphView *self)
{
  return hir_layouts_get (self->layouts, hir_selection_get_step (self->selection), self->lanes);
}

/* What of the layout is drawn: it has room for the nodes of all steps. */
static HirRect
get_bounds (const HirLayout *layout)
{
  double x0 = layout->width, y0 = layout->height, x1 = 0, y1 = 0;

  if (layout->lanes->len > 0)
    return hir_rect (0, 0, layout->width, layout->height);
  for (guint pass = 0; pass < 2; pass++)
    {
      const GArray *rects = pass == 0 ? layout->nodes : layout->groups;

      for (guint i = 0; i < rects->len; i++)
        {
          const HirRect *rect = &g_array_index (rects, HirRect, i);

          if (rect->width <= 0)
            continue;
          x0 = MIN (x0, rect->x);
          y0 = MIN (y0, rect->y);
          x1 = MAX (x1, rect->x + rect->width);
          y1 = MAX (y1, rect->y + rect->height);
        }
    }
  return hir_rect (x0, y0, MAX (x1 - x0, 0), MAX (y1 - y0, 0));
}

/* In the middle where all of it is seen; else its beginning. */
static gboolean
get_fitting (HirGraphView *self, const HirLayout *layout, Camera *camera)
{
  HirRect bounds = get_bounds (layout);
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  double height = gtk_widget_get_height (GTK_WIDGET (self));
  double least = self->shows_all ? MIN_ZOOM : READABLE_ZOOM;

  if (bounds.width <= 0 || bounds.height <= 0 || width <= 0 || height <= 0)
    return FALSE;
  camera->zoom =
      MIN ((width - 2 * FIT_MARGIN) / bounds.width, (height - 2 * FIT_MARGIN) / bounds.height);
  camera->zoom = CLAMP (camera->zoom, least, 1.0);
  camera->dx =
      MAX (FIT_MARGIN, (width - bounds.width * camera->zoom) / 2) - bounds.x * camera->zoom;
  camera->dy =
      MAX (FIT_MARGIN, (height - bounds.height * camera->zoom) / 2) - bounds.y * camera->zoom;
  return TRUE;
}

static void
stop_glide (HirGraphView *self)
{
  if (self->glide != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self), self->glide);
  self->glide = 0;
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, gpointer user_data)
{
  HirGraphView *self = HIR_GRAPH_VIEW (widget);
  double t = (double) (gdk_frame_clock_get_frame_time (clock) - self->glide_start_us) / GLIDE_US;
  double eased;

  gtk_widget_queue_draw (widget);
  if (t >= 1)
    {
      self->now = self->to;
      self->glide = 0;
      return G_SOURCE_REMOVE;
    }
  eased = 1 - pow (1 - MAX (t, 0), 3);
  self->now.zoom = self->from.zoom + (self->to.zoom - self->from.zoom) * eased;
  self->now.dx = self->from.dx + (self->to.dx - self->from.dx) * eased;
  self->now.dy = self->from.dy + (self->to.dy - self->from.dy) * eased;
  return G_SOURCE_CONTINUE;
}

static void
glide_to (HirGraphView *self, Camera to)
{
  gboolean animate = TRUE;

  if (self->glide != 0 && memcmp (&to, &self->to, sizeof to) == 0)
    return;
  if (self->glide == 0 && memcmp (&to, &self->now, sizeof to) == 0)
    return;
  stop_glide (self);
  g_object_get (gtk_widget_get_settings (GTK_WIDGET (self)), "gtk-enable-animations", &animate,
                NULL);
  if (!animate)
    {
      self->now = to;
      return;
    }
  self->from = self->now;
  self->to = to;
  self->glide_start_us =
      gdk_frame_clock_get_frame_time (gtk_widget_get_frame_clock (GTK_WIDGET (self)));
  self->glide = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_tick, NULL, NULL);
}

/* Keeps the picture fitted: at once where the pane or the program is another, else gliding there.
 */
static void
follow_fit (HirGraphView *self, const HirLayout *layout)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self));
  int height = gtk_widget_get_height (GTK_WIDGET (self));
  Camera camera;

  if (!get_fitting (self, layout, &camera))
    return;
  if (self->is_new || width != self->width || height != self->height)
    {
      stop_glide (self);
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

static void
zoom_at (HirGraphView *self, double factor, double x, double y)
{
  double zoom = CLAMP (self->now.zoom * factor, MIN_ZOOM, MAX_ZOOM);

  stop_glide (self);
  self->now.dx = x - (x - self->now.dx) * zoom / self->now.zoom;
  self->now.dy = y - (y - self->now.dy) * zoom / self->now.zoom;
  self->now.zoom = zoom;
  self->is_fitted = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
move_by (HirGraphView *self, double dx, double dy)
{
  stop_glide (self);
  self->now.dx += dx;
  self->now.dy += dy;
  self->is_fitted = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* Where what was selected in another view is out of sight here, the picture goes to it. */
static void
reveal (HirGraphView *self)
{
  HirProgramView *view = hir_selection_get_view (self->selection);
  guint step = hir_selection_get_step (self->selection);
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  double height = gtk_widget_get_height (GTK_WIDGET (self));
  Camera camera = self->glide != 0 ? self->to : self->now;
  HirLayout *layout = view != NULL ? get_layout (self) : NULL;
  const HirRect *first = NULL;

  if (layout == NULL || self->is_new || hir_selection_get_node (self->selection) == 0)
    return;
  if (self->is_fitted)
    get_fitting (self, layout, &camera);
  for (guint i = 0; i < MIN (layout->nodes->len, view->graph->nodes->len); i++)
    {
      const HirRect *rect = &g_array_index (layout->nodes, HirRect, i);
      double x = camera.dx + (rect->x + rect->width / 2) * camera.zoom;
      double y = camera.dy + (rect->y + rect->height / 2) * camera.zoom;

      if (rect->width <= 0 ||
          !hir_selection_has_node_at (self->selection, step,
                                      g_array_index (view->graph->nodes, HirGraphNode, i).id))
        continue;
      if (x > 0 && x < width && y > 0 && y < height)
        return;
      if (first == NULL)
        first = rect;
    }
  if (first == NULL)
    return;
  camera.dx = width / 2 - (first->x + first->width / 2) * camera.zoom;
  camera.dy = height / 2 - (first->y + first->height / 2) * camera.zoom;
  self->is_fitted = FALSE;
  glide_to (self, camera);
}

static GHashTable *
dup_selected (HirGraphView *self)
{
  GHashTable *selected = g_hash_table_new (g_int64_hash, g_int64_equal);
  GArray *ids =
      hir_selection_get_nodes_at (self->selection, hir_selection_get_step (self->selection));

  for (guint i = 0; i < ids->len; i++)
    g_hash_table_add (selected, &g_array_index (ids, guint64, i));
  return selected;
}

/* Against the step before; nothing for the first step, in which all is new. */
static GHashTable *
dup_changes (HirGraphView *self, const HirProgramView *view)
{
  GHashTable *changes = g_hash_table_new (g_int64_hash, g_int64_equal);
  HirProgramView *before = hir_selection_get_previous_view (self->selection);

  for (guint i = 0; before != NULL && view->changed && i < view->graph->nodes->len; i++)
    {
      const HirGraphNode *node = &g_array_index (view->graph->nodes, HirGraphNode, i);
      HirChange change = hir_program_view_get_change (before, view, node->id);

      if (change != HIR_CHANGE_NONE)
        g_hash_table_insert (changes, (gpointer) &node->id, GUINT_TO_POINTER (change));
    }
  return changes;
}

static void
hir_graph_view_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  HirGraphView *self = HIR_GRAPH_VIEW (widget);
  const HirTheme *theme = hir_canvas_get_theme ();
  HirProgramView *view = hir_selection_get_view (self->selection);
  HirLayout *layout = view != NULL ? get_layout (self) : NULL;

  hir_display_list_clear (self->list);
  if (layout != NULL)
    {
      g_autoptr (GHashTable) selected = dup_selected (self);
      g_autoptr (GHashTable) changes = dup_changes (self, view);
      HirGraphScene scene = {
        .graph = view->graph,
        .layout = layout,
        .theme = theme,
        .selected = selected,
        .changes = changes,
        .hovered = self->hovered,
      };

      if (self->is_fitted)
        follow_fit (self, layout);
      scene.zoom = self->now.zoom;
      scene.visible = hir_rect (-self->now.dx / self->now.zoom, -self->now.dy / self->now.zoom,
                                gtk_widget_get_width (widget) / self->now.zoom,
                                gtk_widget_get_height (widget) / self->now.zoom);
      hir_graph_scene_draw (&scene, self->list);
      hir_canvas_snapshot (widget, snapshot, self->list, self->texts, theme->background,
                           self->now.zoom, self->now.dx, self->now.dy);
      return;
    }

  hir_display_list_add_text (self->list,
                             hir_rect (0, 0, gtk_widget_get_width (widget),
                                       gtk_widget_get_height (widget)),
                             view == NULL ? "No graph" : "Laying out the graph\xe2\x80\xa6",
                             HIR_FONT_SANS, 13, theme->dim_text, HIR_ALIGN_CENTER);
  hir_canvas_snapshot (widget, snapshot, self->list, self->texts, theme->background, 1, 0, 0);
}

static guint64
node_at (HirGraphView *self, double x, double y)
{
  const HirHit *hit = hir_display_list_get_hit (self->list, (x - self->now.dx) / self->now.zoom,
                                                (y - self->now.dy) / self->now.zoom);

  return hit != NULL ? hit->id : 0;
}

static void
on_released (GtkGestureClick *gesture, int n_press, double x, double y, gpointer user_data)
{
  HirGraphView *self = user_data;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  hir_selection_set_node (self->selection, node_at (self, x, y));
}

static void
on_motion (GtkEventControllerMotion *controller, double x, double y, gpointer user_data)
{
  HirGraphView *self = user_data;
  HirProgramView *view = hir_selection_get_view (self->selection);
  guint64 hovered = node_at (self, x, y);
  const HirNodeInfo *info;

  self->pointer_x = x;
  self->pointer_y = y;
  if (hovered == self->hovered)
    return;
  self->hovered = hovered;
  info = view != NULL && hovered != 0 ? hir_program_view_lookup (view, hovered) : NULL;
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), info != NULL ? info->label : NULL);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_leave (GtkEventControllerMotion *controller, gpointer user_data)
{
  HirGraphView *self = user_data;

  self->hovered = 0;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static gboolean
on_scroll (GtkEventControllerScroll *controller, double dx, double dy, gpointer user_data)
{
  HirGraphView *self = user_data;
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));

  if (state & GDK_SHIFT_MASK)
    move_by (self, -(dx + dy) * 40, 0);
  else
    zoom_at (self, pow (1.15, -dy), self->pointer_x, self->pointer_y);
  return TRUE;
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, gpointer user_data)
{
  HirGraphView *self = user_data;

  self->drag_dx = self->now.dx;
  self->drag_dy = self->now.dy;
}

static void
on_drag_update (GtkGestureDrag *gesture, double x, double y, gpointer user_data)
{
  HirGraphView *self = user_data;

  /* A click that trembles is no drag; one that moves is no click. */
  if (fabs (x) + fabs (y) < 4)
    return;
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  move_by (self, self->drag_dx + x - self->now.dx, self->drag_dy + y - self->now.dy);
}

/* The neighbour along an edge: Up to what it reads, Down to what reads it. */
static gboolean
walk (HirGraphView *self, gboolean down)
{
  HirProgramView *view = hir_selection_get_view (self->selection);
  guint64 best = 0;
  guint step = hir_selection_get_step (self->selection);

  if (view == NULL)
    return FALSE;
  for (guint i = 0; i < view->graph->edges->len; i++)
    {
      const HirGraphEdge *edge = &g_array_index (view->graph->edges, HirGraphEdge, i);
      const HirGraphNode *from = &g_array_index (view->graph->nodes, HirGraphNode, edge->from);
      const HirGraphNode *to = &g_array_index (view->graph->nodes, HirGraphNode, edge->to);
      const HirGraphNode *here = down ? from : to;
      const HirGraphNode *there = down ? to : from;

      if (best == 0 && hir_selection_has_node_at (self->selection, step, here->id) &&
          !hir_selection_has_node_at (self->selection, step, there->id))
        best = there->id;
    }
  if (best == 0 && hir_selection_get_node (self->selection) == 0 && view->graph->nodes->len > 0)
    best = g_array_index (view->graph->nodes, HirGraphNode, 0).id;
  if (best != 0)
    hir_selection_set_node (self->selection, best);
  return TRUE;
}

static gboolean
on_key (GtkEventControllerKey *controller,
        guint keyval,
        guint keycode,
        GdkModifierType state,
        gpointer user_data)
{
  HirGraphView *self = user_data;

  if (state & (GDK_CONTROL_MASK | GDK_ALT_MASK))
    return FALSE;
  switch (keyval)
    {
    case GDK_KEY_w:
      move_by (self, 0, KEY_STEP);
      return TRUE;
    case GDK_KEY_s:
      move_by (self, 0, -KEY_STEP);
      return TRUE;
    case GDK_KEY_a:
      move_by (self, KEY_STEP, 0);
      return TRUE;
    case GDK_KEY_d:
      move_by (self, -KEY_STEP, 0);
      return TRUE;
    case GDK_KEY_plus:
    case GDK_KEY_equal:
    case GDK_KEY_KP_Add:
      hir_graph_view_zoom (self, 1.25);
      return TRUE;
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract:
      hir_graph_view_zoom (self, 0.8);
      return TRUE;
    case GDK_KEY_0:
    case GDK_KEY_f:
      hir_graph_view_fit (self);
      return TRUE;
    case GDK_KEY_Up:
      return walk (self, FALSE);
    case GDK_KEY_Down:
      return walk (self, TRUE);
    default:
      return FALSE;
    }
}

void
hir_graph_view_set_lanes (HirGraphView *self, gboolean lanes)
{
  if (self->lanes == lanes)
    return;
  self->lanes = lanes;
  self->is_fitted = TRUE;
  self->shows_all = FALSE;
  self->is_new = TRUE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
hir_graph_view_fit (HirGraphView *self)
{
  self->is_fitted = TRUE;
  self->shows_all = TRUE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
hir_graph_view_zoom (HirGraphView *self, double factor)
{
  zoom_at (self, factor, gtk_widget_get_width (GTK_WIDGET (self)) / 2.0,
           gtk_widget_get_height (GTK_WIDGET (self)) / 2.0);
}

void
hir_graph_view_get_place (HirGraphView *self, gboolean *lanes, double *zoom, double *dx, double *dy)
{
  *lanes = self->lanes;
  *zoom = self->now.zoom;
  *dx = self->now.dx;
  *dy = self->now.dy;
}

gboolean
hir_graph_view_get_node_position (HirGraphView *self, guint index, double *x, double *y)
{
  HirLayout *layout = get_layout (self);
  const HirRect *rect;

  if (layout == NULL || index >= layout->nodes->len)
    return FALSE;
  rect = &g_array_index (layout->nodes, HirRect, index);
  *x = self->now.dx + (rect->x + rect->width / 2) * self->now.zoom;
  *y = self->now.dy + (rect->y + rect->height / 2) * self->now.zoom;
  return rect->width > 0;
}

static void
on_program (HirGraphView *self)
{
  hir_layouts_set_program (self->layouts, hir_selection_get_program (self->selection));
  self->hovered = 0;
  self->is_fitted = TRUE;
  self->shows_all = FALSE;
  self->is_new = TRUE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_node (HirGraphView *self)
{
  reveal (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
hir_graph_view_dispose (GObject *object)
{
  HirGraphView *self = HIR_GRAPH_VIEW (object);

  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  if (self->layouts != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->layouts, self);
      hir_layouts_set_program (self->layouts, NULL);
    }
  g_clear_object (&self->selection);
  g_clear_object (&self->layouts);
  g_clear_pointer (&self->list, hir_display_list_free);
  g_clear_pointer (&self->texts, hir_text_cache_free);
  G_OBJECT_CLASS (hir_graph_view_parent_class)->dispose (object);
}

static void
hir_graph_view_class_init (HirGraphViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_graph_view_dispose;
  GTK_WIDGET_CLASS (klass)->snapshot = hir_graph_view_snapshot;
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "graphview");
}

static void
add_controllers (HirGraphView *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  GtkGesture *click = gtk_gesture_click_new ();
  GtkGesture *drag = gtk_gesture_drag_new ();
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *scroll =
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkEventController *key = gtk_event_controller_key_new ();

  g_signal_connect (click, "released", G_CALLBACK (on_released), self);
  g_signal_connect (drag, "drag-begin", G_CALLBACK (on_drag_begin), self);
  g_signal_connect (drag, "drag-update", G_CALLBACK (on_drag_update), self);
  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect (motion, "leave", G_CALLBACK (on_leave), self);
  g_signal_connect (scroll, "scroll", G_CALLBACK (on_scroll), self);
  g_signal_connect (key, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (click));
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (drag));
  gtk_widget_add_controller (widget, motion);
  gtk_widget_add_controller (widget, scroll);
  gtk_widget_add_controller (widget, key);
}

static void
hir_graph_view_init (HirGraphView *self)
{
  self->now.zoom = 1;
  self->is_fitted = TRUE;
  self->list = hir_display_list_new ();
  self->texts = hir_text_cache_new ();
  self->layouts = hir_layouts_new ();
  g_signal_connect_swapped (self->layouts, "ready", G_CALLBACK (gtk_widget_queue_draw), self);
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, "Graph",
                                  -1);
  hir_canvas_follow_style (GTK_WIDGET (self));
  add_controllers (self);
}

GtkWidget *
hir_graph_view_new (HirSelection *selection)
{
  HirGraphView *self = g_object_new (HIR_TYPE_GRAPH_VIEW, NULL);

  self->selection = g_object_ref (selection);
  g_signal_connect_swapped (selection, "program-changed", G_CALLBACK (on_program), self);
  g_signal_connect_swapped (selection, "step-changed", G_CALLBACK (gtk_widget_queue_draw), self);
  g_signal_connect_swapped (selection, "node-changed", G_CALLBACK (on_node), self);
  on_program (self);
  return GTK_WIDGET (self);
}
