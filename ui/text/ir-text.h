/* The printed program of the displayed step: read-only text with syntax colors and marked changes.
 * A click selects a node. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_IR_TEXT (hir_ir_text_get_type ())
G_DECLARE_FINAL_TYPE (HirIrText, hir_ir_text, HIR, IR_TEXT, GtkWidget)

GtkWidget *hir_ir_text_new (HirSelection *selection);
/* Returns the text view for searching (borrowed). */
GtkTextView *hir_ir_text_get_text_view (HirIrText *self);

/* Folds the region around the cursor and selects its head, or unfolds it. Returns FALSE if there is
 * no region. */
gboolean hir_ir_text_fold (HirIrText *self);

/* Hides domains and device meshes of tensors, or shows them. */
void hir_ir_text_set_abbreviates (HirIrText *self, gboolean abbreviates);

/* Shows abbreviated text while a search is active, because the search skips hidden text. */
void hir_ir_text_set_searching (HirIrText *self, gboolean is_searching);

/* Returns the folded regions of the whole text of @view: HirFoldRegion by head, without those
 * inside of others (transfer full). */
GArray *hir_ir_text_dup_folded (HirIrText *self, const HirProgramView *view);

/* Unfolds all regions. */
void hir_ir_text_unfold_all (HirIrText *self);

/* Unfolds all regions that hide @words, ignoring case. Returns FALSE if there are none. */
gboolean hir_ir_text_reveal_words (HirIrText *self, const char *words);

G_END_DECLS
