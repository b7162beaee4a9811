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

/* Runs @statement of a script that has failed already. Its own failure is ignored. */
static void
exec_quietly (HirPy *py, const HirAst *statement)
{
  hir_py_exec (py, statement);
  g_clear_error (&py->error);
  py->signal = HIR_PY_GO;
}

void
hir_py_find_run_inputs (HirPy *py, const HirAst *with)
{
  HirPySignal signal = py->signal;
  GError *error;
  HirPyException *exception = py->exception;
  const HirAstFunction *function = py->frame->function != NULL ? py->frame->function->ast : NULL;
  const HirAst *list = NULL;
  guint pos = py->pos;

  if (function == NULL || (signal != HIR_PY_FAILED && signal != HIR_PY_RAISING))
    return;
  error = g_steal_pointer (&py->error);
  py->signal = HIR_PY_GO;
  for (guint i = 0; i < function->n_body && list == NULL; i++)
    {
      list = find_list (function->body[i]);
      if (list == NULL && function->body[i]->start > with->start)
        exec_quietly (py, function->body[i]); /* it may create the inputs */
    }
  if (list != NULL)
    {
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

/* Returns the torch tensor that @item is or is a shard of, or NULL. */
static const HirPyTorch *
get_torch (HirPyValue item)
{
  if (item.type != HIR_PY_OPAQUE)
    return NULL;
  return item.opaque->torch != NULL ? item.opaque->torch : item.opaque->whole;
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
      else if (get_torch (item) != NULL)
        g_array_append_vals (row, get_torch (item)->shape, get_torch (item)->n_dims);
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

/* Appends the values of nested lists. */
static void
flatten (HirPyValue value, GArray *items, guint depth)
{
  for (guint i = 0; is_list (value, depth) && i < value.list->n; i++)
    if (is_list (value.list->items[i], depth + 1))
      flatten (value.list->items[i], items, depth + 1);
    else
      g_array_append_val (items, value.list->items[i]);
}

static char *
dup_number (HirPyValue value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (value.type == HIR_PY_FLOAT)
    return g_strdup (g_ascii_dtostr (text, sizeof text, value.d));
  if (value.type == HIR_PY_BOOL)
    return g_strdup (value.i != 0 ? "true" : "false");
  return g_strdup_printf ("%" G_GINT64_FORMAT, value.i);
}

/* Returns the text of --input for input @val, or NULL if @value does not fit it. */
static char *
dup_example (const HirVal *val, HirPyValue value, gint64 *count)
{
  const gint64 *shape = NULL;
  guint n = 0, n_axes;
  gint64 product = 1;
  g_autofree HirIterDomain **ids = NULL;
  g_autoptr (GString) text = g_string_new (NULL);

  if (!HIR_IS_TENSOR (val))
    return hir_py_is_number (value) ? dup_number (value) : NULL;
  if (value.type == HIR_PY_ARRAY)
    {
      shape = value.array->shape;
      n = value.array->n_dims;
    }
  else if (value.type == HIR_PY_OPAQUE && value.opaque->torch != NULL)
    {
      shape = value.opaque->torch->shape;
      n = value.opaque->torch->n_dims;
    }
  ids = hir_tensor_dup_no_reductions (HIR_TENSOR (val), &n_axes);
  if (n != n_axes || (n > 0 && val->dtype == HIR_DTYPE_FLOAT4_E2M1FN))
    return NULL;
  for (guint i = 0; i < n; i++)
    {
      g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? "x" : "", shape[i]);
      if (__builtin_mul_overflow (product, shape[i], &product) || shape[i] < 0)
        return NULL;
    }
  return __builtin_add_overflow (*count, product, count) ? NULL : g_strdup (text->str);
}

/* Sets the examples if each of @items fits its input. */
static gboolean
take_examples (HirContainer *fusion, const HirPyValue *items, guint n)
{
  const char **examples;
  gint64 count = 0;

  if (n != fusion->inputs.len)
    return FALSE;
  examples = (const char **) hir_arena_array0 (fusion->arena, char *, n + 1);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *text = dup_example (fusion->inputs.items[i], items[i], &count);

      if (text == NULL || count > HIR_PY_MAX_EXAMPLE)
        return FALSE;
      examples[i] = hir_arena_strdup (fusion->arena, text);
    }
  fusion->examples = examples;
  return TRUE;
}

void
hir_py_set_examples (HirPy *py, HirPyDefinition *definition)
{
  HirContainer *fusion = definition->container;
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (HirPyValue));

  for (guint i = 0; i < fusion->tensors.len; i++)
    if (HIR_TENSOR (fusion->tensors.items[i])->mesh != NULL)
      return;
  flatten (py->run_inputs, items, 0);
  if (!take_examples (fusion, (const HirPyValue *) (gpointer) items->data, items->len) &&
      definition->given != NULL)
    take_examples (fusion, definition->given->items, definition->given->n);
}
