/* The schedule of a tensor as a menu: for each axis what it may become. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"

G_BEGIN_DECLS

/* Of the tensor of the fusion that the selected node is or goes back to. Each item activates `win.edit-axis` (tuux):
 * tensor id, HirScheduleEditKind, axis, type or factor. Where there is no such tensor, a menu that says so. */
GMenuModel *hir_axis_menu_new (HirSelection *selection);
/* Pops it up over @parent, pointing at @x, @y of it. */
void hir_axis_menu_popup (GtkWidget *parent, double x, double y, HirSelection *selection);

/* The tensor of the fusion that the selected node is, makes or goes back to; NULL: none. Borrowed from the
 * program. */
const HirNodeInfo *hir_axis_menu_find_tensor (HirSelection *selection);

G_END_DECLS
