/* The printed program of a step: read-only text, highlighted, each node clickable, changes marked. */
#pragma once

#include <gtk/gtk.h>

#include "selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_IR_TEXT (hir_ir_text_get_type ())
G_DECLARE_FINAL_TYPE (HirIrText, hir_ir_text, HIR, IR_TEXT, GtkWidget)

GtkWidget *hir_ir_text_new (HirSelection *selection);
/* For searching. */
GtkTextView *hir_ir_text_get_text_view (HirIrText *self);

G_END_DECLS
