/* Search bar above the timeline: finds events by name. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_TIMELINE_SEARCH (hir_timeline_search_get_type ())
G_DECLARE_FINAL_TYPE (HirTimelineSearch, hir_timeline_search, HIR, TIMELINE_SEARCH, GtkWidget)

/* Creates the search bar. It selects the events it finds. When it closes, @after gets the focus;
 * @after must outlive it. */
GtkWidget *hir_timeline_search_new (HirSelection *selection, GtkWidget *after);
/* Opens the search bar and moves the focus to it. */
void hir_timeline_search_open (HirTimelineSearch *self);
/* Opens the search bar and searches for @words. */
void hir_timeline_search_find (HirTimelineSearch *self, const char *words);
/* Returns the displayed count: "2 of 17" or "none"; "" while searching; NULL if the bar is
 * closed. */
const char *hir_timeline_search_get_count (HirTimelineSearch *self);

/* Returns the found events: array of HirFoundEvent (event-find.h) in time order (borrowed), or
 * NULL without a search. The signal `found-changed` reports changes. */
GArray *hir_timeline_search_get_found (HirTimelineSearch *self);

G_END_DECLS
