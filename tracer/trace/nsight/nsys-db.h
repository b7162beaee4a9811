/* Tables of an Nsight export, read by the names of their columns. */
#pragma once

#include <gio/gio.h>
#include <sqlite3.h>

#include "trace/load-progress.h"

G_BEGIN_DECLS

typedef struct
{
  sqlite3 *db;
  const char *path;
  HirLoadProgress *watch;            /* nullable */
  const HirTraceBuilder *builder; /* what the watch is shown */
  guint64 n_rows_done, n_rows_all; /* 0 in all: not known */
} HirNsysDb;

/* @path is borrowed. Read-only, immutable, schema not trusted. */
gboolean hir_nsys_db_open (HirNsysDb *db, const char *path, GError **error);
void hir_nsys_db_clear (HirNsysDb *db);
gboolean hir_nsys_db_has (HirNsysDb *db, const char *table);
/* About as many as @table has: its last row's number, which is found at once. 0: not known. */
guint64 hir_nsys_db_guess_n_rows (HirNsysDb *db, const char *table);

/* As a column: the row's number in its table. */
#define HIR_NSYS_ROW "rowid"

/* Calls @row for each row of @table with the values of @columns (NULL-terminated) in order; one that
 * the table does not have is SQL's NULL. A table that is not there has no rows. FALSE where @row
 * gives FALSE (it sets @error), the file is damaged, or loading is cancelled; where enough was loaded
 * there are no more rows. */
typedef gboolean (*HirNsysRow) (sqlite3_stmt *statement, gpointer user_data, GError **error);
gboolean hir_nsys_db_each (HirNsysDb *db,
                           const char *table,
                           const char *const *columns,
                           HirNsysRow row,
                           gpointer user_data,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
