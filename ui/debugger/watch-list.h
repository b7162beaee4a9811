/* List of watched expressions in the debugger's panel, with their values. An entry below adds one.
 * Activates the actions `win.watch-add` and `win.watch-delete`. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HIR_TYPE_WATCH_LIST (hir_watch_list_get_type ())
G_DECLARE_FINAL_TYPE (HirWatchList, hir_watch_list, HIR, WATCH_LIST, GtkWidget)

/* Creates an empty list. */
GtkWidget *hir_watch_list_new (void);
/* Displays @watches (HirWatch *, borrowed for the call). */
void hir_watch_list_set (HirWatchList *self, const GPtrArray *watches);
/* Moves the focus to the entry. If it is empty, its text becomes @text (nullable), selected. */
void hir_watch_list_focus (HirWatchList *self, const char *text);

G_END_DECLS
