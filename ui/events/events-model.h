/* The rows of the events table: a query on the trace of the selection, run on a worker thread. A
 * list of events keeps only the ids of its rows and reads the others when they are drawn. Main
 * thread. */
#pragma once

#include "query/query-result.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_EVENTS_MODEL (hir_events_model_get_type ())
G_DECLARE_FINAL_TYPE (HirEventsModel, hir_events_model, HIR, EVENTS_MODEL, GObject)

/* Signals without arguments: `changed`: the rows, the error or the progress changed. `loaded`: more
 * rows can be read. */
HirEventsModel *hir_events_model_new (HirSelection *selection);

/**
 * HirEventsRequest:
 * @sql: rows; if @columns is not NULL, their ids
 * @table: (nullable): table of the events, to count them all
 * @columns: (nullable): columns of @table to read for each id, separated by ", "
 *
 * A query.
 */
typedef struct
{
  const char *sql;
  const char *table;
  const char *columns;
} HirEventsRequest;

/* Starts a query. The rows of the previous one remain until it ends, also if it is cancelled; there
 * are none if it fails. Cancels a running one. */
void hir_events_model_run (HirEventsModel *self, const HirEventsRequest *request);
/* Cancels the query or the file. Returns FALSE if none is running. */
gboolean hir_events_model_cancel (HirEventsModel *self);
/* Drops the rows, for example because they belong to another trace. */
void hir_events_model_clear (HirEventsModel *self);

/* Returns whether a query runs or a file is written. */
gboolean hir_events_model_is_busy (HirEventsModel *self);
/* Returns why the last query failed (borrowed), or NULL. */
const GError *hir_events_model_get_error (HirEventsModel *self);
/* Returns a number that changes with the rows. */
guint hir_events_model_get_serial (HirEventsModel *self);
/* Returns whether the rows are of the trace and the programs of the selection. */
gboolean hir_events_model_is_current (HirEventsModel *self);
guint hir_events_model_get_n_rows (HirEventsModel *self);
guint hir_events_model_get_n_columns (HirEventsModel *self);
/* Returns the number of all events of the table, or 0 if it was not counted. */
gint64 hir_events_model_get_n_events (HirEventsModel *self);
/* Returns whether rows are left out, because they need too much memory. */
gboolean hir_events_model_is_cut (HirEventsModel *self);
/* Returns the name of a column (borrowed). */
const char *hir_events_model_get_name (HirEventsModel *self, guint column);
/**
 * hir_events_model_lookup:
 * @at: (out): row of the result
 *
 * Returns the result that has a row (borrowed), or NULL if the row has to be read: `loaded`
 * follows.
 */
const HirQueryResult *hir_events_model_lookup (HirEventsModel *self, guint row, guint *at);
/* Returns whether the rows have a column id, which may have ids of events. */
gboolean hir_events_model_has_ids (HirEventsModel *self);
/* Returns the event of a row, from the column id. Returns FALSE if there is none. */
gboolean hir_events_model_get_event (HirEventsModel *self, guint row, guint *track, guint *index);
/* Returns the row of an event, or -1. Takes O(rows). */
gint64 hir_events_model_find_event (HirEventsModel *self, guint track, guint index);
/* Returns the sum of an integer column of the rows, or 0 if there is no such column. */
gint64 hir_events_model_sum (HirEventsModel *self, const char *column);

#define HIR_EVENTS_MAX_COPIED 5000
/* Receives copied rows (transfer full), or NULL if they could not be read. */
typedef void (*HirEventsCopied) (char *text, gpointer user_data);
/* Passes the rows from @first on to @done: lines with tabs, and a head. At most
 * HIR_EVENTS_MAX_COPIED rows. */
void hir_events_model_copy (
    HirEventsModel *self, guint first, guint n, HirEventsCopied done, gpointer user_data);
/* Writes all rows of @sql to a CSV file on a worker thread. */
void hir_events_model_save (HirEventsModel *self,
                            const char *sql,
                            const char *path,
                            GAsyncReadyCallback done,
                            gpointer user_data);
/* Returns FALSE with @error if the file was not written. */
gboolean hir_events_model_save_finish (GAsyncResult *result, GError **error);

G_END_DECLS
