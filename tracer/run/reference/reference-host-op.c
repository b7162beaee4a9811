/* Tensor ops and HostUnits in the reference of host programs (docs/host-ir.md#compute,
 * docs/host-ir.md#in-place-or-bound). */
#include "run/reference/reference-host-private.h"

/* Copies the operands of @expr. */
static gboolean
take_operands (HirRefRank *rank, const HirExpr *expr, GHashTable *tensors, GError **error)
{
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      const HirVal *val = expr->inputs[i];
      HirValue *value = HIR_IS_TENSOR (val) ? hir_env_lookup (rank->env, val) : NULL;
      HirRefTensor *tensor;

      if (!HIR_IS_TENSOR (val) || g_hash_table_contains (tensors, val))
        continue;
      if (value == NULL)
        {
          hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                         "T%d must be computed before it is read by %s", val->name,
                         hir_expr_get_op_name (expr));
          return FALSE;
        }
      tensor = hir_ref_host_gather (value, error);
      if (tensor == NULL)
        return FALSE;
      g_hash_table_insert (tensors, (gpointer) val, tensor);
    }
  return TRUE;
}

/* Returns the sizes without device axes of size 1 that the op does not have, in a reduction that is
 * split over devices. */
static guint
get_op_sizes (const HirExpr *expr, const HirValue *value, gint64 *sizes)
{
  guint n, n_sizes = 0;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (HIR_TENSOR (expr->outputs[0]), &n);
  gboolean multiplies = expr->kind == HIR_EXPR_LINEAR || expr->kind == HIR_EXPR_MATMUL;

  for (guint i = 0; i < value->n_dims; i++)
    if (!(multiplies && i < n && ids[i]->is_rfactor && hir_iter_domain_is_device (ids[i]) &&
          value->sizes[i] == 1))
      sizes[n_sizes++] = value->sizes[i];
  return n_sizes;
}

static gboolean
compute_into (HirRefRank *rank, const HirExpr *expr, const HirValue *value, GError **error)
{
  HirReference ref = { .env = rank->env,
                       .tensors = g_hash_table_new_full (NULL, NULL, NULL,
                                                         (GDestroyNotify) hir_ref_tensor_unref) };
  gint64 sizes[HIR_MAX_DIMS];
  guint n = get_op_sizes (expr, value, sizes);
  g_autoptr (HirRefTensor) out = NULL;
  gboolean ok = take_operands (rank, expr, ref.tensors, error);

  if (ok)
    out = hir_ref_tensor_new (value->dtype, n, sizes, error);
  ok = out != NULL && hir_reference_compute (&ref, expr, out, error) &&
       hir_ref_host_scatter (value, out, error);
  g_hash_table_unref (ref.tensors);
  return ok;
}

/* Binds the output to a view of an input, or to new memory that is computed. */
static gboolean
compute_new (HirRefRank *rank, const HirExpr *expr, GError **error)
{
  g_autoptr (HirValue) shape =
      hir_env_new_tensor (rank->env, HIR_TENSOR (expr->outputs[0]), NULL, error);
  g_autoptr (HirOpCall) call = shape != NULL ? hir_op_call_new (expr, rank->env, error) : NULL;
  g_autoptr (HirValue) value = NULL;
  g_autoptr (GError) local = NULL;

  if (call == NULL)
    return FALSE;
  hir_op_call_set_output (call, shape);
  value = hir_op_call_new_view (call, &local);
  if (local != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  if (value == NULL)
    {
      value = hir_ref_host_realize (shape, error);
      if (value == NULL || !compute_into (rank, expr, value, error))
        return FALSE;
    }
  hir_env_bind (rank->env, expr->outputs[0], value);
  return TRUE;
}

gboolean
hir_ref_host_compute (HirRefRank *rank, const HirExpr *expr, GError **error)
{
  HirValue *known;

  if (expr->n_outputs != 1 || !HIR_IS_TENSOR (expr->outputs[0]))
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, &expr->node.pos, "%s cannot be checked yet",
                     hir_expr_kind_get_info (expr->kind)->cpp_name);
      return FALSE;
    }
  known = hir_env_lookup (rank->env, expr->outputs[0]);
  return known != NULL ? compute_into (rank, expr, known, error) : compute_new (rank, expr, error);
}

/* Evaluates the fusion of the unit, op by op. */
static gboolean
run_unit (const HirUnitPlan *plan, HirReference *ref, GPtrArray *inputs, GError **error)
{
  const HirVec *formal = &plan->unit->fusion->inputs;

  for (guint i = 0; i < inputs->len; i++)
    {
      HirValue *value = g_ptr_array_index (inputs, i);
      HirRefTensor *tensor = value->is_scalar ? NULL : hir_ref_host_gather (value, error);

      if (value->is_scalar)
        continue;
      if (tensor == NULL)
        return FALSE;
      g_hash_table_insert (ref->tensors, formal->items[i], tensor);
    }
  for (guint i = 0; i < plan->exprs->len; i++)
    if (!hir_reference_run_expr (ref, g_ptr_array_index (plan->exprs, i), error))
      return FALSE;
  return TRUE;
}

static gboolean
keep_outputs (HirRefRank *rank,
              const HirExpr *expr,
              const HirUnitPlan *plan,
              HirReference *ref,
              GPtrArray *shapes,
              GError **error)
{
  for (guint i = 0; i < expr->n_outputs; i++)
    {
      const HirVal *inner = plan->unit->fusion->outputs.items[i];
      HirRefTensor *tensor = hir_reference_lookup (ref, inner);
      HirValue *known = hir_env_lookup (rank->env, expr->outputs[i]);
      g_autoptr (HirValue) value =
          known != NULL ? hir_value_ref (known)
                        : hir_ref_host_realize (g_ptr_array_index (shapes, i), error);

      if (value == NULL)
        return FALSE;
      if (tensor == NULL || tensor->count != hir_value_get_n_elements (value))
        {
          hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                         "the buffer for T%d of HostUnit%d has another shape", inner->name,
                         plan->unit->index);
          return FALSE;
        }
      if (!hir_ref_host_scatter (value, tensor, error))
        return FALSE;
      hir_env_bind (rank->env, expr->outputs[i], value);
    }
  return TRUE;
}

gboolean
hir_ref_host_post_unit (HirRefRank *rank, const HirExpr *expr, GError **error)
{
  HirUnitPlan *plan = hir_unit_plans_get (rank->plans, expr->u.post.unit);
  g_autoptr (GPtrArray) inputs = hir_unit_dup_inputs (rank->env, expr, error);
  g_autoptr (HirEnv) inner = NULL;
  g_autoptr (GPtrArray) shapes = NULL;
  HirReference ref = { 0 };
  gboolean ok;

  if (inputs != NULL)
    shapes = hir_unit_plan_infer_outputs (plan, rank->rank, (HirValue **) inputs->pdata,
                                          inputs->len, &inner, error);
  if (shapes == NULL)
    return FALSE;
  ref.env = inner;
  ref.tensors = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) hir_ref_tensor_unref);
  ok = run_unit (plan, &ref, inputs, error) && keep_outputs (rank, expr, plan, &ref, shapes, error);
  g_hash_table_unref (ref.tensors);
  return ok;
}
