/* Pointer and key input of the graph view. */
#include <math.h>

#include "canvas/canvas-input.h"
#include "graph/graph-view-private.h"

#define KEY_STEP 60.0  /* pixels that a key moves the graph to a side */
#define PAGE_SHARE 0.8 /* share of the pane that Page Up and Page Down move it */

/* Returns the hit area at widget pixel (@x, @y) in this frame, or NULL. */
static const HirHit *
hit_at (HirGraphView *self, double x, double y)
{
  if (self->painted == NULL)
    return NULL;
  return hir_display_list_get_hit (self->painted->list, (x - self->now.dx) / self->now.zoom,
                                   (y - self->now.dy) / self->now.zoom);
}

static gboolean
is_on_map (HirGraphView *self, double x, double y)
{
  HirRect bounds;

  return hir_graph_view_get_map_place (self, &bounds) && hir_rect_contains (&bounds, x, y);
}

static void
on_released (GtkGestureClick *gesture, int n_press, double x, double y, gpointer user_data)
{
  HirGraphView *self = user_data;
  const HirHit *hit = hit_at (self, x, y);

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (is_on_map (self, x, y))
    {
      hir_graph_view_go_to_map (self, x, y);
      return;
    }
  if (hit != NULL && hit->tag == HIR_HIT_BREAK)
    {
      gtk_widget_activate_action (GTK_WIDGET (self), "win.break-at", "t", hit->id);
      return;
    }
  if (self->shown != NULL && hit != NULL && (hit->tag == HIR_HIT_FOLD || n_press == 2))
    {
      gboolean is_folded;
      guint64 key = hir_picture_find_group (self->shown, (x - self->now.dx) / self->now.zoom,
                                            (y - self->now.dy) / self->now.zoom, &is_folded);

      /* A double click on a box that is not a group counts as a click. */
      if (hit->tag == HIR_HIT_FOLD || is_folded || hit->tag == HIR_HIT_GROUP)
        {
          hir_graph_view_toggle_fold (self, key);
          return;
        }
    }
  hir_selection_set_node (self->selection, hit != NULL ? hit->id : 0);
}

static void
set_hovered (HirGraphView *self, guint64 hovered)
{
  if (hovered == self->hovered)
    return;
  self->hovered = hovered;
  hir_graph_view_changed (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_motion (GtkEventControllerMotion *controller, double x, double y, gpointer user_data)
{
  HirGraphView *self = user_data;
  const HirHit *hit = is_on_map (self, x, y) ? NULL : hit_at (self, x, y);

  self->pointer_x = x;
  self->pointer_y = y;
  set_hovered (self, hit != NULL ? hit->id : 0);
}

static void
on_leave (GtkEventControllerMotion *controller, gpointer user_data)
{
  set_hovered (user_data, 0);
}

static gboolean
on_scroll (GtkEventControllerScroll *controller, double dx, double dy, gpointer user_data)
{
  HirGraphView *self = user_data;
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));

  if (state & GDK_SHIFT_MASK)
    hir_graph_view_move_by (self, -(dx + dy) * 40, 0);
  else
    hir_graph_view_zoom_at (self, pow (1.15, -dy), self->pointer_x, self->pointer_y);
  return TRUE;
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, gpointer user_data)
{
  HirGraphView *self = user_data;

  self->drag_dx = self->now.dx;
  self->drag_dy = self->now.dy;
  self->is_map_drag = is_on_map (self, x, y);
}

static void
on_drag_update (GtkGestureDrag *gesture, double x, double y, gpointer user_data)
{
  HirGraphView *self = user_data;
  double start_x, start_y;

  /* Ignore small movements during a click. A larger movement claims the sequence, so no click
   * follows. */
  if (fabs (x) + fabs (y) < 4)
    return;
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  if (self->is_map_drag && gtk_gesture_drag_get_start_point (gesture, &start_x, &start_y))
    hir_graph_view_go_to_map (self, start_x + x, start_y + y);
  else
    hir_graph_view_move_by (self, self->drag_dx + x - self->now.dx,
                            self->drag_dy + y - self->now.dy);
}

static gboolean
is_selected (HirGraphView *self, guint64 id)
{
  return hir_selection_has_node_at (self->selection, hir_selection_get_step (self->selection), id);
}

/* Selects the next node along an edge: Up follows inputs, Down follows consumers. Data edges
 * have priority over synchronization edges. */
static void
walk (HirGraphView *self, gboolean down)
{
  guint64 best = 0;
  gboolean is_best_value = FALSE;

  for (guint i = 0; i < self->shown->graph->edges->len; i++)
    {
      const HirGraphEdge *edge = &g_array_index (self->shown->graph->edges, HirGraphEdge, i);
      const HirGraphNode *nodes = (const HirGraphNode *) (gpointer) self->shown->graph->nodes->data;
      const HirGraphNode *here = &nodes[down ? edge->from : edge->to];
      const HirGraphNode *there = &nodes[down ? edge->to : edge->from];
      gboolean is_value = edge->kind != HIR_EDGE_SYNC && edge->kind != HIR_EDGE_ORDER;

      if ((best != 0 && (is_best_value || !is_value)) || !is_selected (self, here->id) ||
          is_selected (self, there->id))
        continue;
      best = there->id;
      is_best_value = is_value;
    }
  if (best == 0 && hir_selection_get_node (self->selection) == 0 &&
      self->shown->graph->nodes->len > 0)
    best = g_array_index (self->shown->graph->nodes, HirGraphNode, 0).id;
  if (best != 0)
    hir_selection_set_node (self->selection, best);
}

/* Selects the nearest box to the left or right at about the same height. */
static void
walk_aside (HirGraphView *self, gboolean right)
{
  const HirGraph *graph = self->shown->graph;
  const GArray *rects = self->shown->layout->nodes;
  const HirRect *from = NULL;
  guint64 best = 0;
  float best_distance = 0;

  for (guint i = 0; i < graph->nodes->len && from == NULL; i++)
    if (is_selected (self, g_array_index (graph->nodes, HirGraphNode, i).id))
      from = &g_array_index (rects, HirRect, i);
  for (guint i = 0; from != NULL && i < graph->nodes->len; i++)
    {
      const HirRect *rect = &g_array_index (rects, HirRect, i);
      guint64 id = g_array_index (graph->nodes, HirGraphNode, i).id;
      float dx = (rect->x + rect->width / 2 - from->x - from->width / 2) * (right ? 1 : -1);
      float distance = dx + 4 * fabsf (rect->y - from->y);

      if (rect->width <= 0 || dx <= 1 || is_selected (self, id) ||
          (best != 0 && distance >= best_distance))
        continue;
      best = id;
      best_distance = distance;
    }
  if (best != 0)
    hir_selection_set_node (self->selection, best);
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
    case GDK_KEY_Page_Up:
    case GDK_KEY_Page_Down:
      hir_graph_view_move_by (self, 0,
                              gtk_widget_get_height (GTK_WIDGET (self)) *
                                  (keyval == GDK_KEY_Page_Up ? PAGE_SHARE : -PAGE_SHARE));
      return TRUE;
    case GDK_KEY_a:
      hir_graph_view_move_by (self, KEY_STEP, 0);
      return TRUE;
    case GDK_KEY_d:
      hir_graph_view_move_by (self, -KEY_STEP, 0);
      return TRUE;
    case GDK_KEY_w:
    case GDK_KEY_plus:
    case GDK_KEY_equal:
    case GDK_KEY_KP_Add:
      hir_graph_view_zoom (self, 1.25);
      return TRUE;
    case GDK_KEY_s:
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract:
      hir_graph_view_zoom (self, 0.8);
      return TRUE;
    case GDK_KEY_0:
      hir_graph_view_fit (self);
      return TRUE;
    case GDK_KEY_f:
      hir_graph_view_fit_selection (self);
      return TRUE;
    default:
      break;
    }
  if (self->shown == NULL)
    return FALSE;
  if (keyval == GDK_KEY_Up || keyval == GDK_KEY_Down)
    walk (self, keyval == GDK_KEY_Down);
  else if (keyval == GDK_KEY_Left || keyval == GDK_KEY_Right)
    walk_aside (self, keyval == GDK_KEY_Right);
  else if (keyval == GDK_KEY_z)
    hir_graph_view_fold (self);
  else if (keyval == GDK_KEY_Z)
    hir_graph_view_unfold_all (self);
  else
    return FALSE;
  return TRUE;
}

void
hir_graph_view_add_controllers (HirGraphView *self)
{
  static const HirCanvasInput input = {
    .released = on_released,
    .drag_begin = on_drag_begin,
    .drag_update = on_drag_update,
    .motion = on_motion,
    .leave = on_leave,
    .scroll = on_scroll,
    .scroll_flags = GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES,
    .key = on_key,
  };

  hir_canvas_input_add (GTK_WIDGET (self), &input, self);
}
