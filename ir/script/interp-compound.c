/* Executes try, with and match statements. */
#include "script/interp.h"
#include "script/parse/lex.h"

#include <string.h>

/* Exception classes and their base classes. */
static const char *const exception_bases[][2] = {
  { "KeyError", "LookupError" },
  { "IndexError", "LookupError" },
  { "LookupError", "Exception" },
  { "ZeroDivisionError", "ArithmeticError" },
  { "OverflowError", "ArithmeticError" },
  { "ArithmeticError", "Exception" },
  { "NotImplementedError", "RuntimeError" },
  { "ModuleNotFoundError", "ImportError" },
  { "Exception", "BaseException" },
  { "SystemExit", "BaseException" },
  { "KeyboardInterrupt", "BaseException" },
};

static gboolean
exception_is (const char *type, const char *name)
{
  const char *base;

  for (guint depth = 0; depth < 8; depth++)
    {
      if (strcmp (type, name) == 0)
        return TRUE;
      base = strcmp (type, "BaseException") == 0 ? NULL : "Exception";
      for (guint i = 0; i < G_N_ELEMENTS (exception_bases); i++)
        if (strcmp (exception_bases[i][0], type) == 0)
          base = exception_bases[i][1];
      if (base == NULL)
        return FALSE;
      type = base;
    }
  return FALSE;
}

static gboolean
handler_matches (HirPy *py, HirPyValue type, const HirPyException *exception)
{
  if (type.type == HIR_PY_BUILTIN)
    return exception_is (exception->type, type.text);
  if (type.type == HIR_PY_CLASS)
    return exception_is (exception->type, type.class->name);
  if (type.type == HIR_PY_TUPLE)
    for (guint i = 0; i < type.list->n; i++)
      if (handler_matches (py, type.list->items[i], exception))
        return TRUE;
  return FALSE;
}

static void
run_handlers (HirPy *py, const HirAst *node)
{
  HirPyException *exception = py->exception;
  guint pos = py->pos;

  for (guint i = 0; i < node->n_items; i++)
    {
      const HirAst *handler = node->items[i];
      gboolean matches = handler->a == NULL;

      py->signal = HIR_PY_GO;
      if (!matches)
        {
          HirPyValue type = hir_py_eval (py, handler->a);

          if (py->signal != HIR_PY_GO)
            return;
          matches = handler_matches (py, type, exception);
        }
      if (matches)
        {
          if (handler->text != NULL)
            hir_py_bind (py, handler->text,
                         (HirPyValue){ .type = HIR_PY_EXCEPTION, .exception = exception });
          hir_py_exec_block (py, handler->items, handler->n_items);
          return;
        }
    }
  py->exception = exception;
  py->pos = pos;
  py->signal = HIR_PY_RAISING;
}

void
hir_py_exec_try (HirPy *py, const HirAst *node)
{
  HirPyException *exception;
  HirPyValue returned;
  HirPySignal signal;

  hir_py_exec_block (py, node->a->items, node->a->n_items);
  if (py->signal == HIR_PY_RAISING)
    run_handlers (py, node);
  else if (py->signal == HIR_PY_GO && node->b != NULL)
    hir_py_exec_block (py, node->b->items, node->b->n_items);
  if (node->c == NULL || py->signal == HIR_PY_STOPPED || py->signal == HIR_PY_FAILED)
    return;
  signal = py->signal;
  returned = py->returned;
  exception = py->exception;
  py->signal = HIR_PY_GO;
  hir_py_exec_block (py, node->c->items, node->c->n_items);
  if (py->signal == HIR_PY_GO)
    {
      py->signal = signal;
      py->returned = returned;
      py->exception = exception;
    }
}

/* Enters a context manager and returns the value for `as`. @leave is its exit method or None. */
static HirPyValue
enter (HirPy *py, HirPyValue manager, HirPyValue *leave)
{
  *leave = hir_py_none ();
  switch (manager.type)
    {
    case HIR_PY_DEFINITION:
    case HIR_PY_OPAQUE:
      return manager;
    case HIR_PY_INSTANCE:
      if (hir_py_class_lookup (py, manager.instance->class, "__enter__") != NULL)
        {
          if (hir_py_class_lookup (py, manager.instance->class, "__exit__") != NULL)
            *leave = hir_py_get_attribute (py, manager, "__exit__");
          return hir_py_call_values (py, hir_py_get_attribute (py, manager, "__enter__"), NULL, 0);
        }
      if (manager.instance->definition != NULL)
        return manager;
      break;
    case HIR_PY_LIST:
      /* A generator under contextlib.contextmanager: it has run to its end and yields once. */
      return manager.list->n > 0 ? manager.list->items[0] : hir_py_none ();
    default:
      break;
    }
  return hir_py_raise (py, "TypeError", "%s is not a context manager", hir_py_type_name (manager));
}

static void
run_with (HirPy *py, const HirAst *node, guint index)
{
  const HirAst *item;
  HirPyValue manager, value, leave;
  guint n_open = py->n_open;

  if (index == node->n_items)
    {
      hir_py_exec_block (py, node->c->items, node->c->n_items);
      return;
    }
  item = node->items[index];
  manager = hir_py_eval (py, item->a);
  if (py->signal != HIR_PY_GO)
    return;
  py->pos = item->start;
  value = enter (py, manager, &leave);
  if (item->b != NULL)
    hir_py_assign (py, item->b, value);
  if (py->signal != HIR_PY_GO)
    return;
  if (py->depth >= HIR_PY_MAX_DEPTH)
    {
      hir_py_fail (py, HIR_ERROR_LIMIT, "with statements are nested too deeply");
      return;
    }
  py->depth++;
  py->n_open += manager.type == HIR_PY_DEFINITION;
  run_with (py, node, index + 1);
  py->depth--;
  if (manager.type == HIR_PY_DEFINITION)
    {
      py->n_open--;
      if (py->needs_sizes)
        hir_py_find_run_inputs (py, node);
      manager.definition->is_closed = py->signal == HIR_PY_GO || py->signal == HIR_PY_RETURNING;
    }
  if ((py->signal == HIR_PY_RAISING || (py->signal == HIR_PY_FAILED && py->fusion_failed)) &&
      manager.type == HIR_PY_OPAQUE && strstr (manager.opaque->path, "raises") != NULL)
    { /* pytest.raises() expects the exception, or an op that is refused */
      g_clear_error (&py->error);
      py->signal = HIR_PY_GO;
      py->fusion_failed = FALSE;
      py->n_open = n_open;
    }
  else if (py->signal == HIR_PY_GO && leave.type != HIR_PY_NONE)
    {
      HirPyValue none[3] = { hir_py_none (), hir_py_none (), hir_py_none () };

      hir_py_call_values (py, leave, none, 3);
    }
}

void
hir_py_exec_with (HirPy *py, const HirAst *node)
{
  if ((node->flags & HIR_AST_FLAG_ASYNC) != 0)
    hir_py_fail (py, HIR_ERROR_REFUSED,
                 "'async with' is not run here: a fusion needs no asynchronous code");
  else
    run_with (py, node, 0);
}

static gboolean match_pattern (HirPy *py, const HirAst *pattern, HirPyValue value);

static gboolean
match_sequence (HirPy *py, const HirAst *pattern, HirPyValue value)
{
  guint star = pattern->n_items, n = pattern->n_items;
  const HirPyList *list;

  if (value.type != HIR_PY_LIST && value.type != HIR_PY_TUPLE)
    return FALSE;
  list = value.list;
  for (guint i = 0; i < n; i++)
    if (pattern->items[i]->kind == HIR_AST_PATTERN_STAR)
      star = i;
  if (star == n ? list->n != n : list->n + 1 < n)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (i == star)
      {
        HirPyValue rest = hir_py_list (py, HIR_PY_LIST, 0);

        for (guint j = i; j < list->n - (n - 1 - i); j++)
          hir_py_list_append (py, rest.list, list->items[j]);
        if (strcmp (pattern->items[i]->text, "_") != 0)
          hir_py_bind (py, pattern->items[i]->text, rest);
      }
    else if (!match_pattern (py, pattern->items[i], list->items[i < star ? i : list->n - (n - i)]))
      return FALSE;
  return TRUE;
}

/* {key: pattern, ...} */
static gboolean
match_mapping (HirPy *py, const HirAst *pattern, HirPyValue value)
{
  if (value.type != HIR_PY_DICT)
    return FALSE;
  for (guint i = 0; i + 1 < pattern->n_items; i += 2)
    {
      const HirPyValue *found =
          hir_py_dict_get (py, value.dict, hir_py_eval (py, pattern->items[i]));

      if (py->signal != HIR_PY_GO || found == NULL ||
          !match_pattern (py, pattern->items[i + 1], *found))
        return FALSE;
    }
  if (pattern->text != NULL)
    {
      HirPyValue rest = hir_py_dict_method (py, value, "copy", &(HirPyArgs){ .callee = "copy" });

      for (guint i = 0; i + 1 < pattern->n_items && py->signal == HIR_PY_GO; i += 2)
        hir_py_dict_remove (py, rest.dict, hir_py_eval (py, pattern->items[i]));
      hir_py_bind (py, pattern->text, rest);
    }
  return py->signal == HIR_PY_GO;
}

/* Returns the name of positional pattern @index: that of __match_args__, or the annotated names of
 * a class in order. */
static const char *
get_match_arg (HirPy *py, HirPyClass *class, guint index)
{
  const HirPyValue *args = hir_py_class_lookup (py, class, "__match_args__");

  if (args != NULL && args->type == HIR_PY_TUPLE)
    return index < args->list->n && args->list->items[index].type == HIR_PY_STRING
               ? args->list->items[index].string->text
               : NULL;
  for (guint i = 0; i < class->ast->n_items; i++)
    if (class->ast->items[i]->kind == HIR_AST_ANN_ASSIGN &&
        class->ast->items[i]->a->kind == HIR_AST_NAME && index-- == 0)
      return class->ast->items[i]->a->text;
  return NULL;
}

/* Class (pattern, name=pattern): a positional pattern of a built-in type is for the value itself.
 */
static gboolean
match_class (HirPy *py, const HirAst *pattern, HirPyValue value)
{
  HirPyValue class = hir_py_eval (py, pattern->a);

  if (py->signal != HIR_PY_GO || !hir_py_is_instance (py, value, class))
    return FALSE;
  for (guint i = 0; i < pattern->n_items; i++)
    {
      const HirAst *item = pattern->items[i];
      const char *name = item->kind == HIR_AST_KEYWORD ? item->text
                         : class.type == HIR_PY_CLASS  ? get_match_arg (py, class.class, i)
                                                       : NULL;
      HirPyValue part = value;

      if (name == NULL && class.type == HIR_PY_CLASS)
        {
          hir_py_raise (py, "TypeError", "%s() has no positional pattern %u", class.class->name,
                        i + 1);
          return FALSE;
        }
      if (name != NULL)
        part = hir_py_get_attribute (py, value, name);
      if (py->signal != HIR_PY_GO ||
          !match_pattern (py, item->kind == HIR_AST_KEYWORD ? item->a : item, part))
        return FALSE;
    }
  return TRUE;
}

static gboolean
match_pattern (HirPy *py, const HirAst *pattern, HirPyValue value)
{
  if (!hir_py_step (py, 1))
    return FALSE;
  switch (pattern->kind)
    {
    case HIR_AST_PATTERN_VALUE:
      {
        HirPyValue expected = hir_py_eval (py, pattern->a);
        HirPyValue equal = hir_py_compare (py, HIR_TOKEN_EQ, FALSE, value, expected);

        return py->signal == HIR_PY_GO && hir_py_truth (py, equal, "a case") &&
               py->signal == HIR_PY_GO;
      }
    case HIR_AST_PATTERN_CAPTURE:
      if (strcmp (pattern->text, "_") != 0)
        hir_py_bind (py, pattern->text, value);
      return TRUE;
    case HIR_AST_PATTERN_OR:
      for (guint i = 0; i < pattern->n_items && py->signal == HIR_PY_GO; i++)
        if (match_pattern (py, pattern->items[i], value))
          return TRUE;
      return FALSE;
    case HIR_AST_PATTERN_AS:
      if (!match_pattern (py, pattern->a, value))
        return FALSE;
      hir_py_bind (py, pattern->text, value);
      return TRUE;
    case HIR_AST_PATTERN_SEQUENCE:
      return match_sequence (py, pattern, value);
    case HIR_AST_PATTERN_MAPPING:
      return match_mapping (py, pattern, value);
    default:
      return match_class (py, pattern, value);
    }
}

void
hir_py_exec_match (HirPy *py, const HirAst *node)
{
  HirPyValue value = hir_py_eval (py, node->a);

  for (guint i = 0; i < node->n_items && py->signal == HIR_PY_GO; i++)
    {
      const HirAst *clause = node->items[i];

      py->pos = clause->start;
      if (!match_pattern (py, clause->a, value) || py->signal != HIR_PY_GO)
        continue;
      if (clause->b != NULL &&
          !hir_py_truth (py, hir_py_eval (py, clause->b), "the guard of a case"))
        continue;
      if (py->signal == HIR_PY_GO)
        hir_py_exec_block (py, clause->items, clause->n_items);
      return;
    }
}
