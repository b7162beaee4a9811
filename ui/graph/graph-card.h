/* The card beside a box of the graph: what it is, its domain, extents and bytes, and where it came from. For
 * the box under the pointer after a moment, and for the selected one by key. */
#pragma once

#include <gtk/gtk.h>

#include "graph/graph-view.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_GRAPH_CARD (hir_graph_card_get_type ())
G_DECLARE_FINAL_TYPE (HirGraphCard, hir_graph_card, HIR, GRAPH_CARD, GtkWidget)

/* To be laid over @view, in the top left corner: its margins place it. */
GtkWidget *hir_graph_card_new (HirSelection *selection, HirGraphView *view);
/* The selected node's card, to stay until it is asked for again, another node is selected or nothing is. */
void hir_graph_card_toggle (HirGraphCard *self);

G_END_DECLS
