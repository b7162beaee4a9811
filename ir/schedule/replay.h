/* Repeating the transforms of one domain on another: what caches, transform_like and
 * parallelize_like of a schedule share (docs/host-ir.md#schedules). */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* Applies @transform to the axes @in, which correspond to its inputs. Returns FALSE and @error if that
 * is not possible. */
gboolean hir_replay_transform (const HirTransform *transform,
                               HirIterDomain *const *in,
                               HirIterDomain **out,
                               GError **error);
/* Gives @to, whose logical axes are new ones that stand for @from's (@map: axis of @from -> axis of
 * @to; reduced ones have none), @from's loop domain, with the types of its axes, and its allocation
 * domain with its contiguity. Differs from nvFuser, which loses the types of split and merged axes: a
 * copy would then communicate for no reason. @map gets the axes that are made on the way. */
void hir_replay_copy (const HirTensor *from, HirTensor *to, GHashTable *map);

/* Transforms @to, an operand or result of @expr, as @from, one of the other side, is: each split and
 * merge of an axis that @expr relates, then the axes that it does not relate, with the transforms they
 * have. A split that @to has already is kept; axes that only one side of a merge has stand for the
 * result where the other is a broadcast. FALSE (HIR_ERROR_REFUSED, with the maker's position) where an
 * axis of @to that has to be taken apart is parallelized. */
gboolean hir_replay_transforms (const HirExpr *expr, const HirTensor *from, HirTensor *to, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* How many axes of @from, of those in @known (its logical or root ones), @expr relates to some of @to;
 * these are put into @related. */
guint hir_replay_count_related (const HirExpr *expr, const HirTensor *from, const HirTensor *to,
                                GHashTable *known, GHashTable *related);

G_END_DECLS
