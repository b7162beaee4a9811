/* Changes that deallocate, at the end of a block, what an ALLOCATE of the block has allocated. Each
 * iteration of its loop then has separate memory. nvFuser's own lowering frees such tensors in the
 * loop, too. */
#pragma once

#include "program/repair-text.h"

G_BEGIN_DECLS

/* Adds to @edits one change (HirRepairEdit) per block. @allocations (const HirExpr*) are distinct
 * ALLOCATEs of the program of @text. */
void hir_repair_free_add_edits (const HirRepairText *text,
                                const GPtrArray *allocations,
                                GPtrArray *edits);

G_END_DECLS
