/* Extents of a fusion that must be equal, and their values. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

typedef struct _HirExtents HirExtents;

/* Relates extents by the ops of a fusion: mapped axes, K of a matmul with both operands. For a host
 * program also by slices, loops, communications and HostUnits. */
HirExtents *hir_extents_new (HirContainer *fusion);
void hir_extents_free (HirExtents *extents);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirExtents, hir_extents_free)

/* Returns FALSE and sets HIR_ERROR_INPUT, at the instruction, if constants contradict each
 * other. */
gboolean hir_extents_check (const HirExtents *extents, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Sets the size of axis @axis (logical, without reductions) of an input. Returns FALSE and sets
 * HIR_ERROR_INPUT if it must be another; @who names the source ("--input 2"). */
gboolean hir_extents_assign (HirExtents *extents,
                             const HirTensor *tensor,
                             const HirIterDomain *id,
                             guint axis,
                             gint64 size,
                             const char *who,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns the symbols of a host program that are extents of axes (also in HostUnits) or loops,
 * except inputs. Array of const HirScalar*. */
GPtrArray *hir_extents_dup_symbols (HirContainer *program);
/* Returns TRUE if the extent is known or was chosen. */
gboolean hir_extents_is_known (HirExtents *extents, const HirScalar *extent);
/* Returns the size of a symbolic or constant extent. Chooses an unknown one, smaller for outer
 * axes, so that the slices and reshapes of the fusion are valid. Sets *@chosen to TRUE if it was
 * chosen. */
gint64
hir_extents_get (HirExtents *extents, const HirScalar *extent, gboolean is_outer, gboolean *chosen);

G_END_DECLS
