/* Which extents of a fusion must be equal, and what they are. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

typedef struct _HirExtents HirExtents;

/* Relates extents by the ops of a fusion: axes that map, K of a matmul with both operands; of a host
 * program by those, by slices, loops, communications and HostUnits. */
HirExtents *hir_extents_new (HirContainer *fusion);
void hir_extents_free (HirExtents *extents);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirExtents, hir_extents_free)

/* FALSE and HIR_ERROR_INPUT, at the instruction, where constants contradict each other. */
gboolean hir_extents_check (const HirExtents *extents, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Fixes axis @axis (logical, without reductions) of an input. FALSE and HIR_ERROR_INPUT where it
 * must be something else; @who says who asks ("--input 2"). */
gboolean hir_extents_assign (HirExtents *extents,
                             const HirTensor *tensor,
                             const HirIterDomain *id,
                             guint axis,
                             gint64 size,
                             const char *who,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The symbols of a host program that are extents: of axes, those of HostUnits too, and of loops.
 * Array of const HirScalar*, no input among them. */
GPtrArray *hir_extents_dup_symbols (HirContainer *program);
/* Something says what it is, or it was chosen already. */
gboolean hir_extents_is_known (HirExtents *extents, const HirScalar *extent);
/* The size of a symbolic or constant extent; chosen now where nothing says: @is_outer axes smaller.
 * Large enough, and a multiple, for the slices and reshapes of the fusion. *@chosen: TRUE where it
 * was. */
gint64
hir_extents_get (HirExtents *extents, const HirScalar *extent, gboolean is_outer, gboolean *chosen);

G_END_DECLS
