/* Moves the keyboard focus away from widgets that are about to be removed, and back from closed
 * popovers. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * hir_focus_leave:
 * @inside: the widget that contains the widgets to be removed
 * @heir: (nullable): the widget that gets the focus, or NULL for the window
 *
 * Moves the keyboard focus out of @inside, including @inside itself. Call before removing or
 * destroying its children: GTK 4.8 otherwise keeps a dangling focus pointer. Main thread.
 */
void hir_focus_leave (GtkWidget *inside, GtkWidget *heir);

/* Returns the focus to where it was before a popover of a menu button or a drop-down opened, once
 * it is closed: otherwise Space would open it again. Call once for @window. */
void hir_focus_return_from_popovers (GtkWindow *window);

G_END_DECLS
