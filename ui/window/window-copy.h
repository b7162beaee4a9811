/* Pictures of the graph and the timeline for the clipboard. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Activate function of win.copy-graph and win.copy-timeline: made in a worker thread, as the exports are, in the style on show. */
void hir_window_copy_picture (GtkWidget *widget, const char *name, GVariant *parameter);

G_END_DECLS
