/* Strip above the timeline that shows the whole trace. Its window is the time range of the
 * timeline and can be dragged. */
#pragma once

#include <gtk/gtk.h>

#include "timeline/timeline-view.h"

G_BEGIN_DECLS

#define HIR_TYPE_TIMELINE_MINIMAP (hir_timeline_minimap_get_type ())
G_DECLARE_FINAL_TYPE (HirTimelineMinimap, hir_timeline_minimap, HIR, TIMELINE_MINIMAP, GtkWidget)

/* Creates the strip. @view must outlive it. Its content is computed on a worker thread. */
GtkWidget *hir_timeline_minimap_new (HirSelection *selection, HirTimelineView *view);
/* Marks the times of found events: array of HirFoundEvent (event-find.h), or NULL. Takes a
 * reference. */
void hir_timeline_minimap_set_found (HirTimelineMinimap *self, GArray *found);
/* Returns the ends of the window in pixels. Returns FALSE if the displayed content is outdated.
 * For tests. */
gboolean hir_timeline_minimap_get_window (HirTimelineMinimap *self, double *x0, double *x1);

G_END_DECLS
