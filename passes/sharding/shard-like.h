/* Copies the sharding of a tensor to another tensor related by an op. Used by PropagateShardings
 * and InsertReshardings. */
#pragma once

#include "pass.h"
#include "schedule/sharding.h"

G_BEGIN_DECLS

#define HIR_PARALLEL_ALL (HIR_PARALLEL_BIT (HIR_PARALLEL_SERIAL) - 1)

/* Gives @target, an operand or output of @expr, the parallel @types of @ref, which is on the other
 * side of @expr. Repeats the splits that lead to each such loop axis on the axis that @expr maps it
 * to, and overwrites the type of that axis. Skips types that @target has on another axis, and
 * splits that are not possible: of an axis that is parallelized or split differently; a stream axis
 * of a broadcast; across a reshape everything except the outermost shard of an axis, cut by a
 * number that divides it. Does not change the mesh. */
void
hir_shard_like (const HirExpr *expr, const HirTensor *ref, HirTensor *target, HirParallelSet types);

/* Resets the loop domain to the logical domain, with all axes Serial. */
void hir_unshard (HirTensor *tensor);

/* Returns TRUE if a tensor of @program is on a mesh, or if @program is a host program (which the
 * passes reject). Otherwise these passes have nothing to do. */
gboolean hir_sharding_applies (const HirContainer *program, const HirPassContext *context);
/* Returns TRUE if a loop axis of a tensor of @program has one of @types. */
gboolean hir_program_has_loop_axis (const HirContainer *program, HirParallelSet types);

G_END_DECLS
