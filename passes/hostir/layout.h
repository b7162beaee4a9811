/* Order of a tensor's axes in memory, before FinalizeMultideviceDomains splits them. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* Returns the logical axes of @tensor in memory order, outermost first, with the splits of its
 * allocation domain undone (an axis stands where its inner part does). New array of HirIterDomain*.
 */
GPtrArray *hir_layout_dup (const HirTensor *tensor);
/* Returns the order of the axes of the result of @expr in which they lie like those of operand @in
 * in @order; axes of the result that are not related come first. New array of HirIterDomain*. */
GPtrArray *hir_layout_dup_mapped (const HirExpr *expr, const HirTensor *in, GPtrArray *order);
/* Returns TRUE if @a and @b contain the same axes in the same order. */
gboolean hir_layout_equal (GPtrArray *a, GPtrArray *b);

G_END_DECLS
