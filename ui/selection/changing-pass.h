/* Finds the passes that changed the selected node. */
#pragma once

#include "selection/selection.h"

G_BEGIN_DECLS

/* Returns the first step after @after whose pass created, changed or removed the selected node or
 * one of its origins, or -1. Returns -1 if no node is selected. */
int hir_selection_find_changing_pass (HirSelection *selection, int after);

G_END_DECLS
