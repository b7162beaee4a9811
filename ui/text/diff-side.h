/* One side of a difference, or both in one: a read-only code view whose lines are rows of a HirProgramDiff, with
 * a colour behind each that differs, and nodes that are lit and can be clicked. */
#pragma once

#include <gtk/gtk.h>

#include "view/program-diff.h"
#include "selection/selection.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_SIDE_BOTH, /* the old and the new wording below each other, with signs */
  HIR_SIDE_OLD,
  HIR_SIDE_NEW,
} HirSide;

#define HIR_TYPE_DIFF_SIDE (hir_diff_side_get_type ())
G_DECLARE_FINAL_TYPE (HirDiffSide, hir_diff_side, HIR, DIFF_SIDE, GtkWidget)

GtkWidget *hir_diff_side_new (HirSelection *selection, HirSide side);
/* Keeps a reference; NULL: empty. */
void hir_diff_side_set_diff (HirDiffSide *self, HirProgramDiff *diff);
/* Lights the selected node, and scrolls to it. */
void hir_diff_side_sync_node (HirDiffSide *self);
GtkTextView *hir_diff_side_get_text_view (HirDiffSide *self);
/* For two sides to scroll as one. */
GtkScrolledWindow *hir_diff_side_get_scroller (HirDiffSide *self);
/* The line of the next row that differs, after @line, or of the one before it; -1: there is none. */
int hir_diff_side_find_change (HirDiffSide *self, int line, gboolean forward);

G_END_DECLS
