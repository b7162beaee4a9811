/* A button whose popover lists the marks of a timeline: to go to, to rename and to delete. */
#pragma once

#include "timeline/timeline-view.h"

G_BEGIN_DECLS

/* Creates the button, which is visible while there are marks. @view and @document, which undoes
 * deletions, are borrowed. */
GtkWidget *hir_mark_list_new (HirTimelineView *view, HirDocument *document);

/* Opens the list with the focus on the name of mark @i; -1: on the first one. */
void hir_mark_list_open (GtkWidget *button, int i);

G_END_DECLS
