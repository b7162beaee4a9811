/* Rows of the synchronization panel: one finding each. Rows keep no reference to the check. */
#pragma once

#include <gtk/gtk.h>

#include "analysis/sync-check.h"
#include "join/join.h"
#include "trace/instance.h"

G_BEGIN_DECLS

/* Creates the row of a difference between the program and the trace that was tied to it. */
GtkWidget *hir_check_row_new_difference (const HirJoin *join, guint index);
/* Creates the row of a fault: a deadlock, an output that nothing writes, or held memory. */
GtkWidget *hir_check_row_new_fault (const HirSyncFault *fault);
/* Creates the row of a missing synchronization. */
GtkWidget *hir_check_row_new_missing (const HirSyncCheck *check, guint index);
/* Creates the row of a Synchronize or Wait; NULL if there is nothing to report. */
GtkWidget *hir_check_row_new_use (const HirSyncCheck *check, guint index);

/* Returns the node of the last snapshot that the row refers to, or 0. */
guint64 hir_check_row_get_node (GtkWidget *row);
/* Gets the event that the row refers to. Returns FALSE if there is none. */
gboolean hir_check_row_get_event (GtkWidget *row, guint *track, guint *index);
/* Returns the two instances without synchronization (borrowed from the row), or NULL. */
const HirTraceInstance *hir_check_row_get_pair (GtkWidget *row);
/* Returns the argument of hir_check_page_fix(). Returns FALSE if there is no fix. */
gboolean hir_check_row_get_change (GtkWidget *row, guint *index);

G_END_DECLS
