/* Sizes of the inputs of a fusion whose shape depends on them, such as a reshape to numbers: from
 * --input, or from the tensors that the script executes the fusion with. */
#include "script/interp.h"

#include <string.h>

static const char *const executors[] = {
  "execute", "validate", "manual_validate", "run_benchmark", "execute_with_dtensors", NULL
};

/* Returns the list argument of the first call that executes a fusion, or NULL. */
static const HirAst *
find_list (const HirAst *node)
{
  const HirAst *found;

  if (node == NULL)
    return NULL;
  if (node->kind == HIR_AST_CALL &&
      (node->a->kind == HIR_AST_ATTRIBUTE || node->a->kind == HIR_AST_NAME) &&
      g_strv_contains (executors, node->a->text))
    for (guint i = 0; i < node->n_items; i++)
      if (node->items[i]->kind == HIR_AST_LIST || node->items[i]->kind == HIR_AST_NAME)
        {
          if (node->items[i]->kind == HIR_AST_LIST ||
              strstr (node->items[i]->text, "input") != NULL)
            return node->items[i];
        }
  if ((found = find_list (node->a)) != NULL || (found = find_list (node->b)) != NULL ||
      (found = find_list (node->c)) != NULL)
    return found;
  for (guint i = 0; i < node->n_items; i++)
    if ((found = find_list (node->items[i])) != NULL)
      return found;
  return NULL;
}

void
hir_py_find_run_inputs (HirPy *py)
{
  HirPySignal signal = py->signal;
  GError *error = g_steal_pointer (&py->error);
  HirPyException *exception = py->exception;
  const HirAst *list = NULL;
  guint pos = py->pos;

  for (guint i = 0; py->frame->function != NULL && i < py->frame->function->ast->n_body; i++)
    if ((list = find_list (py->frame->function->ast->body[i])) != NULL)
      break;
  if (list != NULL && (signal == HIR_PY_FAILED || signal == HIR_PY_RAISING))
    {
      py->signal = HIR_PY_GO;
      py->run_inputs = hir_py_eval (py, list);
      if (py->signal != HIR_PY_GO)
        py->run_inputs = hir_py_none ();
    }
  g_clear_error (&py->error);
  py->error = error;
  py->signal = signal;
  py->exception = exception;
  py->pos = pos;
}

/* Parses "2x3". */
static GArray *
parse (const char *text)
{
  GArray *sizes = g_array_new (FALSE, FALSE, sizeof (gint64));

  while (g_ascii_isdigit (*text))
    {
      char *end;
      gint64 size = g_ascii_strtoll (text, &end, 10);

      g_array_append_val (sizes, size);
      text = *end == 'x' ? end + 1 : end;
    }
  return sizes;
}

#define MAX_NESTING 4

static gboolean
is_list (HirPyValue value, guint depth)
{
  return (value.type == HIR_PY_LIST || value.type == HIR_PY_TUPLE) && depth < MAX_NESTING;
}

/* Appends the sizes of the tensors in the list @value. Of other values nothing is known. */
static void
add_sizes (HirPyValue value, GPtrArray *sizes, guint depth)
{
  for (guint i = 0; is_list (value, depth) && i < value.list->n; i++)
    {
      HirPyValue item = value.list->items[i];
      GArray *row;

      if (is_list (item, depth + 1))
        add_sizes (item, sizes, depth + 1);
      if (item.type != HIR_PY_OPAQUE && item.type != HIR_PY_ARRAY)
        continue;
      row = g_array_new (FALSE, FALSE, sizeof (gint64));
      if (item.type == HIR_PY_ARRAY)
        g_array_append_vals (row, item.array->shape, item.array->n_dims);
      else if (item.opaque->torch != NULL)
        g_array_append_vals (row, item.opaque->torch->shape, item.opaque->torch->n_dims);
      g_ptr_array_add (sizes, row);
    }
}

static void
add_numbers (HirPyValue value, GArray *numbers, guint depth)
{
  for (guint i = 0; is_list (value, depth) && i < value.list->n; i++)
    {
      HirPyValue item = value.list->items[i];

      if (hir_py_is_number (item))
        g_array_append_val (numbers, item);
      else
        add_numbers (item, numbers, depth + 1);
    }
}

GPtrArray *
hir_py_dup_sizes (HirPy *py)
{
  GPtrArray *sizes = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  const char *const *inputs = py->options->inputs;
  const HirPyValue *list = &py->run_inputs;

  for (guint i = 0; inputs != NULL && inputs[i] != NULL; i++)
    g_ptr_array_add (sizes, parse (inputs[i]));
  if (sizes->len == 0)
    add_sizes (*list, sizes, 0);
  return sizes;
}

GArray *
hir_py_dup_numbers (HirPy *py)
{
  GArray *numbers = g_array_new (FALSE, FALSE, sizeof (HirPyValue));

  add_numbers (py->run_inputs, numbers, 0);
  return numbers;
}
