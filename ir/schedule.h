/* Scheduling: what a script does to a tensor's loop domain (reference 1.6, 5.4). Axes index the
 * loop domain, negative ones from the end. Errors (HIR_ERROR_REFUSED, with the maker's position)
 * name tensor and axis. */
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
/* Inputs and outputs of the container stay Global (or Symmetric). */
gboolean hir_schedule_set_memory_type (HirTensor *tensor, HirMemoryType memory, GError **error);

G_END_DECLS
