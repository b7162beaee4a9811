/* The program of one step as a graph: boxes can be clicked, navigated, zoomed and folded. It can
 * show the differences between two snapshots, or the neighborhood of the selection. */
#pragma once

#include <gtk/gtk.h>

#include "draw/graph/graph-picture.h"
#include "draw/graph/graph-scene.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_GRAPH_VIEW (hir_graph_view_get_type ())
G_DECLARE_FINAL_TYPE (HirGraphView, hir_graph_view, HIR, GRAPH_VIEW, GtkWidget)

/* Signal `changed`, without arguments: the picture, a highlight, the hovered box or an option
 * changed. */
GtkWidget *hir_graph_view_new (HirSelection *selection);

/* Sets whether streams are columns and program order is rows. */
void hir_graph_view_set_lanes (HirGraphView *self, gboolean lanes);
/* Returns whether lanes were chosen, but the program of this step uses no streams. */
gboolean hir_graph_view_lacks_lanes (HirGraphView *self);
/* Sets whether to show the combined graph of two snapshots: the selection's base and its step. */
void hir_graph_view_set_diff (HirGraphView *self, gboolean is_diff);
/* Returns whether two snapshots are compared. */
gboolean hir_graph_view_get_diff (HirGraphView *self);

/* Sets whether only the neighborhood of the selection is shown. Without a selection the whole
 * graph is shown. */
void hir_graph_view_set_near (HirGraphView *self, gboolean is_near);
/* Returns whether only the neighborhood is shown. */
gboolean hir_graph_view_get_near (HirGraphView *self);
/* Adds @change to the radius of the neighborhood, which is 1 to 9 edges. */
void hir_graph_view_change_hops (HirGraphView *self, int change);
/* Switches the direction of the neighborhood: both, predecessors only, successors only. */
void hir_graph_view_turn_direction (HirGraphView *self);

/* Folds the loop, IF or unit that contains the selected node, or unfolds the selected folded
 * box. Returns FALSE if there is none. */
gboolean hir_graph_view_fold (HirGraphView *self);
/* Returns the keys of the folded groups: a set of gint64* (transfer full). */
GHashTable *hir_graph_view_dup_folded (HirGraphView *self);
/* Unfolds all boxes. */
void hir_graph_view_unfold_all (HirGraphView *self);

/* Highlights the selected node permanently, in the next color. */
void hir_graph_view_mark (HirGraphView *self);
/* Removes the highlight of the selected node. */
void hir_graph_view_unmark_selected (HirGraphView *self);
/* Removes the highlight of node @id. */
void hir_graph_view_unmark (HirGraphView *self, guint64 id);
/* Returns the highlights: array of HirGraphMark, in the order in which they were set (borrowed). */
const GArray *hir_graph_view_get_marks (HirGraphView *self);

/* Enables or disables the map of the whole graph, which appears if the graph does not fit.
 * Initially enabled. */
void hir_graph_view_set_map (HirGraphView *self, gboolean has_map);
/* Returns whether the map is enabled. */
gboolean hir_graph_view_get_map (HirGraphView *self);
/* Sets whether a note covers the lower edge. A fitted picture stays above the note. */
void hir_graph_view_set_has_note (HirGraphView *self, gboolean has_note);

/* Fits the whole graph. Each new picture is fitted, too, until the user zooms or moves it. */
void hir_graph_view_fit (HirGraphView *self);
/* Zooms around the center; @factor > 1 zooms in. */
void hir_graph_view_zoom (HirGraphView *self, double factor);

/* Returns the displayed picture (borrowed), or NULL while the requested picture is not
 * available. */
HirPicture *hir_graph_view_get_picture (HirGraphView *self);
/* Returns TRUE if a layout has been running for longer than HIR_LAYOUTS_LATE_MS; *@n_boxes is
 * its number of boxes. */
gboolean hir_graph_view_get_busy (HirGraphView *self, guint *n_boxes);
/* Stops the layout. The preliminary rows or the previous picture stay. Afterwards
 * hir_graph_view_is_stopped() returns TRUE until another picture is requested or
 * hir_graph_view_fit() is called. */
void hir_graph_view_stop_layout (HirGraphView *self);
/* Returns whether the requested layout was stopped. */
gboolean hir_graph_view_is_stopped (HirGraphView *self);
/* Returns TRUE if a better layout is available but not displayed, because the user has moved the
 * picture. hir_graph_view_fit() displays it. */
gboolean hir_graph_view_has_better (HirGraphView *self);
/* Returns the id of the box under the pointer, or 0. */
guint64 hir_graph_view_get_hovered (HirGraphView *self);
/* Returns the rectangle of node @index of the picture in widget pixels. Returns FALSE if it is
 * not visible. */
gboolean hir_graph_view_get_node_rect (HirGraphView *self, guint index, HirRect *rect);
/* Returns the position of the fold triangle of group @index, in widget pixels. */
gboolean hir_graph_view_get_fold_place (HirGraphView *self, guint index, double *x, double *y);
/* Returns the rectangle of the map in widget pixels. Returns FALSE if the map is not visible. */
gboolean hir_graph_view_get_map_place (HirGraphView *self, HirRect *rect);
/* Returns the time from the last request of a picture to its first frame; 0 while the picture is
 * not available. For tests and benchmarks. */
double hir_graph_view_get_latency (HirGraphView *self);
/* Returns the camera. For tests. */
void hir_graph_view_get_place (HirGraphView *self, double *zoom, double *dx, double *dy);

G_END_DECLS
