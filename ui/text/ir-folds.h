/* Finds the fold regions of a printed program: bodies of loops, branches of IFs, and HostUnits. */
#pragma once

#include "text/code-folds.h"
#include "view/program-view.h"

G_BEGIN_DECLS

/* Returns the regions of the text of @view: HirFoldRegion sorted by head (transfer full). The key
 * is derived from the id of the node, and is the same in all steps with that node. An ELSE has a
 * key different from that of its IF. */
GArray *hir_ir_folds_find (const HirProgramView *view);

G_END_DECLS
