/* The operand of a reduction whose result has a root domain (an rfactor): its axes taken apart and put
 * together as the result's were between root and logical domain. Host thread. */
#pragma once

#include "run/env.h"

G_BEGIN_DECLS

/* @tensor: the result. @sizes and @strides (nullable): @n axes of the operand, in place of which come
 * those of @tensor's logical domain, reduced ones included; room for HIR_MAX_DIMS. A piece that is over
 * devices has one element. FALSE (HIR_ERROR_RUN, at @expr) where a split does not divide its axis, where
 * merged axes are no one axis in memory, or where the operand has other axes than the root domain. */
gboolean hir_split_view (HirEnv *env, const HirExpr *expr, const HirTensor *tensor, guint *n,
                         gint64 *sizes, gint64 *strides, GError **error);

G_END_DECLS
