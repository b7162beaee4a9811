/* A connection for queries that several tasks use in turn. */
#pragma once

#include "query/query-result.h"
#include "selection/selection.h"

G_BEGIN_DECLS

/* Trace and programs of a selection, and the connection to them. Reference-counted; any thread. */
typedef struct _HirEventsConnection HirEventsConnection;

/* Requires a trace. */
HirEventsConnection *hir_events_connection_new (HirSelection *selection);
HirEventsConnection *hir_events_connection_ref (HirEventsConnection *self);
void hir_events_connection_unref (HirEventsConnection *self);
/* Returns whether it reads what @selection has. */
gboolean hir_events_connection_is_of (const HirEventsConnection *self, HirSelection *selection);
/* Returns the trace (borrowed). */
const HirTrace *hir_events_connection_get_trace (const HirEventsConnection *self);
/* Runs a query after those of other threads; see hir_query_run_result(). */
HirQueryResult *hir_events_connection_run (HirEventsConnection *self,
                                           const char *sql,
                                           gsize max_bytes,
                                           GCancellable *cancellable,
                                           GError **error);
/* Writes the rows of a query to a CSV file. */
gboolean hir_events_connection_save (HirEventsConnection *self,
                                     const char *sql,
                                     const char *path,
                                     GCancellable *cancellable,
                                     GError **error);
/* Returns the number of events of a table, which is counted once. Returns 0 if cancelled. */
gint64 hir_events_connection_count (HirEventsConnection *self,
                                    const char *table,
                                    GCancellable *cancellable);

G_END_DECLS
