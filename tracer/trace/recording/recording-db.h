/* The recording as a database: schema, and rows that carry a check sum. Internal to
 * trace/recording-*. */
#pragma once

#include "trace/recording/recording.h"

#include <sqlite3.h>

G_BEGIN_DECLS

#define HIR_RECORDING_APPLICATION_ID 0x48495253 /* "HIRS" */
#define HIR_RECORDING_SCHEMA 1                  /* user_version */
#define HIR_RECORDING_CHUNK 65536               /* most events a chunk */
#define HIR_RECORDING_MAX_VIEWS 100000

/* Columns of the chunks table, between `start_ns` and the check sum. */
typedef enum
{
  HIR_CHUNK_START, /* minus start_ns of the row */
  HIR_CHUNK_DURATION,
  HIR_CHUNK_BYTES,
  HIR_CHUNK_FLOPS,
  HIR_CHUNK_INSTRUCTION, /* id in strings, where the text is the hex id; 0: none */
  HIR_CHUNK_NAME,        /* id in strings */
  HIR_CHUNK_CORRELATION,
  HIR_CHUNK_ITERATION, /* + 1 */
  HIR_CHUNK_TRACK,
  HIR_CHUNK_KIND,
  HIR_CHUNK_PHASE,
  HIR_N_CHUNK_COLUMNS,
} HirChunkColumn;

/* FALSE and an error with SQLite's reason. @path is for the message. */
gboolean hir_db_exec (sqlite3 *db, const char *path, const char *sql, GError **error);
gboolean hir_db_create_schema (sqlite3 *db, const char *path, GError **error);
/* A statement that inserts a row into @table with all its columns. */
sqlite3_stmt *
hir_db_prepare_insert (sqlite3 *db, const char *path, const char *table, GError **error);
sqlite3_stmt *hir_db_prepare (sqlite3 *db, const char *path, const char *sql, GError **error);
/* Sets @error from @db's last failure @code: what is wrong with @path and what to do. */
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
  gboolean is_bad;        /* a value of a wrong type or out of range was read */
  gboolean ignore_digest; /* for tests of what comes after it */
} HirRow;

/* Values are put in the order of the statement's parameters; @stmt and the texts are borrowed. */
void hir_row_begin (HirRow *row, sqlite3_stmt *stmt, const char *path, const char *table);
void hir_row_put_int (HirRow *row, gint64 value);
void hir_row_put_text (HirRow *row, const char *text /* nullable */);
void hir_row_put_id (HirRow *row, guint64 id);
/* Borrowed until the row is inserted. */
void hir_row_put_blob (HirRow *row, gconstpointer data, gsize size);
/* Adds the check sum and inserts; the row can then be filled again. */
gboolean hir_row_insert (HirRow *row, GError **error);

/* TRUE and a row to read; FALSE at the end, or with @error. */
gboolean hir_row_next (HirRow *row, GError **error);
/* A value out of [min, max] or of another type makes the row bad and gives @min. */
gint64 hir_row_get_int (HirRow *row, gint64 min, gint64 max);
/* UTF-8; borrowed until the next row; NULL only where it was stored as NULL. */
const char *hir_row_get_text (HirRow *row);
/* As get_text(), but never NULL: NULL makes the row bad and gives "". */
const char *hir_row_get_some_text (HirRow *row);
guint64 hir_row_get_id (HirRow *row);
gconstpointer hir_row_get_blob (HirRow *row, gsize *size);
/* After all values: FALSE and an error where the row is bad or its check sum is another. */
gboolean hir_row_check (HirRow *row, GError **error);

/* Reads the values of @row and calls hir_row_check(). Returns FALSE to read no more rows; sets @error if the table is
 * unusable. */
typedef gboolean (*HirRowFunc) (HirRow *row, gpointer user_data, GError **error);
/* Calls @func for each row of @table in the order of writing. @ignore_digests: see HirRow. Returns FALSE on error. */
gboolean hir_db_each_row (sqlite3 *db,
                          const char *path,
                          const char *table,
                          gboolean ignore_digests,
                          HirRowFunc func,
                          gpointer user_data,
                          GError **error);

G_END_DECLS
