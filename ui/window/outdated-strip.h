/* Banner shown while the window displays an outdated program because the last change failed to
 * lower. Offers to show the rejected program or to undo the change. */
#pragma once

#include <gtk/gtk.h>

#include "document/document-edit.h"

G_BEGIN_DECLS

/* Creates the banner. Its buttons activate `win.show-rejected` and `win.undo`. */
GtkWidget *hir_outdated_strip_new (HirDocument *document);

G_END_DECLS
