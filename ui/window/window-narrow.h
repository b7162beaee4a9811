/* Adapts the header bar to narrow windows. */
#pragma once

#include "window/window.h"

G_BEGIN_DECLS

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
