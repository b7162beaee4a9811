/* One graph over all snapshots of a program, so that it is laid out once and what did not change
 * does not move when one steps from pass to pass. Two nodes are one where their keys are
 * the same; with views also where the later one took the place of the earlier, as a rewritten op
 * does. What is in several snapshots is in the group that the last of them has it in. Immutable
 * once made. */
#pragma once

#include "draw/graph/layout.h"
#include "view/program-view.h"

G_BEGIN_DECLS

/* Past this many nodes one layout would take too long: each snapshot is then laid out by itself,
 * seeded by the one before. */
#define HIR_UNION_MAX_NODES 1500

typedef struct _HirUnion HirUnion;

/* @views: HirProgramView*, all snapshots in pass order; borrowed for the time of the call. @graphs: nullable;
 * what is shown of each, as many as views, where that is not its own graph: folded, say. */
HirUnion *hir_union_new_from_views (const GPtrArray *views,
                                    const HirGraph *const *graphs,
                                    HirMeasure *measure);
void hir_union_free (HirUnion *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirUnion, hir_union_free)

/* What is to be laid out. Borrowed. */
const HirSizes *hir_union_get_sizes (const HirUnion *self);
gboolean hir_union_is_too_large (const HirUnion *self);

/* The part of @layout, which is one of the union, that graph @graph has, in that graph's indices.
 * The size is that of the whole. Boxes of groups are fitted around what is there. */
HirLayout *hir_union_project (const HirUnion *self, const HirLayout *layout, guint graph);

/* For graphs too large for a union: orders @sizes, of @graph, so that a layout starts from where
 * things are in @before, the layout of @before_graph. */
void hir_sizes_seed (HirSizes *sizes,
                     const HirGraph *graph,
                     const HirGraph *before_graph,
                     const HirLayout *before);

G_END_DECLS
