/* Facts of nodes, for program-view.c. */
#pragma once

#include "program-view.h"

G_BEGIN_DECLS

/* Adds a HirNodeInfo to @view for every tensor, axis and Expr of @container, HostUnits' included;
 * with facts, without hashes. */
void hir_program_view_collect (HirProgramView *view, HirContainer *container);

G_END_DECLS
