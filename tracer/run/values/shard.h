/* Parts of tensors on devices (docs/host-ir.md#device-meshes, docs/host-ir.md#memory): an axis over
 * devices has one element per device; after a split of it, a device has the piece that the split
 * gives. */
#pragma once

#include "container.h"
#include "run/values/value.h"

G_BEGIN_DECLS

/* Part of one logical axis: @size elements start, start + step, ... Unless @block is 0, each @block
 * of them are so, and the first elements of two blocks are @block_step apart. */
typedef struct
{
  gint64 start, step, size;
  gint64 block, block_step;
} HirShardAxis;

/* Returns the position in the whole axis of element @i of @axis. */
static inline gint64
hir_shard_axis_at (const HirShardAxis *axis, gint64 i)
{
  if (axis->block == 0)
    return axis->start + i * axis->step;
  return axis->start + i / axis->block * axis->block_step + i % axis->block * axis->step;
}

/* Calls @func with views of each block of @part, and of the same elements of @whole, until it
 * returns FALSE. @shard: one per axis of @whole. Returns FALSE if @func did. */
gboolean hir_shard_foreach_block (HirValue *whole,
                                  HirValue *part,
                                  const HirShardAxis *shard,
                                  gboolean (*func) (HirValue *whole, HirValue *part));

/* Returns TRUE if a non-reduction axis of the allocation domain (or of the loop domain, if there is
 * none) is over devices. */
gboolean hir_shard_is_sharded (const HirTensor *tensor);
/* Returns the number of devices over which the logical axis @id is distributed; 1 if it is not. */
gint64 hir_shard_count (const HirTensor *tensor, const HirIterDomain *id);
/* Computes the part of axis @id on @device; the axis has @global elements. A device outside of the
 * mesh counts as the first one, to get its shape. @lookup evaluates split factors. Errors:
 * HIR_ERROR_RUN if the axis is not distributed evenly, HIR_ERROR_UNSUPPORTED if the part has blocks
 * of blocks. */
gboolean hir_shard_axis (const HirTensor *tensor,
                         const HirIterDomain *id,
                         gint64 device,
                         gint64 global,
                         HirScalarLookup lookup,
                         gpointer user_data,
                         HirShardAxis *axis,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
