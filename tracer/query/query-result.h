/* The rows of a query in memory, for a view that shows any of them at once. */
#pragma once

#include "query/query.h"

G_BEGIN_DECLS

typedef struct _HirQueryResult HirQueryResult;

typedef enum
{
  HIR_QUERY_NULL,
  HIR_QUERY_INTEGER,
  HIR_QUERY_REAL,
  HIR_QUERY_TEXT, /* also a blob, in hexadecimal */
} HirQueryType;

/**
 * hir_query_run_result:
 * @max_bytes: largest size of the rows
 *
 * Like hir_query_run(), but returns the rows. Rows that do not fit into @max_bytes are left out;
 * hir_query_result_is_cut() tells. options->format is ignored.
 *
 * Returns: (transfer full): immutable; may be read by any thread. NULL with @error, as
 *   hir_query_run()
 */
HirQueryResult *hir_query_run_result (HirQuery *query,
                                      const char *sql,
                                      const HirQueryOptions *options,
                                      gsize max_bytes,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
void hir_query_result_free (HirQueryResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirQueryResult, hir_query_result_free)

guint hir_query_result_get_n_rows (const HirQueryResult *result);
guint hir_query_result_get_n_columns (const HirQueryResult *result);
gboolean hir_query_result_is_cut (const HirQueryResult *result);
/* Returns the name of a column (borrowed). */
const char *hir_query_result_get_name (const HirQueryResult *result, guint column);
/* Returns the column with this name, or -1. */
int hir_query_result_find_column (const HirQueryResult *result, const char *name);
/* Returns the type of a value. */
HirQueryType hir_query_result_get_type (const HirQueryResult *result, guint row, guint column);
/* Returns an integer, or 0 if the value is none. */
gint64 hir_query_result_get_integer (const HirQueryResult *result, guint row, guint column);
/* Returns the first row with this integer in @column, or -1. */
gint64 hir_query_result_find_integer (const HirQueryResult *result, guint column, gint64 integer);
/* Returns a value as text, as in CSV, but NULL for NULL (transfer full). */
char *hir_query_result_dup_text (const HirQueryResult *result, guint row, guint column);

G_END_DECLS
