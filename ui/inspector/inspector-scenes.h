/* Drawings of the inspector: a mesh or team as a grid, the domains of a tensor as a tree. */
#pragma once

#include <gtk/gtk.h>

#include "inspector/overview.h"

G_BEGIN_DECLS

/* Adds the drawings of @info, a node of @view; for an axis, those of its tensor. */
void hir_inspector_scenes_add (HirSelection *selection,
                               HirProgramView *view,
                               const HirNodeInfo *info,
                               HirOverviewFunc add,
                               gpointer user_data);

G_END_DECLS
