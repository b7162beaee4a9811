/* A read-only code view of one side of a HirProgramDiff, or of both sides inline. Lines that differ
 * are marked, the selected node is highlighted, and a click selects a node. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"
#include "view/program-diff.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_SIDE_BOTH, /* old and new lines inline, with signs */
  HIR_SIDE_OLD,
  HIR_SIDE_NEW,
} HirSide;

#define HIR_TYPE_DIFF_SIDE (hir_diff_side_get_type ())
G_DECLARE_FINAL_TYPE (HirDiffSide, hir_diff_side, HIR, DIFF_SIDE, GtkWidget)

GtkWidget *hir_diff_side_new (HirSelection *selection, HirSide side);
/* Shows @diff (nullable) and takes a reference. */
void hir_diff_side_set_diff (HirDiffSide *self, HirProgramDiff *diff);

/* Highlights the selected node and scrolls to it. */
void hir_diff_side_sync_node (HirDiffSide *self);

/* Returns the text view (borrowed). */
GtkTextView *hir_diff_side_get_text_view (HirDiffSide *self);

/* Returns the scrolled window (borrowed), so that two sides can scroll together. */
GtkScrolledWindow *hir_diff_side_get_scroller (HirDiffSide *self);

/* Returns the next line after @line where a difference starts, or the previous one if @forward is
 * FALSE; -1 if there is none. */
int hir_diff_side_find_change (HirDiffSide *self, int line, gboolean forward);

G_END_DECLS
