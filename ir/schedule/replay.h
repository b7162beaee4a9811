/* Replays the transforms of one domain on another. Used by caches, transform_like and
 * parallelize_like (docs/host-ir.md#schedules). */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* Applies @transform to the axes @in, which correspond to its inputs. Returns FALSE and @error if
 * that is not possible. */
gboolean hir_replay_transform (const HirTransform *transform,
                               HirIterDomain *const *in,
                               HirIterDomain **out,
                               GError **error);
/* Copies @from's loop domain with its parallel types, and its allocation domain with its
 * contiguity, to @to. The logical axes of @to are new and correspond to those of @from by @map
 * (axis of @from -> axis of @to; reduced axes have none). Differs from nvFuser, which loses the
 * types of split and merged axes, so that a copy would communicate for no reason. Adds the created
 * axes to @map. */
void hir_replay_copy (const HirTensor *from, HirTensor *to, GHashTable *map);

/* Transforms @to like @from, which is on the other side of @expr: applies each split and merge of
 * an axis that @expr relates, and keeps the transforms of the other axes. A split that @to already
 * has is kept. If only one input of a merge is related and the other is a broadcast, the related
 * axis represents the result. Returns FALSE and sets HIR_ERROR_REFUSED with the maker's position if
 * an axis of @to that must be transformed is parallelized. */
gboolean hir_replay_transforms (const HirExpr *expr,
                                const HirTensor *from,
                                HirTensor *to,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns how many axes of @from that are in @known (its logical or root axes) @expr relates to
 * axes of @to, and adds the latter to @related. */
guint hir_replay_count_related (const HirExpr *expr,
                                const HirTensor *from,
                                const HirTensor *to,
                                GHashTable *known,
                                GHashTable *related);

G_END_DECLS
