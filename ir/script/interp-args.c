/* Reads arguments of built-in functions and bindings, by position or by name. */
#include "script/interp.h"

#include <math.h>
#include <string.h>

#include "script/parse/names.h"

gboolean
hir_py_arg (HirPy *py, HirPyArgs *args, guint index, const char *name, HirPyValue *value)
{
  gboolean found = FALSE;

  if (index < args->n)
    {
      *value = args->items[index];
      found = TRUE;
    }
  for (guint i = 0; i < args->n_named; i++)
    if (strcmp (args->names[i], name) == 0)
      {
        if (found && !args->used[i])
          hir_py_raise (py, "TypeError", "%s: the argument '%s' is given twice", args->callee,
                        name);
        args->used[i] = TRUE;
        *value = args->named[i];
        found = TRUE;
      }
  return found && py->signal == HIR_PY_GO;
}

HirPyValue
hir_py_arg_required (HirPy *py, HirPyArgs *args, guint index, const char *name)
{
  HirPyValue value = hir_py_none ();

  if (!hir_py_arg (py, args, index, name, &value) && py->signal == HIR_PY_GO)
    hir_py_raise (py, "TypeError", "%s: the argument '%s' is missing", args->callee, name);
  return value;
}

gint64
hir_py_arg_int (HirPy *py, HirPyArgs *args, guint index, const char *name, const gint64 *fallback)
{
  HirPyValue value = hir_py_none ();

  if (fallback == NULL)
    value = hir_py_arg_required (py, args, index, name);
  else if (!hir_py_arg (py, args, index, name, &value))
    return *fallback;
  return hir_py_to_int (py, value, name);
}

gboolean
hir_py_arg_bool (HirPy *py, HirPyArgs *args, guint index, const char *name, gboolean fallback)
{
  HirPyValue value;

  if (!hir_py_arg (py, args, index, name, &value))
    return fallback;
  if (value.type == HIR_PY_OPAQUE)
    {
      hir_py_fail (py, HIR_ERROR_REFUSED, "%s: '%s' is %s, whose value is unknown", args->callee,
                   name, value.opaque->path);
      return fallback;
    }
  return hir_py_truth (py, value, name);
}

gboolean
hir_py_args_finish (HirPy *py, HirPyArgs *args, guint max_positional)
{
  if (py->signal != HIR_PY_GO)
    return FALSE;
  if (args->n > max_positional)
    {
      hir_py_raise (py, "TypeError", "%s takes %u arguments by position at most, not %u",
                    args->callee, max_positional, args->n);
      return FALSE;
    }
  for (guint i = 0; i < args->n_named; i++)
    if (!args->used[i])
      {
        hir_py_raise (py, "TypeError", "%s has no argument '%s'", args->callee, args->names[i]);
        return FALSE;
      }
  return TRUE;
}

gint64 *
hir_py_to_ints (HirPy *py, HirPyValue value, const char *what, guint *n)
{
  HirPyList *list;
  gint64 *ints;

  *n = 0;
  if (value.type == HIR_PY_INT || value.type == HIR_PY_BOOL)
    {
      *n = 1;
      ints = g_new (gint64, 1);
      ints[0] = value.i;
      return ints;
    }
  if (value.type == HIR_PY_OPAQUE)
    {
      hir_py_to_int (py, value, what);
      return NULL;
    }
  list = hir_py_to_list (py, value, what);
  if (py->signal != HIR_PY_GO)
    return NULL;
  if (list->n > HIR_PY_MAX_AXES)
    {
      hir_py_fail (py, HIR_ERROR_UNSUPPORTED, "%s names %u axes; more than %d are not supported",
                   what, list->n, HIR_PY_MAX_AXES);
      return NULL;
    }
  ints = g_new (gint64, MAX (list->n, 1));
  for (guint i = 0; i < list->n; i++)
    ints[i] = hir_py_to_int (py, list->items[i], what);
  *n = list->n;
  if (py->signal != HIR_PY_GO)
    g_clear_pointer (&ints, g_free);
  return ints;
}

char *
hir_py_suggest (HirPy *py, const char *name, const char *const *known, guint n)
{
  const char *similar = hir_names_find_similar (name, known, n);

  return similar != NULL ? hir_py_printf (py, "; did you mean '%s'?", similar)
                         : hir_py_strdup (py, "");
}
