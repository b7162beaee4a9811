/* The BROADCAST mapping of axes (docs/host-ir.md#axis-map): disjoint sets of the IterDomains that
 * the program's tensor ops relate, producer to consumer, with broadcasts resolved. What a HostUnit
 * computes relates nothing. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

typedef struct _HirIdMap HirIdMap;

/* Over every tensor op of @container, nested scopes included. The map stays valid while no axis is
 * made; axes it has not seen are each alone. */
HirIdMap *hir_id_map_new (HirContainer *container);
void hir_id_map_free (HirIdMap *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirIdMap, hir_id_map_free)

/* TRUE for the same axis, and for two whose sets have been joined. */
gboolean hir_id_map_are_mapped (HirIdMap *map, const HirIterDomain *a, const HirIterDomain *b);

G_END_DECLS
