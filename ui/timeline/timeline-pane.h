/* A timeline with its search bar, the strip that shows the whole trace, and a scroll bar. */
#pragma once

#include <gtk/gtk.h>

#include "timeline/timeline-minimap.h"
#include "timeline/timeline-search.h"
#include "timeline/timeline-view.h"

G_BEGIN_DECLS

#define HIR_TYPE_TIMELINE_PANE (hir_timeline_pane_get_type ())
G_DECLARE_FINAL_TYPE (HirTimelinePane, hir_timeline_pane, HIR, TIMELINE_PANE, GtkWidget)

/* Creates the pane. */
GtkWidget *hir_timeline_pane_new (HirSelection *selection);
/* Returns the timeline (borrowed). */
HirTimelineView *hir_timeline_pane_get_view (HirTimelinePane *self);
/* Returns the search bar (borrowed). */
HirTimelineSearch *hir_timeline_pane_get_search (HirTimelinePane *self);
/* Returns the strip with the whole trace (borrowed). */
HirTimelineMinimap *hir_timeline_pane_get_minimap (HirTimelinePane *self);
/* Returns the height in pixels that shows all rows. */
double hir_timeline_pane_get_full_height (HirTimelinePane *self);

G_END_DECLS
