#include "base/undo-keys.h"

static void
add (GtkEventController *controller, const char *trigger, const char *action)
{
  gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (controller),
                                        gtk_shortcut_new (gtk_shortcut_trigger_parse_string (
                                                              trigger),
                                                          gtk_named_action_new (action)));
}

void
hir_undo_keys_add (GtkWidget *widget, GtkPropagationPhase phase)
{
  GtkEventController *controller = gtk_shortcut_controller_new ();

  gtk_event_controller_set_propagation_phase (controller, phase);
  add (controller, "<Control>z", "win.undo");
  add (controller, "<Control><Shift>z|<Control>y", "win.redo");
  gtk_widget_add_controller (widget, controller);
}
