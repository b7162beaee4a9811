/* Evaluates comprehensions and f-strings. A generator is evaluated at once into a list. */
#include "script/interp.h"

#include <string.h>

static void
add_element (HirPy *py, const HirAst *node, HirPyValue result)
{
  HirPyValue a = hir_py_eval (py, node->a), b;

  if (py->signal != HIR_PY_GO)
    return;
  if (node->kind == HIR_AST_DICT_COMP)
    {
      b = hir_py_eval (py, node->b);
      if (py->signal == HIR_PY_GO)
        hir_py_dict_set (py, result.dict, a, b);
    }
  else if (node->kind == HIR_AST_SET_COMP)
    hir_py_dict_set (py, result.dict, a, hir_py_none ());
  else
    hir_py_list_append (py, result.list, a);
}

static void
run_clause (HirPy *py, const HirAst *node, guint index, HirPyValue result)
{
  const HirAst *clause = node->items[index];
  HirPyValue item;
  HirPyIter iter;

  if (py->depth >= HIR_PY_MAX_DEPTH)
    {
      hir_py_fail (py, HIR_ERROR_LIMIT, "a comprehension is nested too deeply");
      return;
    }
  item = hir_py_eval (py, clause->b);
  if (py->signal != HIR_PY_GO)
    return;
  py->pos = clause->start;
  if (!hir_py_iter_init (py, &iter, item, "a comprehension"))
    return;
  py->depth += 2;
  while (hir_py_iter_next (py, &iter, &item))
    {
      gboolean keep = TRUE;

      hir_py_assign (py, clause->a, item);
      for (guint i = 0; i < clause->n_items && keep && py->signal == HIR_PY_GO; i++)
        keep = hir_py_truth (py, hir_py_eval (py, clause->items[i]),
                             "the condition of a comprehension");
      if (!keep || py->signal != HIR_PY_GO)
        continue;
      if (index + 1 < node->n_items)
        run_clause (py, node, index + 1, result);
      else
        add_element (py, node, result);
    }
  py->depth -= 2;
}

HirPyValue
hir_py_eval_comprehension (HirPy *py, const HirAst *node)
{
  gboolean is_dict = node->kind == HIR_AST_DICT_COMP || node->kind == HIR_AST_SET_COMP;
  HirPyValue result =
      is_dict ? hir_py_dict (py, node->kind == HIR_AST_SET_COMP ? HIR_PY_SET : HIR_PY_DICT)
              : hir_py_list (py, HIR_PY_LIST, 0);
  HirPyEnv *outer = py->frame->env;

  py->frame->env = hir_py_env_new (py, outer);
  py->frame->env->is_comprehension = TRUE;
  run_clause (py, node, 0, result);
  py->frame->env = outer;
  return result;
}

/* Appends one field. Returns FALSE if its value is opaque. */
static gboolean
append_field (HirPy *py, GString *out, const HirAst *field)
{
  HirPyValue value = hir_py_eval (py, field->a), spec = hir_py_none ();
  g_autofree char *text = NULL;

  if (field->b != NULL)
    spec = hir_py_eval_fstring (py, field->b);
  if (py->signal != HIR_PY_GO)
    return TRUE;
  if (value.type == HIR_PY_OPAQUE || spec.type == HIR_PY_OPAQUE)
    return FALSE;
  if (field->text != NULL)
    g_string_append (out, field->text);
  if (field->op != 0 || (field->text != NULL && field->b == NULL))
    value = hir_py_text (py, hir_py_repr (py, value, field->op != 's'));
  if (py->signal != HIR_PY_GO)
    return TRUE;
  py->pos = field->start;
  text = hir_py_format (py, value, spec.type == HIR_PY_STRING ? spec.string->text : "");
  if (text != NULL)
    g_string_append (out, text);
  return TRUE;
}

HirPyValue
hir_py_eval_fstring (HirPy *py, const HirAst *node)
{
  GString *out = g_string_new (NULL);
  gboolean known = TRUE;
  HirPyValue result;

  for (guint i = 0; i < node->n_items && py->signal == HIR_PY_GO; i++)
    {
      const HirAst *piece = node->items[i];

      if (piece->kind == HIR_AST_FIELD)
        known = append_field (py, out, piece) && known;
      else
        g_string_append_len (out, piece->text, piece->length);
      if (out->len > py->max_bytes)
        hir_py_fail (py, HIR_ERROR_LIMIT, "a string of the script is too long");
    }
  result = known ? hir_py_string (py, out->str, out->len) : hir_py_opaque (py, NULL, "f-string");
  g_string_free (out, TRUE);
  return py->signal == HIR_PY_GO ? result : hir_py_none ();
}
