/* Axes of the operand of a reduction whose result has a root domain (rfactor): splits and merges
 * them as between the root and the logical domain of the result. Host thread only. */
#pragma once

#include "run/env.h"

G_BEGIN_DECLS

#define HIR_MAX_UNEVEN_SPLITS 4

/* Elements exist where the sum of index times coefficient is less than @limit. */
typedef struct
{
  gint64 coefficients[HIR_MAX_DIMS], limit;
} HirSplitBound;

/* Axes of an operand. If a split does not divide its axis, elements beyond its end do not exist,
 * which the bounds tell. */
typedef struct
{
  guint n_dims, n_bounds;
  gint64 sizes[HIR_MAX_DIMS], strides[HIR_MAX_DIMS];
  HirSplitBound bounds[HIR_MAX_UNEVEN_SPLITS];
} HirSplitView;

/* Replaces the sizes and strides in @view, those of the operand, by those of the logical domain of
 * @tensor, the result, including reduced axes, and sets the bounds. A piece that is distributed
 * over devices has one element. Sets HIR_ERROR_RUN (at @expr) if merged axes are not adjacent in
 * memory, or if the axes of the operand differ from the root domain. */
gboolean hir_split_view (
    HirEnv *env, const HirExpr *expr, const HirTensor *tensor, HirSplitView *view, GError **error);
/* Returns TRUE if the element at @index exists. */
gboolean hir_split_view_contains (const HirSplitView *view, const gint64 *index);

G_END_DECLS
