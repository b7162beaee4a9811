/* Card next to a box of the graph: kind, domain, extents, size and origin of the node. Opens
 * after a delay for the box under the pointer, and by key for the selected node. */
#pragma once

#include <gtk/gtk.h>

#include "graph/graph-view.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_GRAPH_CARD (hir_graph_card_get_type ())
G_DECLARE_FINAL_TYPE (HirGraphCard, hir_graph_card, HIR, GRAPH_CARD, GtkWidget)

/* Creates the card. Add it as an overlay of @view at the top left corner; its margins position
 * it. */
GtkWidget *hir_graph_card_new (HirSelection *selection, HirGraphView *view);
/* Opens the card of the selected node. It stays open until the next call or until the node is no
 * longer selected. */
void hir_graph_card_toggle (HirGraphCard *self);

G_END_DECLS
