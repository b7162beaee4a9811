/* Page that explains where the time of the trace went: causes with their shares, and toggles for
 * what the timeline displays of it. */
#pragma once

#include <gtk/gtk.h>

#include "explain/explain-canvas.h"

G_BEGIN_DECLS

#define HIR_TYPE_EXPLAIN_PAGE (hir_explain_page_get_type ())
G_DECLARE_FINAL_TYPE (HirExplainPage, hir_explain_page, HIR, EXPLAIN_PAGE, GtkWidget)

/* Returns the gain whose row is selected, or NULL. Borrowed until the explanation changes. */
const HirGain *hir_explain_page_get_gain (HirExplainPage *self);
GtkWidget *hir_explain_page_new (HirSelection *selection, HirExplaining *explaining);
/* Returns the canvas (borrowed). For tests. */
HirExplainCanvas *hir_explain_page_get_canvas (HirExplainPage *self);
/* Returns the title, for example "Where the time went". For tests. */
const char *hir_explain_page_get_title (HirExplainPage *self);

G_END_DECLS
