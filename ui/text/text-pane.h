/* The middle of the window: script, program text and difference under tabs, with a search bar. */
#pragma once

#include <gtk/gtk.h>

#include "text/script-text.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_TEXT_PANE (hir_text_pane_get_type ())
G_DECLARE_FINAL_TYPE (HirTextPane, hir_text_pane, HIR, TEXT_PANE, GtkWidget)

GtkWidget *hir_text_pane_new (HirSelection *selection);
/* See hir_script_text_set_source(). */
void hir_text_pane_set_source (HirTextPane *self,
                               HirSource *source,
                               const char *function,
                               GPtrArray *diagnostics);
HirScriptText *hir_text_pane_get_script (HirTextPane *self);
/* For strips between the tabs and the text. */
GtkBox *hir_text_pane_get_strip (HirTextPane *self);
/* Turns to the script, or the printed program, and lets keys change it; or lets them no longer. */
void hir_text_pane_set_editing (HirTextPane *self, gboolean editing);
gboolean hir_text_pane_get_editing (HirTextPane *self);
/* "script", "ir" or "diff". */
void hir_text_pane_show (HirTextPane *self, const char *page);
const char *hir_text_pane_get_page (HirTextPane *self);
/* Of the page on show. */
GtkTextView *hir_text_pane_get_text_view (HirTextPane *self);
/* See hir_ir_text_fold(); turns to the program text. */
gboolean hir_text_pane_fold (HirTextPane *self);
void hir_text_pane_unfold_all (HirTextPane *self);
/* Opens the search bar for the page on show. */
void hir_text_pane_find (HirTextPane *self);

/* "2 of 5" as the search bar says it; NULL while it is closed. */
const char *hir_text_pane_get_search_count (HirTextPane *self);

/* The difference in one, or the old beside the new. */
void hir_text_pane_toggle_sides (HirTextPane *self);
gboolean hir_text_pane_get_sides (HirTextPane *self);
/* To the next difference, or the one before. */
void hir_text_pane_go_difference (HirTextPane *self, gboolean forward);
/* What is compared, and how much differs: the line above the difference. */
const char *hir_text_pane_get_summary (HirTextPane *self);

G_END_DECLS
