/* The schedule of a tensor as a menu: for each axis what it may become. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"

G_BEGIN_DECLS

/* Opens the menu over @parent, pointing at (@x, @y), for the tensor that hir_axis_menu_find_tensor() returns. Each item
 * activates `win.edit-axis` (tuux: tensor id, HirScheduleEditKind, axis, parallel type or factor). Without a tensor the
 * menu says so. */
void hir_axis_menu_popup (GtkWidget *parent, double x, double y, HirSelection *selection);

/* The tensor of the fusion that the selected node is, makes or goes back to; NULL: none. Borrowed from the
 * program. */
const HirNodeInfo *hir_axis_menu_find_tensor (HirSelection *selection);

G_END_DECLS
