/* Which extents of a fusion must be equal, and what they are. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

typedef struct _HirExtents HirExtents;

/* Relates extents by the fusion's own ops: axes that map, K of a matmul with both operands. */
HirExtents *hir_extents_new (HirContainer *fusion);
void hir_extents_free (HirExtents *extents);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirExtents, hir_extents_free)

/* Fixes axis @axis (logical, without reductions) of an input. FALSE and HIR_ERROR_INPUT where it
 * must be something else; @who says who asks ("--input 2"). */
gboolean hir_extents_assign (HirExtents *extents,
                             const HirTensor *tensor,
                             const HirIterDomain *id,
                             guint axis,
                             gint64 size,
                             const char *who,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The size of a symbolic or constant extent; chosen now where nothing says: @is_outer axes smaller.
 * Large enough, and a multiple, for the slices and reshapes of the fusion. *@chosen: TRUE where it
 * was. */
gint64
hir_extents_get (HirExtents *extents, const HirScalar *extent, gboolean is_outer, gboolean *chosen);

G_END_DECLS
