/* Pointer and keys of a widget that draws all by itself: one list of what it listens to. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* As the signals of GtkGestureClick, GtkGestureDrag, GtkEventControllerMotion, -Scroll and -Key; NULL: not listened to. */
typedef struct
{
  void (*released) (GtkGestureClick *gesture, int n_press, double x, double y, gpointer user_data);
  /* Of the second button. */
  void (*menu) (GtkGestureClick *gesture, int n_press, double x, double y, gpointer user_data);
  void (*drag_begin) (GtkGestureDrag *gesture, double x, double y, gpointer user_data);
  void (*drag_update) (GtkGestureDrag *gesture, double x, double y, gpointer user_data);
  void (*drag_end) (GtkGestureDrag *gesture, double x, double y, gpointer user_data);
  void (*motion) (GtkEventControllerMotion *controller, double x, double y, gpointer user_data);
  void (*leave) (GtkEventControllerMotion *controller, gpointer user_data);
  gboolean (*scroll) (GtkEventControllerScroll *controller, double dx, double dy, gpointer user_data);
  gboolean (*key) (GtkEventControllerKey *controller, guint keyval, guint keycode, GdkModifierType state,
                   gpointer user_data);
} HirCanvasInput;

/* Adds the controllers, in this order; @user_data, which lives as long as @widget, is given to all. */
void hir_canvas_input_add (GtkWidget *widget, const HirCanvasInput *input, gpointer user_data);

G_END_DECLS
