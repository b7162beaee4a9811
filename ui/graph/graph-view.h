/* The program of a step as a graph: boxes to click, to walk, to zoom, to fold; what two snapshots differ in;
 * what is near the selection. */
#pragma once

#include <gtk/gtk.h>

#include "draw/graph/graph-picture.h"
#include "draw/graph/graph-scene.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_GRAPH_VIEW (hir_graph_view_get_type ())
G_DECLARE_FINAL_TYPE (HirGraphView, hir_graph_view, HIR, GRAPH_VIEW, GtkWidget)

/* Signal `changed`, without arguments: another picture, mark, hovered box or choice of what is shown. */
GtkWidget *hir_graph_view_new (HirSelection *selection);

/* Streams as columns, program order as rows. */
void hir_graph_view_set_lanes (HirGraphView *self, gboolean lanes);
/* The graph of two snapshots in one: that of the selection's base and that of its step. */
void hir_graph_view_set_diff (HirGraphView *self, gboolean is_diff);
gboolean hir_graph_view_get_diff (HirGraphView *self);

/* Only what is near the selection, which it follows. Where nothing is selected, all is shown. */
void hir_graph_view_set_near (HirGraphView *self, gboolean is_near);
gboolean hir_graph_view_get_near (HirGraphView *self);
/* How far: 1 to 9 edges; @change is added. */
void hir_graph_view_change_hops (HirGraphView *self, int change);
/* Both ways, then only what it comes from, then only what comes of it. */
void hir_graph_view_turn_direction (HirGraphView *self);

/* Folds the loop, IF or unit that the selected node is in, or opens the folded box that is selected. FALSE:
 * there is none. */
gboolean hir_graph_view_fold (HirGraphView *self);
void hir_graph_view_unfold_all (HirGraphView *self);

/* A lasting highlight on the selected node: in the next colour, or in none. */
void hir_graph_view_mark (HirGraphView *self);
void hir_graph_view_unmark_selected (HirGraphView *self);
void hir_graph_view_unmark (HirGraphView *self, guint64 id);
/* Array of HirGraphMark, in the order in which they were set; borrowed. */
const GArray *hir_graph_view_get_marks (HirGraphView *self);

/* A small picture of all of it, where that does not fit. On at first. */
void hir_graph_view_set_map (HirGraphView *self, gboolean has_map);
gboolean hir_graph_view_get_map (HirGraphView *self);
/* Something stands over its lower edge: what is fitted stays above that. */
void hir_graph_view_set_has_note (HirGraphView *self, gboolean has_note);

/* Shows all of it. Until the user zooms or moves, each new picture is fitted. */
void hir_graph_view_fit (HirGraphView *self);
/* @factor > 1 is nearer; about the middle. */
void hir_graph_view_zoom (HirGraphView *self, double factor);

/* What is on show now; NULL while the picture that is wanted is being made. Borrowed. */
HirPicture *hir_graph_view_get_picture (HirGraphView *self);
/* TRUE while a layout is being made for longer than a blink; *@n_boxes: of how many boxes. */
gboolean hir_graph_view_get_busy (HirGraphView *self, guint *n_boxes);
/* Ends that. Rows stay, or what was on show before: then is_stopped() until another picture is wanted, or all of
 * it is to be shown (fit). */
void hir_graph_view_stop_layout (HirGraphView *self);
gboolean hir_graph_view_is_stopped (HirGraphView *self);
/* TRUE where a better layout came after the user had moved what is on show; to fit takes it. */
gboolean hir_graph_view_has_better (HirGraphView *self);
/* The box under the pointer; 0: none. */
guint64 hir_graph_view_get_hovered (HirGraphView *self);
/* Where node @index of the picture is, in widget pixels; FALSE where there is none. */
gboolean hir_graph_view_get_node_rect (HirGraphView *self, guint index, HirRect *rect);
/* Where the triangle of group @index is, in widget pixels. */
gboolean hir_graph_view_get_fold_place (HirGraphView *self, guint index, double *x, double *y);
/* Where the map is, in widget pixels; FALSE: it is not shown. */
gboolean hir_graph_view_get_map_place (HirGraphView *self, HirRect *rect);
/* For tests and benches: how long it took from the last wish for another picture to its first frame; 0 while it
 * is awaited. */
double hir_graph_view_get_latency (HirGraphView *self);
/* For tests. */
void hir_graph_view_get_place (HirGraphView *self, double *zoom, double *dx, double *dy);

G_END_DECLS
