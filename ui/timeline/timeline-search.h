/* The bar above the timeline that finds events by their names. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_TIMELINE_SEARCH (hir_timeline_search_get_type ())
G_DECLARE_FINAL_TYPE (HirTimelineSearch, hir_timeline_search, HIR, TIMELINE_SEARCH, GtkWidget)

/* What is found is selected. @after: where the keys go when it closes; outlives it. */
GtkWidget *hir_timeline_search_new (HirSelection *selection, GtkWidget *after);
/* Opens it and gives it the keys. */
void hir_timeline_search_open (HirTimelineSearch *self);
/* "2 of 17", "none"; "" while it is looked for; NULL where the bar is closed. */
const char *hir_timeline_search_get_count (HirTimelineSearch *self);

/* What was found, HirFoundEvent of event-find.h in the order of time; borrowed, NULL where nothing is looked for. The
 * signal `found-changed` tells that it is another. */
GArray *hir_timeline_search_get_found (HirTimelineSearch *self);

G_END_DECLS
