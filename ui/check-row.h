/* Rows of the check's panel: a finding each, in words. */
#pragma once

#include <gtk/gtk.h>

#include "analysis/sync-check.h"

G_BEGIN_DECLS

/* All keep nothing of @check. The last gives NULL where there is nothing to say. */
GtkWidget *hir_check_row_new_mismatch (const HirSyncCheck *check, guint index);
GtkWidget *hir_check_row_new_missing (const HirSyncCheck *check, guint index);
GtkWidget *hir_check_row_new_use (const HirSyncCheck *check, guint index);

/* The nodes of the last snapshot that it is about, in order; 0: none, as where the caller is meant
 * and no tensor stands for it. */
void hir_check_row_get_ids (GtkWidget *row, guint64 *first, guint64 *second);
/* Whether something is missing between those two. */
gboolean hir_check_row_is_pair (GtkWidget *row);
/* What hir_check_page_fix() takes to mend it; FALSE where nothing can be mended. */
gboolean hir_check_row_get_change (GtkWidget *row, guint *index);

G_END_DECLS
