/* SQL of a list of events: typed words as a condition, groups, and an order. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  HIR_LISTING_NO_GROUP,
  HIR_LISTING_BY_NAME,
  HIR_LISTING_BY_STREAM, /* also host threads */
  HIR_LISTING_BY_RANK,
  HIR_LISTING_BY_INSTRUCTION,
} HirListingGroup;

/**
 * HirListing:
 * @table: events, kernels, copies, host_ops or collectives
 * @filter: typed words, which all must hold: `gemm`: the name contains it; `"a name"`: the name is
 *   equal; `rank=1`, `dur>10us`: a comparison of a column with =, !=, <, <=, > or >=;
 *   `instruction=none`: a column is NULL
 * @start_ns: first time; equal to @end_ns: the whole trace
 * @end_ns: the events overlap the times before it
 * @tracks: (nullable): tracks of the events (trace/track-set.h)
 * @group: how to group
 * @order: (nullable): name of a column of the result; NULL: by start, or by the sum of groups
 * @is_descending: whether @order is reversed
 *
 * What to list. All fields are borrowed.
 */
typedef struct
{
  const char *table;
  const char *filter;
  gint64 start_ns, end_ns;
  const GArray *tracks;
  HirListingGroup group;
  const char *order;
  gboolean is_descending;
} HirListing;

/**
 * hir_listing_dup_sql:
 * @columns: names of columns, separated by ", "; ignored for groups
 *
 * Returns the SELECT for hir_query_run() (transfer full), or NULL with HIR_ERROR_INPUT and the
 * position in listing->filter. Groups have the columns n, sum_ns, mean_ns, min_ns and max_ns after
 * those that name them.
 */
char *hir_listing_dup_sql (const HirListing *listing, const char *columns, GError **error);

/* Returns the typed word for events named @name, as hir_listing_dup_sql() reads it (transfer full).
 */
char *hir_listing_dup_name_word (const char *name);

/* Returns the @i-th column of a table (borrowed), or NULL past the last one. */
const char *hir_listing_get_column (const char *table, guint i);

G_END_DECLS
