/* Axes of the operand of a reduction whose result has a root domain (rfactor): splits and merges
 * them as between the root and the logical domain of the result. Host thread only. */
#pragma once

#include "run/env.h"

G_BEGIN_DECLS

/* Replaces @sizes and @strides (nullable) of the operand's @n axes by those of the logical domain
 * of @tensor, the result, including reduced axes. Both have HIR_MAX_DIMS entries. A piece that is
 * distributed over devices has one element. Sets HIR_ERROR_RUN (at @expr) if a split does not
 * divide its axis, if merged axes are not adjacent in memory, or if the axes of the operand differ
 * from the root domain. */
gboolean hir_split_view (HirEnv *env,
                         const HirExpr *expr,
                         const HirTensor *tensor,
                         guint *n,
                         gint64 *sizes,
                         gint64 *strides,
                         GError **error);

G_END_DECLS
