/* Rows of the check's panel: a finding each, in words. */
#pragma once

#include <gtk/gtk.h>

#include "analysis/sync-check.h"
#include "trace/instance.h"

G_BEGIN_DECLS

/* All keep nothing of @check. The last gives NULL where there is nothing to say. */
GtkWidget *hir_check_row_new_mismatch (const HirSyncCheck *check, guint index);
GtkWidget *hir_check_row_new_missing (const HirSyncCheck *check, guint index);
GtkWidget *hir_check_row_new_use (const HirSyncCheck *check, guint index);

/* The node of the last snapshot that it is about; 0: none. */
guint64 hir_check_row_get_node (GtkWidget *row);
/* The two instances between which something is missing, borrowed as long as the row; NULL: nothing is. */
const HirTraceInstance *hir_check_row_get_pair (GtkWidget *row);
/* What hir_check_page_fix() takes to mend it; FALSE where nothing can be mended. */
gboolean hir_check_row_get_change (GtkWidget *row, guint *index);

G_END_DECLS
