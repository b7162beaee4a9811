/* The pictures of the inspector: a mesh or team as a grid, a tensor's domains as a tree. */
#pragma once

#include <gtk/gtk.h>

#include "inspector/overview.h"

G_BEGIN_DECLS

/* Adds those that @info, a node of @view, has: of an axis, its tensor's. */
void hir_inspector_scenes_add (HirSelection *selection,
                               HirProgramView *view,
                               const HirNodeInfo *info,
                               HirOverviewFunc add,
                               gpointer user_data);

G_END_DECLS
