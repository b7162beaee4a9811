/* Asks by what an axis is to be split, where none of the menu's numbers is meant. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* @what: "tv1, axis 0". @is_outer: the number is the size of the outer part, else of the inner one. Calls @split with
 * a number from 1 on, once, unless it is given up. Main thread. */
void hir_split_dialog_present (GtkWindow *parent,
                               const char *what,
                               gboolean is_outer,
                               void (*split) (gint64 factor, gpointer user_data),
                               gpointer user_data,
                               GDestroyNotify destroy);

G_END_DECLS
