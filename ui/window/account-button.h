/* A button with the account of the trace: data that was repaired, clamped, unmatched or rejected
 * when the trace was read. Hidden if the account is empty. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_ACCOUNT_BUTTON (hir_account_button_get_type ())
G_DECLARE_FINAL_TYPE (HirAccountButton, hir_account_button, HIR, ACCOUNT_BUTTON, GtkWidget)

GtkWidget *hir_account_button_new (HirSelection *selection);
/* Returns the lines of the account (borrowed), or "". For tests. */
const char *hir_account_button_get_text (HirAccountButton *self);

G_END_DECLS
