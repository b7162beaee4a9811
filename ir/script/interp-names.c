/* Lookup of names. A top-level statement runs at the first lookup of a name that it binds, so only
 * statements that the chosen function needs are run. */
#include "script/interp.h"

#include <string.h>

#include "script/script.h"

enum
{
  STATE_NEW,
  STATE_RUNNING,
  STATE_DONE,
  STATE_LEFT_OUT, /* depends on an unknown value */
};

static void
add_binding (HirPy *py, const char *name, guint statement)
{
  GArray *statements = g_hash_table_lookup (py->file->bindings, name);

  if (statements == NULL)
    {
      statements = g_array_new (FALSE, FALSE, sizeof (guint));
      g_hash_table_insert (py->file->bindings, (gpointer) name, statements);
    }
  if (statements->len == 0 || g_array_index (statements, guint, statements->len - 1) != statement)
    g_array_append_val (statements, statement);
}

/* An assignment to an attribute or item of a variable, or a call of a method, may change its value
 * and therefore counts as a binding. */
static void
add_target (HirPy *py, const HirAst *target, guint statement)
{
  while (target != NULL &&
         (target->kind == HIR_AST_ATTRIBUTE || target->kind == HIR_AST_SUBSCRIPT ||
          target->kind == HIR_AST_STARRED || target->kind == HIR_AST_CALL))
    target = target->a;
  if (target == NULL)
    return;
  if (target->kind == HIR_AST_NAME)
    add_binding (py, target->text, statement);
  else if (target->kind == HIR_AST_TUPLE || target->kind == HIR_AST_LIST)
    for (guint i = 0; i < target->n_items; i++)
      add_target (py, target->items[i], statement);
}

static void
add_import (HirPy *py, const HirAst *node, guint statement)
{
  for (guint i = 0; i < node->n_items; i++)
    {
      const HirAst *alias = node->items[i];

      if (strcmp (alias->text, "*") == 0)
        g_array_append_val (py->file->star_imports, statement);
      else if (alias->a != NULL)
        add_binding (py, alias->a->text, statement);
      else
        {
          const char *dot = strchr (alias->text, '.');

          add_binding (py,
                       dot != NULL && node->kind == HIR_AST_IMPORT
                           ? hir_py_printf (py, "%.*s", (int) (dot - alias->text), alias->text)
                           : alias->text,
                       statement);
        }
    }
}

static void add_statement (HirPy *py, const HirAst *node, guint statement);

static void
add_children (HirPy *py, const HirAst *node, guint statement)
{
  const HirAst *const blocks[] = { node->a, node->b, node->c };

  for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
    if (blocks[i] != NULL && blocks[i]->kind == HIR_AST_BLOCK)
      add_children (py, blocks[i], statement);
  for (guint i = 0; i < node->n_items; i++)
    {
      const HirAst *child = node->items[i];

      if (child->kind == HIR_AST_CLAUSE || child->kind == HIR_AST_HANDLER ||
          child->kind == HIR_AST_CASE)
        add_children (py, child, statement);
      else if (child->kind == HIR_AST_WITH_ITEM)
        add_target (py, child->b, statement);
      else
        add_statement (py, child, statement);
    }
}

static void
add_statement (HirPy *py, const HirAst *node, guint statement)
{
  switch (node->kind)
    {
    case HIR_AST_DEF:
    case HIR_AST_CLASS:
      add_binding (py, node->function->name, statement);
      break;
    case HIR_AST_IMPORT:
    case HIR_AST_IMPORT_FROM:
      add_import (py, node, statement);
      break;
    case HIR_AST_ASSIGN:
      for (guint i = 0; i < node->n_items; i++)
        add_target (py, node->items[i], statement);
      break;
    case HIR_AST_ANN_ASSIGN:
      if (node->c != NULL)
        add_target (py, node->a, statement);
      break;
    case HIR_AST_AUG_ASSIGN:
    case HIR_AST_TYPE_ALIAS:
      add_target (py, node->a, statement);
      break;
    case HIR_AST_EXPRESSION:
      if (node->a->kind == HIR_AST_CALL && node->a->a->kind == HIR_AST_ATTRIBUTE)
        add_target (py, node->a->a, statement);
      else if (node->a->kind == HIR_AST_NAMED)
        add_target (py, node->a->a, statement);
      break;
    case HIR_AST_FOR:
      add_target (py, node->a, statement);
      add_children (py, node, statement);
      break;
    case HIR_AST_IF:
    case HIR_AST_WHILE:
    case HIR_AST_WITH:
    case HIR_AST_TRY:
    case HIR_AST_MATCH:
      add_children (py, node, statement);
      break;
    default:
      break;
    }
}

HirPyFile *
hir_py_file_new (HirPy *py, HirScript *script, const char *folder, const char *name)
{
  HirPyFile *file = hir_py_new (py, HirPyFile), *current = py->file;

  file->script = script;
  file->folder = folder != NULL ? hir_py_strdup (py, folder) : NULL;
  file->name = hir_py_strdup (py, name);
  file->globals = hir_py_env_new (py, NULL);
  file->bindings =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) g_array_unref);
  file->star_imports = g_array_new (FALSE, FALSE, sizeof (guint));
  file->statement_state = g_new0 (guint8, script != NULL ? MAX (script->n_body, 1) : 1);
  g_ptr_array_add (py->files, file);
  py->file = file;
  for (guint i = 0; script != NULL && i < script->n_body; i++)
    add_statement (py, script->body[i], i);
  py->file = current;
  return file;
}

void
hir_py_file_clear (HirPyFile *file)
{
  g_hash_table_unref (file->bindings);
  g_array_unref (file->star_imports);
  g_free (file->statement_state);
}

void
hir_py_enter_file (HirPy *py, HirPyFile *file)
{
  if (py->file == py->main_file && file != py->main_file)
    py->main_pos = py->pos;
  py->file = file;
}

void
hir_py_leave_file (HirPy *py, HirPyFile *file, guint pos)
{
  if (py->signal == HIR_PY_GO || py->file != file)
    py->pos = pos;
  py->file = file;
}

HirPyEnv *
hir_py_env_new (HirPy *py, HirPyEnv *parent)
{
  HirPyEnv *env = hir_py_new (py, HirPyEnv);

  env->parent = parent;
  return env;
}

void
hir_py_run_statement (HirPy *py, guint statement)
{
  HirPyFrame frame = { .caller = NULL,
                       .env = py->file->globals,
                       .path = hir_hash_text (0, "<module>") };
  HirPyFrame *caller = py->frame;
  guint pos = py->pos, n_open = py->n_open;
  gboolean is_program = py->is_program && py->file == py->main_file;

  if (py->file->statement_state[statement] != STATE_NEW)
    return;
  if (py->call_depth >= HIR_PY_MAX_CALLS)
    {
      hir_py_fail (py, HIR_ERROR_LIMIT, "calls are nested too deeply: more than %d",
                   HIR_PY_MAX_CALLS);
      return;
    }
  py->call_depth++;
  py->file->statement_state[statement] = STATE_RUNNING;
  py->frame = &frame;
  py->took_false = FALSE;
  py->n_open = 0;
  hir_py_exec (py, py->file->script->body[statement]);
  py->frame = caller;
  py->call_depth--;
  py->file->statement_state[statement] = py->took_false ? STATE_LEFT_OUT : STATE_DONE;
  if (is_program && py->signal != HIR_PY_GO)
    return; /* the run ends here */
  py->n_open = n_open;
  if (py->signal == HIR_PY_STOPPED)
    {
      /* The rest of the statement depends on an unknown value. */
      py->signal = HIR_PY_GO;
      py->file->statement_state[statement] = STATE_LEFT_OUT;
      hir_py_note (py, "this is left out: %s", py->stop_reason);
    }
  if (py->signal == HIR_PY_GO)
    py->pos = pos;
}

static gboolean
is_left_out (HirPy *py, const GArray *statements)
{
  for (guint i = 0; i < statements->len; i++)
    if (py->file->statement_state[g_array_index (statements, guint, i)] == STATE_LEFT_OUT)
      return TRUE;
  return FALSE;
}

static gboolean
find_global (HirPy *py, const char *name, HirPyValue *value)
{
  const HirPyValue *found;
  GArray *statements = g_hash_table_lookup (py->file->bindings, name);
  gboolean in_order = py->is_program && py->file == py->main_file;

  for (guint i = 0;
       statements != NULL && i < statements->len && py->signal == HIR_PY_GO && !in_order; i++)
    hir_py_run_statement (py, g_array_index (statements, guint, i));
  found = hir_py_dict_get_name (py, &py->file->globals->names, name);
  if (found == NULL && statements != NULL &&
      (py->signal == HIR_PY_STOPPED || (py->signal == HIR_PY_GO && is_left_out (py, statements))))
    {
      /* The statement depends on an opaque value, so its variable is opaque, too. */
      py->signal = HIR_PY_GO;
      hir_py_dict_set_name (py, &py->file->globals->names, name,
                            hir_py_opaque (py, NULL, "%s", name));
      found = hir_py_dict_get_name (py, &py->file->globals->names, name);
    }
  if (found == NULL || py->signal != HIR_PY_GO)
    return FALSE;
  *value = *found;
  return TRUE;
}

static gboolean
find_star (HirPy *py, const char *name, HirPyValue *value)
{
  for (guint i = 0; i < py->file->star_imports->len && py->signal == HIR_PY_GO; i++)
    {
      const HirAst *node = py->file->script->body[g_array_index (py->file->star_imports, guint, i)];
      HirPyValue module;

      if (node->kind != HIR_AST_IMPORT_FROM)
        continue;
      module = hir_py_import_module (py, node->text, (guint) node->i);
      if (module.type == HIR_PY_FILE)
        {
          if (hir_py_lookup_in_file (py, module.file, name, value))
            return TRUE;
          continue;
        }
      if (module.type == HIR_PY_MODULE || !hir_py_is_builtin (name))
        {
          *value = hir_py_module_get (py, module, name);
          if (module.type != HIR_PY_MODULE || value->type != HIR_PY_OPAQUE)
            return py->signal == HIR_PY_GO;
        }
    }
  return FALSE;
}

gboolean
hir_py_lookup_in_file (HirPy *py, HirPyFile *file, const char *name, HirPyValue *value)
{
  HirPyFile *current = py->file;
  guint pos = py->pos;
  gboolean found;

  hir_py_enter_file (py, file);
  found = find_global (py, name, value) || (py->signal == HIR_PY_GO && find_star (py, name, value));
  hir_py_leave_file (py, current, pos);
  return found;
}

gboolean
hir_py_lookup_global (HirPy *py, const char *name, HirPyValue *value)
{
  if (find_global (py, name, value))
    return TRUE;
  if (py->signal != HIR_PY_GO)
    return FALSE;
  if (strcmp (name, "__name__") == 0)
    {
      /* Only a statement that is run because it calls the wanted function may be the main program:
       * a name has the value that an import gives it. */
      gboolean is_main = py->file == py->main_file &&
                         (py->is_program || (py->wanted != NULL && !py->was_called &&
                                             py->frame != NULL && py->frame->function == NULL));

      *value = hir_py_text (py, is_main ? "__main__" : "script");
      return TRUE;
    }
  if (strcmp (name, "__file__") == 0)
    {
      *value = hir_py_opaque (py, NULL, "__file__");
      return TRUE;
    }
  if (find_star (py, name, value))
    return TRUE;
  if (py->signal == HIR_PY_GO && hir_py_is_builtin (name))
    {
      *value = (HirPyValue){ .type = HIR_PY_BUILTIN, .text = name };
      return TRUE;
    }
  return FALSE;
}

static const HirPyValue *
find_local (HirPy *py, const char *name, gboolean *global)
{
  *global = FALSE;
  for (HirPyEnv *env = py->frame != NULL ? py->frame->env : NULL; env != NULL; env = env->parent)
    {
      const HirPyValue *found = hir_py_dict_get_name (py, &env->redirected, name);

      if (found != NULL && found->i == 1)
        {
          *global = TRUE;
          return NULL;
        }
      if (found == NULL && env != py->file->globals)
        found = hir_py_dict_get_name (py, &env->names, name);
      else
        found = NULL;
      if (found != NULL)
        return found;
    }
  return NULL;
}

/* A name that no statement binds may be misspelled. */
static void
fail_undefined (HirPy *py, const char *name)
{
  HirPos pos = hir_py_get_pos (py);
  g_autoptr (GPtrArray) found =
      py->file->script != NULL ? hir_script_dup_undefined (py->file->script) : g_ptr_array_new ();

  for (guint i = 0; i < found->len; i++)
    {
      const HirDiagnostic *diagnostic = found->pdata[i];

      if (diagnostic->pos.line != pos.line || diagnostic->pos.column != pos.column)
        continue;
      hir_py_fail (py, HIR_ERROR_REFUSED, "%s", diagnostic->message);
      return;
    }
  hir_py_fail (py, HIR_ERROR_REFUSED,
               "the name '%s' is not defined; define or import it before it is used here", name);
}

gboolean
hir_py_lookup (HirPy *py, const char *name, HirPyValue *value)
{
  gboolean global;
  const HirPyValue *found = find_local (py, name, &global);

  if (found != NULL)
    {
      *value = *found;
      return TRUE;
    }
  if (hir_py_lookup_global (py, name, value))
    return TRUE;
  fail_undefined (py, name);
  return FALSE;
}
