/* Internal declarations of FinalizeMultideviceDomains. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* Allocation domain under construction. */
typedef struct
{
  GPtrArray *ids;     /* HirIterDomain* */
  GArray *contiguity; /* gint8, one per id */
} HirAxisLayout;

/* Starts with the allocation domain of @tensor. */
void hir_axis_layout_init (HirAxisLayout *layout, const HirTensor *tensor);
void hir_axis_layout_clear (HirAxisLayout *layout);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirAxisLayout, hir_axis_layout_clear)
/* Splits @layout like the logical domain of @tensor was split on the way to @domain. Returns FALSE
 * and @error if a transform is not a split. */
gboolean hir_axis_layout_follow (HirAxisLayout *layout,
                                 const HirTensor *tensor,
                                 const HirDomain *domain,
                                 GError **error);
/* Returns TRUE if @layout equals the allocation domain of @tensor. */
gboolean hir_axis_layout_is_of (const HirAxisLayout *layout, const HirTensor *tensor);
/* Makes @layout the allocation domain of @tensor. */
void hir_axis_layout_apply (const HirAxisLayout *layout, HirTensor *tensor);

/* Sets *@streamed to TRUE if every op that reads @tensor has the same stream axis as @tensor, so
 * that each iteration of a loop allocates its own piece. @uses: hir_fusion_dup_uses(). */
gboolean hir_finalize_is_streamed (HirTensor *tensor,
                                   GHashTable *uses,
                                   gboolean *streamed,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Applies the rules of October 2025 (docs/host-ir.md#stream-allocation) to each of @tensors. Its
 * allocation domain is split like its loop axes over devices. If it is neither input nor output of
 * @fusion, and every op that reads it has the same stream axis, its allocation domain is also split
 * like its stream axis. The loop domain is reordered: streams, mesh_z, mesh_y, mesh_x, then the
 * other axes in their order. */
gboolean hir_finalize_streams (HirContainer *fusion, GPtrArray *tensors, GError **error);

G_END_DECLS
