/* The keys of undo and redo. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Makes Ctrl+Z, Ctrl+Shift+Z and Ctrl+Y activate `win.undo` and `win.redo` in @widget: a popover,
 * whose keys do not reach the window, or a text, whose own undo they replace in the capture
 * @phase. */
void hir_undo_keys_add (GtkWidget *widget, GtkPropagationPhase phase);

G_END_DECLS
