/* Which lines of a printed program are the body of what: of a loop, of either side of an IF, of a HostUnit. */
#pragma once

#include "text/code-folds.h"
#include "view/program-view.h"

G_BEGIN_DECLS

/* HirFoldRegions by head, of the listing that begins @start bytes into @view's text. The key is the id of the node (of
 * an ELSE: of its IF, and another one than that of the IF), the same in every step that has the node. Newly allocated,
 * maybe empty. */
GArray *hir_ir_folds_find (const HirProgramView *view, guint start);

G_END_DECLS
