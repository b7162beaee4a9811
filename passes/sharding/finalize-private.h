/* What the files of FinalizeMultideviceDomains share. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* An allocation domain in the making. */
typedef struct
{
  GPtrArray *ids;     /* HirIterDomain* */
  GArray *contiguity; /* gint8, one an id */
} HirAxisLayout;

/* finalize-layout.c. That of @tensor as it is. */
void hir_axis_layout_init (HirAxisLayout *layout, const HirTensor *tensor);
void hir_axis_layout_clear (HirAxisLayout *layout);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirAxisLayout, hir_axis_layout_clear)
/* Splits @layout as @tensor's logical domain was split on the way to @domain. FALSE and @error if
 * these axes are not only split. */
gboolean hir_axis_layout_follow (HirAxisLayout *layout,
                                 const HirTensor *tensor,
                                 const HirDomain *domain,
                                 GError **error);
gboolean hir_axis_layout_is_of (const HirAxisLayout *layout, const HirTensor *tensor);
void hir_axis_layout_apply (const HirAxisLayout *layout, HirTensor *tensor);

/* finalize-streams.c: the rules of October 2025 (docs/host-ir.md#stream-allocation). The allocation
 * domain of every tensor of @tensors is split as the loop axes over devices are, and, where the
 * tensor is neither input nor output of @fusion and every op that reads it has the same stream
 * axis, as its stream axis. The loop domain becomes: streams, mesh_z, mesh_y, mesh_x, the others in
 * their order. */
gboolean hir_finalize_streams (HirContainer *fusion, GPtrArray *tensors, GError **error);

G_END_DECLS
