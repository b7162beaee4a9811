/* Executes statements. */
#include "script/interp.h"
#include "script/parse/lex.h"

#include <string.h>

void
hir_py_exec_block (HirPy *py, HirAst *const *statements, guint n)
{
  for (guint i = 0; i < n && py->signal == HIR_PY_GO; i++)
    hir_py_exec (py, statements[i]);
}

static void
exec_assign (HirPy *py, const HirAst *node)
{
  HirPyValue value = hir_py_eval (py, node->b);

  for (guint i = 0; i < node->n_items && py->signal == HIR_PY_GO; i++)
    hir_py_assign (py, node->items[i], value);
}

static void
exec_aug_assign (HirPy *py, const HirAst *node)
{
  HirPyValue old = hir_py_eval (py, node->a), value = hir_py_eval (py, node->b);

  if (py->signal != HIR_PY_GO)
    return;
  py->pos = node->start;
  if (old.type == HIR_PY_LIST && node->op == HIR_TOKEN_PLUS && value.type != HIR_PY_OPAQUE)
    {
      /* In place, as in Python: other variables with the same list see the change. */
      hir_py_list_method (py, old, "extend",
                          &(HirPyArgs){ .items = &value, .n = 1, .callee = "+=" });
      value = old;
    }
  else
    value = hir_py_binary (py, node->op, old, value);
  hir_py_assign (py, node->a, value);
}

/* Runs the body of a loop once. Returns FALSE if the loop ends. */
static gboolean
exec_body (HirPy *py, const HirAst *node)
{
  hir_py_exec_block (py, node->items, node->n_items);
  if (py->signal == HIR_PY_BREAKING)
    return FALSE;
  if (py->signal == HIR_PY_CONTINUING)
    py->signal = HIR_PY_GO;
  return py->signal == HIR_PY_GO;
}

static void
end_loop (HirPy *py, const HirAst *node)
{
  if (py->signal == HIR_PY_BREAKING)
    py->signal = HIR_PY_GO;
  else if (py->signal == HIR_PY_GO && node->c != NULL)
    hir_py_exec_block (py, node->c->items, node->c->n_items);
}

static void
exec_for (HirPy *py, const HirAst *node)
{
  HirPyValue value = hir_py_eval (py, node->b), item;
  HirPyIter iter;

  if (py->signal != HIR_PY_GO)
    return;
  py->pos = node->start;
  if ((node->flags & HIR_AST_FLAG_ASYNC) != 0)
    {
      hir_py_fail (py, HIR_ERROR_REFUSED,
                   "'async for' is not run here: a fusion needs no asynchronous code");
      return;
    }
  if (!hir_py_iter_init (py, &iter, value, "this loop"))
    return;
  while (hir_py_iter_next (py, &iter, &item))
    {
      hir_py_assign (py, node->a, item);
      if (py->signal != HIR_PY_GO || !exec_body (py, node))
        break;
    }
  end_loop (py, node);
}

static void
exec_while (HirPy *py, const HirAst *node)
{
  for (;;)
    {
      gboolean truth = hir_py_eval_truth (py, node->a, node, "this loop");

      if (py->signal != HIR_PY_GO)
        return;
      if (!truth || !exec_body (py, node))
        break;
    }
  end_loop (py, node);
}

static void
exec_if (HirPy *py, const HirAst *node)
{
  for (guint i = 0; i < node->n_items; i++)
    {
      const HirAst *clause = node->items[i];
      gboolean truth = hir_py_eval_condition (py, clause->a, clause, "this condition");

      if (py->signal != HIR_PY_GO)
        return;
      if (truth)
        {
          hir_py_exec_block (py, clause->items, clause->n_items);
          return;
        }
    }
}

static void
exec_assert (HirPy *py, const HirAst *node)
{
  HirPyValue value = hir_py_eval (py, node->a), message;
  gboolean truth;

  if (py->signal != HIR_PY_GO)
    return;
  py->pos = node->start;
  /* An assertion about an unknown value is assumed to hold. */
  truth = value.type == HIR_PY_OPAQUE || value.type == HIR_PY_TENSOR ||
          value.type == HIR_PY_SCALAR || value.type == HIR_PY_ARRAY ||
          hir_py_truth (py, value, "this assertion");
  if (truth || py->signal != HIR_PY_GO)
    return;
  message = node->b != NULL ? hir_py_eval (py, node->b) : hir_py_none ();
  if (py->signal != HIR_PY_GO)
    return;
  py->pos = node->start;
  if (node->b != NULL)
    hir_py_raise (py, "AssertionError", "%s", hir_py_repr (py, message, FALSE));
  else
    {
      g_autofree char *text = hir_script_dup_text (py->file->script, node->a);

      hir_py_raise (py, "AssertionError", "'%s' does not hold", g_strdelimit (text, "\n", ' '));
    }
}

static void
exec_raise (HirPy *py, const HirAst *node)
{
  HirPyValue value = node->a != NULL ? hir_py_eval (py, node->a) : hir_py_none ();

  if (py->signal != HIR_PY_GO)
    return;
  py->pos = node->start;
  if (value.type == HIR_PY_BUILTIN && hir_py_is_exception_name (value.text))
    hir_py_raise (py, value.text, "raised without a message");
  else if (value.type == HIR_PY_EXCEPTION)
    {
      py->exception = value.exception;
      py->exception->pos = hir_py_get_offset (py);
      py->signal = HIR_PY_RAISING;
    }
  else if (value.type == HIR_PY_CLASS || value.type == HIR_PY_INSTANCE)
    hir_py_raise (py, value.type == HIR_PY_CLASS ? value.class->name : value.instance->class->name,
                  "raised by the script");
  else if (node->a == NULL && py->exception != NULL)
    py->signal = HIR_PY_RAISING;
  else
    hir_py_raise (py, "Exception", "%s raised", hir_py_repr (py, value, FALSE));
}

static void
exec_names (HirPy *py, const HirAst *node)
{
  for (guint i = 0; i < node->n_items; i++)
    hir_py_dict_set_name (py, &py->frame->env->redirected, node->items[i]->text,
                          hir_py_int (node->kind == HIR_AST_GLOBAL ? 1 : 2));
}

static void
exec_return (HirPy *py, const HirAst *node)
{
  HirPyValue value = node->a != NULL ? hir_py_eval (py, node->a) : hir_py_none ();

  if (py->signal != HIR_PY_GO)
    return;
  py->returned = value;
  py->signal = HIR_PY_RETURNING;
}

/* Executes a statement with blocks. Returns FALSE for other statements. */
static gboolean
exec_compound (HirPy *py, const HirAst *node)
{
  HirPyValue value;

  switch (node->kind)
    {
    case HIR_AST_IF:
      exec_if (py, node);
      return TRUE;
    case HIR_AST_WHILE:
      exec_while (py, node);
      return TRUE;
    case HIR_AST_FOR:
      exec_for (py, node);
      return TRUE;
    case HIR_AST_WITH:
      hir_py_exec_with (py, node);
      return TRUE;
    case HIR_AST_TRY:
      hir_py_exec_try (py, node);
      return TRUE;
    case HIR_AST_MATCH:
      hir_py_exec_match (py, node);
      return TRUE;
    case HIR_AST_DEF:
      value = hir_py_make_function (py, node->function, NULL);
      hir_py_bind (py, node->function->name, value);
      return TRUE;
    case HIR_AST_CLASS:
      value = hir_py_make_class (py, node);
      if (py->signal == HIR_PY_GO)
        hir_py_bind (py, node->text, value);
      return TRUE;
    default:
      return FALSE;
    }
}

static void
exec_node (HirPy *py, const HirAst *node)
{
  HirPyValue value;

  if (exec_compound (py, node))
    return;
  switch (node->kind)
    {
    case HIR_AST_EXPRESSION:
      hir_py_eval (py, node->a);
      break;
    case HIR_AST_ASSIGN:
      exec_assign (py, node);
      break;
    case HIR_AST_AUG_ASSIGN:
      exec_aug_assign (py, node);
      break;
    case HIR_AST_ANN_ASSIGN:
      if (node->c != NULL)
        {
          value = hir_py_eval (py, node->c);
          hir_py_assign (py, node->a, value);
        }
      break;
    case HIR_AST_RETURN:
      exec_return (py, node);
      break;
    case HIR_AST_DELETE:
      for (guint i = 0; i < node->n_items && py->signal == HIR_PY_GO; i++)
        hir_py_delete (py, node->items[i]);
      break;
    case HIR_AST_RAISE:
      exec_raise (py, node);
      break;
    case HIR_AST_ASSERT:
      exec_assert (py, node);
      break;
    case HIR_AST_GLOBAL:
    case HIR_AST_NONLOCAL:
      exec_names (py, node);
      break;
    case HIR_AST_BREAK:
    case HIR_AST_CONTINUE:
      py->signal = node->kind == HIR_AST_BREAK ? HIR_PY_BREAKING : HIR_PY_CONTINUING;
      break;
    case HIR_AST_IMPORT:
    case HIR_AST_IMPORT_FROM:
      hir_py_exec_import (py, node);
      break;
    case HIR_AST_TYPE_ALIAS:
      hir_py_bind (py, node->a->text, hir_py_opaque (py, NULL, "%s", node->a->text));
      break;
    default:
      break;
    }
}

void
hir_py_exec (HirPy *py, const HirAst *node)
{
  if (!hir_py_step (py, 1))
    return;
  if (py->depth >= HIR_PY_MAX_DEPTH)
    {
      hir_py_fail (py, HIR_ERROR_LIMIT,
                   "calls and statements are nested too deeply; is there a recursion without end?");
      return;
    }
  py->depth++;
  py->pos = node->start;
  exec_node (py, node);
  py->depth--;
}
