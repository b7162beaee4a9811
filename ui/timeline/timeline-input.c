/* Pointer and key input of the timeline. */
#include "timeline/timeline-private.h"

#include <math.h>

#include "base/names.h"
#include "base/settings.h"
#include "canvas/canvas-input.h"
#include "draw/timeline/function-name.h"
#include "draw/timeline/ticks.h"
#include "draw/timeline/timeline-marks.h"
#include "inspector/event-facts.h"

#define WHEEL_PAN 0.05 /* share of the visible time per step of the wheel */

static void
hit (HirTimelineView *self, double x, double y, HirTimelineHit *result)
{
  HirTimelineScene scene;

  hir_timeline_fill_scene (self, &scene);
  hir_timeline_scene_hit (&scene, x, y, result);
}

/* Opens the list of marks at the one whose flag is at pixel (@x, @y). */
static gboolean
click_mark (HirTimelineView *self, double x, double y)
{
  HirTimelineScene scene;
  int mark;

  hir_timeline_fill_scene (self, &scene);
  mark = hir_timeline_marks_find (&scene, x, y);
  if (mark >= 0)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.marks", "i", mark);
  return mark >= 0;
}

static void
on_released (GtkGestureClick *gesture, int n_press, double x, double y, gpointer user_data)
{
  HirTimelineView *self = user_data;
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  HirTimelineHit result;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (self->rows == NULL)
    return;
  if (x < self->header_width && (state & (GDK_CONTROL_MASK | GDK_SHIFT_MASK)))
    {
      hir_timeline_choose_label (self, y, (state & GDK_SHIFT_MASK) != 0);
      return;
    }
  if (hir_timeline_click_tool (self, x, y) || click_mark (self, x, y))
    return;
  hit (self, x, y, &result);
  switch (result.part)
    {
    case HIR_TIMELINE_EVENT:
      hir_selection_set_event (self->selection, result.track, result.index);
      break;
    case HIR_TIMELINE_RANK:
      hir_timeline_rows_set_collapsed (self->rows, result.rank,
                                       !hir_timeline_rows_get_collapsed (self->rows, result.rank));
      hir_timeline_remember_tracks (self);
      hir_timeline_scroll_to (self, self->scroll_y);
      hir_timeline_hover (self);
      break;
    case HIR_TIMELINE_TRACK:
      if (x < self->header_width)
        {
          hir_timeline_click_label (self, result.track, x);
          break;
        }
      G_GNUC_FALLTHROUGH;
    case HIR_TIMELINE_NOTHING:
    case HIR_TIMELINE_RULER:
    default:
      hir_selection_clear_range (self->selection);
      hir_selection_clear (self->selection);
      break;
    }
}

static void
on_motion (GtkEventControllerMotion *controller, double x, double y, gpointer user_data)
{
  HirTimelineView *self = user_data;
  HirTimelineHit result;
  gboolean has_hover;

  self->pointer_x = x;
  self->pointer_y = y;
  self->has_pointer = TRUE;
  if (self->rows == NULL)
    return;
  hit (self, x, y, &result);
  has_hover = result.part == HIR_TIMELINE_EVENT;
  if (has_hover == self->has_hover &&
      (!has_hover || (result.track == self->hovered_track && result.index == self->hovered_index)))
    {
      if (!has_hover)
        hir_timeline_hover (self);
      return;
    }
  self->has_hover = has_hover;
  self->hovered_track = result.track;
  self->hovered_index = result.index;
  if (has_hover)
    {
      g_autofree char *title = NULL;
      g_autofree char *duration = NULL;
      g_autofree char *text = NULL;
      g_autoptr (GArray) facts =
          hir_event_dup_facts (self->trace, result.track, result.index, &title);
      const char *abbreviation;
      HirEvent event;

      hir_trace_get_event (self->trace, result.track, result.index, &event);
      duration = event.kind == HIR_EVENT_COUNTER
                     ? hir_number_dup_text (hir_event_get_value (&event))
                     : hir_format_duration (event.end_ns - event.start_ns);
      abbreviation = hir_get_abbreviation (hir_trace_get_string (self->trace, event.name));
      text = abbreviation != NULL ? g_strdup_printf ("%s (%s)\n%s", title, abbreviation, duration)
                                  : g_strdup_printf ("%s\n%s", title, duration);
      hir_names_set_tooltip (GTK_WIDGET (self), text);
    }
  else
    {
      gtk_widget_set_tooltip_text (GTK_WIDGET (self), NULL);
    }
  hir_timeline_hover (self);
}

/* A popover that closes leaves the pointer where it is, without motion. */
static void
on_enter (GtkEventControllerMotion *controller, double x, double y, gpointer user_data)
{
  HirTimelineView *self = user_data;

  self->pointer_x = x;
  self->pointer_y = y;
  self->has_pointer = TRUE;
}

static void
on_leave (GtkEventControllerMotion *controller, gpointer user_data)
{
  HirTimelineView *self = user_data;

  self->has_hover = FALSE;
  self->has_pointer = FALSE;
  self->has_hovered_label = FALSE;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* The wheel scrolls, with Ctrl it zooms around the pointer, with Shift or horizontally it moves the
 * time range. With the preference "Wheel zooms", it zooms, except over the labels and with Shift.
 */
static gboolean
on_scroll (GtkEventControllerScroll *controller, double dx, double dy, gpointer user_data)
{
  HirTimelineView *self = user_data;
  HirSettings *settings = hir_settings_get_default ();
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));
  gboolean zooms;

  if (self->rows == NULL)
    return FALSE;
  zooms = settings != NULL && hir_settings_get (settings, HIR_SETTING_WHEEL_ZOOMS) != 0;
  if (dy != 0 && ((state & GDK_CONTROL_MASK) ||
                  (zooms && self->pointer_x >= self->header_width && !(state & GDK_SHIFT_MASK))))
    hir_timeline_zoom_at (self, pow (1.2, -dy), self->pointer_x);
  else if ((state & GDK_SHIFT_MASK) && !zooms)
    hir_timeline_pan (self, (dx + dy) * WHEEL_PAN);
  else
    {
      hir_timeline_scroll_to (self, self->scroll_y + dy * 40);
      if (dx != 0)
        hir_timeline_pan (self, dx * WHEEL_PAN);
    }
  return TRUE;
}

static void
on_drag_begin (GtkGestureDrag *gesture, double x, double y, gpointer user_data)
{
  HirTimelineView *self = user_data;
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));

  self->drag_start_ns = self->start_ns;
  self->drag_end_ns = self->end_ns;
  self->drag_scroll_y = self->scroll_y;
  self->is_banding = FALSE;
  if (hir_timeline_begin_resize (self, x, y) || hir_timeline_begin_move (self, x, y))
    return;
  self->is_banding = (state & GDK_SHIFT_MASK) || y < HIR_TIMELINE_RULER_HEIGHT;
  if (self->is_banding)
    hir_timeline_begin_range (self, x, y);
}

static void
on_drag_update (GtkGestureDrag *gesture, double x, double y, gpointer user_data)
{
  HirTimelineView *self = user_data;
  double start_x, start_y, ns_per_px;

  if (self->rows == NULL || fabs (x) + fabs (y) < 4)
    return;
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  if (!gtk_gesture_drag_get_start_point (gesture, &start_x, &start_y))
    return;
  if (self->is_resizing)
    {
      hir_timeline_drag_resize (self, y);
      return;
    }
  if (self->may_move_track)
    {
      hir_timeline_drag_move (self, start_y + y);
      return;
    }
  if (self->is_banding)
    {
      hir_timeline_drag_range (self, start_x + x, start_y + y);
      return;
    }
  ns_per_px = (double) (self->drag_end_ns - self->drag_start_ns) /
              MAX (gtk_widget_get_width (GTK_WIDGET (self)) - self->header_width, 1);
  hir_timeline_set_range (self, (double) self->drag_start_ns - x * ns_per_px,
                          (double) self->drag_end_ns - x * ns_per_px);
  hir_timeline_scroll_to (self, self->drag_scroll_y - y);
}

static void
on_drag_end (GtkGestureDrag *gesture, double x, double y, gpointer user_data)
{
  HirTimelineView *self = user_data;

  if (hir_timeline_end_resize (self))
    {
      hir_timeline_scroll_to (self, self->scroll_y);
      hir_timeline_remember_tracks (self);
      hir_timeline_hover (self);
    }
  hir_timeline_end_move (self);
}

/* Selects the previous or next event of the track. Without a selection, selects the first event. */
static gboolean
walk (HirTimelineView *self, int by)
{
  guint track, index;

  if (self->rows == NULL)
    return FALSE;
  if (hir_selection_get_event (self->selection, &track, &index))
    {
      if ((by < 0 && index == 0) ||
          (by > 0 && index + 1 >= hir_trace_get_track_n_events (self->trace, track)))
        return TRUE;
      hir_selection_set_event (self->selection, track, (guint) ((int) index + by));
      hir_timeline_reveal (self);
      return TRUE;
    }
  for (track = 0; track < hir_trace_get_n_tracks (self->trace); track++)
    {
      if (hir_track_is_of_device (hir_trace_get_track (self->trace, track)) &&
          hir_timeline_rows_get_track (self->rows, track) != NULL &&
          hir_trace_get_track_n_events (self->trace, track) > 0)
        {
          hir_selection_set_event (self->selection, track, 0);
          hir_timeline_reveal (self);
          return TRUE;
        }
    }
  return TRUE;
}

/* Handles the keys that act on the row with the cursor. */
static gboolean
change_track (HirTimelineView *self, guint keyval, GdkModifierType state)
{
  static const struct
  {
    guint keyval;
    HirTrackChange change;
  } keys[] = { { GDK_KEY_h, HIR_TRACK_HIDE },       { GDK_KEY_H, HIR_TRACK_SHOW_ALL },
               { GDK_KEY_T, HIR_TRACK_HEIGHT },     { GDK_KEY_z, HIR_TRACK_FOLD },
               { GDK_KEY_Z, HIR_TRACK_UNFOLD_ALL }, { GDK_KEY_S, HIR_TRACK_CHOOSE } };

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    if (keys[i].keyval == keyval)
      {
        hir_timeline_change_track (self, keys[i].change);
        return TRUE;
      }
  if (keyval == GDK_KEY_Up || keyval == GDK_KEY_Down)
    hir_timeline_move_cursor (self, keyval == GDK_KEY_Up ? -1 : 1, (state & GDK_SHIFT_MASK) != 0);
  else if (keyval == GDK_KEY_Menu || (keyval == GDK_KEY_F10 && (state & GDK_SHIFT_MASK)))
    hir_timeline_show_menu (self);
  else
    return FALSE;
  return TRUE;
}

static void
on_menu (GtkGestureClick *gesture, int n_press, double x, double y, gpointer user_data)
{
  HirTimelineView *self = user_data;

  gtk_widget_grab_focus (GTK_WIDGET (self));
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  hir_timeline_show_menu_at (self, x, y);
}

static gboolean
on_key (GtkEventControllerKey *controller,
        guint keyval,
        guint keycode,
        GdkModifierType state,
        gpointer user_data)
{
  HirTimelineView *self = user_data;

  if ((state & GDK_ALT_MASK) &&
      (keyval == GDK_KEY_Up || keyval == GDK_KEY_Down || keyval == GDK_KEY_Home))
    {
      hir_timeline_change_track (self, keyval == GDK_KEY_Up     ? HIR_TRACK_UP
                                       : keyval == GDK_KEY_Down ? HIR_TRACK_DOWN
                                                                : HIR_TRACK_PIN);
      return TRUE;
    }
  if (state & (GDK_CONTROL_MASK | GDK_ALT_MASK))
    return FALSE;
  if (change_track (self, keyval, state))
    return TRUE;
  switch (keyval)
    {
    case GDK_KEY_w:
      hir_timeline_zoom_at (self, 1.3, self->pointer_x);
      return TRUE;
    case GDK_KEY_s:
      hir_timeline_zoom_at (self, 1 / 1.3, self->pointer_x);
      return TRUE;
    case GDK_KEY_a:
      hir_timeline_pan (self, -0.1);
      return TRUE;
    case GDK_KEY_d:
      hir_timeline_pan (self, 0.1);
      return TRUE;
    case GDK_KEY_plus:
    case GDK_KEY_equal:
    case GDK_KEY_KP_Add:
      hir_timeline_view_zoom (self, 1.3);
      return TRUE;
    case GDK_KEY_minus:
    case GDK_KEY_KP_Subtract:
      hir_timeline_view_zoom (self, 1 / 1.3);
      return TRUE;
    case GDK_KEY_0:
      hir_timeline_view_fit (self);
      return TRUE;
    case GDK_KEY_f:
      hir_timeline_fit_selection (self);
      return TRUE;
    case GDK_KEY_bracketleft:
    case GDK_KEY_bracketright:
      hir_timeline_set_range_end (self, keyval == GDK_KEY_bracketleft);
      return TRUE;
    case GDK_KEY_Page_Up:
    case GDK_KEY_Page_Down:
      hir_timeline_scroll_to (self, self->scroll_y +
                                        gtk_adjustment_get_page_increment (self->adjustment) *
                                            (keyval == GDK_KEY_Page_Up ? -1 : 1));
      return TRUE;
    case GDK_KEY_Left:
      return walk (self, -1);
    case GDK_KEY_Right:
      return walk (self, 1);
    default:
      return FALSE;
    }
}

void
hir_timeline_add_controllers (HirTimelineView *self)
{
  static const HirCanvasInput input = {
    .released = on_released,
    .menu = on_menu,
    .drag_begin = on_drag_begin,
    .drag_update = on_drag_update,
    .drag_end = on_drag_end,
    .enter = on_enter,
    .motion = on_motion,
    .leave = on_leave,
    .scroll = on_scroll,
    .scroll_flags = GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES,
    .key = on_key,
  };

  hir_canvas_input_add (GTK_WIDGET (self), &input, self);
}
