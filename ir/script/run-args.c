/* Values for the parameters of the chosen function: --arg, -d, fixtures, defaults. */
#include "script/run-private.h"

#include <string.h>

static HirPyValue literal (HirPy *py, const HirAst *node, gboolean *ok);

static HirPyValue
literal_items (HirPy *py, const HirAst *node, HirPyType type, gboolean *ok)
{
  HirPyValue list = hir_py_list (py, type, node->n_items);

  for (guint i = 0; i < list.list->n; i++)
    list.list->items[i] = literal (py, node->items[i], ok);
  return list;
}

static HirPyValue
literal_dict (HirPy *py, const HirAst *node, gboolean *ok)
{
  HirPyValue dict = hir_py_dict (py, HIR_PY_DICT);

  for (guint i = 0; i + 1 < node->n_items && *ok; i += 2)
    if (node->items[i] == NULL)
      *ok = FALSE;
    else
      {
        HirPyValue key = literal (py, node->items[i], ok),
                   value = literal (py, node->items[i + 1], ok);

        if (*ok && !hir_py_dict_set (py, dict.dict, key, value))
          *ok = FALSE;
      }
  return dict;
}

/* Evaluates literals as Python's ast.literal_eval does, and members of nvFuser's enumerations. */
static HirPyValue
literal (HirPy *py, const HirAst *node, gboolean *ok)
{
  HirPyValue value;

  if (hir_py_eval_literal (py, node, &value))
    return value;
  switch (node->kind)
    {
    case HIR_AST_LIST:
      return literal_items (py, node, HIR_PY_LIST, ok);
    case HIR_AST_TUPLE:
      return literal_items (py, node, HIR_PY_TUPLE, ok);
    case HIR_AST_DICT:
      return literal_dict (py, node, ok);
    case HIR_AST_UNARY:
      value = literal (py, node->a, ok);
      if (*ok && hir_py_is_number (value))
        return hir_py_unary (py, node->op, value);
      break;
    case HIR_AST_ATTRIBUTE:
      if (node->a->kind == HIR_AST_NAME &&
          g_strv_contains ((const char *const[]){ "DataType", "ParallelType", "MemoryType",
                                                  "CommunicatorBackend", NULL },
                           node->a->text))
        return hir_py_enum_get (py, node->a->text, node->text);
      break;
    default:
      break;
    }
  *ok = FALSE;
  return hir_py_none ();
}

/* Splits "name=value". Returns the name, or NULL if there is none. */
static char *
split_arg (const char *arg, const char **value)
{
  const char *equals = strchr (arg, '=');

  if (equals == NULL || equals == arg)
    return NULL;
  *value = equals + 1;
  return g_strstrip (g_strndup (arg, equals - arg));
}

/* Returns TRUE and the value if --arg gives @name. */
static gboolean
find_arg (HirPy *py, const HirAstFunction *function, const char *name, HirPyValue *value)
{
  const char *const *args = py->options->args;
  gboolean found = FALSE;

  for (guint i = 0; args != NULL && args[i] != NULL && py->signal == HIR_PY_GO; i++)
    {
      const char *text;
      g_autofree char *given = split_arg (args[i], &text);
      HirAst *expression = NULL;
      HirScript *script;
      gboolean ok = TRUE;

      if (given == NULL || strcmp (given, name) != 0)
        continue;
      if (hir_py_find_choice (py, function, name, text, value))
        {
          found = TRUE;
          continue;
        }
      if (py->signal != HIR_PY_GO)
        return FALSE;
      script = hir_script_parse_expression (text, &expression);
      if (script != NULL)
        {
          g_ptr_array_add (py->extra, script);
          *value = literal (py, expression, &ok);
        }
      if (script == NULL || !ok)
        {
          hir_py_fail (py, HIR_ERROR_INPUT,
                       "--arg %s: the value is not a Python literal; write --arg %s=8, or quote a "
                       "string: --arg \"%s='text'\"",
                       args[i], name, name);
          return FALSE;
        }
      found = TRUE;
    }
  return found;
}

static gboolean
has_param (const HirAstFunction *function, const char *name)
{
  for (guint i = 0; function != NULL && i < function->n_params; i++)
    if (strcmp (function->params[i].name, name) == 0)
      return TRUE;
  return FALSE;
}

static char *
list_params (const HirAstFunction *function, guint first)
{
  GString *text = g_string_new (NULL);

  for (guint i = first; function != NULL && i < function->n_params; i++)
    g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", function->params[i].name);
  if (text->len == 0)
    g_string_append (text, "none");
  return g_string_free (text, FALSE);
}

gboolean
hir_py_check_args (HirPy *py, const HirAstFunction *function, guint first)
{
  const char *const *args = py->options->args;

  for (guint i = 0; args != NULL && args[i] != NULL; i++)
    {
      const char *text;
      g_autofree char *name = split_arg (args[i], &text), *known = NULL;

      if (name == NULL)
        {
          hir_py_fail (py, HIR_ERROR_INPUT, "--arg %s: write --arg name=value", args[i]);
          return FALSE;
        }
      if (has_param (function, name))
        continue;
      known = list_params (function, first);
      if (function != NULL)
        py->pos = function->node->start;
      hir_py_fail (py, HIR_ERROR_INPUT,
                   "--arg %s: there is no parameter '%s'; the parameters are: %s", args[i], name,
                   known);
      return FALSE;
    }
  return TRUE;
}

static gboolean
is_pytest_parameter (const HirAstFunction *function, const char *name)
{
  for (guint i = 0; i < function->n_decorators; i++)
    {
      const HirAst *decorator = function->decorators[i];
      g_auto (GStrv) names = NULL;

      if (decorator->kind != HIR_AST_CALL || decorator->a->kind != HIR_AST_ATTRIBUTE ||
          strcmp (decorator->a->text, "parametrize") != 0 || decorator->n_items == 0)
        continue;
      /* Names not written as one string may include this one. */
      if (decorator->items[0]->kind != HIR_AST_STRING)
        return TRUE;
      names = g_strsplit_set (decorator->items[0]->text, ", ", 0);
      if (g_strv_contains ((const char *const *) names, name))
        return TRUE;
    }
  return FALSE;
}

static const char *const communicators[] = { "multidevice_test", "multidevice_direct_test",
                                             "communicator", "mpi_test", NULL };
static const char *const others[] = { "benchmark",   "request", "tmp_path", "tmpdir",
                                      "monkeypatch", "capsys",  "caplog",   NULL };

static gboolean
is_bool (const HirAstFunction *function, const char *name)
{
  for (guint i = 0; i < function->n_params; i++)
    {
      const HirAst *annotation = function->params[i].annotation;

      if (strcmp (function->params[i].name, name) == 0)
        return annotation != NULL && annotation->kind == HIR_AST_NAME &&
               strcmp (annotation->text, "bool") == 0;
    }
  return FALSE;
}

/* Returns the object `request` of a fixture: its `param` is the chosen one of the decorator. */
static HirPyValue
make_request (HirPy *py, const HirAstFunction *fixture)
{
  const HirAst *params = hir_script_get_fixture_option (fixture, "params");
  const HirPyValue *chosen = hir_py_dict_get_name (py, &py->fixture_params, fixture->name);
  HirPyInstance *request = hir_py_new (py, HirPyInstance);
  HirPyList *list;

  if (params == NULL)
    return hir_py_opaque (py, NULL, "request");
  list = hir_py_to_list (py, hir_py_eval (py, params), "params");
  request->class = hir_py_new (py, HirPyClass);
  request->class->name = "request";
  if (py->signal == HIR_PY_GO && list->n > 0)
    hir_py_dict_set_name (py, &request->attributes, "param",
                          chosen != NULL ? *chosen : list->items[0]);
  return (HirPyValue){ .type = HIR_PY_INSTANCE, .instance = request };
}

static gboolean
find_fixture (HirPy *py, const HirAstFunction *function, const char *name, HirPyValue *value);

/* Calls @fixture of the current file with the values of other fixtures. */
static HirPyValue
call_fixture (HirPy *py, const HirAstFunction *fixture)
{
  HirPyList *items = hir_py_list (py, HIR_PY_LIST, 0).list;
  HirPyValue callee, value = hir_py_none ();

  if (py->call_depth >= HIR_PY_MAX_CALLS)
    return hir_py_fail (py, HIR_ERROR_LIMIT, "the fixture %s needs itself", fixture->name);
  py->call_depth++;
  for (guint i = 0; i < fixture->n_params && py->signal == HIR_PY_GO; i++)
    {
      value = hir_py_none ();
      if (strcmp (fixture->params[i].name, "request") == 0)
        value = make_request (py, fixture);
      else if (!find_fixture (py, fixture, fixture->params[i].name, &value) &&
               py->signal == HIR_PY_GO)
        value = hir_py_opaque (py, NULL, "%s", fixture->params[i].name);
      hir_py_list_append (py, items, value);
    }
  py->call_depth--;
  if (py->signal != HIR_PY_GO || !hir_py_lookup_global (py, fixture->name, &callee))
    return hir_py_none ();
  value = hir_py_call_values (py, callee, items->items, items->n);
  /* A fixture yields once. */
  if (fixture->is_generator && value.type == HIR_PY_LIST && value.list->n > 0)
    value = value.list->items[0];
  return value;
}

static HirAstFunction *
lookup_fixture (const HirPyFile *file, const char *name)
{
  HirAstFunction *fixture = file->script != NULL ? hir_script_lookup (file->script, name) : NULL;

  return fixture != NULL && !fixture->is_class && hir_script_is_fixture (fixture) ? fixture : NULL;
}

/* Finds a fixture of a conftest.py in the folder of the script or a parent folder. */
static HirAstFunction *
enter_conftest (HirPy *py, const char *name)
{
  HirPyValue module = hir_py_find_file (py, "conftest", 0);
  HirAstFunction *fixture = module.type == HIR_PY_FILE ? lookup_fixture (module.file, name) : NULL;

  if (fixture != NULL)
    hir_py_enter_file (py, module.file);
  return fixture;
}

HirAstFunction *
hir_py_find_fixture (HirPy *py, const char *name)
{
  HirAstFunction *fixture = lookup_fixture (py->file, name);
  guint pos = py->pos;

  if (fixture == NULL)
    fixture = enter_conftest (py, name);
  py->signal = HIR_PY_GO;
  g_clear_error (&py->error);
  py->pos = pos;
  return fixture;
}

/* Calls a fixture of a conftest.py. Returns FALSE if there is none. @value is opaque if the fixture
 * cannot be run, or runs fusions. */
static gboolean
find_shared_fixture (HirPy *py, const char *name, HirPyValue *value)
{
  HirPyFile *current = py->file;
  guint pos = py->pos;
  HirAstFunction *fixture = enter_conftest (py, name);

  if (fixture != NULL)
    *value = call_fixture (py, fixture);
  py->file = current;
  if (py->signal != HIR_PY_GO)
    {
      py->signal = HIR_PY_GO;
      g_clear_error (&py->error);
      *value = hir_py_opaque (py, NULL, "%s", name);
    }
  py->pos = pos;
  if (value->type == HIR_PY_INSTANCE &&
      hir_py_class_lookup (py, value->instance->class, "exec_nvfuser") != NULL)
    *value = hir_py_opaque (py, NULL, "%s", name);
  return fixture != NULL;
}

/* Finds the value that pytest would pass for a parameter of this name. */
static gboolean
find_fixture (HirPy *py, const HirAstFunction *function, const char *name, HirPyValue *value)
{
  HirAstFunction *fixture = lookup_fixture (py->file, name);

  if (g_strv_contains (communicators, name))
    {
      *value = (HirPyValue){ .type = HIR_PY_FIXTURE, .text = "communicator" };
      return TRUE;
    }
  if (fixture != NULL && fixture != function)
    {
      *value = call_fixture (py, fixture);
      return py->signal == HIR_PY_GO;
    }
  if (is_bool (function, name) && g_str_has_prefix (function->name, "test"))
    {
      *value = hir_py_bool (FALSE); /* an option of pytest */
      return TRUE;
    }
  if (!g_strv_contains (others, name) && find_shared_fixture (py, name, value))
    return TRUE;
  if (g_strv_contains (others, name) ||
      (g_str_has_prefix (function->name, "test") &&
       (function->parent == NULL || (function->parent->is_class && strcmp (name, "self") != 0)) &&
       !is_pytest_parameter (function, name)))
    {
      *value = hir_py_opaque (py, NULL, "%s", name);
      return TRUE;
    }
  return FALSE;
}

static gboolean
asks_for_devices (const char *name)
{
  return strcmp (name, "num_devices") == 0 || strcmp (name, "d") == 0;
}

/* A type without a value is Float, as define_tensor() has it. */
static gboolean
take_type (HirPy *py, const HirAstParam *param, HirPyValue *value)
{
  const char *type = "";

  if (param->annotation != NULL &&
      (param->annotation->kind == HIR_AST_NAME || param->annotation->kind == HIR_AST_ATTRIBUTE))
    type = param->annotation->text;
  if (strcmp (type, "DataType") == 0)
    *value = hir_py_enum (py, HIR_PY_ENUM_DTYPE, HIR_DTYPE_FLOAT, "DataType.Float");
  else if (strcmp (type, "dtype") == 0)
    *value = hir_py_torch_dtype (py, HIR_DTYPE_FLOAT);
  else
    return FALSE;
  hir_py_note (py, "%s is taken as %s; --arg %s=DataType.Half gives another", param->name,
               hir_py_type_name (*value), param->name);
  return TRUE;
}

static HirPyValue
value_of_param (HirPy *py, const HirAstFunction *function, guint index)
{
  const HirAstParam *param = &function->params[index];
  HirPyValue value = hir_py_none ();
  const HirPyValue *chosen;

  py->pos = param->start;
  if (find_arg (py, function, param->name, &value) || py->signal != HIR_PY_GO)
    return value;
  chosen = hir_py_dict_get_name (py, &py->chosen, param->name);
  if (chosen != NULL)
    return *chosen;
  if (asks_for_devices (param->name) && py->options->n_devices > 0)
    return hir_py_int (py->options->n_devices);
  if (hir_script_is_definition_param (param))
    {
      py->n_open++;
      return hir_py_definition_new (py, NULL);
    }
  if (param->default_value != NULL)
    return hir_py_eval (py, param->default_value);
  if (asks_for_devices (param->name))
    return hir_py_int (py->n_devices);
  if (find_fixture (py, function, param->name, &value) || py->signal != HIR_PY_GO)
    return value;
  py->pos = param->start;
  if (take_type (py, param, &value))
    return value;
  return hir_py_fail (py, HIR_ERROR_INPUT,
                      "%s needs a value for its parameter '%s'; give --arg %s=value",
                      function->name, param->name, param->name);
}

gboolean
hir_py_has_value (HirPy *py, const HirAstFunction *function, guint index)
{
  const HirAstParam *param = &function->params[index];
  const char *const *args = py->options->args;

  if (param->default_value != NULL || hir_script_is_definition_param (param) ||
      asks_for_devices (param->name) || param->kind == HIR_SCRIPT_PARAM_VAR_POSITIONAL ||
      param->kind == HIR_SCRIPT_PARAM_VAR_KEYWORD || g_strv_contains (communicators, param->name) ||
      g_strv_contains (others, param->name) ||
      hir_py_dict_get_name (py, &py->chosen, param->name) != NULL)
    return TRUE;
  for (guint i = 0; args != NULL && args[i] != NULL; i++)
    {
      const char *text;
      g_autofree char *given = split_arg (args[i], &text);

      if (given != NULL && strcmp (given, param->name) == 0)
        return TRUE;
    }
  return FALSE;
}

gboolean
hir_py_make_args (HirPy *py, const HirAstFunction *function, guint first, HirPyArgs *args)
{
  guint n = function != NULL ? function->n_params : 0;
  HirPyList *positional = hir_py_list (py, HIR_PY_LIST, 0).list;

  args->names = hir_py_alloc (py, MAX (n, 1) * sizeof (char *));
  args->used = hir_py_alloc (py, MAX (n, 1) * sizeof (gboolean));
  args->named = hir_py_alloc (py, MAX (n, 1) * sizeof (HirPyValue));
  for (guint i = first; i < n && py->signal == HIR_PY_GO; i++)
    {
      const HirAstParam *param = &function->params[i];

      switch (param->kind)
        {
        case HIR_SCRIPT_PARAM_VAR_POSITIONAL:
        case HIR_SCRIPT_PARAM_VAR_KEYWORD:
          break;
        case HIR_SCRIPT_PARAM_KEYWORD_ONLY:
          args->names[args->n_named] = param->name;
          args->named[args->n_named++] = value_of_param (py, function, i);
          break;
        default:
          hir_py_list_append (py, positional, value_of_param (py, function, i));
        }
    }
  args->items = positional->items;
  args->n = positional->n;
  return py->signal == HIR_PY_GO;
}
