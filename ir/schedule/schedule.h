/* Scheduling: what a script does to a tensor's loop domain (docs/host-ir.md#tensors,
 * docs/host-ir.md#schedules). Axes index the loop domain, negative ones from the end. Errors
 * (HIR_ERROR_REFUSED, with the maker's position) name tensor and axis. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* NULL and an error that names the tensor and its rank where @axis is out of range. */
HirIterDomain *hir_schedule_axis (HirTensor *tensor, gint64 axis, GError **error);
/* Marks the axis in place; any type, on any axis: what is unfit is refused by the pass that needs
 * it. The axis gets the maker's position, so that such a refusal shows this line and not the op's.
 */
gboolean
hir_schedule_parallelize (HirTensor *tensor, gint64 axis, HirParallelType type, GError **error);
/* The transform and the new axes carry the maker's position: "result of the split at line N". */
gboolean hir_schedule_split (
    HirTensor *tensor, gint64 axis, HirScalar *factor, gboolean inner_split, GError **error);
/* Merges two axes; the result stands where the first (by position) was. */
gboolean hir_schedule_merge (HirTensor *tensor, gint64 outer, gint64 inner, GError **error);
/* old2new pairs; unspecified axes keep their order in the places that are left. */
gboolean hir_schedule_reorder (HirTensor *tensor,
                               const gint64 *old_positions,
                               const gint64 *new_positions,
                               guint n,
                               GError **error);
/* NULL takes the mesh away. */
void hir_schedule_set_device_mesh (HirTensor *tensor, const HirMesh *mesh);
/* allocation := loop, contiguous. */
void hir_schedule_set_allocation_as_loop (HirTensor *tensor);
/* allocation := @ids, axes that come of @tensor's logical ones by splits and merges, all of them and in
 * any order: memory order, outermost first. @contiguity (one an axis; NULL: all contiguous) is NONE for
 * broadcast and reduction axes, and for no others. Errors name the axis that is missing, foreign, or
 * has the wrong contiguity. */
gboolean hir_schedule_set_allocation (HirTensor *tensor,
                                      HirIterDomain *const *ids,
                                      const gint8 *contiguity,
                                      guint n,
                                      GError **error);
/* Inputs and outputs of the container stay Global (or Symmetric). */
gboolean hir_schedule_set_memory_type (HirTensor *tensor, HirMemoryType memory, GError **error);

/* schedule-cache.c: copies. Each makes a tensor and a set, and gives the new tensor, or NULL. The copy
 * has the mesh, the loop domain with its parallel types, and the allocation domain of what it copies.
 *
 *   cache_after   T -> uses       becomes  T -> set -> NEW -> uses         T with uses
 *   cache_before  op -> T         becomes  op -> NEW -> set -> T           T no input; NEW takes its axes
 *   cache_fork    op -> T -> uses becomes  op -> T -> uses, T -> set -> NEW, the output in T's place */
HirTensor *hir_schedule_cache_after (HirTensor *tensor,
                                     gboolean streaming,
                                     gboolean propagate_allocation_domain,
                                     GError **error);
HirTensor *hir_schedule_cache_before (HirTensor *tensor, GError **error);
HirTensor *hir_schedule_cache_fork (HirTensor *tensor, GError **error);

/* Reduces @axes of the loop domain in a first step, by the new tensor that is given, and the rest of
 * the reduced axes in a second one (rfactor.h). Refused: what is no reduction, a matmul or linear
 * (InsertReshardings takes the two steps of those), a tensor that was rfactored, an axis that is not
 * reduced, all of them, a split that does not divide. */
HirTensor *
hir_schedule_rfactor (HirTensor *tensor, const gint64 *axes, guint n_axes, GError **error);

/* schedule-like.c. @selected: where to; n = 0: every tensor of the fusion. */

/* Transforms the tensors that ops lead to from @tensor as it is transformed, along the ways that keep
 * most of its axes, within @selected. Inputs of the fusion too. */
gboolean hir_schedule_transform_like (HirTensor *tensor,
                                      HirTensor *const *selected,
                                      guint n_selected,
                                      GError **error);
/* Gives axes that stand for one of the first @pos loop axes of @tensor (-1: all; counted from the end
 * plus one) its parallel type, where @types (bits of HIR_PARALLEL_BIT; 0: all) has it. Not inputs of
 * the fusion. */
gboolean hir_schedule_parallelize_like (HirTensor *tensor,
                                        gint64 pos,
                                        HirTensor *const *selected,
                                        guint n_selected,
                                        guint types,
                                        GError **error);

G_END_DECLS
