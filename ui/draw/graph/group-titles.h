/* Positions of the titles of groups. */
#pragma once

#include "draw/graph/layout.h"

G_BEGIN_DECLS

/* Returns the area of the title of group @group, without the fold triangle before it; zero width if
 * the group is not in the picture. The title is at the left unless an edge enters the group there;
 * it is then in the first gap between edges, and narrower than its text if no gap is large enough.
 * @can_fold: there is a fold triangle, HIR_FOLD_MARK wide. */
HirRect hir_group_title_get_rect (const HirGraph *graph,
                                  const HirLayout *layout,
                                  guint group,
                                  gboolean can_fold);

/* Returns the areas of the titles of all groups with their fold triangles: array of HirRect
 * (transfer full). */
GArray *hir_group_title_dup_rects (const HirLayout *layout, const HirSizes *sizes);

G_END_DECLS
