/* The scrolled window of a text, and the scroll bar of a canvas. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* In GTK 4.8 a text that gets shorter or longer while it is laid out asks its scroller for room in the middle of a
 * frame; that may get lost, and then all of the pane stays blank until something else moves. This one asks again after
 * the frame. */
GtkWidget *hir_scroller_new (void);

/* A vertical scroll bar beside a canvas. Where all of it is in sight the bar is not seen, and keeps its place: what is
 * beside it would be laid out anew otherwise. */
GtkWidget *hir_scrollbar_new (GtkAdjustment *adjustment);

G_END_DECLS
