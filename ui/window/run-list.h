/* The list of runs in the popover of the timeline's head: newest first, the displayed one marked,
 * those of another program grey. Rows activate `win.run-show`, `win.run-compare`, `win.run-rename`
 * and `win.run-delete`. */
#pragma once

#include <gtk/gtk.h>

#include "document/document.h"

G_BEGIN_DECLS

/* Creates the menu button with its popover, for @document (borrowed). */
GtkMenuButton *hir_run_list_new (HirDocument *document);

/* Returns the text of the second line of a row (transfer full): "Displayed", "Program has changed
 * since · 2 streams". */
char *hir_run_list_dup_note (HirDocument *document, const HirRunEntry *entry);

G_END_DECLS
