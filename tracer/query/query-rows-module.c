/* Virtual tables of rows: scans, and lookups of equal values by sorted row numbers. */
#include <string.h>

#include "query/query-private.h"

typedef struct
{
  HirQueryCursor base;
  const guint *rows; /* nullable: sorted row numbers of a lookup */
  guint at, end;
} Cursor;

/* --- lookups ------------------------------------------------------------------------------ */

typedef struct
{
  HirQuery *query;
  const HirQueryTable *table;
  int column;
} Key;

static HirQueryValue
get_value (HirQuery *query, const HirQueryTable *table, guint row, int column)
{
  HirQueryValue value = { .type = SQLITE_NULL };

  table->get_value (query, row, table->columns[column].id, &value);
  return value;
}

/* Orders NULL before integers before texts. */
static int
compare_values (const HirQueryValue *a, const HirQueryValue *b)
{
  int x = a->type == SQLITE_NULL ? 0 : a->type, y = b->type == SQLITE_NULL ? 0 : b->type;

  if (x != y)
    return x - y;
  if (x == SQLITE_TEXT)
    return strcmp (a->text, b->text);
  return (a->integer > b->integer) - (a->integer < b->integer);
}

static int
compare_rows (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const Key *key = user_data;
  HirQueryValue x = get_value (key->query, key->table, *(const guint *) a, key->column);
  HirQueryValue y = get_value (key->query, key->table, *(const guint *) b, key->column);
  int order = compare_values (&x, &y);
  guint row_a = *(const guint *) a, row_b = *(const guint *) b;

  return order != 0 ? order : (row_a > row_b) - (row_a < row_b);
}

/* Returns the row numbers sorted by a column, computed at the first call. */
static const GArray *
get_sorted (HirQuery *query, const HirQueryTable *table, int column)
{
  gpointer name = (gpointer) &table->columns[column];
  Key key = { query, table, column };
  GArray *rows;

  if (query->row_indexes == NULL)
    query->row_indexes = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  rows = g_hash_table_lookup (query->row_indexes, name);
  if (rows == NULL)
    {
      rows = g_array_new (FALSE, FALSE, sizeof (guint));
      for (guint row = 0; row < table->count_rows (query); row++)
        g_array_append_val (rows, row);
      g_array_sort_with_data (rows, compare_rows, &key);
      g_hash_table_insert (query->row_indexes, name, rows);
    }
  return rows;
}

/* Returns the number of rows before @wanted, or up to and with it. */
static guint
count_before (const Cursor *cursor,
              const GArray *rows,
              int column,
              const HirQueryValue *wanted,
              gboolean with)
{
  guint low = 0, high = rows->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      HirQueryValue value = get_value (cursor->base.query, cursor->base.table,
                                       g_array_index (rows, guint, middle), column);
      int order = compare_values (&value, wanted);

      if (order < 0 || (order == 0 && with))
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Converts @value to the type of a column. Returns FALSE if no value of the column is equal. */
static gboolean
convert (sqlite3_value *value, gboolean is_text, HirQueryValue *wanted)
{
  if (sqlite3_value_type (value) == SQLITE_NULL || sqlite3_value_type (value) == SQLITE_BLOB)
    return FALSE;
  if (is_text)
    {
      wanted->type = SQLITE_TEXT;
      wanted->text = (const char *) sqlite3_value_text (value);
      return wanted->text != NULL;
    }
  wanted->type = SQLITE_INTEGER;
  wanted->integer = sqlite3_value_int64 (value);
  return sqlite3_value_numeric_type (value) == SQLITE_INTEGER ||
         (sqlite3_value_numeric_type (value) == SQLITE_FLOAT &&
          sqlite3_value_double (value) == (double) wanted->integer);
}

/* --- module ------------------------------------------------------------------------------- */

static int
best_index (sqlite3_vtab *base, sqlite3_index_info *info)
{
  HirQueryVtab *table = (HirQueryVtab *) base;
  double n = table->table->count_rows (table->query);

  info->idxNum = -1;
  for (int i = 0; i < info->nConstraint && info->idxNum < 0; i++)
    {
      const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];

      if (!constraint->usable || constraint->op != SQLITE_INDEX_CONSTRAINT_EQ ||
          constraint->iColumn < 0 || strcmp (sqlite3_vtab_collation (info, i), "BINARY") != 0)
        continue;
      info->idxNum = constraint->iColumn;
      info->aConstraintUsage[i].argvIndex = 1;
    }
  info->estimatedCost = info->idxNum < 0 ? n + 10 : n / 20 + 8;
  info->estimatedRows = (sqlite3_int64) (info->idxNum < 0 ? n : n / 20 + 1);
  return SQLITE_OK;
}

static int
filter (sqlite3_vtab_cursor *base, int column, const char *plan, int n, sqlite3_value **values)
{
  Cursor *cursor = (Cursor *) base;
  HirQueryValue wanted = { .type = SQLITE_NULL };
  const GArray *rows;

  (void) plan;
  (void) n;
  cursor->at = 0;
  cursor->rows = NULL;
  cursor->end = column < 0 ? cursor->base.table->count_rows (cursor->base.query) : 0;
  if (column < 0 ||
      !convert (values[0], strcmp (cursor->base.table->columns[column].type, "TEXT") == 0, &wanted))
    return SQLITE_OK;
  rows = get_sorted (cursor->base.query, cursor->base.table, column);
  cursor->rows = (const guint *) rows->data;
  cursor->at = count_before (cursor, rows, column, &wanted, FALSE);
  cursor->end = count_before (cursor, rows, column, &wanted, TRUE);
  return SQLITE_OK;
}

static int
next (sqlite3_vtab_cursor *base)
{
  ((Cursor *) base)->at++;
  return SQLITE_OK;
}

static int
eof (sqlite3_vtab_cursor *base)
{
  const Cursor *cursor = (Cursor *) base;

  return cursor->at >= cursor->end;
}

static guint
get_row (const Cursor *cursor)
{
  return cursor->rows != NULL ? cursor->rows[cursor->at] : cursor->at;
}

static int
get_column (sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
  const Cursor *cursor = (Cursor *) base;
  HirQueryValue value =
      get_value (cursor->base.query, cursor->base.table, get_row (cursor), column);

  if (value.type == SQLITE_INTEGER)
    sqlite3_result_int64 (context, value.integer);
  else if (value.type == SQLITE_TEXT)
    sqlite3_result_text (context, value.text, -1, SQLITE_STATIC);
  return SQLITE_OK;
}

static int
get_rowid (sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
  *id = get_row ((Cursor *) base);
  return SQLITE_OK;
}

static int
open_cursor (sqlite3_vtab *table, sqlite3_vtab_cursor **made)
{
  return hir_query_open_cursor (table, sizeof (Cursor), made);
}

static const sqlite3_module module = {
  .xConnect = hir_query_connect, /* without xCreate: exists in every connection */
  .xBestIndex = best_index,
  .xDisconnect = hir_query_disconnect,
  .xOpen = open_cursor,
  .xClose = hir_query_close_cursor,
  .xFilter = filter,
  .xNext = next,
  .xEof = eof,
  .xColumn = get_column,
  .xRowid = get_rowid,
};

int
hir_query_register_rows (HirQuery *query)
{
  int code = hir_query_register_tables (query, hir_query_get_row_tables (), &module);

  if (code == SQLITE_OK)
    code = hir_query_register_tables (query, hir_query_get_program_tables (), &module);
  return code;
}
