/* Facts of nodes, for program-view.c. */
#pragma once

#include "view/program-view.h"

G_BEGIN_DECLS

/* Adds a HirNodeInfo to @view for every tensor, axis and Expr of @container, HostUnits' included;
 * with facts, without hashes. FALSE once @is_stopped (nullable): some may be missing. */
gboolean hir_program_view_collect (HirProgramView *view,
                                   HirContainer *container,
                                   HirIsStopped is_stopped,
                                   gpointer user_data);

G_END_DECLS
