#pragma once

#include "expr.h"

G_BEGIN_DECLS

/* The pairwise logical domain map (docs/host-ir.md#logical-domain-map): for each of @producer's
 * logical axes without reductions, the axis of @consumer's root (or logical) domain that it is
 * through @expr, or NULL. Newly allocated (g_free) array of *@n, and likewise the producer's axes
 * in @producer_ids (nullable). All NULL where @producer is no operand or @expr relates no axes. One
 * tensor that is both operands is mapped as the first. For operands that a stream loop has sliced
 * matmul and linear are aligned from the right, and what can't be known is not mapped. */
HirIterDomain **hir_expr_dup_logical_map (const HirExpr *expr,
                                          const HirTensor *producer,
                                          const HirTensor *consumer,
                                          HirIterDomain ***producer_ids,
                                          guint *n);

G_END_DECLS
