/* What the colours and lines of a graph mean: drawn by what draws it into figures. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HIR_TYPE_GRAPH_LEGEND (hir_graph_legend_get_type ())
G_DECLARE_FINAL_TYPE (HirGraphLegend, hir_graph_legend, HIR, GRAPH_LEGEND, GtkWidget)

GtkWidget *hir_graph_legend_new (void);
/* Of changes, too. */
void hir_graph_legend_set_diff (HirGraphLegend *self, gboolean is_diff);
/* One at first. */
void hir_graph_legend_set_columns (HirGraphLegend *self, guint n_columns);
/* Pixels that it takes with so many, with what is around it. */
int hir_graph_legend_get_width (HirGraphLegend *self, guint n_columns);

G_END_DECLS
