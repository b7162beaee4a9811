/* Ops that only change how memory is viewed. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* Returns TRUE if the result of @expr can be a view of its operand: a set, broadcast, squeeze,
 * expand, reshape or slice whose result lies in memory as the operand does, or whose memory order
 * is not prescribed. */
gboolean hir_expr_is_alias (const HirExpr *expr);

G_END_DECLS
