/* The difference between the displayed step and its base as text, inline or side by side.
 * Differences are computed on a worker thread. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_DIFF_TEXT (hir_diff_text_get_type ())
G_DECLARE_FINAL_TYPE (HirDiffText, hir_diff_text, HIR, DIFF_TEXT, GtkWidget)

GtkWidget *hir_diff_text_new (HirSelection *selection);
/* Returns the text view for searching (borrowed): that of the new side if there are two. */
GtkTextView *hir_diff_text_get_text_view (HirDiffText *self);

/* Shows the sides side by side or inline. */
void hir_diff_text_set_sides (HirDiffText *self, gboolean beside);

/* Returns whether the sides are shown side by side. */
gboolean hir_diff_text_get_sides (HirDiffText *self);

/* Returns the summary above the text (borrowed). For tests. */
const char *hir_diff_text_get_summary (HirDiffText *self);

/* Moves the cursor to the next or the previous difference. */
void hir_diff_text_go (HirDiffText *self, gboolean forward);

G_END_DECLS
