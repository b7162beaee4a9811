/* The window with all keyboard shortcuts and gestures. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Shows the window over @parent, with the section of the timeline or that of the program. */
void hir_shortcuts_present (GtkWindow *parent, gboolean is_timeline);

G_END_DECLS
