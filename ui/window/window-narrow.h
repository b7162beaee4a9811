/* What gives way where a window is narrow for the size of its text. */
#pragma once

#include "window/window.h"

G_BEGIN_DECLS

/* Below some 800 pixels at 100 % the settings of a run go from the header into a popover, and buttons that have keys
 * and stand elsewhere too are hidden. From now on, whenever width or text change. @hint: the line on keys; borrowed. */
void hir_window_watch_width (HirWindow *self, GtkWidget *header, GtkWidget *hint);

G_END_DECLS
