/* What the files of FinalizeMultideviceDomains share. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* An allocation domain in the making. */
typedef struct
{
  GPtrArray *ids;     /* HirIterDomain* */
  GArray *contiguity; /* gint8, one an id */
} HirLayout;

/* finalize-layout.c. That of @tensor as it is. */
void hir_layout_init (HirLayout *layout, const HirTensor *tensor);
void hir_layout_clear (HirLayout *layout);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirLayout, hir_layout_clear)
/* The pieces of @split in place of what it splits, at @at: the outer piece is contiguous to the inner
 * one, which lies to the next axis as the whole did. */
void hir_layout_split (HirLayout *layout, guint at, const HirTransform *split);
/* FALSE, and the error: @tensor's axes are not only split. */
gboolean hir_layout_refuse_merge (const HirTensor *tensor, const HirTransform *transform, GError **error);
gboolean hir_layout_is_of (const HirLayout *layout, const HirTensor *tensor);
void hir_layout_apply (const HirLayout *layout, HirTensor *tensor);

/* finalize-streams.c: the rules of October 2025 (docs/host-ir.md#stream-allocation). The allocation
 * domain of every tensor of @tensors is split as the loop axes over devices are, and, where the
 * tensor is neither input nor output of @fusion and every op that reads it has the same stream
 * axis, as its stream axis. The loop domain becomes: streams, mesh_z, mesh_y, mesh_x, the others in
 * their order. */
gboolean hir_finalize_streams (HirContainer *fusion, GPtrArray *tensors, GError **error);

G_END_DECLS
