/* Pairwise logical domain map (docs/host-ir.md#logical-domain-map): which axis of a consumer
 * corresponds to an axis of a producer. */
#pragma once

#include "expr.h"

G_BEGIN_DECLS

/* Maps each logical axis of @producer that is not a reduction to the corresponding axis of
 * @consumer's root (or logical) domain through @expr, or to NULL. All entries are NULL if @producer
 * is not an operand or @expr relates no axes. A tensor that is both operands is mapped as the
 * first. Operands that a stream loop has sliced: matmul and linear are aligned from the right, and
 * ambiguous axes are not mapped.
 *
 * Returns a new array of *@n axes (g_free) and, in @producer_ids (nullable), the producer's axes
 * (g_free). */
HirIterDomain **hir_expr_dup_logical_map (const HirExpr *expr,
                                          const HirTensor *producer,
                                          const HirTensor *consumer,
                                          HirIterDomain ***producer_ids,
                                          guint *n);

G_END_DECLS
