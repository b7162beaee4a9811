/* Visibility of the panes: shows, hides and maximizes them. Timeline, debugger, check and bisection
 * are tabs of one place at the bottom, and share a line with the status and the tools of the
 * timeline. */
#pragma once

#include "window/window-private.h"

G_BEGIN_DECLS

/* Shows the panes that the settings and the document require, or only the maximized one. */
void hir_window_arrange_panes (HirWindow *self);

/* Ends maximization if another pane than @pane is maximized. Call before something in @pane is
 * displayed. */
void hir_window_reveal_pane (HirWindow *self, HirPane pane);

/* Maximizes a pane after a double click on its head. Call after the widgets were created. */
void hir_window_watch_heads (HirWindow *self);

/* Shows all panes again. Returns FALSE if no pane is maximized. */
gboolean hir_window_restore_panes (HirWindow *self);

/* `win.maximize-pane`: maximizes the pane with the focus, or shows all panes again. */
void hir_window_maximize_pane (HirWindow *self, GVariant *parameter, int argument);

/* `win.restore-panes`: shows all panes again. */
void hir_window_show_all_panes (HirWindow *self, GVariant *parameter, int argument);

/* `win.toggle-passes` and others: shows or hides the pane of the HirSetting @argument. */
void hir_window_toggle_pane (HirWindow *self, GVariant *parameter, int argument);

/* Creates the line and the pages. Add the status and tools to the strip, and the pages with
 * hir_window_add_bottom_page(). Returns the container. */
GtkWidget *hir_window_create_bottom (HirWindow *self);

/* Sets the page of @tab. The page is closed. */
void hir_window_add_bottom_page (HirWindow *self, HirBottomTab tab, GtkWidget *page);

/* Opens @tab and displays it instead of the current one. */
void hir_window_raise_bottom (HirWindow *self, HirBottomTab tab);

/* Closes @tab and displays the one that was displayed before. */
void hir_window_close_bottom (HirWindow *self, HirBottomTab tab);

/* Displays the timeline if it is open. */
void hir_window_raise_timeline (HirWindow *self);

/* Reduces the place to one line if nothing is open or the timeline is empty. Call after the trace
 * or the maximized pane has changed. */
void hir_window_update_bottom (HirWindow *self);

G_END_DECLS
