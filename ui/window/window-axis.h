/* Changes the schedule of a tensor from the graph or the program text. */
#pragma once

#include "window/window-private.h"

G_BEGIN_DECLS

/* Opens the axis menu by the secondary button in the graph. */
void hir_window_axis_connect (HirWindow *self);

/* `win.edit-axis` (tuux): changes the schedule; @parameter is tensor, kind, axis and value, see
 * axis-menu.h. */
void hir_window_edit_axis (HirWindow *self, GVariant *parameter, int argument);

/* `win.split-axis` (tuu): asks for the factor of a split; @parameter is tensor, kind and axis. */
void hir_window_split_axis (HirWindow *self, GVariant *parameter, int argument);

/* `win.axis-menu`: opens the axis menu at the selected node. */
void hir_window_open_axis_menu (HirWindow *self, GVariant *parameter, int argument);

G_END_DECLS
