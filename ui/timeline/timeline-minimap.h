/* The strip above the timeline that shows all of the trace, and moves what the timeline shows. */
#pragma once

#include <gtk/gtk.h>

#include "timeline/timeline-view.h"

G_BEGIN_DECLS

#define HIR_TYPE_TIMELINE_MINIMAP (hir_timeline_minimap_get_type ())
G_DECLARE_FINAL_TYPE (HirTimelineMinimap, hir_timeline_minimap, HIR, TIMELINE_MINIMAP, GtkWidget)

/* @view outlives it. What it shows is computed in a worker. */
GtkWidget *hir_timeline_minimap_new (HirSelection *selection, HirTimelineView *view);
/* Times (HirFoundEvent, of event-find.h) that are marked; NULL: none. Takes a reference. */
void hir_timeline_minimap_set_found (HirTimelineMinimap *self, GArray *found);
/* Whether the picture is of the trace and size as they are; and where the window's ends are, in its pixels. */
gboolean hir_timeline_minimap_get_window (HirTimelineMinimap *self, double *x0, double *x1);

G_END_DECLS
