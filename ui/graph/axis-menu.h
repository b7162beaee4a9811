/* Context menu for the schedule of a tensor: one submenu per axis with the changes that can be
 * applied to it. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"

G_BEGIN_DECLS

/**
 * hir_axis_menu_popup:
 * @parent: the widget under the pointer
 * @x: position in @parent
 * @y: position in @parent
 * @selection: the selection
 *
 * Opens the menu for the tensor that hir_axis_menu_find_tensor() returns. Each item activates
 * `win.edit-axis` with "(tuux)": tensor id, HirScheduleEditKind, axis, and parallel type or factor.
 * If there is no tensor, the menu says so.
 */
void hir_axis_menu_popup (GtkWidget *parent, double x, double y, HirSelection *selection);

/* Returns the tensor of the fusion that the selected node is, produces or originates from
 * (borrowed from the program), or NULL. */
const HirNodeInfo *hir_axis_menu_find_tensor (HirSelection *selection);

G_END_DECLS
