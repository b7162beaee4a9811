/* Tensors of the reference. */
#include <math.h>
#include <string.h>

#include "run/reference/reference-private.h"

HirRefTensor *
hir_ref_tensor_ref (HirRefTensor *tensor)
{
  g_atomic_ref_count_inc (&tensor->ref_count);
  return tensor;
}

void
hir_ref_tensor_unref (HirRefTensor *tensor)
{
  if (tensor == NULL || !g_atomic_ref_count_dec (&tensor->ref_count))
    return;
  g_free (tensor->values);
  g_free (tensor->ints);
  g_free (tensor->errors);
  g_free (tensor);
}

HirRefTensor *
hir_ref_tensor_new (HirDType dtype, guint n_dims, const gint64 *sizes, GError **error)
{
  g_autoptr (HirRefTensor) tensor = g_new0 (HirRefTensor, 1);
  gboolean is_float = hir_dtype_is_floating_point (dtype);

  g_atomic_ref_count_init (&tensor->ref_count);
  tensor->dtype = dtype;
  tensor->n_dims = n_dims;
  tensor->count = 1;
  for (guint i = 0; i < n_dims; i++)
    {
      tensor->sizes[i] = sizes[i];
      tensor->count *= sizes[i];
    }
  if (is_float)
    tensor->values = g_try_new0 (double, (gsize) MAX (tensor->count, 1));
  else
    tensor->ints = g_try_new0 (gint64, (gsize) MAX (tensor->count, 1));
  if (tensor->values == NULL && tensor->ints == NULL)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                     "not enough memory to check the result; use smaller --input sizes");
      return NULL;
    }
  return g_steal_pointer (&tensor);
}

gboolean
hir_ref_tensor_need_errors (HirRefTensor *tensor, GError **error)
{
  if (tensor->errors == NULL)
    tensor->errors = g_try_new0 (double, (gsize) MAX (tensor->count, 1));
  if (tensor->errors == NULL)
    hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                   "not enough memory to check the result; use smaller --input sizes");
  return tensor->errors != NULL;
}

void
hir_ref_tensor_get (const HirRefTensor *tensor, gint64 at, HirRefCell *cell)
{
  cell->e = tensor->errors != NULL ? tensor->errors[at] : 0;
  if (tensor->values != NULL)
    {
      cell->v = tensor->values[at];
      cell->i = 0;
      return;
    }
  cell->i = tensor->ints[at];
  cell->v = tensor->dtype == HIR_DTYPE_UINT64 ? (double) (guint64) cell->i : (double) cell->i;
}

gboolean
hir_ref_tensor_set (HirRefTensor *tensor, gint64 at, const HirRefCell *cell)
{
  if (tensor->values != NULL)
    tensor->values[at] = cell->v;
  else
    tensor->ints[at] = cell->i;
  if (cell->e != 0 && !hir_ref_tensor_need_errors (tensor, NULL))
    return FALSE;
  if (tensor->errors != NULL)
    tensor->errors[at] = cell->e;
  return TRUE;
}

gboolean
hir_ref_misfit (const HirExpr *expr, GError **error)
{
  hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                 "the sizes of the operands of T%d = %s do not match", expr->outputs[0]->name,
                 hir_expr_get_op_name (expr));
  return FALSE;
}
