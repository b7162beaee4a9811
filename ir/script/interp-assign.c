/* Assigns values to names, attributes, items and sequences of them. */
#include "script/interp.h"

void
hir_py_bind (HirPy *py, const char *name, HirPyValue value)
{
  HirPyEnv *env = py->frame->env;
  const HirPyValue *redirected = hir_py_dict_get_name (py, &env->redirected, name);

  /* The first variable becomes the name of the tensor in messages and graphs. */
  if (value.type == HIR_PY_TENSOR && value.tensor->script_name == NULL)
    value.tensor->script_name = hir_arena_strdup (value.tensor->base.container->arena, name);
  if (redirected != NULL && redirected->i == 1)
    env = py->file->globals;
  else if (redirected != NULL)
    for (HirPyEnv *outer = env->parent; outer != NULL; outer = outer->parent)
      if (hir_py_dict_get_name (py, &outer->names, name) != NULL)
        {
          env = outer;
          break;
        }
  hir_py_dict_set_name (py, &env->names, name, value);
}

static void
unpack (HirPy *py, const HirAst *target, HirPyValue value)
{
  guint star = target->n_items, n;
  HirPyList *list;

  if (value.type == HIR_PY_OPAQUE)
    {
      for (guint i = 0; i < target->n_items; i++)
        hir_py_assign (py, target->items[i],
                       hir_py_opaque (py, value.opaque, "%s[%u]", value.opaque->path, i));
      return;
    }
  list = hir_py_to_list (py, value, "unpacking");
  if (py->signal != HIR_PY_GO)
    return;
  for (guint i = 0; i < target->n_items; i++)
    if (target->items[i]->kind == HIR_AST_STARRED)
      star = i;
  n = target->n_items;
  if (star == n ? list->n != n : list->n + 1 < n)
    {
      hir_py_raise (py, "ValueError", "%u values cannot be unpacked into %u names", list->n, n);
      return;
    }
  for (guint i = 0; i < n && py->signal == HIR_PY_GO; i++)
    {
      if (i == star)
        {
          HirPyValue rest = hir_py_list (py, HIR_PY_LIST, 0);

          for (guint j = i; j < list->n - (n - 1 - i); j++)
            hir_py_list_append (py, rest.list, list->items[j]);
          hir_py_assign (py, target->items[i]->a, rest);
        }
      else
        hir_py_assign (py, target->items[i], list->items[i < star ? i : list->n - (n - i)]);
    }
}

void
hir_py_assign (HirPy *py, const HirAst *target, HirPyValue value)
{
  HirPyValue object;

  if (py->signal != HIR_PY_GO)
    return;
  switch (target->kind)
    {
    case HIR_AST_NAME:
      hir_py_bind (py, target->text, value);
      return;
    case HIR_AST_TUPLE:
    case HIR_AST_LIST:
      unpack (py, target, value);
      return;
    case HIR_AST_ATTRIBUTE:
      object = hir_py_eval (py, target->a);
      if (py->signal != HIR_PY_GO)
        return;
      py->pos = target->start;
      hir_py_set_attribute (py, object, target->text, value);
      return;
    case HIR_AST_SUBSCRIPT:
      {
        HirPyValue index;

        object = hir_py_eval (py, target->a);
        index = hir_py_eval (py, target->b);
        if (py->signal != HIR_PY_GO)
          return;
        py->pos = target->start;
        hir_py_set_item (py, object, index, value);
        return;
      }
    default:
      py->pos = target->start;
      hir_py_raise (py, "SyntaxError", "this cannot be assigned to");
    }
}

void
hir_py_delete (HirPy *py, const HirAst *target)
{
  HirPyValue object, index;

  if (target->kind == HIR_AST_NAME)
    {
      if (!hir_py_dict_remove (py, &py->frame->env->names, hir_py_text (py, target->text)))
        hir_py_raise (py, "NameError", "the name '%s' is not defined here", target->text);
    }
  else if (target->kind == HIR_AST_TUPLE || target->kind == HIR_AST_LIST)
    {
      for (guint i = 0; i < target->n_items && py->signal == HIR_PY_GO; i++)
        hir_py_delete (py, target->items[i]);
    }
  else if (target->kind == HIR_AST_SUBSCRIPT)
    {
      object = hir_py_eval (py, target->a);
      index = hir_py_eval (py, target->b);
      if (py->signal != HIR_PY_GO)
        return;
      if (object.type == HIR_PY_DICT || object.type == HIR_PY_LIST)
        hir_py_call_method (py, object, "pop",
                            &(HirPyArgs){ .items = &index, .n = 1, .callee = "del" });
      else if (object.type != HIR_PY_OPAQUE && object.type != HIR_PY_MODULE)
        hir_py_raise (py, "TypeError", "items of a %s cannot be deleted",
                      hir_py_type_name (object));
    }
  else
    {
      object = hir_py_eval (py, target->a);
      if (object.type == HIR_PY_INSTANCE)
        hir_py_dict_remove (py, &object.instance->attributes, hir_py_text (py, target->text));
    }
}
