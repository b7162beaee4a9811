/* The strip under the header bar while a trace is read or a program lowered: what, how far, and a button to give up.
 * Not shown otherwise, nor for what is done in a blink. */
#pragma once

#include <adwaita.h>

#include "document/document.h"

G_BEGIN_DECLS

/* Follows @document, which it borrows. */
GtkWidget *hir_load_strip_new (HirDocument *document);
/* What it says; "" while it is not shown. Borrowed. */
const char *hir_load_strip_get_text (GtkWidget *strip);

G_END_DECLS
