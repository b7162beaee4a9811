/* Imports of files next to the script. They are parsed, and their statements run as those of the
 * script do: lazily, by this interpreter. No other file is ever opened. */
#include "script/interp.h"

#include <string.h>

/* A row of the header that app/embed.py writes. */
typedef struct
{
  const char *name, *text;
  gsize length;
} HirExample;

#include "script/torch/torch-modules-data.h"

#define MAX_FILES 64
#define MAX_LEVELS_UP 4

/* Returns the loaded file @path, or loads it. Returns NULL if it does not exist, or after a signal.
 */
static HirPyFile *
load (HirPy *py, const char *path, const char *folder, const char *name)
{
  g_autoptr (HirSource) source = NULL;
  GError *error = NULL;
  HirScript *script;

  for (guint i = 0; i < py->files->len; i++)
    {
      HirPyFile *file = py->files->pdata[i];

      if (file->folder != NULL && strcmp (file->folder, folder) == 0 &&
          strcmp (file->name, name) == 0)
        return file;
    }
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return NULL;
  if (py->files->len >= MAX_FILES)
    {
      hir_py_fail (py, HIR_ERROR_LIMIT, "the script imports more than %d files", MAX_FILES);
      return NULL;
    }
  source = hir_script_load (path, &error);
  if (source == NULL)
    {
      hir_py_take_error (py, error);
      return NULL;
    }
  script = hir_script_parse (source, NULL);
  g_ptr_array_add (py->extra, script);
  if (script->n_errors > 0)
    {
      hir_py_fail (py, HIR_ERROR_SYNTAX, "the imported file %s has a syntax error", name);
      return NULL;
    }
  return hir_py_file_new (py, script, folder, name);
}

static HirPyValue
file_value (HirPyFile *file)
{
  return (HirPyValue){ .type = file != NULL ? HIR_PY_FILE : HIR_PY_NONE, .file = file };
}

/* Returns @folder as a module: its __init__.py, or an empty module. */
static HirPyValue
load_folder (HirPy *py, const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "__init__.py", NULL);
  g_autofree char *base = g_path_get_basename (folder),
                  *name = g_strconcat (base, "/__init__.py", NULL);
  HirPyFile *file = load (py, path, folder, name);

  if (file == NULL && py->signal == HIR_PY_GO && g_file_test (folder, G_FILE_TEST_IS_DIR))
    file = hir_py_file_new (py, NULL, folder, name);
  return file_value (file);
}

/* Finds the module @path below @folder; "" is the folder itself. */
static HirPyValue
find_below (HirPy *py, const char *folder, const char *path)
{
  g_auto (GStrv) names = g_strsplit (path, ".", 0);
  g_autofree char *joined = g_strjoinv (G_DIR_SEPARATOR_S, names);
  g_autofree char *whole = g_build_filename (folder, joined, NULL);
  g_autofree char *file = g_strconcat (whole, ".py", NULL);
  HirPyFile *found = NULL;

  if (strstr (path, "..") != NULL || strchr (path, '/') != NULL)
    return hir_py_none ();
  if (*path != '\0')
    {
      g_autofree char *in = g_path_get_dirname (file), *name = g_path_get_basename (file);

      found = load (py, file, in, name);
    }
  if (found != NULL || py->signal != HIR_PY_GO)
    return file_value (found);
  return g_file_test (whole, G_FILE_TEST_IS_DIR) ? load_folder (py, whole) : hir_py_none ();
}

/* Absolute imports are searched next to the importing file and in the folders above it: pytest adds
 * one of them to the path. */
HirPyValue
hir_py_find_file (HirPy *py, const char *path, guint n_dots)
{
  g_autofree char *folder = g_strdup (py->file->folder);
  guint n_levels = n_dots > 0 ? n_dots : MAX_LEVELS_UP;
  HirPyValue value = hir_py_none ();

  for (guint i = 0; folder != NULL && i < n_levels; i++)
    {
      char *up;

      if (n_dots == 0 || i + 1 == n_dots)
        value = find_below (py, folder, path);
      if (value.type != HIR_PY_NONE || py->signal != HIR_PY_GO)
        return value;
      up = g_path_get_dirname (folder);
      if (strcmp (up, folder) == 0)
        i = n_levels;
      g_free (folder);
      folder = up;
    }
  return value;
}

HirPyValue
hir_py_file_get (HirPy *py, HirPyFile *file, const char *name)
{
  HirPyValue value;

  if (hir_py_lookup_in_file (py, file, name, &value) || py->signal != HIR_PY_GO)
    return value;
  if (file == py->torch_file)
    return hir_py_opaque (py, NULL, "torch.nn.%s", name);
  if (g_str_has_suffix (file->name, "__init__.py"))
    {
      value = find_below (py, file->folder, name);
      if (value.type != HIR_PY_NONE || py->signal != HIR_PY_GO)
        return value;
    }
  return hir_py_raise (py, "ImportError", "%s defines no '%s'", file->name, name);
}

/* Scripts that are compiled in define the known functions of torch. */
static HirPyFile *
load_compiled_in (HirPy *py, const char *file_name, const char *name)
{
  g_autoptr (HirSource) source = NULL;
  const HirExample *example = hir_example_data;
  HirScript *script;

  while (strcmp (example->name, file_name) != 0)
    example++;
  source = hir_source_new (name, example->text, (gssize) example->length);
  script = hir_script_parse (source, NULL);
  g_ptr_array_add (py->extra, script);
  return hir_py_file_new (py, script, NULL, name);
}

HirPyFile *
hir_py_torch_module (HirPy *py, const char *path)
{
  static const char *const paths[] = { "torch.nn",
                                       "torch.nn.modules",
                                       "torch.nn.parameter",
                                       "torch.autograd",
                                       "torch.autograd.function",
                                       "torch.distributed.device_mesh",
                                       "torch.distributed.tensor",
                                       "torch.distributed._tensor",
                                       "torch.distributed.tensor.placement_types",
                                       NULL };

  if (!g_strv_contains (paths, path))
    return NULL;
  if (py->torch_file == NULL)
    py->torch_file = load_compiled_in (py, "modules.py", "torch");
  return py->torch_file;
}

gboolean
hir_py_call_written (HirPy *py, const char *name, HirPyArgs *args, HirPyValue *result)
{
  HirPyArgs all = *args;
  HirPyValue function;

  if (py->methods == NULL)
    py->methods = load_compiled_in (py, "methods.py", "methods");
  if (!hir_py_lookup_in_file (py, py->methods, name, &function))
    return FALSE;
  all.callee = strchr (name, '_') + 1;
  *result = hir_py_call (py, function, &all);
  return TRUE;
}

HirPyValue
hir_py_call_written_method (HirPy *py, HirPyValue self, const char *name, HirPyArgs *args)
{
  HirPyArgs all = *args;
  HirPyValue result = hir_py_none ();

  all.n = args->n + 1;
  all.items = hir_py_alloc (py, all.n * sizeof (HirPyValue));
  if (all.items == NULL)
    return result;
  all.items[0] = self;
  for (guint i = 0; i < args->n; i++)
    all.items[i + 1] = args->items[i];
  hir_py_call_written (py, name, &all, &result);
  return result;
}

HirPyValue
hir_py_torch_function (HirPy *py, const char *name, HirPyArgs *args)
{
  HirPyValue function, result;
  guint n_open = py->n_open;

  if (name[0] == '_')
    return hir_py_none ();
  if (py->torch_functions == NULL)
    py->torch_functions = load_compiled_in (py, "functions.py", "torch functions");
  if (!hir_py_lookup_in_file (py, py->torch_functions, hir_py_printf (py, "torch_%s", name),
                              &function) &&
      !hir_py_lookup_in_file (py, py->torch_functions, name, &function))
    return hir_py_none ();
  if (function.type != HIR_PY_FUNCTION)
    return hir_py_none ();
  py->n_open = 0;
  result = hir_py_call (py, function, args);
  py->n_open = n_open;
  /* Arguments that are unknown, or that the function does not know. */
  if (py->signal == HIR_PY_FAILED && g_error_matches (py->error, HIR_ERROR, HIR_ERROR_LIMIT))
    return hir_py_none ();
  if (py->signal == HIR_PY_RAISING || py->signal == HIR_PY_STOPPED || py->signal == HIR_PY_FAILED)
    {
      g_clear_error (&py->error);
      py->signal = HIR_PY_GO;
    }
  else if (py->signal == HIR_PY_GO)
    return result;
  return hir_py_none ();
}
