/* SQL queries on a trace in memory, by virtual tables of SQLite. Queries read the trace where it
 * is; only indexes, which joins and groups need, take memory of their own. docs/query.md describes
 * the tables. A query cannot write, and cannot reach files. */
#pragma once

#include <gio/gio.h>

#include "trace/text-out.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* The snapshots of a program and the ranks that ran it. */
typedef struct
{
  const GPtrArray *views; /* HirProgramView*, one per snapshot; borrowed; nullable */
  const GArray *ranks;    /* int; borrowed; NULL: all ranks */
} HirQueryProgram;

typedef struct _HirQuery HirQuery;

/**
 * hir_query_new:
 * @trace: must outlive the result
 * @programs: (nullable) (array length=n_programs): must outlive the result
 *
 * Opens a connection for queries, to be used on one thread at a time. Limits the memory of SQLite
 * in this process to 1 GiB.
 *
 * Returns: (transfer full): NULL with HIR_ERROR_LIMIT if out of memory or if the trace has more
 *   than 2^32 events
 */
HirQuery *hir_query_new (const HirTrace *trace,
                         const HirQueryProgram *programs,
                         guint n_programs,
                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
void hir_query_free (HirQuery *query);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirQuery, hir_query_free)

typedef enum
{
  HIR_QUERY_AS_TABLE, /* aligned columns, for a terminal */
  HIR_QUERY_AS_CSV,
  HIR_QUERY_AS_JSON,
} HirQueryFormat;

typedef struct
{
  HirQueryFormat format;
  double timeout_s;          /* 0: no limit */
  GCancellable *cancellable; /* nullable, borrowed */
} HirQueryOptions;

/**
 * hir_query_run:
 * @sql: one SELECT statement
 * @out: receives the rows as they are computed; incomplete after an error
 *
 * Runs a query and writes its result.
 *
 * Returns: FALSE and sets @error, with the position in @sql where SQLite names one:
 *   HIR_ERROR_INPUT if the statement is incorrect, HIR_ERROR_REFUSED if it does anything but read,
 *   HIR_ERROR_LIMIT if it exceeds the time or memory, HIR_ERROR_CANCELLED. A failure of @out is
 *   stored in @out.
 */
gboolean hir_query_run (HirQuery *query,
                        const char *sql,
                        const HirQueryOptions *options,
                        HirTextOut *out,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Writes all tables with their columns and the functions, as documented SQL. */
void hir_query_write_schema (HirTextOut *out);

/* A query with a name. The views have the columns and rows of `stats --json`. */
typedef struct
{
  const char *name, *summary, *sql;
} HirQueryView;

/* Returns the views, terminated by one without a name. */
const HirQueryView *hir_query_get_views (void);
/* Returns the view named @name, or NULL. */
const HirQueryView *hir_query_lookup_view (const char *name);

G_END_DECLS
