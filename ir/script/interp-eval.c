/* Evaluates expressions. */
#include "script/interp.h"
#include "script/parse/lex.h"

#include <string.h>

/* Evaluates the items of a display and unpacks starred ones. */
static HirPyList *
eval_items (HirPy *py, HirAst *const *items, guint n)
{
  HirPyValue list = hir_py_list (py, HIR_PY_LIST, 0);

  for (guint i = 0; i < n && py->signal == HIR_PY_GO; i++)
    {
      if (items[i]->kind == HIR_AST_STARRED)
        hir_py_list_extend (py, list.list, hir_py_eval (py, items[i]->a), "'*'");
      else
        hir_py_list_append (py, list.list, hir_py_eval (py, items[i]));
    }
  return list.list;
}

static HirPyValue
eval_display (HirPy *py, const HirAst *node)
{
  HirPyList *list = eval_items (py, node->items, node->n_items);
  HirPyValue set;

  if (node->kind != HIR_AST_SET)
    return (HirPyValue){ .type = node->kind == HIR_AST_LIST ? HIR_PY_LIST : HIR_PY_TUPLE,
                         .list = list };
  set = hir_py_dict (py, HIR_PY_SET);
  for (guint i = 0; py->signal == HIR_PY_GO && i < list->n; i++)
    hir_py_dict_set (py, set.dict, list->items[i], hir_py_none ());
  return set;
}

static HirPyValue
eval_dict (HirPy *py, const HirAst *node)
{
  HirPyValue dict = hir_py_dict (py, HIR_PY_DICT);

  for (guint i = 0; i + 1 < node->n_items && py->signal == HIR_PY_GO; i += 2)
    {
      HirPyValue key, value;

      if (node->items[i] == NULL)
        {
          value = hir_py_eval (py, node->items[i + 1]);
          if (value.type == HIR_PY_OPAQUE)
            return value;
          if (value.type != HIR_PY_DICT)
            return hir_py_raise (py, "TypeError", "'**' needs a dict, not %s",
                                 hir_py_type_name (value));
          hir_py_dict_method (py, dict, "update",
                              &(HirPyArgs){ .items = &value, .n = 1, .callee = "update" });
          continue;
        }
      key = hir_py_eval (py, node->items[i]);
      value = hir_py_eval (py, node->items[i + 1]);
      if (py->signal == HIR_PY_GO)
        hir_py_dict_set (py, dict.dict, key, value);
    }
  return dict;
}

static HirPyValue
eval_bool (HirPy *py, const HirAst *node)
{
  HirPyValue value = hir_py_none ();

  for (guint i = 0; i < node->n_items && py->signal == HIR_PY_GO; i++)
    {
      gboolean truth;

      value = hir_py_eval (py, node->items[i]);
      if (i + 1 == node->n_items || py->signal != HIR_PY_GO)
        break;
      /* An opaque operand makes the result opaque; the run stops only if the result is used. */
      if (hir_py_is_opaque (value))
        return value;
      truth = hir_py_truth (py, value, hir_token_kind_get_text (node->op));
      if (truth == (node->op == HIR_TOKEN_OR))
        break;
    }
  return value;
}

static HirPyValue
eval_compare (HirPy *py, const HirAst *node)
{
  HirPyValue left = hir_py_eval (py, node->a), result = hir_py_none ();

  for (guint i = 0; i < node->n_items && py->signal == HIR_PY_GO; i++)
    {
      const HirAst *step = node->items[i];
      HirPyValue right = hir_py_eval (py, step->a);

      result = hir_py_compare (py, step->op, (step->flags & HIR_AST_FLAG_NOT) != 0, left, right);
      if (i + 1 < node->n_items &&
          (hir_py_is_opaque (result) || !hir_py_truth (py, result, "a comparison")))
        break;
      left = right;
    }
  return result;
}

static HirPyValue
eval_slice (HirPy *py, const HirAst *node)
{
  HirPySlice *slice = hir_py_new (py, HirPySlice);

  slice->start = node->a != NULL ? hir_py_eval (py, node->a) : hir_py_none ();
  slice->stop = node->b != NULL ? hir_py_eval (py, node->b) : hir_py_none ();
  slice->step = node->c != NULL ? hir_py_eval (py, node->c) : hir_py_none ();
  return (HirPyValue){ .type = HIR_PY_SLICE, .slice = slice };
}

static HirPyValue
eval_yield (HirPy *py, const HirAst *node)
{
  HirPyFrame *frame = py->frame;
  HirPyValue value = node->a != NULL ? hir_py_eval (py, node->a) : hir_py_none ();

  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  if (frame->yielded == NULL)
    return hir_py_fail (py, HIR_ERROR_REFUSED, "'yield' outside a function has no meaning");
  if (node->kind == HIR_AST_YIELD_FROM)
    hir_py_list_extend (py, frame->yielded, value, "'yield from'");
  else
    hir_py_list_append (py, frame->yielded, value);
  return hir_py_none ();
}

static HirPyValue
eval_named (HirPy *py, const HirAst *node)
{
  HirPyValue value = hir_py_eval (py, node->b);
  HirPyEnv *env = py->frame->env, *inner = env;

  if (py->signal != HIR_PY_GO)
    return value;
  /* In a comprehension, `:=` binds in the enclosing function. */
  while (env->is_comprehension)
    env = env->parent != NULL ? env->parent : py->file->globals;
  py->frame->env = env;
  hir_py_bind (py, node->a->text, value);
  py->frame->env = inner;
  return value;
}

gboolean
hir_py_eval_literal (HirPy *py, const HirAst *node, HirPyValue *value)
{
  switch (node->kind)
    {
    case HIR_AST_INT:
      *value = hir_py_int (node->i);
      return (node->flags & HIR_AST_FLAG_BIG) == 0;
    case HIR_AST_FLOAT:
      *value = hir_py_float (node->d);
      return TRUE;
    case HIR_AST_IMAGINARY:
      *value = hir_py_complex (py, 0, node->d);
      return TRUE;
    case HIR_AST_STRING:
      *value = hir_py_string (py, node->text, node->length);
      return TRUE;
    case HIR_AST_TRUE:
    case HIR_AST_FALSE:
      *value = hir_py_bool (node->kind == HIR_AST_TRUE);
      return TRUE;
    case HIR_AST_NONE:
      *value = hir_py_none ();
      return TRUE;
    default:
      return FALSE;
    }
}

static HirPyValue
eval_constant (HirPy *py, const HirAst *node)
{
  HirPyValue value;

  if (hir_py_eval_literal (py, node, &value))
    return value;
  switch (node->kind)
    {
    case HIR_AST_INT:
      py->pos = node->start;
      return hir_py_fail (py, HIR_ERROR_UNSUPPORTED,
                          "this number exceeds 64 bits, which is not supported");
    case HIR_AST_ELLIPSIS:
      return (HirPyValue){ .type = HIR_PY_ELLIPSIS };
    default: /* bytes */
      return hir_py_opaque (py, NULL, "bytes");
    }
}

static HirPyValue
eval_attribute (HirPy *py, const HirAst *node)
{
  HirPyValue object = hir_py_eval (py, node->a);

  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  py->pos = node->start;
  return hir_py_get_attribute (py, object, node->text);
}

static HirPyValue
eval_subscript (HirPy *py, const HirAst *node)
{
  HirPyValue object = hir_py_eval (py, node->a), index = hir_py_eval (py, node->b);

  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  py->pos = node->start;
  return hir_py_get_item (py, object, index);
}

static HirPyValue
eval_binary (HirPy *py, const HirAst *node)
{
  HirPyValue a = hir_py_eval (py, node->a), b;

  if (node->op == 0 || py->signal != HIR_PY_GO)
    return hir_py_none ();
  b = node->b != NULL ? hir_py_eval (py, node->b) : hir_py_none ();
  py->pos = py->signal == HIR_PY_GO ? node->start : py->pos;
  return node->kind == HIR_AST_UNARY ? hir_py_unary (py, node->op, a)
                                     : hir_py_binary (py, node->op, a, b);
}

static HirPyValue
eval_conditional (HirPy *py, const HirAst *node)
{
  gboolean truth = hir_py_eval_condition (py, node->a, node, "a conditional expression");

  return py->signal == HIR_PY_GO ? hir_py_eval (py, truth ? node->b : node->c) : hir_py_none ();
}

static HirPyValue
eval_name (HirPy *py, const HirAst *node)
{
  HirPyValue value = hir_py_none ();
  guint pos = py->pos;

  py->pos = node->start;
  if (hir_py_lookup (py, node->text, &value))
    py->pos = pos;
  return value;
}

static HirPyValue
eval_node (HirPy *py, const HirAst *node)
{
  switch (node->kind)
    {
    case HIR_AST_NAME:
      return eval_name (py, node);
    case HIR_AST_FSTRING:
      return hir_py_eval_fstring (py, node);
    case HIR_AST_TUPLE:
    case HIR_AST_LIST:
    case HIR_AST_SET:
      return eval_display (py, node);
    case HIR_AST_DICT:
      return eval_dict (py, node);
    case HIR_AST_LIST_COMP:
    case HIR_AST_SET_COMP:
    case HIR_AST_DICT_COMP:
    case HIR_AST_GENERATOR:
      return hir_py_eval_comprehension (py, node);
    case HIR_AST_UNARY:
    case HIR_AST_BINARY:
      return eval_binary (py, node);
    case HIR_AST_BOOL:
      return eval_bool (py, node);
    case HIR_AST_COMPARE:
      return eval_compare (py, node);
    case HIR_AST_CONDITIONAL:
      return eval_conditional (py, node);
    case HIR_AST_LAMBDA:
      return hir_py_make_function (py, node->function, NULL);
    case HIR_AST_CALL:
      return hir_py_call_ast (py, node);
    case HIR_AST_ATTRIBUTE:
      return eval_attribute (py, node);
    case HIR_AST_SUBSCRIPT:
      return eval_subscript (py, node);
    case HIR_AST_SLICE:
      return eval_slice (py, node);
    case HIR_AST_NAMED:
      return eval_named (py, node);
    case HIR_AST_YIELD:
    case HIR_AST_YIELD_FROM:
      return eval_yield (py, node);
    case HIR_AST_AWAIT:
      py->pos = node->start;
      return hir_py_fail (py, HIR_ERROR_REFUSED,
                          "'await' is not run here: a fusion needs no asynchronous code");
    case HIR_AST_STARRED:
      py->pos = node->start;
      return hir_py_raise (py, "SyntaxError", "a starred expression is not allowed here");
    default:
      return eval_constant (py, node);
    }
}

HirPyValue
hir_py_eval (HirPy *py, const HirAst *node)
{
  HirPyValue value;

  if (!hir_py_step (py, 1))
    return hir_py_none ();
  if (py->depth >= HIR_PY_MAX_DEPTH)
    return hir_py_fail (py, HIR_ERROR_LIMIT,
                        "calls and expressions are nested too deeply; is there a recursion without "
                        "end?");
  py->depth++;
  value = eval_node (py, node);
  py->depth--;
  return py->signal == HIR_PY_GO ? value : hir_py_none ();
}

gboolean
hir_py_eval_truth (HirPy *py, const HirAst *condition, const HirAst *node, const char *what)
{
  HirPyValue value = hir_py_eval (py, condition);

  if (py->signal != HIR_PY_GO)
    return FALSE;
  py->pos = node->start;
  return hir_py_truth (py, value, what);
}

gboolean
hir_py_eval_condition (HirPy *py, const HirAst *condition, const HirAst *node, const char *what)
{
  g_autofree char *text = NULL;
  HirPyValue value;

  if (condition == NULL)
    return TRUE;
  if (py->n_open > 0)
    return hir_py_eval_truth (py, condition, node, what);
  value = hir_py_eval (py, condition);
  if (py->signal != HIR_PY_GO)
    return FALSE;
  py->pos = node->start;
  if (hir_py_torch_number (value).type != HIR_PY_OPAQUE)
    return hir_py_truth (py, value, what);
  py->took_false = TRUE;
  text = hir_script_dup_text (py->file->script, condition);
  hir_py_note (py, "%s is unknown and taken as false: %.*s%s", what, (int) strcspn (text, "\n"),
               text, strchr (text, '\n') != NULL ? "..." : "");
  return FALSE;
}
