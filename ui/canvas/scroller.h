/* Scrolled window for a text view, and scroll bar for a canvas. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Creates a scrolled window that queues a second resize after the frame. In GTK 4.8 a text view
 * that changes its height during layout queues a resize that can be lost; the pane then stays
 * blank until the next change. */
GtkWidget *hir_scroller_new (void);

/* Creates a vertical scroll bar for a canvas. If nothing can be scrolled, the bar is invisible
 * but keeps its space, so that its neighbors are not laid out again. */
GtkWidget *hir_scrollbar_new (GtkAdjustment *adjustment);
/* Like hir_scrollbar_new(), but horizontal. */
GtkWidget *hir_scrollbar_new_horizontal (GtkAdjustment *adjustment);

G_END_DECLS
