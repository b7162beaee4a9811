/* Says that what is on show is of before the last change, which failed; and what can be done about it. */
#pragma once

#include <gtk/gtk.h>

#include "document/document-edit.h"

G_BEGIN_DECLS

/* Hidden while nothing failed. Its buttons activate `win.show-rejected` and `win.undo`. */
GtkWidget *hir_outdated_strip_new (HirDocument *document);

G_END_DECLS
