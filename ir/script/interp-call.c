/* Calls of script functions and other callable values. */
#include "script/interp.h"

#include <string.h>

HirPyValue
hir_py_make_function (HirPy *py, HirAstFunction *ast, HirPyClass *owner)
{
  HirPyFunction *function = hir_py_new (py, HirPyFunction);
  HirPyEnv *env = py->frame->env;

  function->ast = ast;
  function->owner = owner;
  function->file = py->file;
  /* A method does not see the names of its class. Names of the top level are not captured. */
  function->closure = owner != NULL ? env->parent : env;
  if (function->closure == py->file->globals)
    function->closure = NULL;
  function->defaults = hir_py_alloc (py, MAX (ast->n_params, 1) * sizeof (HirPyValue));
  for (guint i = 0; function->defaults != NULL && i < ast->n_params && py->signal == HIR_PY_GO; i++)
    if (ast->params[i].default_value != NULL)
      function->defaults[i] = hir_py_eval (py, ast->params[i].default_value);
  for (guint i = 0; i < ast->n_decorators; i++)
    {
      const char *name = ast->decorators[i]->kind == HIR_AST_NAME ? ast->decorators[i]->text : "";

      function->is_static = function->is_static || strcmp (name, "staticmethod") == 0;
      function->is_class_method = function->is_class_method || strcmp (name, "classmethod") == 0;
      function->is_property = function->is_property || strcmp (name, "property") == 0 ||
                              strcmp (name, "cached_property") == 0;
    }
  return (HirPyValue){ .type = HIR_PY_FUNCTION, .function = function };
}

/* State of binding arguments to the parameters of a new activation. */
typedef struct
{
  HirPy *py;
  HirPyFunction *function;
  HirPyArgs *args;
  HirPyEnv *env;
  const HirPyValue *self; /* nullable: precedes the positional arguments */
  guint next;             /* number of positional arguments used */
} Binding;

static gboolean
take_positional (Binding *binding, HirPyValue *value)
{
  guint n_self = binding->self != NULL ? 1 : 0;

  if (binding->next >= binding->args->n + n_self)
    return FALSE;
  *value = n_self > binding->next ? *binding->self : binding->args->items[binding->next - n_self];
  binding->next++;
  return TRUE;
}

static gboolean
take_named (Binding *binding, const char *name, HirPyValue *value)
{
  for (guint i = 0; i < binding->args->n_named; i++)
    if (!binding->args->used[i] && strcmp (binding->args->names[i], name) == 0)
      {
        binding->args->used[i] = TRUE;
        *value = binding->args->named[i];
        return TRUE;
      }
  return FALSE;
}

static HirPyValue
take_rest (Binding *binding, HirScriptParamKind kind)
{
  HirPy *py = binding->py;
  HirPyValue rest = kind == HIR_SCRIPT_PARAM_VAR_POSITIONAL ? hir_py_list (py, HIR_PY_TUPLE, 0)
                                                            : hir_py_dict (py, HIR_PY_DICT);
  HirPyValue value;

  if (kind == HIR_SCRIPT_PARAM_VAR_POSITIONAL)
    {
      while (take_positional (binding, &value))
        hir_py_list_append (py, rest.list, value);
      return rest;
    }
  for (guint i = 0; i < binding->args->n_named; i++)
    if (!binding->args->used[i])
      {
        hir_py_dict_set_name (py, rest.dict, binding->args->names[i], binding->args->named[i]);
        binding->args->used[i] = TRUE;
      }
  return rest;
}

static void
bind_param (Binding *binding, guint index)
{
  HirPy *py = binding->py;
  const HirAstParam *param = &binding->function->ast->params[index];
  HirPyValue value = hir_py_none ();
  gboolean found = FALSE;

  if (param->kind == HIR_SCRIPT_PARAM_VAR_POSITIONAL || param->kind == HIR_SCRIPT_PARAM_VAR_KEYWORD)
    {
      hir_py_bind (py, param->name, take_rest (binding, param->kind));
      return;
    }
  if (param->kind != HIR_SCRIPT_PARAM_KEYWORD_ONLY)
    found = take_positional (binding, &value);
  if (!found && param->kind != HIR_SCRIPT_PARAM_POSITIONAL_ONLY)
    found = take_named (binding, param->name, &value);
  if (!found && param->default_value != NULL)
    {
      value = binding->function->defaults[index];
      found = TRUE;
    }
  if (found)
    hir_py_bind (py, param->name, value);
  else
    hir_py_raise (py, "TypeError", "%s() misses the argument '%s'", binding->function->ast->name,
                  param->name);
}

static void
bind_params (HirPy *py, HirPyFunction *function, const HirPyValue *self, HirPyArgs *args)
{
  Binding binding = {
    .py = py, .function = function, .args = args, .env = py->frame->env, .self = self
  };

  for (guint i = 0; i < function->ast->n_params && py->signal == HIR_PY_GO; i++)
    bind_param (&binding, i);
  if (py->signal != HIR_PY_GO)
    return;
  if (binding.next < args->n + (self != NULL ? 1 : 0))
    hir_py_raise (py, "TypeError", "%s() takes fewer arguments by position than it is given",
                  function->ast->name);
  for (guint i = 0; i < args->n_named && py->signal == HIR_PY_GO; i++)
    if (!args->used[i])
      hir_py_raise (py, "TypeError", "%s() has no argument '%s', or it is given twice",
                    function->ast->name, args->names[i]);
}

/* Returns the call path of the next call of @name from this activation. */
static guint64
next_path (HirPy *py, const char *name)
{
  HirPyFrame *caller = py->frame;
  const HirPyValue *count = hir_py_dict_get_name (py, &caller->call_counts, name);
  gint64 ordinal = count != NULL ? count->i + 1 : 1;

  hir_py_dict_set_name (py, &caller->call_counts, name, hir_py_int (ordinal));
  return hir_hash_mix (hir_hash_text (caller->path, name), ordinal);
}

HirPyValue
hir_py_call_function (
    HirPy *py, HirPyFunction *function, const HirPyValue *self, HirPyArgs *args, const char *name)
{
  HirPyFrame frame = { .caller = py->frame, .function = function };
  HirPyValue result = hir_py_none ();
  HirPyFile *caller = py->file;
  guint pos = py->pos;

  if (py->signal != HIR_PY_GO)
    return result;
  if (py->call_depth >= HIR_PY_MAX_CALLS)
    return hir_py_fail (py, HIR_ERROR_LIMIT,
                        "calls are nested too deeply: more than %d; is there a recursion without "
                        "end?",
                        HIR_PY_MAX_CALLS);
  if (function->ast->is_async)
    return hir_py_fail (py, HIR_ERROR_REFUSED, "%s is asynchronous and not run here",
                        function->ast->name);
  if (function->ast == py->wanted && !py->was_called)
    {
      py->was_called = TRUE;
      for (guint i = 0; i < py->definitions->len; i++)
        {
          HirPyDefinition *definition = py->definitions->pdata[i];

          definition->is_before = definition->is_closed;
        }
    }
  frame.path = next_path (py, name);
  frame.env = hir_py_env_new (py, function->closure);
  frame.self = self != NULL ? *self : args->n > 0 ? args->items[0] : hir_py_none ();
  if (function->ast->is_generator)
    frame.yielded = hir_py_list (py, HIR_PY_LIST, 0).list;
  py->frame = &frame;
  py->call_depth++;
  hir_py_enter_file (py, function->file);
  bind_params (py, function, self, args);
  hir_py_exec_block (py, function->ast->body, function->ast->n_body);
  py->call_depth--;
  py->frame = frame.caller;
  if (py->signal == HIR_PY_RETURNING)
    {
      result = py->returned;
      py->signal = HIR_PY_GO;
    }
  hir_py_leave_file (py, caller, pos);
  if (py->signal == HIR_PY_BREAKING || py->signal == HIR_PY_CONTINUING)
    return hir_py_fail (py, HIR_ERROR_INPUT, "'break' or 'continue' outside a loop in %s",
                        function->ast->name);
  if (frame.yielded != NULL)
    {
      frame.yielded->is_iterator = TRUE;
      return (HirPyValue){ .type = HIR_PY_LIST, .list = frame.yielded };
    }
  return result;
}

HirPyValue
hir_py_call_values (HirPy *py, HirPyValue callee, HirPyValue *items, guint n)
{
  return hir_py_call (py, callee,
                      &(HirPyArgs){ .items = items, .n = n, .callee = hir_py_type_name (callee) });
}

/* functools.partial (function, ...) */
HirPyValue
hir_py_partial (HirPy *py, HirPyArgs *args)
{
  HirPyPartial *partial = hir_py_new (py, HirPyPartial);

  partial->function = hir_py_arg_required (py, args, 0, "func");
  partial->args = *args;
  if (args->n > 0)
    {
      partial->args.items++;
      partial->args.n--;
    }
  return (HirPyValue){ .type = HIR_PY_PARTIAL, .partial = partial };
}

/* Named arguments of the call replace those of the partial. */
static HirPyValue
call_partial (HirPy *py, const HirPyPartial *partial, HirPyArgs *args)
{
  const HirPyArgs *first = &partial->args;
  guint n = first->n + args->n, n_named = first->n_named + args->n_named;
  HirPyArgs all = { .callee = args->callee, .n = n };

  all.items = hir_py_alloc (py, MAX (n, 1) * sizeof (HirPyValue));
  all.named = hir_py_alloc (py, MAX (n_named, 1) * sizeof (HirPyValue));
  all.names = hir_py_alloc (py, MAX (n_named, 1) * sizeof (char *));
  all.used = hir_py_alloc (py, MAX (n_named, 1) * sizeof (gboolean));
  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  for (guint i = 0; i < n; i++)
    all.items[i] = i < first->n ? first->items[i] : args->items[i - first->n];
  for (guint i = 0; i < args->n_named; i++)
    {
      all.names[all.n_named] = args->names[i];
      all.named[all.n_named++] = args->named[i];
    }
  for (guint i = 0; i < first->n_named; i++)
    {
      gboolean replaced = FALSE;

      for (guint j = 0; j < args->n_named; j++)
        replaced = replaced || strcmp (args->names[j], first->names[i]) == 0;
      if (replaced)
        continue;
      all.names[all.n_named] = first->names[i];
      all.named[all.n_named++] = first->named[i];
    }
  return hir_py_call (py, partial->function, &all);
}

HirPyValue
hir_py_call (HirPy *py, HirPyValue callee, HirPyArgs *args)
{
  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  switch (callee.type)
    {
    case HIR_PY_FUNCTION:
      return hir_py_call_function (py, callee.function, NULL, args, callee.function->ast->name);
    case HIR_PY_METHOD:
      return hir_py_call_function (py, callee.method->function.function, &callee.method->self, args,
                                   callee.method->function.function->ast->name);
    case HIR_PY_PARTIAL:
      return call_partial (py, callee.partial, args);
    case HIR_PY_BOUND:
      return hir_py_call_method (py, callee.bound->self, callee.bound->name, args);
    case HIR_PY_BUILTIN:
      return hir_py_call_builtin (py, callee.text, args);
    case HIR_PY_CLASS:
      return hir_py_instantiate (py, callee.class, args);
    case HIR_PY_OPAQUE:
      return hir_py_opaque_call (py, callee, args);
    case HIR_PY_INT:
      /* Scripts use `mesh.size` and `communicator.size` both as property and as method. */
      if (args->n == 0 && args->n_named == 0 &&
          (g_str_has_suffix (args->callee, "size") || g_str_has_suffix (args->callee, "rank") ||
           g_str_has_suffix (args->callee, ".ndim")))
        return callee;
      break;
    case HIR_PY_INSTANCE:
      if (hir_py_class_lookup (py, callee.instance->class, "__call__") != NULL)
        return hir_py_call (py, hir_py_get_attribute (py, callee, "__call__"), args);
      break;
    default:
      break;
    }
  return hir_py_raise (py, "TypeError", "a %s cannot be called", hir_py_type_name (callee));
}

static void
append_named (HirPy *py, GPtrArray *names, HirPyList *values, const char *name, HirPyValue value)
{
  for (guint i = 0; i < names->len; i++)
    if (strcmp (names->pdata[i], name) == 0)
      hir_py_raise (py, "TypeError", "the argument '%s' is given twice", name);
  g_ptr_array_add (names, (gpointer) name);
  hir_py_list_append (py, values, value);
}

static void
eval_double_star (HirPy *py, const HirAst *node, GPtrArray *names, HirPyList *values)
{
  HirPyValue value = hir_py_eval (py, node->a);

  if (py->signal != HIR_PY_GO)
    return;
  if (value.type == HIR_PY_OPAQUE)
    hir_py_fail (py, HIR_ERROR_REFUSED, "the arguments of '**' are %s, whose value is unknown",
                 value.opaque->path);
  else if (value.type != HIR_PY_DICT)
    hir_py_raise (py, "TypeError", "'**' needs a dict, not %s", hir_py_type_name (value));
  else
    for (guint i = 0; i < value.dict->n && py->signal == HIR_PY_GO; i++)
      {
        const HirPyEntry *entry = &value.dict->entries[i];

        if (!entry->deleted && entry->key.type != HIR_PY_STRING)
          hir_py_raise (py, "TypeError", "the keys of '**' must be strings");
        else if (!entry->deleted)
          append_named (py, names, values, entry->key.string->text, entry->value);
      }
}

/* Evaluates the arguments of @node into @args, with storage in the arena. */
static gboolean
eval_arguments (HirPy *py, const HirAst *node, HirPyArgs *args)
{
  HirPyList *items = hir_py_list (py, HIR_PY_LIST, 0).list,
            *values = hir_py_list (py, HIR_PY_LIST, 0).list;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < node->n_items && py->signal == HIR_PY_GO; i++)
    {
      const HirAst *item = node->items[i];

      if (item->kind == HIR_AST_KEYWORD)
        append_named (py, names, values, item->text, hir_py_eval (py, item->a));
      else if (item->kind == HIR_AST_DOUBLE_STARRED)
        eval_double_star (py, item, names, values);
      else if (item->kind == HIR_AST_STARRED)
        hir_py_list_extend (py, items, hir_py_eval (py, item->a), "'*'");
      else
        hir_py_list_append (py, items, hir_py_eval (py, item));
    }
  if (py->signal != HIR_PY_GO)
    return FALSE;
  args->items = items->items;
  args->n = items->n;
  args->named = values->items;
  args->n_named = names->len;
  args->names = hir_py_alloc (py, MAX (names->len, 1) * sizeof (char *));
  args->used = hir_py_alloc (py, MAX (names->len, 1) * sizeof (gboolean));
  if (py->signal != HIR_PY_GO)
    return FALSE;
  if (names->len > 0)
    memcpy (args->names, names->pdata, names->len * sizeof (char *));
  return TRUE;
}

#define MAX_CALLEE_TEXT 60

HirPyValue
hir_py_call_ast (HirPy *py, const HirAst *node)
{
  HirPyValue callee = hir_py_eval (py, node->a);
  HirPyArgs args = { .n = 0 };
  guint length = MIN (node->a->end - node->a->start, MAX_CALLEE_TEXT);
  HirPyValue result;

  if (py->signal != HIR_PY_GO || !eval_arguments (py, node, &args))
    return hir_py_none ();
  /* Position of errors in the call and of the nodes that it creates. */
  py->pos = node->start;
  if (node->a->kind == HIR_AST_NAME || node->a->kind == HIR_AST_ATTRIBUTE)
    args.callee =
        hir_py_printf (py, "%.*s", (int) length, py->file->script->source->text + node->a->start);
  else
    args.callee = "this call";
  result = hir_py_call (py, callee, &args);
  return result;
}
