/* A strip under the header bar with the progress of loading or lowering and a button to cancel it.
 * Shown only if this takes longer than 0.3 s. */
#pragma once

#include <adwaita.h>

#include "document/document.h"

G_BEGIN_DECLS

/* Creates a strip for @document (borrowed). */
GtkWidget *hir_load_strip_new (HirDocument *document);

/* Returns the displayed text (borrowed), or "" while the strip is hidden. For tests. */
const char *hir_load_strip_get_text (GtkWidget *strip);

G_END_DECLS
