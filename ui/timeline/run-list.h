/* The list of runs in the popover of the timeline's head: newest first, the displayed one marked,
 * those of another program grey. Rows activate `win.run-show`, `win.run-compare`, `win.run-rename`
 * and `win.run-delete`. */
#pragma once

#include <gtk/gtk.h>

#include "document/document.h"

G_BEGIN_DECLS

/* Creates the menu button with its popover, for @document (borrowed). */
GtkMenuButton *hir_run_list_new (HirDocument *document);

G_END_DECLS
