#include "trace/recording/recording-db.h"

static const char schema[] =
    "CREATE TABLE meta(key TEXT, value TEXT, digest INTEGER);"
    "CREATE TABLE strings(id INTEGER PRIMARY KEY, text TEXT, digest INTEGER);"
    "CREATE TABLE tracks(id INTEGER PRIMARY KEY, kind INTEGER, rank INTEGER, device INTEGER,"
    " stream INTEGER, name TEXT, digest INTEGER);"
    "CREATE TABLE chunks(id INTEGER PRIMARY KEY, first INTEGER, n INTEGER, start_ns INTEGER,"
    " start BLOB, duration BLOB, bytes BLOB, flops BLOB, instruction BLOB, name BLOB,"
    " correlation BLOB, iteration BLOB, track BLOB, kind BLOB, phase BLOB, digest INTEGER);"
    "CREATE TABLE meetings(key TEXT, sequence INTEGER, side INTEGER, rank INTEGER,"
    " correlation INTEGER, bytes INTEGER, op TEXT, dtype TEXT, root INTEGER, message_bytes INTEGER,"
    " in_elements INTEGER, out_elements INTEGER, digest INTEGER);"
    "CREATE TABLE edges(from_track INTEGER, from_correlation INTEGER, to_track INTEGER,"
    " to_correlation INTEGER, digest INTEGER);"
    "CREATE TABLE flows(category TEXT, name TEXT, id INTEGER, phase INTEGER, is_enclosed INTEGER,"
    " track INTEGER, time_ns INTEGER, digest INTEGER);"
    "CREATE TABLE tensor_values(tensor TEXT, rank INTEGER, summary BLOB, digest INTEGER);"
    "CREATE TABLE baseline(instruction TEXT, iteration INTEGER, duration INTEGER, rank INTEGER,"
    " name TEXT, digest INTEGER);"
    "CREATE TABLE args(id INTEGER PRIMARY KEY, n INTEGER, size INTEGER, lengths BLOB, text BLOB,"
    " digest INTEGER);"
    "CREATE TABLE account(text TEXT, digest INTEGER);"
    "CREATE TABLE passes(id INTEGER PRIMARY KEY, name TEXT, duration_ns INTEGER, changed INTEGER,"
    " n_created INTEGER, n_changed INTEGER, n_removed INTEGER, hash TEXT, is_host INTEGER,"
    " n_nodes INTEGER, n_origins INTEGER, n_facts INTEGER, n_spans INTEGER, n_graph_nodes INTEGER,"
    " n_graph_groups INTEGER, n_graph_edges INTEGER, digest INTEGER);"
    "CREATE TABLE snapshots(id INTEGER PRIMARY KEY, text TEXT, digest INTEGER);"
    "CREATE TABLE nodes(id TEXT, snapshot INTEGER, kind TEXT, text TEXT, file TEXT, line INTEGER,"
    " column INTEGER, is_expr INTEGER, content_hash TEXT, digest INTEGER);"
    "CREATE TABLE origins(id TEXT, from_id TEXT, snapshot INTEGER, digest INTEGER);"
    "CREATE TABLE facts(id TEXT, snapshot INTEGER, name TEXT, value TEXT, value_id TEXT,"
    " digest INTEGER);"
    "CREATE TABLE spans(snapshot INTEGER, start INTEGER, end INTEGER, id TEXT, is_expr INTEGER,"
    " digest INTEGER);"
    "CREATE TABLE graph_nodes(snapshot INTEGER, id TEXT, key TEXT, kind INTEGER, title TEXT,"
    " subtitle TEXT, in_group INTEGER, line INTEGER, column INTEGER, digest INTEGER);"
    "CREATE TABLE graph_groups(snapshot INTEGER, id TEXT, title TEXT, parent INTEGER, kind INTEGER,"
    " digest INTEGER);"
    "CREATE TABLE graph_edges(snapshot INTEGER, from_node INTEGER, to_node INTEGER, kind INTEGER,"
    " id TEXT, digest INTEGER);";

static const char *const chunk_columns[HIR_N_CHUNK_COLUMNS] = {
  "start",       "duration",  "bytes", "flops", "instruction", "name",
  "correlation", "iteration", "track", "kind",  "phase"
};

/* Appends SQL that unpacks number i.i of a column: sums up its hexadecimal digits, padded to 16. */
static void
append_unpack (GString *sql, const char *column)
{
  g_string_append_printf (sql,
                          "(SELECT sum(instr('123456789ABCDEF',substr(h,k,1))<<(64-4*k)) FROM k,"
                          "(SELECT "
                          "substr('0000000000000000'||hex(substr(c.%s,i*(length(c.%s)/c.n)+1,"
                          "length(c.%s)/c.n)),-16) AS h))",
                          column, column, column);
}

/* Returns SQL views that show the chunks as rows. Only people with a database shell read them. */
static char *
dup_view_sql (void)
{
  GString *sql = g_string_new ("CREATE VIEW events AS WITH RECURSIVE"
                               " k(k) AS (VALUES(1) UNION ALL SELECT k+1 FROM k WHERE k<16),"
                               " i(i) AS (VALUES(0) UNION ALL SELECT i+1 FROM i WHERE i<65535),"
                               " packed AS (SELECT c.first+i AS event");

  for (guint column = 0; column < HIR_N_CHUNK_COLUMNS; column++)
    {
      g_string_append (sql, ", ");
      if (column == HIR_CHUNK_START)
        g_string_append (sql, "c.start_ns+");
      append_unpack (sql, chunk_columns[column]);
      g_string_append_printf (sql, " AS %s", chunk_columns[column]);
    }
  g_string_append (sql,
                   " FROM chunks c JOIN i ON i<c.n)"
                   " SELECT event, start AS start_ns, start+duration AS end_ns, bytes, flops,"
                   " (SELECT text FROM strings WHERE id=instruction) AS instruction,"
                   " (SELECT text FROM strings WHERE id=p.name) AS name, correlation, iteration-1 "
                   "AS iteration,"
                   " track, rank, device, stream,"
                   " CASE p.kind WHEN 0 THEN 'kernel' WHEN 1 THEN 'memcpy' WHEN 2 THEN 'memset'"
                   " WHEN 3 THEN 'communication' WHEN 4 THEN 'sync' WHEN 5 THEN 'issue' WHEN 6 "
                   "THEN 'host' END AS kind,"
                   " CASE phase WHEN 0 THEN 'program' WHEN 1 THEN 'setup' WHEN 2 THEN 'warmup'"
                   " WHEN 3 THEN 'check' END AS phase"
                   " FROM packed p JOIN tracks t ON t.id=p.track;"
                   "CREATE VIEW instances AS SELECT event, instruction, iteration, rank FROM events"
                   " WHERE instruction<>'';");
  return g_string_free (sql, FALSE);
}

gboolean
hir_db_create_schema (sqlite3 *db, const char *path, GError **error)
{
  g_autofree char *views = dup_view_sql ();
  g_autofree char *pragmas = g_strdup_printf ("PRAGMA application_id=%d; PRAGMA user_version=%d;",
                                              HIR_RECORDING_APPLICATION_ID, HIR_RECORDING_SCHEMA);

  /* Enables WAL last: another program that opens the file earlier sees an empty database instead of
   * an incomplete one. */
  return hir_db_exec (db, path, "PRAGMA page_size=8192; PRAGMA encoding='UTF-8'; BEGIN;", error) &&
         hir_db_exec (db, path, pragmas, error) && hir_db_exec (db, path, schema, error) &&
         hir_db_exec (db, path, views, error) && hir_db_exec (db, path, "COMMIT;", error) &&
         hir_db_exec (db, path,
                      "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
                      "PRAGMA wal_autocheckpoint=512;",
                      error);
}
