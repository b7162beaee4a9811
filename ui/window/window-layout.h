/* Sizes of the panes: divides the window, and stores the layout in the settings.
 *
 * Widths are remembered separately for small, medium and large windows, and the height of the
 * bottom place for low and high ones, so that a size that suits a small window is not used in a
 * large one. */
#pragma once

#include "window/window-private.h"

G_BEGIN_DECLS

/* Restores the size of the window, the panes and the options of runs. Call after the widgets were
 * created. */
void hir_window_restore_layout (HirWindow *self);

/* Returns whether long lines of text are wrapped: by the setting, or by the width of the window. */
gboolean hir_window_get_wraps (HirWindow *self);

/* Shows map and legend of the graph, and lines of text, as in the settings. */
void hir_window_apply_graph_settings (HirWindow *self);

/* Stores the layout in the settings. */
void hir_window_store_layout (HirWindow *self);

/* Remembers the sizes of the visible panes. Call before panes are hidden temporarily. */
void hir_window_remember_sizes (HirWindow *self);

/* Divides the window between the panes, in an idle callback. Without a program, the timeline is
 * larger. */
void hir_window_share_room (HirWindow *self);

/* Gives the bottom place the least possible height if @is_low, otherwise the remembered one. Call
 * before its contents change. */
void hir_window_set_bottom_low (HirWindow *self, gboolean is_low);

/**
 * hir_window_watch_width:
 * @header: the header bar
 * @hint: the label with hints on keys, hidden in narrow windows
 *
 * Moves the run controls into a popover while the window is narrower than about 800 pixels at a
 * text size of 100%, and hides redundant buttons. Follows changes of the width and of the text
 * size.
 */
void hir_window_watch_width (HirWindow *self, GtkWidget *header, GtkWidget *hint);

G_END_DECLS
