/* The printed program of a step: read-only text, highlighted, each node clickable, changes marked. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_IR_TEXT (hir_ir_text_get_type ())
G_DECLARE_FINAL_TYPE (HirIrText, hir_ir_text, HIR, IR_TEXT, GtkWidget)

GtkWidget *hir_ir_text_new (HirSelection *selection);
/* For searching. */
GtkTextView *hir_ir_text_get_text_view (HirIrText *self);
/* Folds what is around the cursor (a click or a selection puts it there) to its first line, and selects that; or opens
 * it. FALSE: nothing around it folds. */
gboolean hir_ir_text_fold (HirIrText *self);
void hir_ir_text_unfold_all (HirIrText *self);
/* Opens all that hides @words, in upper or lower case; FALSE where nothing did. */
gboolean hir_ir_text_reveal_words (HirIrText *self, const char *words);

G_END_DECLS
