/* A timeline with what belongs to it: the bar that finds events, the strip that shows all of it, the scroll bar. */
#pragma once

#include <gtk/gtk.h>

#include "timeline/timeline-minimap.h"
#include "timeline/timeline-search.h"
#include "timeline/timeline-view.h"

G_BEGIN_DECLS

#define HIR_TYPE_TIMELINE_PANE (hir_timeline_pane_get_type ())
G_DECLARE_FINAL_TYPE (HirTimelinePane, hir_timeline_pane, HIR, TIMELINE_PANE, GtkWidget)

GtkWidget *hir_timeline_pane_new (HirSelection *selection);
/* Its parts, borrowed. */
HirTimelineView *hir_timeline_pane_get_view (HirTimelinePane *self);
HirTimelineSearch *hir_timeline_pane_get_search (HirTimelinePane *self);
HirTimelineMinimap *hir_timeline_pane_get_minimap (HirTimelinePane *self);
/* That shows all rows, in pixels. */
double hir_timeline_pane_get_full_height (HirTimelinePane *self);

G_END_DECLS
