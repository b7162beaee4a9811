/* Sizes of the panes: divides the window, and stores the layout in the settings. */
#pragma once

#include "window/window-private.h"

G_BEGIN_DECLS

/* Restores the size of the window, the panes and the options of runs. Call after the widgets were
 * created. */
void hir_window_restore_layout (HirWindow *self);

/* Stores the layout in the settings. */
void hir_window_store_layout (HirWindow *self);

/* Divides the window between the panes, in an idle callback. Without a program, the timeline is
 * larger. */
void hir_window_share_room (HirWindow *self);

/* Divides the window again after its size changed, if it displays only a trace and the user has not
 * moved the divider. */
void hir_window_follow_room (HirWindow *self);

/* `win.toggle-passes` and others: shows or hides the pane of the HirSetting @argument. */
void hir_window_toggle_pane (HirWindow *self, GVariant *parameter, int argument);

G_END_DECLS
