/* The graph with what is laid over it: the card of a box, the legend, the list of highlights, a line that says
 * what is on show. */
#pragma once

#include <gtk/gtk.h>

#include "graph/graph-view.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_GRAPH_PANE (hir_graph_pane_get_type ())
G_DECLARE_FINAL_TYPE (HirGraphPane, hir_graph_pane, HIR, GRAPH_PANE, GtkWidget)

GtkWidget *hir_graph_pane_new (HirSelection *selection);
/* The graph itself; borrowed. */
HirGraphView *hir_graph_pane_get_view (HirGraphPane *self);
/* The legend; off at first. It is beside the graph, or below it where it would take too much of the pane's width. */
void hir_graph_pane_set_legend (HirGraphPane *self, gboolean has_legend);
/* The legend where it can be seen now, else NULL. */
GtkWidget *hir_graph_pane_get_legend_shown (HirGraphPane *self);
gboolean hir_graph_pane_get_legend (HirGraphPane *self);
/* See hir_graph_card_toggle(). */
void hir_graph_pane_toggle_card (HirGraphPane *self);
/* The line at the bottom; "" where there is nothing to say. */
const char *hir_graph_pane_get_note (HirGraphPane *self);
/* What is said while a layout takes long; "" otherwise. */
const char *hir_graph_pane_get_progress (HirGraphPane *self);

G_END_DECLS
