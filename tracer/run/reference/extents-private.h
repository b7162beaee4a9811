/* Shared by the files that relate extents. */
#pragma once

#include "run/reference/extents.h"

G_BEGIN_DECLS

/* They are one from now on. Two different constants: kept as the conflict, unless there is one;
 * @expr says so. What is computed from other extents relates nothing. */
void hir_extents_unify (HirExtents *extents,
                        const HirScalar *a,
                        const HirScalar *b,
                        const HirExpr *expr);
/* A symbol must be that large, and a multiple. */
void hir_extents_demand (HirExtents *extents,
                         const HirScalar *extent,
                         gint64 at_least,
                         gint64 multiple);
/* By the logical map of a tensor op, and by what its attributes ask of sizes. */
void hir_extents_relate_op (HirExtents *extents, const HirExpr *expr);
/* What splits over devices and streams ask. */
void hir_extents_relate_tensor (HirExtents *extents, const HirTensor *tensor);
/* A host program: its ops, slices, loops, communications and HostUnits. */
void hir_extents_relate_host (HirExtents *extents, HirContainer *program);
/* The extent that a run-time axis has. */
const HirScalar *hir_extents_size_of_axis (const HirIterDomain *id);

G_END_DECLS
