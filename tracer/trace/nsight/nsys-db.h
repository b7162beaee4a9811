/* Reads tables of an Nsight export by column name. */
#pragma once

#include <gio/gio.h>
#include <sqlite3.h>

#include "trace/load-progress.h"

G_BEGIN_DECLS

typedef struct
{
  sqlite3 *db;
  const char *path;
  HirLoadProgress *progress;       /* nullable */
  const HirTraceBuilder *builder;  /* shown in previews */
  guint64 n_rows_done, n_rows_all; /* n_rows_all is 0 if unknown */
} HirNsysDb;

/* Opens the database read-only and immutable, with an untrusted schema. Borrows @path. */
gboolean hir_nsys_db_open (HirNsysDb *db, const char *path, GError **error);
void hir_nsys_db_clear (HirNsysDb *db);
gboolean hir_nsys_db_has (HirNsysDb *db, const char *table);
/* Returns the names of all tables, as valid UTF-8, sorted. Omits views. */
GPtrArray *hir_nsys_db_dup_tables (HirNsysDb *db);
/* Estimates the number of rows of @table by its last row number, which takes constant time. Returns
 * 0 if unknown. */
guint64 hir_nsys_db_guess_n_rows (HirNsysDb *db, const char *table);

/* Column name of the row number. */
#define HIR_NSYS_ROW "rowid"

/* Reads one row. Returns FALSE and sets an error on failure. */
typedef gboolean (*HirNsysRow) (sqlite3_stmt *statement, gpointer user_data, GError **error);
/* Calls @row for each row of @table with the values of @columns (NULL-terminated), in this order.
 * Missing columns are NULL, and a missing table has no rows. Returns FALSE if @row fails, the file
 * is damaged or loading is cancelled. If loading is stopped, the remaining rows are skipped. */
gboolean hir_nsys_db_each (HirNsysDb *db,
                           const char *table,
                           const char *const *columns,
                           HirNsysRow row,
                           gpointer user_data,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
