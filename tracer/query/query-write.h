/* Writes the rows of a statement. */
#pragma once

#include <sqlite3.h>

#include "query/query.h"

G_BEGIN_DECLS

/* Runs @statement and writes its rows; a JSON object, CSV with a header, or a table whose columns
 * are as wide as in the first rows. Returns SQLITE_DONE, a code of SQLite if the statement fails,
 * or SQLITE_ROW if @out has failed. */
int hir_query_write_rows (sqlite3_stmt *statement, HirQueryFormat format, HirTextOut *out);

/* Returns the value of a column as text: a blob in hexadecimal, NULL as NULL (transfer full). */
char *hir_query_dup_value (sqlite3_stmt *statement, int column);
/* Returns a number with as many digits as it needs (transfer full). */
char *hir_query_dup_real (double real);

G_END_DECLS
