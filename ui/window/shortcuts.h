/* The help on keys. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Opens the list of keys and gestures over @parent: those of the timeline at first, or those of a program. */
void hir_shortcuts_present (GtkWindow *parent, gboolean is_timeline);

G_END_DECLS
