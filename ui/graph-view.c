#include "graph-view.h"

#include <math.h>

#include "canvas.h"
#include "draw/graph-scene.h"
#include "layouts.h"

#define MIN_ZOOM 0.02
#define MAX_ZOOM 4.0
#define FIT_MARGIN 16.0
#define KEY_STEP 60.0 /* pixels a WASD key moves */

struct _HirGraphView
{
  GtkWidget parent_instance;

  HirSelection *selection;
  HirLayouts *layouts;
  HirDisplayList *list;
  HirTextCache *texts;
  gboolean lanes;
  gboolean is_fitted; /* follow the picture's size */
  double zoom, dx, dy;
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

static void
fit_now (HirGraphView *self, const HirLayout *layout)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  double height = gtk_widget_get_height (GTK_WIDGET (self));
  double zoom;

  if (layout->width <= 0 || layout->height <= 0 || width <= 0 || height <= 0)
    return;
  zoom = MIN ((width - 2 * FIT_MARGIN) / layout->width, (height - 2 * FIT_MARGIN) / layout->height);
  self->zoom = CLAMP (zoom, MIN_ZOOM, 1.0);
  self->dx = (width - layout->width * self->zoom) / 2;
  self->dy = MAX (FIT_MARGIN, (height - layout->height * self->zoom) / 2);
}

static void
zoom_at (HirGraphView *self, double factor, double x, double y)
{
  double zoom = CLAMP (self->zoom * factor, MIN_ZOOM, MAX_ZOOM);

  self->dx = x - (x - self->dx) * zoom / self->zoom;
  self->dy = y - (y - self->dy) * zoom / self->zoom;
  self->zoom = zoom;
  self->is_fitted = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
move_by (HirGraphView *self, double dx, double dy)
{
  self->dx += dx;
  self->dy += dy;
  self->is_fitted = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
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
        fit_now (self, layout);
      scene.zoom = self->zoom;
      scene.visible = hir_rect (-self->dx / self->zoom, -self->dy / self->zoom,
                                gtk_widget_get_width (widget) / self->zoom,
                                gtk_widget_get_height (widget) / self->zoom);
      hir_graph_scene_draw (&scene, self->list);
      hir_canvas_snapshot (widget, snapshot, self->list, self->texts, theme->background, self->zoom,
                           self->dx, self->dy);
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
  const HirHit *hit = hir_display_list_get_hit (self->list, (x - self->dx) / self->zoom,
                                                (y - self->dy) / self->zoom);

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

  self->drag_dx = self->dx;
  self->drag_dy = self->dy;
}

static void
on_drag_update (GtkGestureDrag *gesture, double x, double y, gpointer user_data)
{
  HirGraphView *self = user_data;

  /* A click that trembles is no drag; one that moves is no click. */
  if (fabs (x) + fabs (y) < 4)
    return;
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  move_by (self, self->drag_dx + x - self->dx, self->drag_dy + y - self->dy);
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
  hir_graph_view_fit (self);
}

void
hir_graph_view_fit (HirGraphView *self)
{
  self->is_fitted = TRUE;
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
  *zoom = self->zoom;
  *dx = self->dx;
  *dy = self->dy;
}

gboolean
hir_graph_view_get_node_position (HirGraphView *self, guint index, double *x, double *y)
{
  HirLayout *layout = get_layout (self);
  const HirRect *rect;

  if (layout == NULL || index >= layout->nodes->len)
    return FALSE;
  rect = &g_array_index (layout->nodes, HirRect, index);
  *x = self->dx + (rect->x + rect->width / 2) * self->zoom;
  *y = self->dy + (rect->y + rect->height / 2) * self->zoom;
  return rect->width > 0;
}

static void
on_program (HirGraphView *self)
{
  hir_layouts_set_program (self->layouts, hir_selection_get_program (self->selection));
  self->hovered = 0;
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
  self->zoom = 1;
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
  g_signal_connect_swapped (selection, "node-changed", G_CALLBACK (gtk_widget_queue_draw), self);
  on_program (self);
  return GTK_WIDGET (self);
}
