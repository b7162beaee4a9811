/* Runs one function of a script and returns the fusion that it builds. */
#include "script/run-private.h"

#include <string.h>

#define DEFAULT_MAX_STEPS 1000000
#define DEFAULT_MAX_MEMORY (64u << 20)

void
hir_script_result_clear (HirScriptResult *result)
{
  g_clear_pointer (&result->function, g_free);
  g_clear_pointer (&result->notes, g_ptr_array_unref);
}

static void
py_init (HirPy *py, HirScript *script, const HirScriptOptions *options)
{
  *py = (HirPy){ .script = script,
                 .options = options,
                 .arena = hir_arena_new (),
                 .max_bytes = options->max_memory_bytes != 0 ? options->max_memory_bytes
                                                             : DEFAULT_MAX_MEMORY,
                 .max_steps = options->max_steps != 0 ? options->max_steps : DEFAULT_MAX_STEPS,
                 .n_devices = MAX (options->n_devices, 1),
                 .max_device = -1,
                 .definitions = g_ptr_array_new (),
                 .notes = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_diagnostic_free),
                 .extra = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_script_free) };
  hir_py_globals_init (py);
}

static void
py_clear (HirPy *py)
{
  for (guint i = 0; i < py->definitions->len; i++)
    hir_container_unref (((HirPyDefinition *) py->definitions->pdata[i])->container);
  g_ptr_array_unref (py->definitions);
  g_ptr_array_unref (py->notes);
  g_ptr_array_unref (py->extra);
  g_hash_table_unref (py->bindings);
  g_array_unref (py->star_imports);
  g_free (py->statement_state);
  g_clear_error (&py->error);
  hir_arena_free (py->arena);
}

static void
run_function (HirPy *py, HirAstFunction *function)
{
  HirPyArgs args = { .callee = function->name };
  HirPyValue callee;

  if (!hir_py_check_args (py, function, 0) || !hir_py_make_args (py, function, 0, &args))
    return;
  /* Calls the def itself, without its decorators. */
  if (hir_py_lookup_global (py, function->name, &callee))
    {
      if (callee.type == HIR_PY_FUNCTION)
        hir_py_call (py, callee, &args);
      else
        hir_py_raise (py, "TypeError", "'%s' is not a function when it is called", function->name);
    }
}

static void
run_class (HirPy *py, HirAstFunction *class)
{
  HirAstFunction *init = hir_script_lookup_method (py->script, class, "__init__");
  HirPyArgs args = { .callee = class->name };
  HirPyValue callee, self;

  py->pos = class->node->start;
  if (!hir_py_check_args (py, init, 1) || !hir_py_make_args (py, init, 1, &args))
    return;
  if (!hir_py_lookup_global (py, class->name, &callee))
    return;
  self = hir_py_call (py, callee, &args);
  if (self.type == HIR_PY_INSTANCE && self.instance->definition != NULL)
    hir_py_define_instance (py, self.instance);
  else if (py->signal == HIR_PY_GO)
    {
      py->pos = class->node->start;
      hir_py_fail (py, HIR_ERROR_INPUT,
                   "the class %s does not derive from FusionDefinition; name one that does",
                   class->name);
    }
}

/* Defines the last instance if the script did not execute it, as execute() would. */
static void
define_last (HirPy *py)
{
  HirPyDefinition *last =
      py->definitions->len > 0 ? py->definitions->pdata[py->definitions->len - 1] : NULL;
  HirPySignal signal = py->signal;

  if (last == NULL || last->instance == NULL || last->is_defined ||
      (signal != HIR_PY_GO && signal != HIR_PY_STOPPED))
    return;
  py->signal = HIR_PY_GO;
  hir_py_define_instance (py, last->instance);
  if (py->signal == HIR_PY_GO)
    py->signal = signal;
}

/* Returns FALSE and sets py->error if the run failed. */
static gboolean
finish (HirPy *py, const HirAstFunction *function)
{
  if (py->signal == HIR_PY_RAISING)
    {
      py->pos = py->exception->pos;
      if (strcmp (py->exception->type, "SystemExit") == 0)
        hir_py_fail (py, HIR_ERROR_INPUT, "the script exits here");
      else
        hir_py_fail (py, HIR_ERROR_INPUT, "%s: %s", py->exception->type, py->exception->message);
    }
  if (py->signal == HIR_PY_FAILED)
    return FALSE;
  if (py->definitions->len == 0)
    {
      if (py->signal == HIR_PY_STOPPED)
        {
          py->pos = py->stop_pos;
          hir_py_fail (py, HIR_ERROR_INPUT, "%s; no FusionDefinition was built before this line",
                       py->stop_reason);
        }
      else
        {
          py->pos = function->node->start;
          hir_py_fail (py, HIR_ERROR_INPUT,
                       "%s builds no FusionDefinition; name a function that does", function->name);
        }
      return FALSE;
    }
  return TRUE;
}

static HirContainer *
take_container (HirPy *py, const HirAstFunction *function)
{
  HirPyDefinition *definition = py->definitions->pdata[py->definitions->len - 1];
  HirContainer *container = definition->container;

  if (container->outputs.len == 0)
    {
      py->pos = py->signal == HIR_PY_STOPPED ? py->stop_pos : function->node->start;
      if (py->signal == HIR_PY_STOPPED)
        hir_py_fail (py, HIR_ERROR_INPUT, "%s; the fusion has no output up to here",
                     py->stop_reason);
      else
        hir_py_fail (py, HIR_ERROR_INPUT,
                     "the fusion that %s builds has no output; call fd.add_output()",
                     function->name);
      return NULL;
    }
  container->function = hir_arena_strdup (container->arena, function->name);
  hir_maker_set_pos (container, (HirPos){ 0, 0 });
  return hir_container_ref (container);
}

static HirContainer *
run (HirPy *py, HirAstFunction *function)
{
  HirPyFrame frame = { .env = py->globals };

  frame.path = hir_hash_text (0, "<run>");
  py->frame = &frame;
  if (function->is_class)
    run_class (py, function);
  else
    run_function (py, function);
  define_last (py);
  return finish (py, function) ? take_container (py, function) : NULL;
}

/* Returns the function called @name; if @name is NULL, the only candidate. */
static HirAstFunction *
choose (HirScript *script, const char *name, GError **error)
{
  g_autoptr (GPtrArray) candidates = NULL;
  HirAstFunction *function;
  GString *list;

  if (name != NULL)
    {
      function = hir_script_lookup (script, name);
      if (function != NULL)
        return function;
    }
  candidates = hir_script_dup_candidates (script);
  if (name == NULL && candidates->len == 1)
    return hir_script_lookup (script, ((HirScriptFunction *) candidates->pdata[0])->name);
  list = g_string_new (NULL);
  for (guint i = 0; i < candidates->len; i++)
    g_string_append_printf (list, "%s%s", i > 0 ? ", " : "",
                            ((HirScriptFunction *) candidates->pdata[i])->name);
  if (candidates->len == 0)
    hir_set_error (error, HIR_ERROR_INPUT, NULL,
                   "%s%s%sthe script has no function that builds a FusionDefinition",
                   name != NULL ? "there is no function '" : "", name != NULL ? name : "",
                   name != NULL ? "', and " : "");
  else if (name != NULL)
    hir_set_error (error, HIR_ERROR_INPUT, NULL,
                   "the script has no function '%s'; those that build a fusion: %s", name,
                   list->str);
  else
    hir_set_error (error, HIR_ERROR_INPUT, NULL,
                   "several functions build a fusion; name one with ::function: %s", list->str);
  g_string_free (list, TRUE);
  return NULL;
}

HirContainer *
hir_script_run (HirScript *script,
                const char *function,
                const HirScriptOptions *options,
                HirScriptResult *result,
                GError **error)
{
  static const HirScriptOptions no_options = { 0 };
  HirAstFunction *chosen;
  HirContainer *container;
  HirPy py;

  g_return_val_if_fail (script != NULL, NULL);
  if (script->n_errors > 0)
    {
      hir_set_error (error, HIR_ERROR_SYNTAX, NULL,
                     "the script has %u syntax error%s and cannot be run", script->n_errors,
                     script->n_errors > 1 ? "s" : "");
      return NULL;
    }
  chosen = choose (script, function, error);
  if (chosen == NULL)
    return NULL;
  py_init (&py, script, options != NULL ? options : &no_options);
  container = run (&py, chosen);
  if (container == NULL)
    g_propagate_error (error, g_steal_pointer (&py.error));
  else if (result != NULL)
    {
      result->n_devices = MAX (py.max_device + 1, 1);
      result->function = g_strdup (chosen->name);
      result->notes = g_ptr_array_ref (py.notes);
      result->steps = py.steps;
    }
  py_clear (&py);
  return container;
}
