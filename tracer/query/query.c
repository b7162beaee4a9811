/* Connection and limits of queries; runs one statement. */
#include <string.h>

#include "diagnostic.h"
#include "query/query-private.h"
#include "query/query-write.h"
#include "trace/headroom.h"

#define MAX_HEAP_BYTES (1024 * 1024 * 1024)
#define MAX_SQL_BYTES (256 * 1024)
#define MAX_VALUE_BYTES (16 * 1024 * 1024)
#define OF_SCHEMA "a change of the schema or a table of SQLite itself"
#define LOOK_EVERY 10000 /* instructions of SQLite between two checks of time and cancellation */

/* --- limits ------------------------------------------------------------------------------- */

/* Returns what a statement does, for a message, or NULL if it only reads. */
static const char *
get_refused (int action, const char *name)
{
  static const char *const functions[] = { "load_extension", "fts3_tokenizer" };

  switch (action)
    {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return NULL;

    case SQLITE_FUNCTION:
      for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
        if (name != NULL && g_ascii_strcasecmp (name, functions[i]) == 0)
          return functions[i];
      return NULL;
    case SQLITE_ATTACH:
      return "ATTACH";
    case SQLITE_DETACH:
      return "DETACH";
    case SQLITE_PRAGMA:
      return "PRAGMA";
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
      return name != NULL && g_str_has_prefix (name, "sqlite_") ? OF_SCHEMA : "a change of a table";
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
      return "a transaction";
    case SQLITE_CREATE_VTABLE:
    case SQLITE_DROP_VTABLE:
      return "a change of virtual tables";
    default:
      return OF_SCHEMA;
    }
}

static int
authorize (void *data, int action, const char *a, const char *b, const char *c, const char *d)
{
  HirQuery *query = data;
  const char *refused = get_refused (action, action == SQLITE_FUNCTION ? b : a);

  (void) c;
  (void) d;
  if (refused == NULL || query->is_declaring)
    return SQLITE_OK;
  if (query->refusal == NULL)
    query->refusal =
        g_strdup_printf ("%s is refused, because a query only reads; write one SELECT", refused);
  return SQLITE_DENY;
}

static int
look (void *data)
{
  HirQuery *query = data;

  if (g_cancellable_is_cancelled (query->options->cancellable))
    return 1;
  query->is_late = query->deadline_us > 0 && g_get_monotonic_time () > query->deadline_us;
  return query->is_late;
}

static void
set_limits (HirQuery *query)
{
  static const struct
  {
    int limit, value;
  } limits[] = {
    { SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES },   { SQLITE_LIMIT_SQL_LENGTH, MAX_SQL_BYTES },
    { SQLITE_LIMIT_EXPR_DEPTH, 200 },           { SQLITE_LIMIT_COMPOUND_SELECT, 100 },
    { SQLITE_LIMIT_VDBE_OP, 1000000 },          { SQLITE_LIMIT_ATTACHED, 0 },
    { SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000 }, { SQLITE_LIMIT_TRIGGER_DEPTH, 0 },
    { SQLITE_LIMIT_WORKER_THREADS, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    sqlite3_limit (query->db, limits[i].limit, limits[i].value);
  sqlite3_db_config (query->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
  sqlite3_db_config (query->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config (query->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  /* Declares the tables of SQLite that stay allowed; the authorizer refuses a declaration. */
  (void) sqlite3_exec (query->db, "SELECT 1 FROM json_each('0'), json_tree('0')", NULL, NULL, NULL);
  sqlite3_set_authorizer (query->db, authorize, query);
}

/* --- connection --------------------------------------------------------------------------- */

static int
compare_tracks (gconstpointer a, gconstpointer b, gpointer trace)
{
  guint x = *(const guint *) a, y = *(const guint *) b;
  const HirTrack *s = hir_trace_get_track (trace, x), *t = hir_trace_get_track (trace, y);

  if (s->rank != t->rank)
    return s->rank < t->rank ? -1 : 1;
  if (s->device != t->device)
    return s->device < t->device ? -1 : 1;
  return (x > y) - (x < y);
}

static void
order_tracks (HirQuery *query)
{
  guint n = hir_trace_get_n_tracks (query->trace);

  query->order = g_new (guint, MAX (n, 1));
  query->places = g_new (guint, MAX (n, 1));
  query->first = g_new0 (guint32, n + 1);
  for (guint t = 0; t < n; t++)
    query->order[t] = t;
  g_qsort_with_data (query->order, (gint) n, sizeof *query->order, compare_tracks,
                     (gpointer) query->trace);
  for (guint place = 0; place < n; place++)
    {
      guint track = query->order[place];

      query->places[track] = place;
      query->first[place + 1] =
          query->first[place] + hir_trace_get_track_n_events (query->trace, track);
    }
}

HirQuery *
hir_query_new (const HirTrace *trace,
               const HirQueryProgram *programs,
               guint n_programs,
               GError **error)
{
  g_autoptr (HirQuery) query = NULL;

  if (hir_trace_get_n_events (trace) >= G_MAXUINT32)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                     "the trace has %" G_GUINT64_FORMAT " events; queries read at most %u",
                     hir_trace_get_n_events (trace), G_MAXUINT32);
      return NULL;
    }
  query = g_new0 (HirQuery, 1);
  query->trace = trace;
  query->programs = programs;
  query->n_programs = n_programs;
  order_tracks (query);
  sqlite3_hard_heap_limit64 (MAX_HEAP_BYTES);
  if (sqlite3_open (":memory:", &query->db) != SQLITE_OK ||
      hir_query_register_events (query) != SQLITE_OK ||
      hir_query_register_rows (query) != SQLITE_OK ||
      hir_query_register_functions (query) != SQLITE_OK)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, NULL, "SQLite does not start: %s",
                     sqlite3_errmsg (query->db));
      return NULL;
    }
  set_limits (query);
  return g_steal_pointer (&query);
}

void
hir_query_free (HirQuery *query)
{
  if (query == NULL)
    return;
  sqlite3_close (query->db);
  for (guint i = 0; i < HIR_QUERY_N_INDEXES; i++)
    g_free (query->indexes[i].entries);
  g_clear_pointer (&query->launches, hir_launches_free);
  g_free (query->names);
  g_free (query->name_orders);
  g_clear_pointer (&query->row_indexes, g_hash_table_unref);
  g_clear_pointer (&query->passes, g_array_unref);
  g_clear_pointer (&query->nodes, g_array_unref);
  g_clear_pointer (&query->instruction_rows, g_array_unref);
  g_clear_pointer (&query->op_tables, g_ptr_array_unref);
  g_clear_pointer (&query->flows, g_array_unref);
  g_clear_pointer (&query->ranks, g_array_unref);
  g_free (query->instructions);
  g_free (query->order);
  g_free (query->places);
  g_free (query->first);
  g_free (query->refusal);
  g_free (query);
}

/* --- one statement ------------------------------------------------------------------------ */

/* Returns the position of byte @offset of @sql. */
static HirPos
get_pos (const char *sql, gsize offset)
{
  HirPos pos = { 1, 1 };

  for (const char *at = sql; at < sql + offset && *at != '\0'; at = g_utf8_next_char (at))
    {
      pos.column++;
      if (*at == '\n')
        pos = (HirPos){ pos.line + 1, 1 };
    }
  return pos;
}

static void
set_error (HirQuery *query, const char *sql, int code, GError **error)
{
  int offset = sqlite3_error_offset (query->db);
  HirPos pos = get_pos (sql, offset > 0 ? (gsize) offset : 0);
  const HirPos *at = offset >= 0 ? &pos : NULL;

  if (query->refusal != NULL)
    hir_set_error (error, HIR_ERROR_REFUSED, &pos, "%s", query->refusal);
  else if (query->is_late)
    hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                   "the query takes longer than %g s; narrow it, or raise --timeout",
                   query->options->timeout_s);
  else if (g_cancellable_is_cancelled (query->options->cancellable))
    hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "the query was cancelled");
  else if (code == SQLITE_NOMEM)
    hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                   "the query needs more than %d MiB of memory; narrow it",
                   MAX_HEAP_BYTES / (1024 * 1024));
  else if (code == SQLITE_TOOBIG)
    hir_set_error (error, HIR_ERROR_LIMIT, at, "%s; a value may have at most %d MiB",
                   sqlite3_errmsg (query->db), MAX_VALUE_BYTES / (1024 * 1024));
  else
    hir_set_error (error, HIR_ERROR_INPUT, at, "%s; see hirscope query --schema",
                   sqlite3_errmsg (query->db));
}

/* Checks what SQLite would misread: a text that is too long, or not UTF-8. */
static gboolean
check_text (const char *sql, GError **error)
{
  gsize n = strlen (sql);
  const char *end;
  HirPos pos;

  if (n > MAX_SQL_BYTES)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                     "the SQL has %" G_GSIZE_FORMAT " bytes; at most %d are allowed", n,
                     MAX_SQL_BYTES);
      return FALSE;
    }
  if (!g_utf8_validate (sql, -1, &end))
    {
      pos = get_pos (sql, (gsize) (end - sql));
      hir_set_error (error, HIR_ERROR_INPUT, &pos, "the SQL is not UTF-8");
      return FALSE;
    }
  return TRUE;
}

/* Checks that nothing but comments follows the statement. */
static gboolean
check_rest (HirQuery *query, const char *sql, const char *rest, GError **error)
{
  sqlite3_stmt *second = NULL;
  int code = sqlite3_prepare_v2 (query->db, rest, -1, &second, NULL);
  HirPos pos;

  if (code == SQLITE_OK && second == NULL)
    return TRUE;
  sqlite3_finalize (second);
  while (g_ascii_isspace (*rest))
    rest++;
  pos = get_pos (sql, (gsize) (rest - sql));
  g_clear_pointer (&query->refusal, g_free);
  hir_set_error (error, HIR_ERROR_REFUSED, &pos, "a second statement is refused; write one SELECT");
  return FALSE;
}

/* Prepares the statement. Returns NULL with @error. */
static sqlite3_stmt *
prepare (HirQuery *query, const char *sql, GError **error)
{
  const HirPos start = { 1, 1 };
  sqlite3_stmt *statement = NULL;
  const char *rest;
  int code;

  if (!check_text (sql, error))
    return NULL;
  code = sqlite3_prepare_v2 (query->db, sql, -1, &statement, &rest);
  if (code != SQLITE_OK)
    set_error (query, sql, code, error);
  else if (statement == NULL)
    hir_set_error (error, HIR_ERROR_INPUT, &start, "there is no statement; write one SELECT");
  else if (!check_rest (query, sql, rest, error))
    g_clear_pointer (&statement, sqlite3_finalize);
  else if (!sqlite3_stmt_readonly (statement) || sqlite3_column_count (statement) == 0)
    {
      hir_set_error (error, HIR_ERROR_REFUSED, &start,
                     "the statement is refused, because a query only reads; write one SELECT");
      g_clear_pointer (&statement, sqlite3_finalize);
    }
  return statement;
}

gboolean
hir_query_run_statement (HirQuery *query,
                         const char *sql,
                         const HirQueryOptions *options,
                         HirQueryReader read,
                         gpointer user_data,
                         GError **error)
{
  sqlite3_stmt *statement;
  gboolean is_done = FALSE;

  query->options = options;
  query->is_late = FALSE;
  query->deadline_us =
      options->timeout_s > 0
          ? g_get_monotonic_time () + (gint64) (MIN (options->timeout_s, 1e9) * G_USEC_PER_SEC)
          : 0;
  g_clear_pointer (&query->refusal, g_free);
  sqlite3_progress_handler (query->db, LOOK_EVERY, look, query);
  statement = prepare (query, sql, error);
  if (statement != NULL)
    {
      int code = read (statement, user_data);

      is_done = code == SQLITE_DONE;
      if (!is_done)
        set_error (query, sql, code, error);
      sqlite3_finalize (statement);
    }
  sqlite3_progress_handler (query->db, 0, NULL, NULL);
  return is_done;
}

typedef struct
{
  HirQueryFormat format;
  HirTextOut *out;
} Output;

/* A failure of the output is not one of the query. */
static int
write_rows (sqlite3_stmt *statement, gpointer user_data)
{
  const Output *output = user_data;
  int code = hir_query_write_rows (statement, output->format, output->out);

  return output->out->error != NULL ? SQLITE_DONE : code;
}

gboolean
hir_query_run (HirQuery *query,
               const char *sql,
               const HirQueryOptions *options,
               HirTextOut *out,
               GError **error)
{
  Output output = { options->format, out };

  return hir_query_run_statement (query, sql, options, write_rows, &output, error);
}
