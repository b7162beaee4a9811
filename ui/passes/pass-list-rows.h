/* The rows of the list of passes. There is one row per pass, including disabled passes. Programs
 * that were not lowered here have one row per snapshot. */
#pragma once

#include "document/document-edit.h"
#include "passes/pass-row.h"
#include "selection/selection.h"

G_BEGIN_DECLS

/* Returns whether @list already has the rows that hir_pass_list_make_rows() would create. */
gboolean hir_pass_list_has_rows (GtkListBox *list, HirSelection *selection, HirDocument *document);

/* Replaces the rows of @list. */
void hir_pass_list_make_rows (GtkListBox *list, HirSelection *selection, HirDocument *document);

/* Updates the contents of all rows. */
void hir_pass_list_update_rows (GtkListBox *list, HirSelection *selection, HirDocument *document);

G_END_DECLS
