/* Scheduling: changes that a script makes to a tensor's loop domain (docs/host-ir.md#tensors,
 * docs/host-ir.md#schedules). Axes are indices into the loop domain; negative ones count from the
 * end. Functions that fail return FALSE or NULL and set HIR_ERROR_REFUSED with the maker's
 * position; the message names tensor and axis. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* Returns the loop axis at @axis, or NULL if it is out of range; the message names the tensor and
 * its rank. */
HirIterDomain *hir_schedule_axis (HirTensor *tensor, gint64 axis, GError **error);
/* Sets the parallel type of the axis in place. Allows any type on any axis: the pass that cannot
 * handle it rejects it. The axis gets the maker's position, so that the error points to this line
 * rather than to the op. */
gboolean
hir_schedule_parallelize (HirTensor *tensor, gint64 axis, HirParallelType type, GError **error);
/* Splits an axis. The transform and the new axes have the maker's position: "result of the split at
 * line N". */
gboolean hir_schedule_split (
    HirTensor *tensor, gint64 axis, HirScalar *factor, gboolean inner_split, GError **error);
/* Rotates the elements of an axis by the position of each device on @mesh_axis, a device type
 * (Swizzle1D of nvFuser 2026). @error if it is another type. */
gboolean
hir_schedule_swizzle (HirTensor *tensor, gint64 axis, HirParallelType mesh_axis, GError **error);
/* Merges two axes. The result has the position of the first one in the loop domain. */
gboolean hir_schedule_merge (HirTensor *tensor, gint64 outer, gint64 inner, GError **error);
/* Moves axes from @old_positions to @new_positions. The other axes keep their order. */
gboolean hir_schedule_reorder (HirTensor *tensor,
                               const gint64 *old_positions,
                               const gint64 *new_positions,
                               guint n,
                               GError **error);
/* Sets the mesh; NULL removes it. */
void hir_schedule_set_device_mesh (HirTensor *tensor, const HirMesh *mesh);
/* Sets the allocation domain to the loop domain, contiguous. */
void hir_schedule_set_allocation_as_loop (HirTensor *tensor);
/* Sets the allocation domain to @ids: axes derived from all of @tensor's logical axes by splits and
 * merges, in memory order, outermost first. @contiguity (one per axis; NULL: all contiguous) must
 * be NONE for exactly the broadcast and reduction axes. The error names an axis that is missing,
 * unrelated, or has an incorrect contiguity. */
gboolean hir_schedule_set_allocation (
    HirTensor *tensor, HirIterDomain *const *ids, const gint8 *contiguity, guint n, GError **error);
/* Sets the memory type. Inputs and outputs of the container must remain Global or Symmetric. */
gboolean hir_schedule_set_memory_type (HirTensor *tensor, HirMemoryType memory, GError **error);

/* schedule-cache.c: copies. Each function creates a tensor and a set, and returns the new tensor,
 * or NULL and @error. The copy has the mesh, the loop domain with its parallel types, and the
 * allocation domain of the original. */

/* Copies @tensor for its readers: `T -> uses` becomes `T -> set -> NEW -> uses`. @error if nothing
 * reads @tensor. */
HirTensor *hir_schedule_cache_after (HirTensor *tensor,
                                     gboolean streaming,
                                     gboolean propagate_allocation_domain,
                                     GError **error);
/* Computes @tensor as a copy: `op -> T` becomes `op -> NEW -> set -> T`. NEW takes over the axes of
 * @tensor. @error if @tensor is an input. */
HirTensor *hir_schedule_cache_before (HirTensor *tensor, GError **error);
/* Copies an output that ops read: `op -> T -> uses` becomes `op -> T -> uses` and `T -> set ->
 * NEW`, and NEW becomes the output. @error if @tensor is not such an output. */
HirTensor *hir_schedule_cache_fork (HirTensor *tensor, GError **error);

/* Reduces @axes of the loop domain in a first step, whose result is returned, and the remaining
 * reduced axes in a second one (rfactor.h). @error if @tensor is not the result of a reduction
 * (InsertReshardings handles matmul and linear) or was rfactored before, if an axis is not reduced
 * or none remains, or if a split leaves a remainder. */
HirTensor *
hir_schedule_rfactor (HirTensor *tensor, const gint64 *axes, guint n_axes, GError **error);

/* schedule-like.c. @selected: tensors to change; if @n_selected is 0, every tensor of the fusion.
 */

/* Transforms the selected tensors that ops connect to @tensor in the same way as @tensor, along the
 * paths that keep most of its axes. Includes inputs of the fusion. */
gboolean hir_schedule_transform_like (HirTensor *tensor,
                                      HirTensor *const *selected,
                                      guint n_selected,
                                      GError **error);
/* Copies the parallel types of the first @pos loop axes of @tensor (-1: all; negative values count
 * from the end plus one) to the corresponding axes of the selected tensors. @types
 * (HIR_PARALLEL_BIT flags; 0: all) limits the types. Excludes inputs of the fusion. */
gboolean hir_schedule_parallelize_like (HirTensor *tensor,
                                        gint64 pos,
                                        HirTensor *const *selected,
                                        guint n_selected,
                                        guint types,
                                        GError **error);

G_END_DECLS
