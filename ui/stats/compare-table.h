/* The table of a comparison: a row for each kind of work, sorted by any of its columns. */
#pragma once

#include <gtk/gtk.h>

#include "analysis/compare.h"

G_BEGIN_DECLS

#define HIR_TYPE_COMPARE_ITEM (hir_compare_item_get_type ())
G_DECLARE_FINAL_TYPE (HirCompareItem, hir_compare_item, HIR, COMPARE_ITEM, GObject)

#define HIR_COMPARE_N_COLUMNS 8

/* A GtkColumnView in a scrolled window; sorted by the largest difference at first. Strings of @comparison are copied.
 * @activated: a row was clicked, or Enter pressed on it. */
GtkWidget *hir_compare_table_new (const HirComparison *comparison,
                                  void (*activated) (const char *name,
                                                     HirEventKind kind,
                                                     gpointer user_data),
                                  gpointer user_data);
/* Array of char*: cells of the rows as they are shown, row by row; at most @max rows. */
GPtrArray *hir_compare_table_dup_cells (GtkWidget *table, guint max);

G_END_DECLS
