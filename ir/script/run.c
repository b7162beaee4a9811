/* Runs one function of a script and returns the fusion that it builds. */
#include "script/parse/callers.h"
#include "script/run-private.h"

#include <string.h>

gboolean
hir_py_build_by (HirPy *py, HirPyValue function)
{
  HirPyValue callee = function, definition;
  HirAstFunction *ast;
  guint first = 0;

  if (callee.type == HIR_PY_PARTIAL)
    callee = callee.partial->function;
  if (callee.type == HIR_PY_METHOD)
    {
      callee = callee.method->function;
      first = 1;
    }
  if (callee.type != HIR_PY_FUNCTION)
    return FALSE;
  ast = callee.function->ast;
  if (ast->n_params <= first || (!hir_script_is_definition_param (&ast->params[first]) &&
                                 strcmp (ast->name, "<lambda>") != 0))
    return FALSE;
  definition = hir_py_definition_new (py, NULL);
  py->n_open++;
  hir_py_call_values (py, function, &definition, 1);
  if (py->signal != HIR_PY_GO)
    return TRUE;
  py->n_open--;
  definition.definition->is_closed = TRUE;
  if (definition.definition->container->outputs.len > 0)
    hir_py_stop (py, "the fusion is executed");
  return TRUE;
}

#define DEFAULT_MAX_STEPS 1000000
#define DEFAULT_MAX_MEMORY (64u << 20)

void
hir_script_result_clear (HirScriptResult *result)
{
  g_clear_pointer (&result->function, g_free);
  g_clear_pointer (&result->notes, g_ptr_array_unref);
}

/* Imports are searched next to the script, if it is a file. */
static HirPyFile *
new_main_file (HirPy *py, HirScript *script)
{
  const char *path = script->source->path;
  g_autofree char *folder = NULL, *name = g_path_get_basename (path != NULL ? path : "script");

  if (path != NULL && g_file_test (path, G_FILE_TEST_IS_REGULAR))
    {
      g_autofree char *relative = g_path_get_dirname (path);

      folder = g_canonicalize_filename (relative, NULL);
    }
  return hir_py_file_new (py, script, folder, name);
}

static void
py_init (HirPy *py, HirScript *script, const HirScriptOptions *options)
{
  *py = (HirPy){ .options = options,
                 .arena = hir_arena_new (),
                 .max_bytes = options->max_memory_bytes != 0 ? options->max_memory_bytes
                                                             : DEFAULT_MAX_MEMORY,
                 .max_steps = options->max_steps != 0 ? options->max_steps : DEFAULT_MAX_STEPS,
                 .n_devices = MAX (options->n_devices, 1),
                 .max_device = -1,
                 .definitions = g_ptr_array_new (),
                 .notes = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_diagnostic_free),
                 .extra = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_script_free) };
  py->files = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_py_file_clear);
  py->main_file = py->file = new_main_file (py, script);
}

static void
py_clear (HirPy *py)
{
  for (guint i = 0; i < py->definitions->len; i++)
    hir_container_unref (((HirPyDefinition *) py->definitions->pdata[i])->container);
  g_ptr_array_unref (py->definitions);
  g_ptr_array_unref (py->notes);
  g_ptr_array_unref (py->extra);
  g_ptr_array_unref (py->files);
  g_clear_error (&py->error);
  g_clear_pointer (&py->sizes, g_ptr_array_unref);
  g_clear_pointer (&py->numbers, g_array_unref);
  hir_arena_free (py->arena);
}

/* The function to run: what FILE::CLASS::FUNCTION[ID] names. */
typedef struct
{
  HirAstFunction *function;
  HirAstFunction *class; /* nullable: the test class that it is a method of */
  char *id;              /* nullable: pytest's id of its parameters */
  char *name;            /* as the user wrote it */
} Target;

static void
target_clear (Target *target)
{
  g_free (target->id);
  g_free (target->name);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Target, target_clear)

/* Calls the method @name of @object, if its class has one, as pytest does: a parameter without a
 * default is unknown. */
static void
set_up (HirPy *py, HirPyValue object, HirPyClass *class, const char *name)
{
  const HirPyValue *found = hir_py_class_lookup (py, class, name);
  HirPyList *items = hir_py_list (py, HIR_PY_LIST, 0).list;

  if (found == NULL || found->type != HIR_PY_FUNCTION || py->signal != HIR_PY_GO)
    return;
  for (guint i = 1; i < found->function->ast->n_params; i++)
    if (found->function->ast->params[i].default_value == NULL)
      hir_py_list_append (py, items,
                          hir_py_opaque (py, NULL, "%s", found->function->ast->params[i].name));
  hir_py_call_values (py, hir_py_get_attribute (py, object, name), items->items, items->n);
}

#define MAX_BASES 20

/* Calls the fixtures of @class, first those of its bases, that every test uses. */
static void
use_fixtures (HirPy *py, HirPyValue self, const HirPyClass *class, guint depth)
{
  for (guint i = 0; i < class->n_bases && depth < MAX_BASES; i++)
    if (class->bases[i].type == HIR_PY_CLASS)
      use_fixtures (py, self, class->bases[i].class, depth + 1);
  for (guint i = 0; i < class->ast->n_items && py->signal == HIR_PY_GO; i++)
    {
      const HirAst *node = class->ast->items[i];
      HirAstFunction *fixture = node->kind == HIR_AST_DEF ? node->function : NULL;
      HirPyArgs args = { .callee = fixture != NULL ? fixture->name : "" };

      if (fixture != NULL && hir_script_is_fixture (fixture) &&
          hir_script_get_fixture_option (fixture, "autouse") != NULL &&
          hir_py_make_args (py, fixture, 1, &args))
        hir_py_call (py, hir_py_get_attribute (py, self, fixture->name), &args);
    }
}

/* Runs a method of a test class on a new instance, after its set-up method. */
static void
run_method (HirPy *py, const Target *target)
{
  HirAstFunction *function = target->function;
  HirPyArgs args = { .callee = function->name };
  HirPyValue class, self;

  if (!hir_py_lookup_global (py, target->class->name, &class))
    return;
  self = hir_py_call (py, class, &(HirPyArgs){ .callee = target->class->name });
  if (class.type == HIR_PY_CLASS)
    {
      set_up (py, class, class.class, "setup_class");
      set_up (py, class, class.class, "setUpClass");
      use_fixtures (py, self, class.class, 0);
      set_up (py, self, class.class, "setup_method");
      set_up (py, self, class.class, "setUp");
    }
  if (hir_py_check_args (py, function, 1) && hir_py_make_args (py, function, 1, &args))
    hir_py_call (py, hir_py_get_attribute (py, self, function->name), &args);
}

static void
run_function (HirPy *py, HirAstFunction *function)
{
  HirPyArgs args = { .callee = function->name };
  HirPyValue callee;

  if (!hir_py_check_args (py, function, 0) || !hir_py_make_args (py, function, 0, &args))
    return;
  /* Names of the enclosing function are not known. */
  if (function->parent != NULL)
    {
      hir_py_call (py, hir_py_make_function (py, function, NULL), &args);
      return;
    }
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
  HirAstFunction *init = hir_script_lookup_method (py->file->script, class, "__init__");
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

/* Runs the statements of the top level until one of them executes a fusion. */
static void
run_program (HirPy *py)
{
  py->is_program = TRUE;
  for (guint i = 0; i < py->main_file->script->n_body && py->signal == HIR_PY_GO; i++)
    hir_py_run_statement (py, i);
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

/* Returns the definition that the run is for: the last one with an output, or the last one. NULL if
 * none was built by the function to run. */
static HirPyDefinition *
find_result (HirPy *py)
{
  HirPyDefinition *last = NULL;

  for (guint i = py->definitions->len; i-- > 0;)
    {
      HirPyDefinition *definition = py->definitions->pdata[i];

      if (definition->is_before)
        continue;
      if (definition->container->outputs.len > 0)
        return definition;
      last = last != NULL ? last : definition;
    }
  return last;
}

/* Forgets an error in code after the fusion, which the fusion does not need. */
static void
forgive (HirPy *py)
{
  HirPyDefinition *result = find_result (py);
  g_autofree char *reason = NULL;

  if ((py->signal != HIR_PY_RAISING && py->signal != HIR_PY_FAILED) || py->fusion_failed ||
      py->n_open > 0 || result == NULL || !result->is_closed ||
      result->container->outputs.len == 0 ||
      (py->error != NULL && g_error_matches (py->error, HIR_ERROR, HIR_ERROR_LIMIT)))
    return;
  if (py->signal == HIR_PY_FAILED)
    {
      reason = g_strdup (py->error->message);
      g_clear_error (&py->error);
    }
  else
    {
      py->pos = py->exception->pos;
      reason = g_strdup_printf ("%s: %s", py->exception->type, py->exception->message);
    }
  py->signal = HIR_PY_GO;
  hir_py_note (py, "what follows the fusion is not read: %s", reason);
}

/* Returns FALSE and sets py->error if the run failed. */
static gboolean
finish (HirPy *py, const HirAstFunction *function)
{
  forgive (py);
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
  if (find_result (py) == NULL)
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
  HirPyDefinition *definition = find_result (py);
  HirContainer *container = definition->container;

  if (py->signal == HIR_PY_STOPPED && py->n_open > 0)
    {
      py->pos = py->stop_pos;
      hir_py_fail (py, HIR_ERROR_INPUT, "%s; the fusion is not complete before this line",
                   py->stop_reason);
      return NULL;
    }
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
  if (definition->is_kernel)
    hir_py_fix_allocations (container);
  hir_py_set_examples (py, definition);
  hir_maker_set_pos (container, (HirPos){ 0, 0 });
  return hir_container_ref (container);
}

/* Returns TRUE if a parameter of a helper has no value but that of a caller. */
static gboolean
needs_caller (HirPy *py, const Target *target)
{
  const HirAstFunction *function = target->function;

  if (target->class != NULL || function->is_class || g_str_has_prefix (function->name, "test") ||
      target->id != NULL)
    return FALSE;
  for (guint i = 0; i < function->n_params; i++)
    if (!hir_py_has_value (py, function, i))
      return TRUE;
  return FALSE;
}

/* Returns TRUE if a top-level test has a parameter without a value, which pytest could not run
 * either, unless a fixture of that name exists elsewhere. */
static gboolean
has_unknown (HirPy *py, const Target *target)
{
  const HirAstFunction *function = target->function;

  if (target->class != NULL || function->is_class || function->parent != NULL ||
      target->id != NULL ||
      (!g_error_matches (py->error, HIR_ERROR, HIR_ERROR_REFUSED) &&
       !g_error_matches (py->error, HIR_ERROR, HIR_ERROR_INPUT)))
    return FALSE;
  for (guint i = 0; i < function->n_params; i++)
    if (!hir_py_has_value (py, function, i))
      return TRUE;
  return FALSE;
}

static HirContainer *
run (HirPy *py, const Target *target)
{
  HirAstFunction *function = target->function;
  HirPyFrame frame = { .env = py->file->globals };

  frame.path = hir_hash_text (0, "<run>");
  py->frame = &frame;
  py->pos = function->node->start;
  hir_py_choose_params (py, function, target->id);
  if (target->class != NULL)
    run_method (py, target);
  else if (function == py->main_file->script->program)
    run_program (py);
  else if (function->is_class)
    run_class (py, function);
  else
    run_function (py, function);
  define_last (py);
  return finish (py, function) ? take_container (py, function) : NULL;
}

/* Runs @caller, code of @file, for the fusion of @target, which it must call. */
static HirContainer *
run_caller (
    HirPy *py, const Target *target, HirPyFile *file, const HirScriptCaller *caller, const char *id)
{
  HirAstFunction *function = target->function;
  Target of_caller = { .function = caller->function, .class = caller->class };
  HirPyFrame frame = { .env = file->globals };
  const char *name = caller->function != NULL ? caller->function->name : "the top level";

  frame.path = hir_hash_text (0, "<run>");
  py->frame = &frame;
  py->pos = function->node->start;
  hir_py_note (py, "%s is called by %s%s%s, with its %s%s", function->name, name,
               file != py->main_file ? " of " : "", file != py->main_file ? file->name : "",
               id != NULL ? "parameters " : "first parameters", id != NULL ? id : "");
  py->wanted = function;
  hir_py_enter_file (py, file);
  if (caller->function == NULL)
    hir_py_run_statement (py, caller->statement);
  else
    {
      hir_py_choose_params (py, caller->function, id);
      if (caller->class != NULL)
        run_method (py, &of_caller);
      else
        run_function (py, caller->function);
    }
  if (py->file != py->main_file)
    py->stop_pos = py->pos = function->node->start;
  py->file = py->main_file;
  if (!py->was_called && (py->signal == HIR_PY_GO || py->signal == HIR_PY_STOPPED))
    {
      py->signal = HIR_PY_GO;
      py->pos = function->node->start;
      hir_py_fail (py, HIR_ERROR_INPUT,
                   "%s, with its first parameters, does not call %s; give its parameters with "
                   "--arg name=value",
                   name, function->name);
    }
  if (!py->was_called) /* fusions of other functions do not count */
    return NULL;
  define_last (py);
  return finish (py, function) ? take_container (py, function) : NULL;
}

/* Finds the function called @name, with or without [ID]; if @name is NULL, the only candidate. */
static gboolean
choose (HirScript *script, const char *name, Target *target, GError **error)
{
  g_autoptr (GPtrArray) candidates = NULL;
  GString *list;

  if (name != NULL)
    {
      const char *bracket = g_str_has_suffix (name, "]") ? strchr (name, '[') : NULL;
      g_autofree char *path =
          g_strndup (name, bracket != NULL ? (gsize) (bracket - name) : strlen (name));

      if (bracket != NULL)
        target->id = g_strndup (bracket + 1, strlen (bracket) - 2);
      target->name = g_strdup (name);
      target->function = hir_script_lookup_path (script, path, &target->class);
      if (target->function != NULL)
        return TRUE;
    }
  candidates = hir_script_dup_candidates (script);
  if (name == NULL && candidates->len == 1)
    {
      target->name = g_strdup (((HirScriptFunction *) candidates->pdata[0])->name);
      target->function = hir_script_lookup_path (script, target->name, &target->class);
      return TRUE;
    }
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
                   "the script has no function '%s'; choose one that builds a fusion: %s", name,
                   list->str);
  else
    hir_set_error (
        error, HIR_ERROR_INPUT, NULL,
        "several functions build a fusion; choose one (::FUNCTION, or Ctrl+Shift+M in the "
        "window): %s",
        list->str);
  g_string_free (list, TRUE);
  return FALSE;
}

/* Names the option that gives sizes. */
static void
add_hint (GError *error)
{
  char *message =
      g_strconcat (error->message, "; or give the sizes of the inputs: --input 2x3", NULL);

  g_free (error->message);
  error->message = message;
}

/* A place to run a script from. */
typedef struct
{
  HirPy *py;
  HirScript *script;
  const HirScriptOptions *options;
  const Target *target;
  const char *module; /* nullable: the file next to the script that has the caller */
  guint caller;       /* 0: the function itself; k: caller k - 1 */
  const char *id;     /* nullable: pytest's id of the caller's parameters; NULL for the first */
  HirAstFunction *of_caller; /* nullable: the caller that ran last */
  gboolean is_last;          /* there is no such caller */
} Attempt;

static HirContainer *
try_once (Attempt *attempt)
{
  HirPy *py = attempt->py;
  const HirAstFunction *outer = attempt->target->function;
  HirPyFile *file = py->main_file;
  g_autoptr (GHashTable) names = NULL;
  g_autoptr (GArray) callers = NULL;
  const HirScriptCaller *caller = NULL;
  HirPyValue module;

  if (attempt->caller == 0)
    return run (py, attempt->target);
  while (outer->parent != NULL)
    outer = outer->parent;
  if (attempt->module != NULL)
    {
      module = hir_py_find_file (py, attempt->module, 0);
      file = module.type == HIR_PY_FILE ? module.file : NULL;
    }
  if (file != NULL && file->script != NULL)
    {
      names = hir_script_dup_reaching (attempt->script, outer->name);
      callers = hir_script_dup_callers (file->script, names);
    }
  attempt->is_last = callers == NULL || attempt->caller > callers->len;
  if (!attempt->is_last)
    caller = &g_array_index (callers, HirScriptCaller, attempt->caller - 1);
  attempt->of_caller = caller != NULL ? caller->function : NULL;
  return attempt->is_last ? NULL : run_caller (py, attempt->target, file, caller, attempt->id);
}

/* Runs @attempt on a new interpreter, again if the fusion depends on the sizes of its inputs. */
static HirContainer *
try_with_sizes (Attempt *attempt)
{
  HirPy *py = attempt->py;
  HirContainer *container;

  py_clear (py);
  py_init (py, attempt->script, attempt->options);
  container = try_once (attempt);
  if (container == NULL && py->needs_sizes)
    {
      GPtrArray *sizes = hir_py_dup_sizes (py);
      GArray *numbers = hir_py_dup_numbers (py);

      py_clear (py);
      py_init (py, attempt->script, attempt->options);
      py->sizes = sizes;
      py->numbers = numbers;
      container = try_once (attempt);
      if (container != NULL)
        hir_py_note (
            py, "the shape of the fusion depends on the sizes of its inputs: those %s are taken",
            py->options->inputs != NULL && py->options->inputs[0] != NULL ? "of --input"
                                                                          : "of the script");
      else if (py->needs_sizes && py->error != NULL)
        add_hint (py->error);
    }
  return container;
}

#define MAX_VARIATIONS 16

/* Tries the caller, which does not reach the target with its first parameters, with others. */
static HirContainer *
try_parameters (Attempt *attempt)
{
  HirPy *py = attempt->py;
  g_autoptr (GPtrArray) ids = g_ptr_array_new_with_free_func (g_free);
  HirContainer *container = NULL;
  HirPyFrame frame = { 0 };

  py_clear (py);
  py_init (py, attempt->script, attempt->options);
  frame.env = py->main_file->globals;
  py->frame = &frame;
  hir_py_list_variations (py, attempt->of_caller, ids, MAX_VARIATIONS);
  for (guint i = 0; i < ids->len && container == NULL && !py->was_called; i++)
    {
      attempt->id = ids->pdata[i];
      container = try_with_sizes (attempt);
    }
  attempt->id = NULL;
  return container;
}

#define MAX_CALLERS 8

/* Tries the callers of the target in one file. Keeps the first error of a run in @error. */
static HirContainer *
try_callers (Attempt *attempt, GError **error)
{
  HirContainer *container = NULL;

  attempt->is_last = FALSE;
  for (attempt->caller = 1; attempt->caller <= MAX_CALLERS && container == NULL; attempt->caller++)
    {
      container = try_with_sizes (attempt);
      if (attempt->is_last)
        break;
      if (container == NULL && *error == NULL)
        *error = g_steal_pointer (&attempt->py->error);
      if (container == NULL && !attempt->py->was_called && attempt->of_caller != NULL &&
          attempt->module == NULL)
        container = try_parameters (attempt);
    }
  return container;
}

/* Runs the target, or code that calls it if it needs values of a caller. */
static HirContainer *
try_all (Attempt *attempt, GError **error)
{
  const HirAstFunction *function = attempt->target->function;
  HirContainer *container = NULL;
  g_autoptr (GError) first = NULL, own = NULL;
  g_autoptr (GPtrArray) modules = NULL;
  g_autoptr (GHashTable) names = NULL;
  HirPyFrame frame = { .env = attempt->py->main_file->globals };
  gboolean needs;

  attempt->py->frame = &frame;
  hir_py_choose_params (attempt->py, function, attempt->target->id);
  needs = attempt->py->signal == HIR_PY_GO && needs_caller (attempt->py, attempt->target);
  if (!needs)
    container = try_with_sizes (attempt);
  if (container != NULL)
    return container;
  if (!needs && !has_unknown (attempt->py, attempt->target) &&
      (function->parent == NULL || function->parent->is_class ||
       !g_error_matches (attempt->py->error, HIR_ERROR, HIR_ERROR_REFUSED)))
    {
      g_propagate_error (error, g_steal_pointer (&attempt->py->error));
      return NULL;
    }
  own = g_steal_pointer (&attempt->py->error);
  container = try_callers (attempt, &first);
  if (container == NULL && function->parent == NULL)
    {
      names = hir_script_dup_reaching (attempt->script, function->name);
      modules = hir_script_dup_importers (attempt->script, names);
    }
  for (guint i = 0; modules != NULL && i < modules->len && container == NULL; i++)
    {
      attempt->module = modules->pdata[i];
      container = try_callers (attempt, &first);
    }
  if (container != NULL)
    return container;
  if (first == NULL && own == NULL)
    {
      attempt->caller = 0;
      try_with_sizes (attempt);
      own = g_steal_pointer (&attempt->py->error);
    }
  g_propagate_error (error, own != NULL ? g_steal_pointer (&own) : g_steal_pointer (&first));
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
  g_auto (Target) target = { 0 };
  HirContainer *container;
  HirPy py;
  Attempt attempt = { .py = &py, .script = script, .target = &target };

  g_return_val_if_fail (script != NULL, NULL);
  if (script->n_errors > 0)
    {
      hir_set_error (error, HIR_ERROR_SYNTAX, NULL,
                     "the script has %u syntax error%s and cannot be run", script->n_errors,
                     script->n_errors > 1 ? "s" : "");
      return NULL;
    }
  if (!choose (script, function, &target, error))
    return NULL;
  attempt.options = options != NULL ? options : &no_options;
  py_init (&py, script, attempt.options);
  container = try_all (&attempt, error);
  if (container != NULL && result != NULL)
    {
      result->n_devices = MAX (py.max_device + 1, 1);
      result->function = g_strdup (target.name);
      result->notes = g_ptr_array_ref (py.notes);
      result->steps = py.steps;
      result->executor = py.executor;
    }
  py_clear (&py);
  return container;
}

#define MAX_CHOICES 10000

/* Appends the choices of @name to @choices. */
static gboolean
add_choices (HirScript *script, const char *name, GPtrArray *choices, GError **error)
{
  static const HirScriptOptions no_options = { 0 };
  g_autoptr (GPtrArray) ids = g_ptr_array_new_with_free_func (g_free);
  g_auto (Target) target = { 0 };
  HirPyFrame frame = { 0 };
  gboolean failed;
  HirPy py;

  if (!choose (script, name, &target, error))
    return FALSE;
  py_init (&py, script, &no_options);
  frame.env = py.main_file->globals;
  py.frame = &frame;
  hir_py_list_params (&py, target.function, ids, MAX_CHOICES);
  if (py.signal == HIR_PY_RAISING)
    hir_py_fail (&py, HIR_ERROR_INPUT, "%s: %s", py.exception->type, py.exception->message);
  failed = py.signal == HIR_PY_FAILED;
  if (failed)
    g_propagate_error (error, g_steal_pointer (&py.error));
  py_clear (&py);
  for (guint i = 0; i < ids->len && !failed; i++)
    g_ptr_array_add (choices, g_strdup_printf ("%s[%s]", target.name, (char *) ids->pdata[i]));
  if (ids->len == 0 && !failed)
    g_ptr_array_add (choices, g_strdup (target.name));
  return !failed;
}

char **
hir_script_dup_choices (HirScript *script, const char *function, GError **error)
{
  g_autoptr (GPtrArray) choices = g_ptr_array_new_with_free_func (g_free);

  if (function != NULL && !add_choices (script, function, choices, error))
    return NULL;
  if (function == NULL)
    {
      g_autoptr (GPtrArray) candidates = hir_script_dup_candidates (script);

      for (guint i = 0; i < candidates->len; i++)
        g_ptr_array_add (choices, g_strdup (((HirScriptFunction *) candidates->pdata[i])->name));
    }
  g_ptr_array_add (choices, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&choices), FALSE);
}
