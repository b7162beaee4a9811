/* Dialog that asks for a split factor that is not in the axis menu. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * hir_split_dialog_present:
 * @parent: the parent window
 * @what: the axis, for example "tv1, axis 0"
 * @is_outer: TRUE if the factor is the size of the outer axis, FALSE if it is that of the inner
 *   axis
 * @split: called once with a factor of 1 or more, unless the user cancels
 * @user_data: passed to @split
 * @destroy: (nullable): frees @user_data
 *
 * Opens the dialog. Call on the main thread.
 */
void hir_split_dialog_present (GtkWindow *parent,
                               const char *what,
                               gboolean is_outer,
                               void (*split) (gint64 factor, gpointer user_data),
                               gpointer user_data,
                               GDestroyNotify destroy);

G_END_DECLS
