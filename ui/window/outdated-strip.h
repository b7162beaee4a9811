/* Banner above the text: the window displays an outdated program because the last change failed to
 * lower, or the program of an earlier run; or an option has changed since the last run. Offers to
 * show the rejected program, to undo the change, to show the current program, or to compare. */
#pragma once

#include <gtk/gtk.h>

#include "document/document-edit.h"

G_BEGIN_DECLS

/* Creates the banner. Its buttons activate `win.show-rejected`, `win.undo`, `win.run-leave`,
 * `win.run-both` and `win.run-both-end`. */
GtkWidget *hir_outdated_strip_new (HirDocument *document);
/* Offers to run both programs if nothing else is to be displayed: @offer (nullable) is the text,
 * "Since Run 3: 2 streams". */
void hir_outdated_strip_set_offer (GtkWidget *strip, const char *offer);

G_END_DECLS
