/* SQLite access for recordings: the schema, and rows with checksums. Internal to
 * trace/recording. */
#pragma once

#include "trace/recording/recording.h"

#include <sqlite3.h>

G_BEGIN_DECLS

#define HIR_RECORDING_APPLICATION_ID 0x48495253 /* "HIRS" */
#define HIR_RECORDING_SCHEMA 1                  /* user_version */
#define HIR_RECORDING_CHUNK 65536               /* maximum number of events per chunk */
#define HIR_RECORDING_MAX_VIEWS 100000

/* Columns of the table `chunks`, between `start_ns` and the checksum. */
typedef enum
{
  HIR_CHUNK_START, /* relative to start_ns of the row */
  HIR_CHUNK_DURATION,
  HIR_CHUNK_BYTES,
  HIR_CHUNK_FLOPS,
  HIR_CHUNK_INSTRUCTION, /* id in strings; the text is the hexadecimal node id; 0 if none */
  HIR_CHUNK_NAME,        /* id in strings */
  HIR_CHUNK_CORRELATION,
  HIR_CHUNK_ITERATION, /* + 1 */
  HIR_CHUNK_TRACK,
  HIR_CHUNK_KIND,
  HIR_CHUNK_PHASE,
  HIR_N_CHUNK_COLUMNS,
} HirChunkColumn;

/* Executes @sql. Returns FALSE and sets @error to SQLite's reason. @path is for the message. */
gboolean hir_db_exec (sqlite3 *db, const char *path, const char *sql, GError **error);
gboolean hir_db_create_schema (sqlite3 *db, const char *path, GError **error);
/* Returns a statement that inserts a row with all columns into @table. */
sqlite3_stmt *
hir_db_prepare_insert (sqlite3 *db, const char *path, const char *table, GError **error);
sqlite3_stmt *hir_db_prepare (sqlite3 *db, const char *path, const char *sql, GError **error);
/* Sets @error from the failure @code of @db: the problem with @path and the action. */
void
hir_db_set_error (GError **error, sqlite3 *db, int code, const char *path, gboolean is_writing);

/* A row that is written or read value by value, in the order of its columns. */
typedef struct
{
  sqlite3_stmt *stmt; /* borrowed */
  const char *path;
  const char *table;
  int column;
  guint64 digest;
  gboolean is_bad;        /* a value had a wrong type or was out of range */
  gboolean ignore_digest; /* lets tests reach the checks behind the checksum */
} HirRow;

/* Starts a row. Values are bound in the order of the statement's parameters. Borrows @stmt and the
 * texts. */
void hir_row_begin (HirRow *row, sqlite3_stmt *stmt, const char *path, const char *table);
void hir_row_put_int (HirRow *row, gint64 value);
void hir_row_put_text (HirRow *row, const char *text /* nullable */);
void hir_row_put_id (HirRow *row, guint64 id);
/* Binds a BLOB, which is borrowed until the row is inserted. */
void hir_row_put_blob (HirRow *row, gconstpointer data, gsize size);
/* Adds the checksum and inserts the row. The row can then be filled again. */
gboolean hir_row_insert (HirRow *row, GError **error);

/* Steps to the next row. Returns FALSE at the end, or with @error on failure. */
gboolean hir_row_next (HirRow *row, GError **error);
/* Reads an integer. A value outside [min, max] or of another type marks the row as bad; the result
 * is then @min. */
gint64 hir_row_get_int (HirRow *row, gint64 min, gint64 max);
/* Reads a text in UTF-8 (borrowed until the next row). Returns NULL only if NULL was stored. */
const char *hir_row_get_text (HirRow *row);
/* Like hir_row_get_text(), but NULL marks the row as bad; the result is then "". */
const char *hir_row_get_some_text (HirRow *row);
guint64 hir_row_get_id (HirRow *row);
gconstpointer hir_row_get_blob (HirRow *row, gsize *size);
/* Call after reading all values. Returns FALSE and sets @error if the row is bad or its checksum
 * does not match. */
gboolean hir_row_check (HirRow *row, GError **error);

/* Reads the values of @row and calls hir_row_check(). Returns FALSE to read no more rows; sets
 * @error if the table is unusable. */
typedef gboolean (*HirRowFunc) (HirRow *row, gpointer user_data, GError **error);
/* Calls @func for each row of @table in the order of writing. @ignore_digests: see HirRow. Returns
 * FALSE on error. */
gboolean hir_db_each_row (sqlite3 *db,
                          const char *path,
                          const char *table,
                          gboolean ignore_digests,
                          HirRowFunc func,
                          gpointer user_data,
                          GError **error);

G_END_DECLS
