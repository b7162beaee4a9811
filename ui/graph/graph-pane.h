/* The graph view with its overlays: the card of a box, the legend, the list of highlights and a
 * note about the displayed picture. */
#pragma once

#include <gtk/gtk.h>

#include "graph/graph-view.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_GRAPH_PANE (hir_graph_pane_get_type ())
G_DECLARE_FINAL_TYPE (HirGraphPane, hir_graph_pane, HIR, GRAPH_PANE, GtkWidget)

/* Creates the pane. */
GtkWidget *hir_graph_pane_new (HirSelection *selection);
/* Returns the graph view (borrowed). */
HirGraphView *hir_graph_pane_get_view (HirGraphPane *self);
/* Shows or hides the legend; initially hidden. It is next to the graph, or below it if it would
 * take too much of the pane's width. */
void hir_graph_pane_set_legend (HirGraphPane *self, gboolean has_legend);
/* Returns the legend if it is visible, otherwise NULL. */
GtkWidget *hir_graph_pane_get_legend_shown (HirGraphPane *self);
/* Returns whether the legend is enabled. */
gboolean hir_graph_pane_get_legend (HirGraphPane *self);
/* Calls hir_graph_card_toggle(). */
void hir_graph_pane_toggle_card (HirGraphPane *self);
/* Returns the note at the lower edge; "" if there is none. */
const char *hir_graph_pane_get_note (HirGraphPane *self);
/* Returns the text displayed while a layout takes long; "" otherwise. */
const char *hir_graph_pane_get_progress (HirGraphPane *self);

G_END_DECLS
