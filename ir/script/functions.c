/* Lists the functions of a script and those that build a FusionDefinition. */
#include "script/functions.h"
#include "script/script.h"

#include <string.h>

static void
param_free (gpointer data)
{
  HirScriptParam *param = data;

  g_free (param->name);
  g_free (param->annotation);
  g_free (param->default_value);
  g_free (param);
}

static void
function_free (gpointer data)
{
  HirScriptFunction *function = data;

  g_free (function->name);
  g_free (function->qualified_name);
  g_ptr_array_unref (function->params);
  g_free (function);
}

static char *
dup_qualified_name (const HirAstFunction *function)
{
  GString *name = g_string_new (function->name);

  for (const HirAstFunction *outer = function->parent; outer != NULL; outer = outer->parent)
    {
      g_string_prepend_c (name, '.');
      g_string_prepend (name, outer->name);
    }
  return g_string_free (name, FALSE);
}

static GPtrArray *
dup_params (const HirScript *script, const HirAstFunction *function, guint first)
{
  GPtrArray *params = g_ptr_array_new_with_free_func (param_free);

  for (guint i = first; function != NULL && i < function->n_params; i++)
    {
      const HirAstParam *param = &function->params[i];
      HirScriptParam *copy = g_new0 (HirScriptParam, 1);

      copy->name = g_strdup (param->name);
      copy->kind = param->kind;
      if (param->annotation != NULL)
        copy->annotation = hir_script_dup_text (script, param->annotation);
      if (param->default_value != NULL)
        copy->default_value = hir_script_dup_text (script, param->default_value);
      g_ptr_array_add (params, copy);
    }
  return params;
}

/* @params_of is the function whose parameters are listed from index @first; NULL for none. */
static HirScriptFunction *
function_new (const HirScript *script,
              const HirAstFunction *function,
              const HirAstFunction *params_of,
              guint first)
{
  HirScriptFunction *copy = g_new0 (HirScriptFunction, 1);

  copy->name = g_strdup (function->name);
  copy->qualified_name = dup_qualified_name (function);
  copy->pos = hir_script_get_pos (script, function->node->start);
  copy->is_async = function->is_async;
  copy->is_class = function->is_class;
  copy->params = dup_params (script, params_of, first);
  return copy;
}

GPtrArray *
hir_script_dup_functions (HirScript *script)
{
  GPtrArray *functions = g_ptr_array_new_with_free_func (function_free);

  for (guint i = 0; i < script->functions->len; i++)
    {
      const HirAstFunction *function = script->functions->pdata[i];

      if (!function->is_class)
        g_ptr_array_add (functions, function_new (script, function, function, 0));
    }
  return functions;
}

HirAstFunction *
hir_script_lookup (const HirScript *script, const char *name)
{
  return g_hash_table_lookup (script->top_level, name);
}

HirAstFunction *
hir_script_lookup_method (const HirScript *script, const HirAstFunction *class, const char *name)
{
  HirAstFunction *found = NULL;

  for (guint i = 0; i < class->n_body; i++)
    if (class->body[i]->kind == HIR_AST_DEF && strcmp (class->body[i]->function->name, name) == 0)
      found = class->body[i]->function;
  return found;
}

gboolean
hir_script_is_definition_param (const HirAstParam *param)
{
  const HirAst *annotation = param->annotation;

  if (strcmp (param->name, "fd") == 0)
    return TRUE;
  return annotation != NULL &&
         (annotation->kind == HIR_AST_NAME || annotation->kind == HIR_AST_ATTRIBUTE ||
          annotation->kind == HIR_AST_STRING) &&
         strcmp (annotation->text, "FusionDefinition") == 0;
}

static gboolean
fills_definition (const HirAstFunction *function)
{
  for (guint i = 0; i < function->n_params; i++)
    if (hir_script_is_definition_param (&function->params[i]))
      return TRUE;
  return FALSE;
}

/* Returns the nested function that fills a definition and is called @path. */
static HirAstFunction *
find_nested (const HirScript *script, const char *path)
{
  g_auto (GStrv) parts = g_strsplit (path, "::", 0);
  g_autofree char *dotted = g_strjoinv (".", parts);

  for (guint i = 0; i < script->functions->len; i++)
    {
      HirAstFunction *function = script->functions->pdata[i];
      g_autofree char *name = dup_qualified_name (function);

      if (!function->is_class && function->parent != NULL && fills_definition (function) &&
          (strcmp (name, dotted) == 0 || strcmp (function->name, dotted) == 0))
        return function;
    }
  return NULL;
}

HirAstFunction *
hir_script_lookup_path (const HirScript *script, const char *path, HirAstFunction **class)
{
  const char *colons = strstr (path, "::"), *dot = strchr (path, '.');
  const char *separator = colons != NULL ? colons : dot;
  g_autofree char *first = NULL;
  HirAstFunction *method;

  *class = NULL;
  if (strcmp (path, HIR_SCRIPT_PROGRAM) == 0)
    return script->program;
  if (separator == NULL)
    {
      HirAstFunction *top = hir_script_lookup (script, path);

      return top != NULL ? top : find_nested (script, path);
    }
  first = g_strndup (path, separator - path);
  *class = hir_script_lookup (script, first);
  method = *class != NULL && (*class)->is_class
               ? hir_script_lookup_method (script, *class, separator + (colons != NULL ? 2 : 1))
               : NULL;
  if (method != NULL)
    return method;
  *class = NULL;
  return find_nested (script, path);
}

/* Search for calls in a body that make its function a candidate. */
typedef struct
{
  const HirScript *script;
  const char *fd;      /* nullable: name of the parameter for a definition */
  gboolean builds;     /* calls FusionDefinition, or a function or class that builds one */
  gboolean fills;      /* calls fd.add_output() */
  GHashTable *known;   /* HirAstFunction* -> state */
  guint depth;         /* length of the call chain */
  gboolean is_program; /* the body is the top level: its functions are not included */
} Search;

/* Limits the recursion of the search. */
#define MAX_CALL_DEPTH 100

enum
{
  STATE_SEARCHING = 1,
  STATE_NO,
  STATE_YES,
};

static gboolean
builds (const HirScript *script, HirAstFunction *function, GHashTable *known, guint depth);

static const char *
get_last_name (const HirAst *node)
{
  return node->kind == HIR_AST_NAME || node->kind == HIR_AST_ATTRIBUTE ? node->text : "";
}

static void
search_call (Search *search, const HirAst *call)
{
  const HirAst *callee = call->a;
  HirAstFunction *function;

  if (strcmp (get_last_name (callee), "FusionDefinition") == 0 ||
      strcmp (get_last_name (callee), "exec_nvfuser") == 0)
    search->builds = TRUE;
  else if (callee->kind == HIR_AST_NAME &&
           (function = hir_script_lookup (search->script, callee->text)) != NULL)
    {
      if (builds (search->script, function, search->known, search->depth + 1))
        search->builds = TRUE;
    }
  else if (search->fd != NULL && callee->kind == HIR_AST_ATTRIBUTE &&
           strcmp (callee->text, "add_output") == 0 && callee->a->kind == HIR_AST_NAME &&
           strcmp (callee->a->text, search->fd) == 0)
    search->fills = TRUE;
}

static gboolean
derives_from_definition (const HirScript *script, const HirAstFunction *class, guint depth)
{
  const HirAst *bases = class->node->a;

  for (guint i = 0; i < bases->n_items; i++)
    {
      const char *name = get_last_name (bases->items[i]);
      HirAstFunction *base;

      if (strcmp (name, "FusionDefinition") == 0)
        return TRUE;
      base = hir_script_lookup (script, name);
      if (base != NULL && base->is_class && base != class && depth < 20 &&
          derives_from_definition (script, base, depth + 1))
        return TRUE;
    }
  return FALSE;
}

/* Nested functions and classes are included: a function that defines one is assumed to use it. */
static void
search_node (Search *search, const HirAst *node)
{
  if (node == NULL)
    return;
  if (node->kind == HIR_AST_DEF && search->is_program)
    return;
  if (node->kind == HIR_AST_CLASS)
    {
      search->builds =
          search->builds ||
          (!search->is_program && derives_from_definition (search->script, node->function, 0));
      return;
    }
  if (node->kind == HIR_AST_CALL)
    search_call (search, node);
  search_node (search, node->a);
  search_node (search, node->b);
  search_node (search, node->c);
  for (guint i = 0; i < node->n_items; i++)
    search_node (search, node->items[i]);
}

static const char *
find_fd_param (const HirAstFunction *function)
{
  for (guint i = 0; i < function->n_params; i++)
    if (hir_script_is_definition_param (&function->params[i]))
      return function->params[i].name;
  return NULL;
}

static gboolean
builds (const HirScript *script, HirAstFunction *function, GHashTable *known, guint depth)
{
  guint state = GPOINTER_TO_UINT (g_hash_table_lookup (known, function));
  gboolean result;

  if (state != 0)
    return state == STATE_YES;
  if (depth > MAX_CALL_DEPTH)
    return FALSE;
  g_hash_table_insert (known, function, GUINT_TO_POINTER (STATE_SEARCHING));
  if (function->is_class)
    result = derives_from_definition (script, function, 0) &&
             hir_script_lookup_method (script, function, "definition") != NULL;
  else
    {
      Search search = {
        .script = script, .known = known, .depth = depth, .is_program = function == script->program
      };

      for (guint i = 0; i < function->n_body; i++)
        search_node (&search, function->body[i]);
      result = search.builds;
    }
  g_hash_table_insert (known, function, GUINT_TO_POINTER (result ? STATE_YES : STATE_NO));
  return result;
}

static gboolean
fills (const HirScript *script, HirAstFunction *function, GHashTable *known)
{
  Search search = { .script = script, .fd = find_fd_param (function), .known = known };

  if (search.fd == NULL || function->is_class)
    return FALSE;
  for (guint i = 0; i < function->n_body; i++)
    search_node (&search, function->body[i]);
  return search.fills;
}

/* Returns TRUE if values of this annotation cannot be given on the command line. */
static gboolean
is_unwritable (const HirScript *script, const HirAst *annotation)
{
  g_autofree char *text = hir_script_dup_text (script, annotation);

  return strstr (text, "Tensor") != NULL || strstr (text, "Callable") != NULL ||
         strstr (text, "Module") != NULL;
}

static gboolean
is_givable (const HirScript *script, const HirAstFunction *function, guint first)
{
  for (guint i = first; i < function->n_params; i++)
    {
      const HirAstParam *param = &function->params[i];

      if (param->default_value == NULL && param->annotation != NULL &&
          !hir_script_is_definition_param (param) && is_unwritable (script, param->annotation))
        return FALSE;
    }
  return TRUE;
}

gboolean
hir_script_is_fixture (const HirAstFunction *function)
{
  for (guint i = 0; i < function->n_decorators; i++)
    {
      const HirAst *decorator = function->decorators[i];

      if (decorator->kind == HIR_AST_CALL)
        decorator = decorator->a;
      if (strcmp (get_last_name (decorator), "fixture") == 0)
        return TRUE;
    }
  return FALSE;
}

const HirAst *
hir_script_get_fixture_option (const HirAstFunction *function, const char *name)
{
  for (guint i = 0; i < function->n_decorators; i++)
    {
      const HirAst *decorator = function->decorators[i];

      if (decorator->kind != HIR_AST_CALL || strcmp (get_last_name (decorator->a), "fixture") != 0)
        continue;
      for (guint j = 0; j < decorator->n_items; j++)
        if (decorator->items[j]->kind == HIR_AST_KEYWORD &&
            strcmp (decorator->items[j]->text, name) == 0)
          return decorator->items[j]->a;
    }
  return NULL;
}

/* Adds the test methods of @class that build a fusion, as CLASS::METHOD. */
static void
add_methods (HirScript *script, HirAstFunction *class, GHashTable *known, GPtrArray *candidates)
{
  for (guint i = 0; i < class->n_body; i++)
    {
      HirAstFunction *method;
      HirScriptFunction *candidate;

      if (class->body[i]->kind != HIR_AST_DEF)
        continue;
      method = class->body[i]->function;
      if (!g_str_has_prefix (method->name, "test") || method->is_async ||
          !builds (script, method, known, 0))
        continue;
      candidate = function_new (script, method, method, 1);
      g_free (candidate->name);
      candidate->name = g_strdup_printf ("%s::%s", class->name, method->name);
      g_ptr_array_add (candidates, candidate);
    }
}

/* Adds functions that fill a definition and are nested in one that is no candidate. */
static void
add_nested (HirScript *script, GHashTable *known, GPtrArray *candidates)
{
  for (guint i = 0; i < script->functions->len; i++)
    {
      HirAstFunction *function = script->functions->pdata[i], *top = function;

      while (top->parent != NULL)
        top = top->parent;
      if (top != function && !function->is_class && fills (script, function, known) &&
          is_givable (script, function, 0) && !builds (script, top, known, 0))
        {
          HirScriptFunction *candidate = function_new (script, function, function, 0);

          g_free (candidate->name);
          candidate->name = g_strdup (candidate->qualified_name);
          g_ptr_array_add (candidates, candidate);
        }
    }
}

GPtrArray *
hir_script_dup_candidates (HirScript *script)
{
  GPtrArray *candidates = g_ptr_array_new_with_free_func (function_free);
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < script->functions->len; i++)
    {
      HirAstFunction *function = script->functions->pdata[i], *params_of = function;
      guint first = 0;

      if (function->parent != NULL || function->is_async ||
          hir_script_lookup (script, function->name) != function)
        continue;
      if (function->is_class && !builds (script, function, known, 0))
        {
          add_methods (script, function, known, candidates);
          continue;
        }
      if (function->is_class)
        {
          params_of = hir_script_lookup_method (script, function, "__init__");
          first = 1;
        }
      if (!hir_script_is_fixture (function) &&
          (builds (script, function, known, 0) || fills (script, function, known)) &&
          (params_of == NULL || is_givable (script, params_of, first)))
        g_ptr_array_add (candidates, function_new (script, function, params_of, first));
    }
  add_nested (script, known, candidates);
  if (candidates->len == 0 && script->program != NULL && builds (script, script->program, known, 0))
    g_ptr_array_add (candidates, function_new (script, script->program, NULL, 0));
  return candidates;
}
