#include "canvas/canvas-input.h"

static GtkEventController *
add (GtkWidget *widget, gpointer controller)
{
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (controller));
  return controller;
}

static void
connect_signal (GtkEventController *controller,
                const char *signal,
                GCallback callback,
                gpointer user_data)
{
  if (callback != NULL)
    g_signal_connect (controller, signal, callback, user_data);
}

static void
add_pointer (GtkWidget *widget, const HirCanvasInput *input, gpointer user_data)
{
  GtkEventController *controller;

  if (input->menu != NULL)
    {
      controller = add (widget, gtk_gesture_click_new ());
      gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (controller), GDK_BUTTON_SECONDARY);
      connect_signal (controller, "pressed", G_CALLBACK (input->menu), user_data);
    }
  if (input->released != NULL)
    connect_signal (add (widget, gtk_gesture_click_new ()), "released",
                    G_CALLBACK (input->released), user_data);
  if (input->drag_begin != NULL)
    {
      controller = add (widget, gtk_gesture_drag_new ());
      connect_signal (controller, "drag-begin", G_CALLBACK (input->drag_begin), user_data);
      connect_signal (controller, "drag-update", G_CALLBACK (input->drag_update), user_data);
      connect_signal (controller, "drag-end", G_CALLBACK (input->drag_end), user_data);
    }
  controller = add (widget, gtk_event_controller_motion_new ());
  connect_signal (controller, "enter", G_CALLBACK (input->enter), user_data);
  connect_signal (controller, "motion", G_CALLBACK (input->motion), user_data);
  connect_signal (controller, "leave", G_CALLBACK (input->leave), user_data);
}

void
hir_canvas_input_add (GtkWidget *widget, const HirCanvasInput *input, gpointer user_data)
{
  add_pointer (widget, input, user_data);
  if (input->scroll != NULL)
    connect_signal (add (widget, gtk_event_controller_scroll_new (input->scroll_flags)), "scroll",
                    G_CALLBACK (input->scroll), user_data);
  if (input->key != NULL)
    connect_signal (add (widget, gtk_event_controller_key_new ()), "key-pressed",
                    G_CALLBACK (input->key), user_data);
}
