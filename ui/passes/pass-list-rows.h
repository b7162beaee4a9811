/* Which rows the list of passes has, and what they say: all passes that there are, those that are off too, or the
 * snapshots alone where they were read, not made. */
#pragma once

#include "document/document-edit.h"
#include "passes/pass-row.h"
#include "selection/selection.h"

G_BEGIN_DECLS

/* TRUE where @list has the rows that make_rows() would make. */
gboolean
hir_pass_list_has_rows (GtkListBox *list, HirSelection *selection, HirDocument *document);
void hir_pass_list_make_rows (GtkListBox *list, HirSelection *selection, HirDocument *document);
void hir_pass_list_update_rows (GtkListBox *list, HirSelection *selection, HirDocument *document);

G_END_DECLS
