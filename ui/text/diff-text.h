/* What differs between a step and what it is compared with, as text: in one, or the old and the new beside each
 * other. Differences are found on a thread. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_DIFF_TEXT (hir_diff_text_get_type ())
G_DECLARE_FINAL_TYPE (HirDiffText, hir_diff_text, HIR, DIFF_TEXT, GtkWidget)

GtkWidget *hir_diff_text_new (HirSelection *selection);
/* For searching: the new side where there are two. */
GtkTextView *hir_diff_text_get_text_view (HirDiffText *self);
void hir_diff_text_set_sides (HirDiffText *self, gboolean beside);
gboolean hir_diff_text_get_sides (HirDiffText *self);
/* The line above: what is compared, and how much differs. */
const char *hir_diff_text_get_summary (HirDiffText *self);
/* Scrolls to the next difference, or the one before. */
void hir_diff_text_go (HirDiffText *self, gboolean forward);

G_END_DECLS
