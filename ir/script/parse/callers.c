/* Finds the tests, statements and functions from which a function of a script can be reached. A
 * function is reached by code that contains its name: in a call, as an argument, in a table, or in
 * a decorator. */
#include "script/parse/callers.h"

#include <string.h>

#define MAX_ROUNDS 8
#define MAX_IMPORTERS 16
#define MAX_SIBLINGS 1000

static gboolean mentions (const HirAst *node, GHashTable *names);

static gboolean
any_mentions (HirAst *const *nodes, guint n, GHashTable *names)
{
  for (guint i = 0; i < n; i++)
    if (mentions (nodes[i], names))
      return TRUE;
  return FALSE;
}

static gboolean
function_mentions (const HirAstFunction *function, GHashTable *names)
{
  return any_mentions (function->body, function->n_body, names) ||
         any_mentions (function->decorators, function->n_decorators, names);
}

static gboolean
mentions (const HirAst *node, GHashTable *names)
{
  if (node == NULL)
    return FALSE;
  if (node->kind == HIR_AST_DEF || node->kind == HIR_AST_CLASS)
    return function_mentions (node->function, names) || mentions (node->a, names);
  if ((node->kind == HIR_AST_NAME || node->kind == HIR_AST_ATTRIBUTE) &&
      g_hash_table_contains (names, node->text))
    return TRUE;
  return mentions (node->a, names) || mentions (node->b, names) || mentions (node->c, names) ||
         any_mentions (node->items, node->n_items, names);
}

static gboolean
is_test (const HirAst *statement)
{
  return statement->kind == HIR_AST_DEF && g_str_has_prefix (statement->function->name, "test");
}

/* Adds the name that @statement binds. Returns FALSE if there is none, or if it is known. */
static gboolean
add_name (const HirAst *statement, GHashTable *names)
{
  const HirAst *target = statement->n_items == 1 ? statement->items[0] : NULL;

  if (statement->kind == HIR_AST_DEF || statement->kind == HIR_AST_CLASS)
    return g_hash_table_add (names, (gpointer) statement->function->name);
  return statement->kind == HIR_AST_ASSIGN && target != NULL && target->kind == HIR_AST_NAME &&
         g_hash_table_add (names, (gpointer) target->text);
}

static void
add_methods (const HirAst *statement, guint index, GHashTable *names, GArray *callers)
{
  for (guint i = 0; i < statement->function->n_body; i++)
    {
      const HirAst *method = statement->function->body[i];
      HirScriptCaller caller = { NULL, statement->function, index };

      if (!is_test (method) || !function_mentions (method->function, names))
        continue;
      caller.function = method->function;
      g_array_append_val (callers, caller);
    }
}

/* Adds the tests (@order 0), statements (1) or functions (2) that mention one of @names. */
static void
add_callers (const HirScript *script, GHashTable *names, guint order, GArray *callers)
{
  for (guint i = 0; i < script->n_body; i++)
    {
      const HirAst *statement = script->body[i];
      HirScriptCaller caller = { NULL, NULL, i };
      guint of = is_test (statement) ? 0 : statement->kind == HIR_AST_DEF ? 2 : 1;

      if (statement->kind == HIR_AST_CLASS && order == 0)
        add_methods (statement, i, names, callers);
      if (of != order || statement->kind == HIR_AST_CLASS || statement->kind == HIR_AST_ASSIGN ||
          !mentions (statement, names))
        continue;
      if (statement->kind == HIR_AST_DEF)
        caller.function = statement->function;
      g_array_append_val (callers, caller);
    }
}

static void
add_names (const HirScript *script, GHashTable *names)
{
  gboolean added = TRUE;

  for (guint round = 0; round < MAX_ROUNDS && added; round++)
    {
      added = FALSE;
      for (guint i = 0; i < script->n_body; i++)
        if (mentions (script->body[i], names) && add_name (script->body[i], names))
          added = TRUE;
    }
}

GHashTable *
hir_script_dup_reaching (const HirScript *script, const char *name)
{
  GHashTable *names = g_hash_table_new (g_str_hash, g_str_equal);

  g_hash_table_add (names, (gpointer) name);
  add_names (script, names);
  return names;
}

GArray *
hir_script_dup_callers (const HirScript *script, GHashTable *names)
{
  GArray *callers = g_array_new (FALSE, FALSE, sizeof (HirScriptCaller));

  add_names (script, names);
  for (guint order = 0; order < 3; order++)
    add_callers (script, names, order, callers);
  return callers;
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Returns the names of the Python files in @folder without their suffix, sorted. */
static GPtrArray *
dup_modules (const char *folder)
{
  GPtrArray *modules = g_ptr_array_new_with_free_func (g_free);
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && modules->len < MAX_SIBLINGS && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".py"))
      g_ptr_array_add (modules, g_strndup (name, strlen (name) - strlen (".py")));
  if (dir != NULL)
    g_dir_close (dir);
  g_ptr_array_sort (modules, compare_names);
  return modules;
}

static gboolean
has_any (const char *text, GHashTable *names)
{
  GHashTableIter iter;
  gpointer name;

  g_hash_table_iter_init (&iter, names);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    if (strstr (text, name) != NULL)
      return TRUE;
  return FALSE;
}

GPtrArray *
hir_script_dup_importers (const HirScript *script, GHashTable *names)
{
  GPtrArray *importers = g_ptr_array_new_with_free_func (g_free);
  const char *path = script->source->path;
  g_autofree char *folder = path != NULL ? g_path_get_dirname (path) : NULL;
  g_autofree char *base = path != NULL ? g_path_get_basename (path) : NULL;
  g_autoptr (GPtrArray) modules = NULL;

  if (path == NULL || !g_str_has_suffix (base, ".py") ||
      !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return importers;
  base[strlen (base) - strlen (".py")] = '\0';
  modules = dup_modules (folder);
  for (guint i = 0; i < modules->len && importers->len < MAX_IMPORTERS; i++)
    {
      g_autofree char *file = g_strconcat (modules->pdata[i], ".py", NULL);
      g_autofree char *other = g_build_filename (folder, file, NULL), *text = NULL;

      if (strcmp (modules->pdata[i], base) != 0 && g_file_test (other, G_FILE_TEST_IS_REGULAR) &&
          g_file_get_contents (other, &text, NULL, NULL) && strstr (text, base) != NULL &&
          has_any (text, names))
        g_ptr_array_add (importers, g_strdup (modules->pdata[i]));
    }
  return importers;
}
