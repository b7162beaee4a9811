/* Writes the rows of a statement. */
#pragma once

#include <sqlite3.h>

#include "query/query.h"

G_BEGIN_DECLS

/* Runs @statement and writes its rows; a JSON object, CSV with a header, or a table whose columns
 * are as wide as in the first rows. Returns SQLITE_DONE, a code of SQLite if the statement fails,
 * or SQLITE_ROW if @out has failed. */
int hir_query_write_rows (sqlite3_stmt *statement, HirQueryFormat format, HirTextOut *out);

G_END_DECLS
