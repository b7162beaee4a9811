/* The program of a step as a graph: boxes to click, to walk, to zoom. */
#pragma once

#include <gtk/gtk.h>

#include "selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_GRAPH_VIEW (hir_graph_view_get_type ())
G_DECLARE_FINAL_TYPE (HirGraphView, hir_graph_view, HIR, GRAPH_VIEW, GtkWidget)

GtkWidget *hir_graph_view_new (HirSelection *selection);

/* Streams as columns, program order as rows. */
void hir_graph_view_set_lanes (HirGraphView *self, gboolean lanes);
/* Shows all of it. Until the user zooms or moves, each new picture is fitted. */
void hir_graph_view_fit (HirGraphView *self);
/* @factor > 1 is nearer; about the middle. */
void hir_graph_view_zoom (HirGraphView *self, double factor);

/* For tests: what is on show, and where the middle of node @index of the step's graph is, in widget pixels;
 * FALSE where it is not drawn. */
void hir_graph_view_get_place (
    HirGraphView *self, gboolean *lanes, double *zoom, double *dx, double *dy);
gboolean hir_graph_view_get_node_position (HirGraphView *self, guint index, double *x, double *y);

G_END_DECLS
