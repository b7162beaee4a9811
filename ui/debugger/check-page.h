/* Panel with the results of the synchronization check, above the timeline. Checks run on a
 * worker thread. The selected result is shown in the graph, the text and the timeline through
 * the selection. */
#pragma once

#include <gtk/gtk.h>

#include "join/join.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_CHECK_PAGE (hir_check_page_get_type ())
G_DECLARE_FINAL_TYPE (HirCheckPage, hir_check_page, HIR, CHECK_PAGE, GtkWidget)

/* Creates the panel. Signals: `chosen`: a result was selected. `fixed` (HirRequest *, const char
 * *what): a changed program (borrowed). `failed` (const char *what, const char *why). */
GtkWidget *hir_check_page_new (HirSelection *selection);
/* Checks the selection's program, with its trace if there is one. Cancels a running check. */
void hir_check_page_begin (HirCheckPage *self, gint64 n_streams);
/* Sets how the trace was tied to the program (nullable, borrowed until the next call). The next
 * check lists the differences between them first. */
void hir_check_page_set_join (HirCheckPage *self, HirJoin *join);
/* Cancels a running check or fix. */
void hir_check_page_cancel (HirCheckPage *self);
/* Starts to apply the suggestion for the missing synchronization at @index. Larger indices,
 * counted on, remove redundant synchronization; -1 means the selected row. Ends with the signal
 * `fixed` or `failed`. */
void hir_check_page_fix (HirCheckPage *self, int index);
/* Returns whether a check or fix is running. */
gboolean hir_check_page_get_is_busy (HirCheckPage *self);
/* Returns the displayed page: "idle", "busy", "clean" or "list". For tests. */
const char *hir_check_page_get_state (HirCheckPage *self);
/* Returns the title, for example "1 missing, 2 redundant; 2 ranks, 4 streams, 128 pairs of
 * accesses". For tests. */
const char *hir_check_page_get_title (HirCheckPage *self);

G_END_DECLS
