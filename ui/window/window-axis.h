/* Changing the schedule of a tensor where it is seen: in the graph and in the program text. */
#pragma once

#include "window/window-private.h"

G_BEGIN_DECLS

/* Connects the right button of the graph. */
void hir_window_axis_connect (HirWindow *self);

/* Activate functions: `win.edit-axis` (tuux), see axis-menu.h; `win.axis-menu` at the selected node. */
void hir_window_edit_axis (HirWindow *self, GVariant *parameter, int argument);
/* As hir_window_edit_axis(), of a split (tensor, kind, axis) whose number is asked for first. */
void hir_window_split_axis (HirWindow *self, GVariant *parameter, int argument);
void hir_window_open_axis_menu (HirWindow *self, GVariant *parameter, int argument);

G_END_DECLS
