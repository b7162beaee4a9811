/* Imports bind names without loading modules. nvfuser, math and os.environ.get are implemented; all
 * other imported values are opaque. */
#include "script/interp.h"

#include <string.h>

#include "script/parse/names.h"
#include "script/script.h"

/* Modules with access to files, processes, the network or Python's internals. */
static const char *const forbidden_modules[] = {
  "builtins", "ctypes",          "fileinput", "glob",    "importlib", "io",
  "marshal",  "multiprocessing", "os",        "pathlib", "pickle",    "pty",
  "runpy",    "shelve",          "shutil",    "signal",  "socket",    "subprocess",
  "sys",      "tempfile",        "threading", "urllib",  "http",      "requests",
  "gc",       "inspect",         "code",      "pdb",     NULL,
};

/* Functions of array libraries that access files. */
static const char *const forbidden_calls[] = { "load",       "save",    "fromfile", "tofile",
                                               "memmap",     "loadtxt", "savetxt",  "savez",
                                               "genfromtxt", NULL };

/* Modules whose functions cannot schedule a tensor. */
static const char *const harmless_modules[] = {
  "torch",       "pytest",     "numpy",       "logging",
  "time",        "typing",     "functools",   "itertools",
  "collections", "contextlib", "dataclasses", "enum",
  "warnings",    "random",     "unittest",    "transformer_engine",
  "mpi4py",      "copy",       "operator",    "argparse",
  "re",          "json",       "datetime",    "abc",
  "statistics",  "string",     "__future__",  NULL,
};

static gboolean
root_is (const char *path, const char *const *names)
{
  g_autofree char *root = g_strndup (path, strcspn (path, "."));

  return g_strv_contains (names, root);
}

static HirPyValue
module_value (HirPy *py, const char *path)
{
  return (HirPyValue){ .type = HIR_PY_MODULE, .text = hir_py_strdup (py, path) };
}

HirPyValue
hir_py_import_module (HirPy *py, const char *path, guint n_dots)
{
  gboolean relative = n_dots > 0;
  HirPyValue value;

  if (!relative &&
      (strcmp (path, "nvfuser_direct") == 0 || g_str_has_prefix (path, "nvfuser_direct.")))
    return module_value (py, hir_py_printf (py, "nvfuser%s", path + strlen ("nvfuser_direct")));
  if (!relative && (strcmp (path, "nvfuser") == 0 || g_str_has_prefix (path, "nvfuser.") ||
                    strcmp (path, "math") == 0 || strcmp (path, "os") == 0))
    return module_value (py, path);
  if (relative || (!root_is (path, harmless_modules) && !root_is (path, forbidden_modules)))
    {
      value = hir_py_find_file (py, path, n_dots);
      if (value.type != HIR_PY_NONE || py->signal != HIR_PY_GO)
        return value;
    }
  if (!relative && hir_py_torch_module (py, path) != NULL)
    return (HirPyValue){ .type = HIR_PY_FILE, .file = py->torch_file };
  value = hir_py_opaque (py, NULL, "%s", *path != '\0' ? path : "the package");
  value.opaque->forbidden = !relative && root_is (path, forbidden_modules);
  value.opaque->local = relative || !root_is (path, harmless_modules);
  return value;
}

static const char *const nvfuser_names[] = {
  "FusionDefinition",
  "DeviceMesh",
  "DataType",
  "ParallelType",
  "MemoryType",
  "LoadStoreOpType",
  "CacheOp",
  "SchedulerType",
  "IdMappingMode",
  "CommunicatorBackend",
  "Communicator",
  "torch_dtype_to_nvfuser_dtype",
  "MultiDeviceExecutor",
  "MultiDeviceExecutorParams",
  "TensorView",
};

/* Returns the name of nvFuser's module that @name misspells, or NULL. Other names may exist. */
static const char *
find_meant (const char *module, const char *name)
{
  if (strcmp (module, "nvfuser") != 0 && strcmp (module, "nvfuser_direct") != 0)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (nvfuser_names); i++)
    if (strcmp (nvfuser_names[i], name) == 0)
      return NULL;
  return hir_names_find_similar (name, nvfuser_names, G_N_ELEMENTS (nvfuser_names));
}

GPtrArray *
hir_script_dup_undefined (HirScript *script)
{
  return hir_names_dup_undefined (script, find_meant);
}

static HirPyValue
get_of_nvfuser (HirPy *py, const char *name)
{
  const char *meant = find_meant ("nvfuser", name);
  HirPyValue value;

  for (guint i = 0; i < G_N_ELEMENTS (nvfuser_names); i++)
    if (strcmp (nvfuser_names[i], name) == 0)
      return (HirPyValue){ .type = HIR_PY_BUILTIN, .text = nvfuser_names[i] };
  if (meant != NULL)
    {
      hir_py_fail (py, HIR_ERROR_INPUT, "nvfuser has no '%s'; did you mean '%s'?", name, meant);
      return (HirPyValue){ 0 };
    }
  if (strcmp (name, "multidevice") == 0 || strcmp (name, "pytorch_utils") == 0 ||
      strcmp (name, "testing") == 0)
    return module_value (py, hir_py_printf (py, "nvfuser.%s", name));
  value = hir_py_opaque (py, NULL, "nvfuser.%s", name);
  /* shard_tensor() places torch tensors and does not change the fusion. */
  value.opaque->local =
      strcmp (name, "shard_tensor") != 0 && strcmp (name, "execute_with_dtensors") != 0;
  return value;
}

static HirPyValue
get_of_math (HirPy *py, HirPyValue module, const char *name)
{
  if (strcmp (name, "pi") == 0)
    return hir_py_float (G_PI);
  if (strcmp (name, "e") == 0)
    return hir_py_float (G_E);
  if (strcmp (name, "inf") == 0 || strcmp (name, "nan") == 0)
    return hir_py_float (g_ascii_strtod (name, NULL));
  return hir_py_bound (py, HIR_PY_BOUND, module, name);
}

HirPyValue
hir_py_opaque_get (HirPy *py, const HirPyOpaque *opaque, const char *name)
{
  g_autofree char *path = g_strdup_printf ("%s.%s", opaque->path, name);

  return hir_py_torch_module (py, path) != NULL
             ? (HirPyValue){ .type = HIR_PY_FILE, .file = py->torch_file }
             : hir_py_opaque (py, opaque, "%s", path);
}

HirPyValue
hir_py_module_get (HirPy *py, HirPyValue module, const char *name)
{
  HirPyValue value;
  HirDType dtype;

  if (module.type == HIR_PY_OPAQUE && strcmp (module.opaque->path, "torch") == 0 &&
      hir_py_torch_lookup_dtype (name, &dtype))
    return hir_py_torch_dtype (py, dtype);
  if (module.type == HIR_PY_OPAQUE)
    return hir_py_opaque_get (py, module.opaque, name);
  if (module.type == HIR_PY_FILE)
    return hir_py_file_get (py, module.file, name);
  if (strcmp (name, "__version__") == 0 || strcmp (name, "__name__") == 0)
    return hir_py_opaque (py, NULL, "%s.%s", module.text, name);
  if (g_str_has_prefix (module.text, "nvfuser"))
    return get_of_nvfuser (py, name);
  if (strcmp (module.text, "math") == 0)
    return get_of_math (py, module, name);
  if (strcmp (module.text, "os.environ") == 0 && strcmp (name, "get") == 0)
    return (HirPyValue){ .type = HIR_PY_BUILTIN, .text = "os.environ.get" };
  if (strcmp (module.text, "os") == 0 && strcmp (name, "environ") == 0)
    return module_value (py, "os.environ");
  if (strcmp (module.text, "os.environ") == 0)
    return hir_py_opaque (py, NULL, "os.environ.%s", name);
  if (strcmp (module.text, "os") == 0 && strcmp (name, "getenv") == 0)
    return (HirPyValue){ .type = HIR_PY_BUILTIN, .text = "os.environ.get" };
  value = hir_py_opaque (py, NULL, "%s.%s", module.text, name);
  value.opaque->forbidden = TRUE;
  return value;
}

void
hir_py_exec_import (HirPy *py, const HirAst *node)
{
  for (guint i = 0; i < node->n_items && py->signal == HIR_PY_GO; i++)
    {
      const HirAst *alias = node->items[i];
      HirPyValue value;

      if (node->kind == HIR_AST_IMPORT)
        {
          /* `import a.b` binds a, `import a.b as c` binds a.b. */
          g_autofree char *root = g_strndup (alias->text, strcspn (alias->text, "."));

          value = hir_py_import_module (py, alias->a != NULL ? alias->text : root, 0);
          hir_py_bind (py, alias->a != NULL ? alias->a->text : hir_py_strdup (py, root), value);
          continue;
        }
      if (strcmp (alias->text, "*") == 0)
        continue; /* see find_star() in interp-names.c */
      value = hir_py_module_get (py, hir_py_import_module (py, node->text, (guint) node->i),
                                 alias->text);
      if (value.type == HIR_PY_OPAQUE && node->i == 0 && strchr (node->text, '.') == NULL)
        {
          /* `from torch import distributed` imports a submodule. */
          g_autofree char *path = g_strdup_printf ("%s.%s", node->text, alias->text);

          if (g_str_has_prefix (path, "nvfuser"))
            value = hir_py_module_get (py, hir_py_import_module (py, node->text, 0), alias->text);
        }
      hir_py_bind (py, alias->a != NULL ? alias->a->text : alias->text, value);
    }
}

/* Evaluates torch.arange (...) and torch.tensor ([...]) of known ints, which scripts use for
 * meshes. */
static HirPyValue
try_array (HirPy *py, const char *path, HirPyArgs *args, gboolean *done)
{
  const char *name = strrchr (path, '.');
  HirPyList *list = NULL;

  *done = FALSE;
  if (!g_str_has_prefix (path, "torch.") && !g_str_has_prefix (path, "np.") &&
      !g_str_has_prefix (path, "numpy."))
    return hir_py_none ();
  name = name + 1;
  for (guint i = 0; i < args->n; i++)
    if (args->items[i].type == HIR_PY_OPAQUE)
      return hir_py_none ();
  /* The array would lose any type but int. */
  for (guint i = 0; i < args->n_named; i++)
    if (strcmp (args->names[i], "dtype") == 0 && args->named[i].type != HIR_PY_NONE &&
        (args->named[i].type != HIR_PY_ENUM || args->named[i].enumeration->value != HIR_DTYPE_INT))
      return hir_py_none ();
  if (strcmp (name, "arange") == 0 && args->n >= 1 && args->n <= 3)
    {
      HirPyValue range;

      for (guint i = 0; i < args->n; i++)
        if (args->items[i].type != HIR_PY_INT)
          return hir_py_none ();
      range = hir_py_range (py, args->n > 1 ? args->items[0].i : 0,
                            args->items[args->n > 1 ? 1 : 0].i, args->n > 2 ? args->items[2].i : 1);
      if (py->signal == HIR_PY_GO)
        list = hir_py_to_list (py, range, "torch.arange");
    }
  else if ((strcmp (name, "tensor") == 0 || strcmp (name, "array") == 0 ||
            strcmp (name, "asarray") == 0) &&
           args->n == 1 && args->items[0].type == HIR_PY_LIST)
    {
      for (guint i = 0; i < args->items[0].list->n; i++)
        if (args->items[0].list->items[i].type != HIR_PY_INT)
          return hir_py_none ();
      list = args->items[0].list;
    }
  if (list == NULL || py->signal != HIR_PY_GO)
    return hir_py_none ();
  *done = TRUE;
  return hir_py_array (py, list, &(gint64){ list->n }, 1);
}

static gboolean
holds_tensor (HirPyValue value, guint depth)
{
  if (value.type == HIR_PY_TENSOR || value.type == HIR_PY_DEFINITION)
    return TRUE;
  if ((value.type == HIR_PY_LIST || value.type == HIR_PY_TUPLE) && depth < 3)
    for (guint i = 0; i < value.list->n; i++)
      if (holds_tensor (value.list->items[i], depth + 1))
        return TRUE;
  return value.type == HIR_PY_INSTANCE && value.instance->definition != NULL;
}

/* Adds a note if an unknown function of the user could have changed a tensor. */
static void
note_call (HirPy *py, const HirPyOpaque *callee, HirPyArgs *args)
{
  gboolean any = FALSE;

  for (guint i = 0; i < args->n; i++)
    any = any || holds_tensor (args->items[i], 0);
  for (guint i = 0; i < args->n_named; i++)
    any = any || holds_tensor (args->named[i], 0);
  if (any && callee->local)
    hir_py_note (
        py,
        "the effect of %s() on the fusion is unknown because imports are not read; copy it into "
        "this file",
        callee->path);
}

static HirPyValue
skip (HirPy *py, const char *verb, HirPyArgs *args)
{
  HirPyValue reason = hir_py_none ();

  if (!hir_py_arg (py, args, 0, "reason", &reason))
    hir_py_arg (py, args, 0, "msg", &reason);
  return hir_py_fail (py, HIR_ERROR_INPUT, "the script %s: %s", verb,
                      reason.type == HIR_PY_NONE ? "no reason given"
                                                 : hir_py_repr (py, reason, FALSE));
}

/* Functions of modules with access to the outside that do not access anything themselves. */
static gboolean
is_harmless (const char *path)
{
  static const char *const prefixes[] = { "gc.",
                                          "os.environ.",
                                          "os.path.",
                                          "sys.path.",
                                          "sys.stdout.",
                                          "sys.stderr.",
                                          "io.StringIO",
                                          "io.BytesIO",
                                          "threading.",
                                          "inspect.",
                                          "importlib.util.find_spec",
                                          "os.getpid",
                                          "os.cpu_count",
                                          NULL };

  for (guint i = 0; prefixes[i] != NULL; i++)
    if (g_str_has_prefix (path, prefixes[i]))
      return TRUE;
  return FALSE;
}

/* Returns TRUE after building a fusion, if @callee is one of the helpers that take a function which
 * fills a definition: X.exec_nvfuser (function, inputs). */
static gboolean
build_by_helper (HirPy *py, const char *name, HirPyArgs *args)
{
  HirPyValue function = hir_py_none ();

  if (args->n > 0)
    function = args->items[0];
  for (guint i = 0; i < args->n_named && args->n == 0; i++)
    if (strstr (args->names[i], "fusion") != NULL)
      function = args->named[i];
  if (args->n > 1)
    py->run_inputs = args->items[1];
  hir_py_take_enable_options (py, args);
  return py->n_open == 0 && strcmp (name, "partial") != 0 && hir_py_build_by (py, function);
}

/* Calls input (i), output (i), inputs () or outputs () of the definition of a tensor. */
static gboolean
call_expr (HirPy *py, const HirExpr *expr, const char *name, HirPyArgs *args, HirPyValue *value)
{
  gboolean is_input = g_str_has_prefix (name, "input");
  HirVal *const *vals = is_input ? expr->inputs : expr->outputs;
  gint64 n = is_input ? expr->n_inputs : expr->n_outputs, at = 0;
  const gint64 first = 0;
  HirPyValue list;

  if (!g_strv_contains ((const char *const[]){ "input", "output", "inputs", "outputs", NULL },
                        name))
    return FALSE;
  list = hir_py_list (py, HIR_PY_LIST, (guint) n);
  for (guint i = 0; i < list.list->n; i++)
    list.list->items[i] = HIR_IS_TENSOR (vals[i]) ? hir_py_tensor (HIR_TENSOR (vals[i]))
                                                  : hir_py_scalar (HIR_SCALAR (vals[i]));
  *value = list;
  if (g_str_has_suffix (name, "s"))
    return TRUE;
  at = hir_py_arg_int (py, args, 0, "index", &first);
  *value = at >= 0 && at < n
               ? list.list->items[at]
               : hir_py_raise (py, "IndexError", "%s: the index is out of range", name);
  return TRUE;
}

/* Calls a function of torch, or a method of a tensor, for the shape of its result. Returns FALSE if
 * it is not known. */
static gboolean
call_torch (
    HirPy *py, const HirPyOpaque *opaque, const char *name, HirPyArgs *args, HirPyValue *value)
{
  HirPyArgs all = *args;

  if (opaque->of != NULL)
    {
      all.n = args->n + 1;
      all.items = hir_py_alloc (py, all.n * sizeof (HirPyValue));
      all.items[0] = hir_py_opaque (py, NULL, "%s", opaque->path);
      all.items[0].opaque->torch = (HirPyTorch *) opaque->of;
      for (guint i = 0; i < args->n; i++)
        all.items[i + 1] = args->items[i];
    }
  else if (strlen (opaque->path) != strlen ("torch.") + strlen (name) &&
           !g_str_has_prefix (opaque->path, "torch.nn.functional."))
    return FALSE;
  all.callee = name;
  *value = hir_py_torch_function (py, name, &all);
  return value->type != HIR_PY_NONE || py->signal != HIR_PY_GO;
}

HirPyValue
hir_py_opaque_call (HirPy *py, HirPyValue callee, HirPyArgs *args)
{
  const HirPyOpaque *opaque = callee.opaque;
  const char *dot = strrchr (opaque->path, '.'), *name = dot != NULL ? dot + 1 : opaque->path;
  gboolean done;
  HirPyValue value = hir_py_none ();

  if (opaque->expr != NULL && call_expr (py, opaque->expr, name, args, &value))
    return value;
  if (opaque->mark != NULL && args->n == 1)
    {
      if (py->marks != NULL)
        g_ptr_array_add (py->marks, (gpointer) opaque->mark);
      return args->items[0];
    }
  if (is_harmless (opaque->path))
    {
      hir_py_note (py, "%s() is not called here; it has no effect on the fusion", opaque->path);
      return hir_py_opaque (py, NULL, "%s()", opaque->path);
    }
  if (opaque->forbidden ||
      (dot != NULL && g_strv_contains (forbidden_calls, name) &&
       (g_str_has_prefix (opaque->path, "torch.") || g_str_has_prefix (opaque->path, "numpy."))))
    return hir_py_fail (py, HIR_ERROR_REFUSED,
                        "%s() is refused: a script cannot access files, processes or the "
                        "environment",
                        opaque->path);
  if (strcmp (opaque->path, "pytest.skip") == 0)
    return skip (py, "skips", args);
  if (strcmp (opaque->path, "pytest.fail") == 0 || strcmp (opaque->path, "pytest.xfail") == 0)
    return skip (py, "fails", args);
  if (strcmp (name, "get_world_size") == 0)
    return hir_py_int (py->n_devices);
  if (strcmp (name, "get_rank") == 0)
    return hir_py_int (0);
  if (strcmp (name, "backward") == 0 && py->torch_file != NULL)
    return hir_py_call (py, hir_py_file_get (py, py->torch_file, "_backward"), args);
  if (hir_py_call_stdlib (py, opaque->path, args, &value) ||
      (!g_str_has_prefix (opaque->path, "torch.") && build_by_helper (py, name, args)) ||
      py->signal != HIR_PY_GO)
    return value;
  if (opaque->of != NULL && (hir_py_torch_method (py, callee, args, &value) ||
                             call_torch (py, opaque, name, args, &value)))
    return value;
  value = try_array (py, opaque->path, args, &done);
  if (done || py->signal != HIR_PY_GO)
    return value;
  if (g_str_has_prefix (opaque->path, "torch.") &&
      (hir_py_torch_call (py, name, args, &value) || call_torch (py, opaque, name, args, &value)))
    return value;
  if (strcmp (name, "execute_with_dtensors") == 0 && py->torch_file != NULL && py->wanted != NULL &&
      !py->was_called)
    return hir_py_call (py, hir_py_file_get (py, py->torch_file, name), args);
  if ((strcmp (name, "run") == 0 && strstr (opaque->path, "MultiDeviceExecutor") != NULL) ||
      strcmp (name, "execute_with_dtensors") == 0)
    return hir_py_stop (py, "the fusion is executed");
  note_call (py, opaque, args);
  value = hir_py_opaque (py, opaque, "%s()", opaque->path);
  if (strcmp (name, "shard_tensor") == 0 && args->n > 0 && args->items[0].type == HIR_PY_OPAQUE)
    value.opaque->whole = args->items[0].opaque->torch;
  return value;
}
