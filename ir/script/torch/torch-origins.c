/* Finds the axes of inputs that the axes of outputs come from, for the shapes and placements of the
 * DTensors that a script gets when it executes a fusion. */
#include "logical-map.h"
#include "script/bindings-private.h"

/* Adds the axes of @out that @expr maps to axes of @in with an origin. A broadcast axis of an
 * operand may be another operand's axis with data. */
static void
trace (GHashTable *origins, const HirExpr *expr, const HirTensor *in, const HirTensor *out)
{
  guint n = 0;
  g_autofree HirIterDomain **from = NULL;
  g_autofree HirIterDomain **to = hir_expr_dup_logical_map (expr, in, out, &from, &n);

  for (guint i = 0; i < n; i++)
    {
      const HirPyValue *origin = g_hash_table_lookup (origins, from[i]);

      if (to[i] != NULL && origin != NULL && !hir_iter_domain_is_broadcast (from[i]) &&
          !g_hash_table_contains (origins, to[i]))
        g_hash_table_insert (origins, to[i], (gpointer) origin);
    }
}

static void
start_at_inputs (HirPy *py, GHashTable *origins, const HirVec *inputs)
{
  for (guint i = 0; i < inputs->len; i++)
    {
      g_autofree HirIterDomain **ids = NULL;
      guint n = 0;

      if (HIR_IS_TENSOR (inputs->items[i]))
        ids = hir_tensor_dup_no_reductions (inputs->items[i], &n);
      for (guint axis = 0; axis < n; axis++)
        {
          HirPyValue *origin = hir_py_new (py, HirPyValue);

          *origin = hir_py_list (py, HIR_PY_TUPLE, 2);
          if (origin->list->n < 2)
            return;
          origin->list->items[0] = hir_py_int (i);
          origin->list->items[1] = hir_py_int (axis);
          g_hash_table_insert (origins, ids[axis], origin);
        }
    }
}

/* Returns one value per axis: (input, axis), a number, or None if neither is known. */
static HirPyValue
describe (HirPy *py, GHashTable *origins, const HirTensor *tensor)
{
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, &n);
  HirPyValue axes = hir_py_list (py, HIR_PY_LIST, n);

  for (guint i = 0; i < axes.list->n; i++)
    {
      const HirPyValue *origin = g_hash_table_lookup (origins, ids[i]);

      axes.list->items[i] = origin != NULL                         ? *origin
                            : hir_scalar_is_const (ids[i]->extent) ? hir_py_int (ids[i]->extent->i)
                                                                   : hir_py_none ();
    }
  return axes;
}

HirPyValue
hir_py_definition_get_origins (HirPy *py, HirPyDefinition *definition)
{
  const HirContainer *fusion = definition->container;
  g_autoptr (GHashTable) origins = g_hash_table_new (NULL, NULL);
  HirPyValue outputs = hir_py_list (py, HIR_PY_LIST, 0);

  start_at_inputs (py, origins, &fusion->inputs);
  for (guint i = 0; i < fusion->exprs.len; i++)
    {
      const HirExpr *expr = fusion->exprs.items[i];

      for (guint k = 0; k < expr->n_inputs; k++)
        for (guint j = 0; j < expr->n_outputs; j++)
          if (HIR_IS_TENSOR (expr->inputs[k]) && HIR_IS_TENSOR (expr->outputs[j]))
            trace (origins, expr, HIR_TENSOR (expr->inputs[k]), HIR_TENSOR (expr->outputs[j]));
    }
  for (guint i = 0; i < fusion->outputs.len; i++)
    if (HIR_IS_TENSOR (fusion->outputs.items[i]))
      hir_py_list_append (py, outputs.list, describe (py, origins, fusion->outputs.items[i]));
  return outputs;
}
