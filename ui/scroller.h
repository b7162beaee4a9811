/* The scrolled window of a text. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* In GTK 4.8 a text that gets shorter or longer while it is laid out asks its scroller for room in the middle of a
 * frame; that may get lost, and then all of the pane stays blank until something else moves. This one asks again after
 * the frame. */
GtkWidget *hir_scroller_new (void);

G_END_DECLS
