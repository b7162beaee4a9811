/* The button that tells what was repaired, clamped, unmatched or refused when the trace was read. Not there where
 * there is nothing to tell. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_ACCOUNT_BUTTON (hir_account_button_get_type ())
G_DECLARE_FINAL_TYPE (HirAccountButton, hir_account_button, HIR, ACCOUNT_BUTTON, GtkWidget)

GtkWidget *hir_account_button_new (HirSelection *selection);
/* Its lines, or "" where there are none; borrowed. */
const char *hir_account_button_get_text (HirAccountButton *self);

G_END_DECLS
