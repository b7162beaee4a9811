/* Internal declarations of queries. */
#pragma once

#include <sqlite3.h>

#include "analysis/launches.h"
#include "query/query.h"
#include "trace/collective.h"
#include "trace/columns.h"
#include "view/op-table.h"

G_BEGIN_DECLS

/* A column of a table. Names contain units. */
typedef struct
{
  const char *name;
  const char *type; /* of SQLite: INTEGER, REAL, TEXT */
  int id;           /* passed to the functions that compute it */
  const char *help; /* one line without a period */
} HirQueryColumn;

/* A value of a row. Text is borrowed and lives as long as the query. */
typedef struct
{
  int type; /* SQLITE_NULL, SQLITE_INTEGER or SQLITE_TEXT */
  gint64 integer;
  const char *text;
} HirQueryValue;

typedef struct
{
  const char *name;
  const char *help;
  const HirQueryColumn *columns; /* terminated by one without a name */
  /* Of a table of events. */
  guint kinds;  /* set of 1 << HirEventKind; 0: a table of rows */
  guint tracks; /* set of 1 << HirTrackKind */
  /* Of a table of rows. */
  guint (*count_rows) (HirQuery *query);
  void (*get_value) (HirQuery *query, guint row, int column, HirQueryValue *value);
} HirQueryTable;

/* Events sorted by a number of 32 bits, then by position: number << 32 | position. */
typedef struct
{
  guint64 *entries;
  guint n;
  gboolean is_built;
} HirQueryIndex;

typedef enum
{
  HIR_QUERY_BY_NAME,        /* by the place of the name in the order of texts */
  HIR_QUERY_BY_CORRELATION, /* events with a correlation */
  HIR_QUERY_BY_LAUNCH,      /* work whose launch is in the trace, by the position of the launch */
  HIR_QUERY_BY_INSTRUCTION, /* events with an instruction, by its number in the trace */
  HIR_QUERY_N_INDEXES,
} HirQueryIndexKind;

/* A node of a snapshot, or a snapshot if node is NULL. */
typedef struct
{
  guint program, step;
  guint line, depth; /* in the printed program; only of instructions */
  const char *op;    /* label of the op of the script; NULL: none */
  const HirNodeInfo *node;
  char *origins; /* ids, separated by spaces */
  char hex[17];  /* id, or hash of the snapshot */
} HirQueryNode;

/* A step of a flow, or a dependency between streams. */
typedef struct
{
  const char *kind;
  guint from_track, from_index, to_track, to_index;
} HirQueryFlow;

struct _HirQuery
{
  sqlite3 *db;
  const HirTrace *trace;
  const HirQueryProgram *programs;
  guint n_programs;
  /* Tracks ordered by rank and device, so that events are grouped by them. */
  guint *order;   /* tracks */
  guint32 *first; /* n_tracks + 1: position of the first event of each track in this order */
  guint *places;  /* of each track: its place in this order */
  HirQueryIndex indexes[HIR_QUERY_N_INDEXES];
  HirLaunches *launches;        /* nullable: built on demand */
  guint32 *names, *name_orders; /* nullable: strings in the order of texts; place of each string */
  char (*instructions)[17];     /* nullable: hexadecimal id of each number of the trace */
  guint n_instructions;
  GHashTable *row_indexes; /* nullable: table and column -> GArray of guint, sorted */
  GArray *passes, *nodes, *instruction_rows; /* nullable: HirQueryNode */
  GPtrArray *op_tables;                      /* HirOpTable*: own the labels of ops */
  GArray *flows;                             /* nullable: HirQueryFlow */
  GArray *ranks;                             /* nullable: int, ascending */
  /* Of the present run. */
  const HirQueryOptions *options;
  gint64 deadline_us; /* 0: none */
  char *refusal;      /* nullable: why the authorizer refuses the statement */
  gboolean is_late;
  gboolean is_declaring; /* a table is being declared to SQLite, which the authorizer allows */
};

/* Steps through the rows of a statement. Returns the last code of sqlite3_step(), or SQLITE_DONE if
 * it needs no more rows. */
typedef int (*HirQueryReader) (sqlite3_stmt *statement, gpointer user_data);
/* Prepares a statement and passes it to @read. Errors are those of hir_query_run(). */
gboolean hir_query_run_statement (HirQuery *query,
                                  const char *sql,
                                  const HirQueryOptions *options,
                                  HirQueryReader read,
                                  gpointer user_data,
                                  GError **error);

/* Returns the tables, terminated by one without a name. */
const HirQueryTable *hir_query_get_event_tables (void);
const HirQueryTable *hir_query_get_row_tables (void);
const HirQueryTable *hir_query_get_program_tables (void);

/* Sets a value of a row. */
static inline void
hir_query_value_set_integer (HirQueryValue *value, gint64 integer)
{
  value->type = SQLITE_INTEGER;
  value->integer = integer;
}

/* Sets a value of a row to a borrowed text, or to NULL. */
static inline void
hir_query_value_set_text (HirQueryValue *value, const char *text)
{
  value->type = text != NULL ? SQLITE_TEXT : SQLITE_NULL;
  value->text = text;
}

/* A virtual table, and the first members of a cursor. */
typedef struct
{
  sqlite3_vtab base;
  HirQuery *query;
  const HirQueryTable *table;
} HirQueryVtab;

typedef struct
{
  sqlite3_vtab_cursor base;
  HirQuery *query;
  const HirQueryTable *table;
} HirQueryCursor;

/* Registers a virtual table for each of @tables, until one without a name. Returns a code of
 * SQLite. */
int hir_query_register_tables (HirQuery *query,
                               const HirQueryTable *tables,
                               const sqlite3_module *module);
/* Methods that both modules share; see sqlite3_module. */
int hir_query_connect (
    sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **made, char **message);
int hir_query_disconnect (sqlite3_vtab *table); /* likewise */
/* Creates a cursor of @size bytes that starts with a HirQueryCursor. */
int hir_query_open_cursor (sqlite3_vtab *table, gsize size, sqlite3_vtab_cursor **made);
int hir_query_close_cursor (sqlite3_vtab_cursor *cursor); /* likewise */

/* Registers all tables of a kind, or the functions. Return a code of SQLite. */
int hir_query_register_events (HirQuery *query);
int hir_query_register_rows (HirQuery *query);
int hir_query_register_functions (HirQuery *query);

/* Returns an index, built at the first call. Returns NULL if out of memory. */
const HirQueryIndex *hir_query_get_index (HirQuery *query, HirQueryIndexKind kind);
/* Returns the range of the entries of @number. */
void hir_query_index_find (const HirQueryIndex *index, guint32 number, guint *first, guint *end);
/* Finds the place of the name @text in the order of texts. */
gboolean hir_query_find_name (HirQuery *query, const char *text, guint32 *number);
/* Returns the number of the instruction with this hexadecimal id, or FALSE. */
gboolean hir_query_find_instruction (HirQuery *query, const char *hex, guint32 *number);
/* Returns the hexadecimal id of an instruction. */
const char *hir_query_get_instruction (HirQuery *query, guint32 number);
/* Returns the launch of work, or NULL. */
const HirLaunch *hir_query_lookup_launch (HirQuery *query, guint track, guint index);
/* Finds the event at @position: its place in the order of tracks, and its index. @place is also the
 * first one that is tried. */
void hir_query_locate (const HirQuery *query, guint32 position, guint *place, guint *index);

/* Returns the id of an event in the column id. */
static inline gint64
hir_query_make_id (guint track, guint index)
{
  return (gint64) ((guint64) track << 32 | index);
}

/* Returns FALSE if there is no event with @id. */
gboolean hir_query_split_id (const HirQuery *query, gint64 id, guint *track, guint *index);

G_END_DECLS
