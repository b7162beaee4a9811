#include "canvas/canvas-input.h"

/* One signal of a controller that may have others. */
static void
listen (GtkEventController *controller, const char *signal, GCallback callback, gpointer user_data)
{
  if (callback != NULL)
    g_signal_connect (controller, signal, callback, user_data);
}

static void
add_pointer (GtkWidget *widget, const HirCanvasInput *input, gpointer user_data)
{
  GtkEventController *click = GTK_EVENT_CONTROLLER (gtk_gesture_click_new ());
  GtkEventController *drag = GTK_EVENT_CONTROLLER (gtk_gesture_drag_new ());
  GtkEventController *motion = gtk_event_controller_motion_new ();

  if (input->menu != NULL)
    {
      GtkGesture *menu = gtk_gesture_click_new ();

      gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (menu), GDK_BUTTON_SECONDARY);
      g_signal_connect (menu, "pressed", G_CALLBACK (input->menu), user_data);
      gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (menu));
    }
  listen (click, "released", G_CALLBACK (input->released), user_data);
  listen (drag, "drag-begin", G_CALLBACK (input->drag_begin), user_data);
  listen (drag, "drag-update", G_CALLBACK (input->drag_update), user_data);
  listen (drag, "drag-end", G_CALLBACK (input->drag_end), user_data);
  listen (motion, "motion", G_CALLBACK (input->motion), user_data);
  listen (motion, "leave", G_CALLBACK (input->leave), user_data);
  gtk_widget_add_controller (widget, click);
  gtk_widget_add_controller (widget, drag);
  gtk_widget_add_controller (widget, motion);
}

void
hir_canvas_input_add (GtkWidget *widget, const HirCanvasInput *input, gpointer user_data)
{
  GtkEventController *scroll =
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
  GtkEventController *key = gtk_event_controller_key_new ();

  add_pointer (widget, input, user_data);
  listen (scroll, "scroll", G_CALLBACK (input->scroll), user_data);
  listen (key, "key-pressed", G_CALLBACK (input->key), user_data);
  gtk_widget_add_controller (widget, scroll);
  gtk_widget_add_controller (widget, key);
}
