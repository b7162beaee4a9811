/* BROADCAST map of axes (docs/host-ir.md#axis-map): disjoint sets of IterDomains that tensor ops
 * relate from producer to consumer, with broadcasts resolved. Ops inside HostUnits are ignored. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

typedef struct _HirIdMap HirIdMap;

/* Builds the map from all tensor ops of @container, including nested scopes. Axes that are created
 * later are mapped to nothing. */
HirIdMap *hir_id_map_new (HirContainer *container);
void hir_id_map_free (HirIdMap *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirIdMap, hir_id_map_free)

/* Returns TRUE for the same axis, and for axes in the same set. */
gboolean hir_id_map_are_mapped (HirIdMap *map, const HirIterDomain *a, const HirIterDomain *b);

G_END_DECLS
