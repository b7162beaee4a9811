/* The help on keys. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Opens the list of keys and gestures over @parent. */
void hir_shortcuts_present (GtkWindow *parent);

G_END_DECLS
