/* The value of a tensor after a run, or where a debugged program stands: of which device, which slice, its numbers,
 * histogram, map, and a page of elements. Asks the document; says what to do where there are no values. */
#pragma once

#include <gtk/gtk.h>

#include "document/document.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_VALUE_PANEL (hir_value_panel_get_type ())
G_DECLARE_FINAL_TYPE (HirValuePanel, hir_value_panel, HIR, VALUE_PANEL, GtkWidget)

GtkWidget *hir_value_panel_new (HirSelection *selection, HirDocument *document);
/* Tensor @id of the host program. What was chosen for the same one before stays. */
void hir_value_panel_set_tensor (HirValuePanel *self, guint64 id);
/* Numbers beside pictures, for a place that is not high. */
void hir_value_panel_set_wide (HirValuePanel *self);
/* Which device's is shown from the next question on. */
void hir_value_panel_set_rank (HirValuePanel *self, int rank);
/* What it says, for tests: message, or facts and page as text. Newly allocated. */
char *hir_value_panel_dup_text (HirValuePanel *self);

G_END_DECLS
