/* Giving one tensor the sharding of another that an op relates it to: what PropagateShardings and
 * InsertReshardings share. */
#pragma once

#include "pass.h"
#include "schedule/sharding.h"

G_BEGIN_DECLS

#define HIR_PARALLEL_ALL (HIR_PARALLEL_BIT (HIR_PARALLEL_SERIAL) - 1)

/* Gives @target, an operand or output of @expr, what @ref, one of the other side, has of @types: the
 * splits that lead to such a loop axis, and its type, on the axis that @expr maps it to. What the
 * target's axis had is overwritten. A type that the target has elsewhere is left out, and so is what
 * can't be had: a split of an axis that is parallelized already or was split otherwise; a stream
 * axis of a broadcast; across a reshape all but the outermost piece of an axis, cut by a number that
 * divides it. The mesh is not touched. */
void hir_shard_like (const HirExpr *expr,
                     const HirTensor *ref,
                     HirTensor *target,
                     HirParallelSet types);

/* Takes splits, merges and all types away: the loop domain is the logical one, all Serial. */
void hir_unshard (HirTensor *tensor);

/* TRUE where some tensor of @program is on a mesh: else these passes have nothing to do; and for a
 * host program, which they refuse. */
gboolean hir_sharding_applies (const HirContainer *program, const HirPassContext *context);
/* Returns TRUE if a loop axis of a tensor of @program has one of @types. */
gboolean hir_program_has_loop_axis (const HirContainer *program, HirParallelSet types);

G_END_DECLS
