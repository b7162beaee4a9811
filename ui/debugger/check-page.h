/* What the check of synchronisation has found: a panel above the timeline. Computed in a worker
 * thread; what is chosen in it is shown by the graph, the text and the timeline, by way of the
 * selection. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_CHECK_PAGE (hir_check_page_get_type ())
G_DECLARE_FINAL_TYPE (HirCheckPage, hir_check_page, HIR, CHECK_PAGE, GtkWidget)

/* Signals: `chosen`: something in the list was chosen, and is in the selection; `fixed` (HirRequest
 * *, const char *what): a changed program, borrowed; `failed` (const char *what, const char *why).
 */
GtkWidget *hir_check_page_new (HirSelection *selection);
/* Checks the selection's program, with its trace where there is one; what was going on is
 * cancelled. */
void hir_check_page_begin (HirCheckPage *self, gint64 n_streams);
void hir_check_page_cancel (HirCheckPage *self);
/* Looks for what the suggestion for what is missing at @index comes to; behind all that is missing,
 * counted on: for the removal of what is needless. -1: of the chosen row. Then `fixed`, or `failed`. */
void hir_check_page_fix (HirCheckPage *self, int index);
gboolean hir_check_page_get_is_busy (HirCheckPage *self);
/* "idle", "busy", "clean" or "list": what is on show. */
const char *hir_check_page_get_state (HirCheckPage *self);
/* "1 missing, 2 needless; 2 ranks, 4 streams, 128 pairs of accesses". */
const char *hir_check_page_get_title (HirCheckPage *self);

G_END_DECLS
