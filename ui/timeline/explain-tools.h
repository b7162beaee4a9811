/* Toggles for the critical path and the lost time in the timeline. They are also the legend of the
 * shades. */
#pragma once

#include <gtk/gtk.h>

#include "selection/explaining.h"

G_BEGIN_DECLS

/* Creates the toggles. They are hidden if @selection has no trace. */
GtkWidget *hir_explain_tools_new (HirExplaining *explaining, HirSelection *selection);

G_END_DECLS
