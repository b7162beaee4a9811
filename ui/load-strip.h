/* The strip under the header bar while a trace is read: what, how far, and a button to give up. Not shown
 * otherwise, nor for what is read in a blink. */
#pragma once

#include <adwaita.h>

#include "document.h"

G_BEGIN_DECLS

/* Follows @document, which it borrows. */
GtkWidget *hir_load_strip_new (HirDocument *document);

G_END_DECLS
