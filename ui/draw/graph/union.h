/* Combines all snapshots of a program into one graph. It is laid out once, so that unchanged nodes
 * do not move between passes.
 *
 * Two nodes are one if their keys are equal or, if views are given, if the later one replaced the
 * earlier one. A node is in the group that contains it in the last snapshot that has it. Immutable
 * after creation. */
#pragma once

#include "draw/graph/layout.h"
#include "view/program-view.h"

G_BEGIN_DECLS

/* Above this number of nodes, one layout would take too long. Each snapshot is then laid out
 * separately, seeded by the previous one. */
#define HIR_UNION_MAX_NODES 1500

typedef struct _HirUnion HirUnion;

/* Creates the union of @views (HirProgramView*, all snapshots in pass order; borrowed during the
 * call).
 *
 * @graphs: (nullable): one graph per view, if it is not the view's own graph, for example because
 * groups are folded */
HirUnion *hir_union_new_from_views (const GPtrArray *views,
                                    const HirGraph *const *graphs,
                                    HirMeasure *measure);
void hir_union_free (HirUnion *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirUnion, hir_union_free)

/* Returns the sizes to lay out (borrowed). */
const HirSizes *hir_union_get_sizes (const HirUnion *self);
gboolean hir_union_is_too_large (const HirUnion *self);

/* Returns the part of @layout, a layout of the union, that graph @graph has, with the indices of
 * that graph. The size is that of the whole layout. Group boxes are fitted around the existing
 * nodes. */
HirLayout *hir_union_project (const HirUnion *self, const HirLayout *layout, guint graph);

/* Orders @sizes of @graph so that a layout starts from the positions in @before, the layout of
 * @before_graph. For graphs that are too large for a union. */
void hir_sizes_seed (HirSizes *sizes,
                     const HirGraph *graph,
                     const HirGraph *before_graph,
                     const HirLayout *before);

G_END_DECLS
