/* Which passes touched what is selected. */
#pragma once

#include "selection/selection.h"

G_BEGIN_DECLS

/* The first step after @after whose pass made, changed or removed what the selected node is or was made from
 * there; -1: none. Nothing is selected: -1. */
int hir_selection_find_changing_pass (HirSelection *selection, int after);

G_END_DECLS
