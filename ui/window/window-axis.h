/* Changing the schedule of a tensor where it is seen: in the graph and in the program text. */
#pragma once

#include "window/window-private.h"

G_BEGIN_DECLS

/* Connects the right button of the graph. */
void hir_window_axis_connect (HirWindow *self);

/* Activate functions: `win.edit-axis` (tuux), see axis-menu.h; `win.axis-menu` at the selected node. */
void hir_window_edit_axis (GtkWidget *widget, const char *name, GVariant *parameter);
/* As hir_window_edit_axis(), of a split (tensor, kind, axis) whose number is asked for first. */
void hir_window_split_axis (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_open_axis_menu (GtkWidget *widget, const char *name, GVariant *parameter);

G_END_DECLS
