/* Declares and registers virtual tables. */
#include "query/query-private.h"

typedef struct
{
  HirQuery *query;
  const HirQueryTable *table;
} Aux;

int
hir_query_connect (
    sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **made, char **message)
{
  const HirQueryTable *table = ((const Aux *) aux)->table;
  g_autoptr (GString) sql = g_string_new ("CREATE TABLE x(");
  HirQuery *query = ((const Aux *) aux)->query;
  HirQueryVtab *vtab;
  int code;

  (void) argc;
  (void) argv;
  for (const HirQueryColumn *column = table->columns; column->name != NULL; column++)
    g_string_append_printf (sql, "%s\"%s\" %s", column > table->columns ? "," : "", column->name,
                            column->type);
  g_string_append_c (sql, ')');
  query->is_declaring = TRUE;
  code = sqlite3_declare_vtab (db, sql->str);
  query->is_declaring = FALSE;
  if (code != SQLITE_OK)
    {
      *message = sqlite3_mprintf ("%s", sqlite3_errmsg (db));
      return SQLITE_ERROR;
    }
  vtab = g_new0 (HirQueryVtab, 1);
  vtab->query = query;
  vtab->table = table;
  *made = &vtab->base;
  return SQLITE_OK;
}

int
hir_query_disconnect (sqlite3_vtab *table)
{
  g_free (table);
  return SQLITE_OK;
}

int
hir_query_open_cursor (sqlite3_vtab *table, gsize size, sqlite3_vtab_cursor **made)
{
  HirQueryCursor *cursor = g_malloc0 (size);

  cursor->query = ((HirQueryVtab *) table)->query;
  cursor->table = ((HirQueryVtab *) table)->table;
  *made = &cursor->base;
  return SQLITE_OK;
}

int
hir_query_close_cursor (sqlite3_vtab_cursor *cursor)
{
  g_free (cursor);
  return SQLITE_OK;
}

int
hir_query_register_tables (HirQuery *query,
                           const HirQueryTable *tables,
                           const sqlite3_module *module)
{
  int code = SQLITE_OK;

  for (const HirQueryTable *table = tables; table->name != NULL && code == SQLITE_OK; table++)
    {
      Aux *aux = g_new0 (Aux, 1);

      aux->query = query;
      aux->table = table;
      code = sqlite3_create_module_v2 (query->db, table->name, module, aux, g_free);
    }
  return code;
}
