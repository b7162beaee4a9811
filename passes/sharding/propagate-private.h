/* What the two rules of PropagateShardings share. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* Operands of @expr that are on a mesh (@with_streams: all tensors) in the order in which they are asked:
 * of a linear the weight, the bias, the input; of a matmul B, then A; else those over most devices, then
 * those of highest rank. Newly allocated array of HirTensor*. */
GPtrArray *hir_propagate_dup_references (const HirExpr *expr, gboolean with_streams);

/* propagate-streams.c: by the rules of October 2025 (docs/host-ir.md#stream-propagation). */
void hir_propagate_streams (HirContainer *fusion);

G_END_DECLS
