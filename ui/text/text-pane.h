/* The text pane of the window: tabs for script, program text and difference, with a search bar. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"
#include "text/cuda-text.h"
#include "text/script-text.h"

G_BEGIN_DECLS

#define HIR_TYPE_TEXT_PANE (hir_text_pane_get_type ())
G_DECLARE_FINAL_TYPE (HirTextPane, hir_text_pane, HIR, TEXT_PANE, GtkWidget)

GtkWidget *hir_text_pane_new (HirSelection *selection);
/* See hir_script_text_set_source(). */
void hir_text_pane_set_source (HirTextPane *self,
                               HirSource *source,
                               const char *function,
                               GPtrArray *diagnostics);

/* Returns the script view (borrowed). */
HirScriptText *hir_text_pane_get_script (HirTextPane *self);

/* Returns the box below the text (borrowed), for strips. */
GtkBox *hir_text_pane_get_strip (HirTextPane *self);

/* Shows the script or printed program and makes it editable, or makes it read-only. */
void hir_text_pane_set_editing (HirTextPane *self, gboolean editing);

/* Returns whether the script is editable. */
gboolean hir_text_pane_get_editing (HirTextPane *self);

/* Returns the page of generated code (borrowed). */
HirCudaText *hir_text_pane_get_cuda (HirTextPane *self);

/* Shows the page "script", "ir", "diff" or "cuda". */
void hir_text_pane_show (HirTextPane *self, const char *page);
/* Shows @line of the script, counted from 1, with the cursor. */
void hir_text_pane_go_to (HirTextPane *self, guint line);

/* Returns the name of the displayed page. */
const char *hir_text_pane_get_page (HirTextPane *self);

/* Returns the text view of the displayed page (borrowed). */
GtkTextView *hir_text_pane_get_text_view (HirTextPane *self);

/* Shows the program text and calls hir_ir_text_fold(). */
gboolean hir_text_pane_fold (HirTextPane *self);

/* Returns the folded regions of the text of @view, see hir_ir_text_dup_folded(). */
GArray *hir_text_pane_dup_folded (HirTextPane *self, const HirProgramView *view);

/* Unfolds all regions of the program text. */
void hir_text_pane_unfold_all (HirTextPane *self);

/* Wraps long lines of script, program text and CUDA C, or scrolls them. */
void hir_text_pane_set_wraps (HirTextPane *self, gboolean wraps);

/* See hir_ir_text_set_abbreviates(). */
void hir_text_pane_set_abbreviates (HirTextPane *self, gboolean abbreviates);

/* Opens the search bar for the displayed page. */
void hir_text_pane_find (HirTextPane *self);

/* Returns the text of the search bar, such as "2 of 5", or NULL while the bar is closed. For
 * tests. */
const char *hir_text_pane_get_search_count (HirTextPane *self);

/* Switches between side by side and inline differences. */
void hir_text_pane_toggle_sides (HirTextPane *self);

/* Returns whether differences are shown side by side. For tests. */
gboolean hir_text_pane_get_sides (HirTextPane *self);

/* Goes to the next difference, or to the previous one. */
void hir_text_pane_go_difference (HirTextPane *self, gboolean forward);

/* Returns the summary above the difference (borrowed). For tests. */
const char *hir_text_pane_get_summary (HirTextPane *self);

G_END_DECLS
