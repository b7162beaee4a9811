/* Pointer and key input of a widget that draws itself: a table of callbacks, and a function that
 * adds the controllers. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Callbacks of GtkGestureClick, GtkGestureDrag, GtkEventControllerMotion,
 * GtkEventControllerScroll and GtkEventControllerKey. Each may be NULL. */
typedef struct
{
  void (*released) (GtkGestureClick *gesture, int n_press, double x, double y, gpointer user_data);
  /* press of the secondary button */
  void (*menu) (GtkGestureClick *gesture, int n_press, double x, double y, gpointer user_data);
  void (*drag_begin) (GtkGestureDrag *gesture, double x, double y, gpointer user_data);
  void (*drag_update) (GtkGestureDrag *gesture, double x, double y, gpointer user_data);
  void (*drag_end) (GtkGestureDrag *gesture, double x, double y, gpointer user_data);
  void (*enter) (GtkEventControllerMotion *controller, double x, double y, gpointer user_data);
  void (*motion) (GtkEventControllerMotion *controller, double x, double y, gpointer user_data);
  void (*leave) (GtkEventControllerMotion *controller, gpointer user_data);
  gboolean (*scroll) (GtkEventControllerScroll *controller,
                      double dx,
                      double dy,
                      gpointer user_data);
  GtkEventControllerScrollFlags scroll_flags;
  gboolean (*key) (GtkEventControllerKey *controller,
                   guint keyval,
                   guint keycode,
                   GdkModifierType state,
                   gpointer user_data);
} HirCanvasInput;

/**
 * hir_canvas_input_add:
 * @widget: a widget
 * @input: the callbacks; drag callbacks need @input->drag_begin
 * @user_data: passed to all callbacks; must live as long as @widget
 *
 * Adds the event controllers that @input needs to @widget.
 */
void hir_canvas_input_add (GtkWidget *widget, const HirCanvasInput *input, gpointer user_data);

G_END_DECLS
