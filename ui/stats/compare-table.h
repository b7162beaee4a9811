/* Table of a comparison: one row per kind of work, sortable by each column. */
#pragma once

#include <gtk/gtk.h>

#include "analysis/compare.h"

G_BEGIN_DECLS

#define HIR_TYPE_COMPARE_ITEM (hir_compare_item_get_type ())
G_DECLARE_FINAL_TYPE (HirCompareItem, hir_compare_item, HIR, COMPARE_ITEM, GObject)

#define HIR_COMPARE_N_COLUMNS 8

typedef void (*HirCompareActivated) (const HirCompareRow *row,
                                     gboolean is_slowest,
                                     gpointer user_data);

/**
 * hir_compare_table_new:
 * @comparison: the comparison; its strings are copied
 * @activated: called if a row is clicked or activated with Enter, and if its largest slowdown is
 *   (@is_slowest)
 * @user_data: passed to @activated
 *
 * Creates a GtkColumnView in a scrolled window, initially sorted by the largest difference.
 */
GtkWidget *hir_compare_table_new (const HirComparison *comparison,
                                  HirCompareActivated activated,
                                  gpointer user_data);
/* Returns the displayed cells row by row, at most @max rows: array of char * (transfer full).
 * For tests. */
GPtrArray *hir_compare_table_dup_cells (GtkWidget *table, guint max);

G_END_DECLS
