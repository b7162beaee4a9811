/* Offers unsaved changes of a session that has ended, in one line below the header bar. Its buttons
 * activate `win.draft-restore`, `win.draft-discard` and, if other documents have changes, too,
 * `win.draft-next`. */
#pragma once

#include <gtk/gtk.h>

#include "document/draft.h"

G_BEGIN_DECLS

/* Creates the strip, which is hidden. */
GtkWidget *hir_draft_strip_new (void);
/* Offers @draft, or hides the strip if it is NULL. */
void hir_draft_strip_set (GtkWidget *strip, const HirLeftDraft *draft);

G_END_DECLS
