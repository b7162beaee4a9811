/* How the room of a window is divided, and that it is so the next time. */
#pragma once

#include "window/window.h"

G_BEGIN_DECLS

/* After the widgets are made: size, panes and what runs begin with, as they were left. */
void hir_window_restore_layout (HirWindow *self);
/* What runs begin with, as the settings say. */
void hir_window_restore_runs (HirWindow *self);
/* What the user made of it, into the settings. */
void hir_window_keep_layout (HirWindow *self);
/* Activate function of win.toggle-passes, -inspector and -timeline. */
void hir_window_toggle_pane (GtkWidget *widget, const char *name, GVariant *parameter);

G_END_DECLS
