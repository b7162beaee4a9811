/* Legend of the graph: explains its colors and lines. Uses the same drawing code as exported
 * figures. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HIR_TYPE_GRAPH_LEGEND (hir_graph_legend_get_type ())
G_DECLARE_FINAL_TYPE (HirGraphLegend, hir_graph_legend, HIR, GRAPH_LEGEND, GtkWidget)

/* Creates the legend. */
GtkWidget *hir_graph_legend_new (void);
/* Sets the rows of the legend: a set from hir_graph_scene_get_legend(). Initially empty. */
void hir_graph_legend_set_rows (HirGraphLegend *self, guint32 rows);
/* Sets the number of columns; initially 1. */
void hir_graph_legend_set_columns (HirGraphLegend *self, guint n_columns);
/* Returns the width in pixels, including margins, with @n_columns columns. */
int hir_graph_legend_get_width (HirGraphLegend *self, guint n_columns);

G_END_DECLS
