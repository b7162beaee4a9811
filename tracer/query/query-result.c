#include "query/query-result.h"

#include <string.h>

#include "query/query-private.h"
#include "query/query-write.h"

typedef union
{
  gint64 integer;
  double real;
  const char *text; /* in texts */
} Value;

struct _HirQueryResult
{
  GPtrArray *names;
  GArray *values;    /* Value, row by row */
  GByteArray *types; /* HirQueryType of each value */
  GHashTable *known; /* texts, each stored once */
  GStringChunk *texts;
  gsize n_text_bytes;
  gsize max_bytes;
  gboolean is_cut;
};

static HirQueryResult *
result_new (gsize max_bytes)
{
  HirQueryResult *result = g_new0 (HirQueryResult, 1);

  result->names = g_ptr_array_new_with_free_func (g_free);
  result->values = g_array_new (FALSE, FALSE, sizeof (Value));
  result->types = g_byte_array_new ();
  result->known = g_hash_table_new (g_str_hash, g_str_equal);
  result->texts = g_string_chunk_new (16 * 1024);
  result->max_bytes = max_bytes;
  return result;
}

void
hir_query_result_free (HirQueryResult *result)
{
  g_ptr_array_unref (result->names);
  g_array_unref (result->values);
  g_byte_array_unref (result->types);
  g_hash_table_unref (result->known);
  g_string_chunk_free (result->texts);
  g_free (result);
}

static const char *
keep_text (HirQueryResult *result, const char *text)
{
  const char *known = g_hash_table_lookup (result->known, text);
  char *kept;

  if (known != NULL)
    return known;
  kept = g_string_chunk_insert (result->texts, text);
  /* The entry of the hash table takes about four words. */
  result->n_text_bytes += strlen (text) + 1 + 4 * sizeof (gpointer);
  g_hash_table_add (result->known, kept);
  return kept;
}

static void
add_value (HirQueryResult *result, sqlite3_stmt *statement, int column)
{
  g_autofree char *text = NULL;
  Value value = { 0 };
  guint8 type = HIR_QUERY_NULL;

  switch (sqlite3_column_type (statement, column))
    {
    case SQLITE_NULL:
      break;

    case SQLITE_INTEGER:
      type = HIR_QUERY_INTEGER;
      value.integer = sqlite3_column_int64 (statement, column);
      break;

    case SQLITE_FLOAT:
      type = HIR_QUERY_REAL;
      value.real = sqlite3_column_double (statement, column);
      break;

    default:
      type = HIR_QUERY_TEXT;
      text = hir_query_dup_value (statement, column);
      value.text = keep_text (result, text != NULL ? text : "");
      break;
    }
  g_array_append_val (result->values, value);
  g_byte_array_append (result->types, &type, 1);
}

static int
read_rows (sqlite3_stmt *statement, gpointer user_data)
{
  HirQueryResult *result = user_data;
  int n = sqlite3_column_count (statement), code;
  gsize row_bytes = (gsize) n * (sizeof (Value) + 1);

  for (int i = 0; i < n; i++)
    {
      const char *name = sqlite3_column_name (statement, i);

      g_ptr_array_add (result->names, g_utf8_make_valid (name != NULL ? name : "", -1));
    }
  while ((code = sqlite3_step (statement)) == SQLITE_ROW)
    {
      gsize used = (gsize) result->types->len * (sizeof (Value) + 1) + result->n_text_bytes;

      if (used + row_bytes > result->max_bytes || result->types->len > G_MAXINT32 - (guint) n)
        {
          result->is_cut = TRUE;
          return SQLITE_DONE;
        }
      for (int i = 0; i < n; i++)
        add_value (result, statement, i);
    }
  return code;
}

HirQueryResult *
hir_query_run_result (HirQuery *query,
                      const char *sql,
                      const HirQueryOptions *options,
                      gsize max_bytes,
                      GError **error)
{
  g_autoptr (HirQueryResult) result = result_new (max_bytes);

  if (!hir_query_run_statement (query, sql, options, read_rows, result, error))
    return NULL;
  return g_steal_pointer (&result);
}

guint
hir_query_result_get_n_rows (const HirQueryResult *result)
{
  return result->types->len / MAX (result->names->len, 1);
}

guint
hir_query_result_get_n_columns (const HirQueryResult *result)
{
  return result->names->len;
}

gboolean
hir_query_result_is_cut (const HirQueryResult *result)
{
  return result->is_cut;
}

const char *
hir_query_result_get_name (const HirQueryResult *result, guint column)
{
  return result->names->pdata[column];
}

int
hir_query_result_find_column (const HirQueryResult *result, const char *name)
{
  for (guint i = 0; i < result->names->len; i++)
    if (g_str_equal (result->names->pdata[i], name))
      return (int) i;
  return -1;
}

static const Value *
get_value (const HirQueryResult *result, guint row, guint column, HirQueryType *type)
{
  guint at = row * result->names->len + column;

  *type = (HirQueryType) result->types->data[at];
  return &g_array_index (result->values, Value, at);
}

HirQueryType
hir_query_result_get_type (const HirQueryResult *result, guint row, guint column)
{
  HirQueryType type;

  (void) get_value (result, row, column, &type);
  return type;
}

gint64
hir_query_result_get_integer (const HirQueryResult *result, guint row, guint column)
{
  HirQueryType type;
  const Value *value = get_value (result, row, column, &type);

  return type == HIR_QUERY_INTEGER ? value->integer : 0;
}

gint64
hir_query_result_find_integer (const HirQueryResult *result, guint column, gint64 integer)
{
  const Value *values = (const Value *) (gpointer) result->values->data;
  guint n_columns = result->names->len;

  for (guint at = column; at < result->types->len; at += n_columns)
    if (values[at].integer == integer && result->types->data[at] == HIR_QUERY_INTEGER)
      return at / n_columns;
  return -1;
}

char *
hir_query_result_dup_text (const HirQueryResult *result, guint row, guint column)
{
  HirQueryType type;
  const Value *value = get_value (result, row, column, &type);

  switch (type)
    {
    case HIR_QUERY_INTEGER:
      return g_strdup_printf ("%" G_GINT64_FORMAT, value->integer);
    case HIR_QUERY_REAL:
      return hir_query_dup_real (value->real);
    case HIR_QUERY_TEXT:
      return g_strdup (value->text);
    case HIR_QUERY_NULL:
    default:
      return NULL;
    }
}
