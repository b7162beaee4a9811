/* Actions of the graph and of comparisons. Actions of the graph first leave the statistics page. */
#pragma once

#include "window/window-private.h"

G_BEGIN_DECLS

/* `win.graph-stop-layout`: stops the layout of the graph. */
void hir_window_graph_stop_layout (HirWindow *self, GVariant *parameter, int argument);

/* `win.graph-lanes`: switches between graph and lanes. */
void hir_window_graph_toggle_lanes (HirWindow *self, GVariant *parameter, int argument);

/* `win.graph-diff`: highlights the differences to another step. */
void hir_window_graph_toggle_diff (HirWindow *self, GVariant *parameter, int argument);

/* `win.graph-near`: shows only nodes near the selection. */
void hir_window_graph_toggle_near (HirWindow *self, GVariant *parameter, int argument);

/* `win.graph-near-more` and `win.graph-near-less`: shows @argument more hops around the
 * selection. */
void hir_window_graph_change_hops (HirWindow *self, GVariant *parameter, int argument);

/* `win.graph-near-direction`: changes the direction of the hops. */
void hir_window_graph_turn_direction (HirWindow *self, GVariant *parameter, int argument);

/* `win.graph-fold`: folds or unfolds the loop of the selection. */
void hir_window_graph_fold (HirWindow *self, GVariant *parameter, int argument);

/* `win.graph-unfold-all`: unfolds all loops. */
void hir_window_graph_unfold_all (HirWindow *self, GVariant *parameter, int argument);

/* `win.graph-mark`: highlights the selection. */
void hir_window_graph_mark (HirWindow *self, GVariant *parameter, int argument);

/* `win.graph-unmark`: removes the highlight of the selection. */
void hir_window_graph_unmark (HirWindow *self, GVariant *parameter, int argument);

/* `win.graph-card`: shows or hides the card of the selection. */
void hir_window_graph_toggle_card (HirWindow *self, GVariant *parameter, int argument);

/* `win.text-wrap`: wraps long lines of text, or scrolls them. */
void hir_window_text_toggle_wrap (HirWindow *self, GVariant *parameter, int argument);

/* `win.text-abbreviate`: hides or shows domains and meshes in program text. */
void hir_window_text_toggle_abbreviations (HirWindow *self, GVariant *parameter, int argument);

/* `win.graph-legend` and `win.graph-map`: toggles the HirSetting @argument. */
void hir_window_graph_toggle_setting (HirWindow *self, GVariant *parameter, int argument);

/* `win.animate`: turns animation on or off. */
void hir_window_animate (HirWindow *self, GVariant *parameter, int argument);

/* `win.text-fold`: folds or unfolds the loop of the selection in the program text. */
void hir_window_text_fold (HirWindow *self, GVariant *parameter, int argument);

/* `win.text-unfold-all`: unfolds all loops in the program text. */
void hir_window_text_unfold_all (HirWindow *self, GVariant *parameter, int argument);

/* `win.compare`: asks for a step to compare with. */
void hir_window_compare (HirWindow *self, GVariant *parameter, int argument);

/* `win.compare-end`: compares with the previous step again. */
void hir_window_compare_end (HirWindow *self, GVariant *parameter, int argument);

/* `win.next-difference` and `win.previous-difference`: goes to the next difference in the text if
 * @argument is TRUE, otherwise to the previous one. */
void hir_window_go_difference (HirWindow *self, GVariant *parameter, int argument);

/* `win.side-by-side`: shows differences side by side or inline. */
void hir_window_side_by_side (HirWindow *self, GVariant *parameter, int argument);

G_END_DECLS
