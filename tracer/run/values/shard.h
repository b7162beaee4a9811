/* Which elements of a tensor a device holds (docs/host-ir.md#device-meshes,
 * docs/host-ir.md#memory): an axis over devices has one element a device, and a split of it leaves
 * the piece that the split gives. */
#pragma once

#include "container.h"
#include "run/values/value.h"

G_BEGIN_DECLS

/* Of one logical axis: elements start, start + step, ..., @size of them. */
typedef struct
{
  gint64 start, step, size;
} HirShardAxis;

/* TRUE where some axis that is not reduced is over devices: of the allocation domain, or, without
 * one, of the loop domain. */
gboolean hir_shard_is_sharded (const HirTensor *tensor);
/* Devices along the mesh axes that axis @id (logical) is spread over; 1: none. */
gint64 hir_shard_count (const HirTensor *tensor, const HirIterDomain *id);
/* What @device holds of axis @id, which has @global elements; a device outside of the mesh counts
 * as the first one, for the shape. Split factors are evaluated with @lookup. Errors: HIR_ERROR_RUN
 * where the axis does not spread evenly, HIR_ERROR_UNSUPPORTED where what is left is no regular
 * slice. */
gboolean hir_shard_axis (const HirTensor *tensor,
                         const HirIterDomain *id,
                         gint64 device,
                         gint64 global,
                         HirScalarLookup lookup,
                         gpointer user_data,
                         HirShardAxis *axis,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
