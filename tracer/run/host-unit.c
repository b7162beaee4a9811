/* Execution of HostUnits. */
#include "run/host-unit.h"

static const char *
classify (GPtrArray *exprs)
{
  const char *shape = "copy";

  for (guint i = 0; i < exprs->len; i++)
    switch (((const HirExpr *) g_ptr_array_index (exprs, i))->kind)
      {
      case HIR_EXPR_MATMUL:
      case HIR_EXPR_LINEAR:
        return "matmul";
      case HIR_EXPR_REDUCTION:
        shape = "reduction";
        break;
      case HIR_EXPR_UNARY:
      case HIR_EXPR_BINARY:
      case HIR_EXPR_TERNARY:
        if (g_str_equal (shape, "copy"))
          shape = "pointwise";
        break;
      default:
        break;
      }
  return shape;
}

static HirUnitPlan *
plan_new (const HirHostUnit *unit)
{
  HirUnitPlan *plan = g_new0 (HirUnitPlan, 1);

  plan->unit = unit;
  plan->exprs = hir_fusion_dup_exprs (unit->fusion);
  plan->shape = classify (plan->exprs);
  return plan;
}

static void
plan_free (gpointer data)
{
  HirUnitPlan *plan = data;

  g_ptr_array_unref (plan->exprs);
  g_free (plan);
}

GHashTable *
hir_unit_plans_new (void)
{
  return g_hash_table_new_full (NULL, NULL, NULL, plan_free);
}

HirUnitPlan *
hir_unit_plans_get (GHashTable *plans, const HirHostUnit *unit)
{
  HirUnitPlan *plan = g_hash_table_lookup (plans, unit);

  if (plan == NULL)
    {
      plan = plan_new (unit);
      g_hash_table_insert (plans, (gpointer) unit, plan);
    }
  return plan;
}

static gboolean
bind_inputs (const HirUnitPlan *plan, HirEnv *env, HirValue *const *inputs, guint n, GError **error)
{
  const HirVec *formal = &plan->unit->fusion->inputs;

  if (formal->len != n)
    {
      hir_set_error (error, HIR_ERROR_RUN, &plan->unit->node.pos,
                     "HostUnit%d takes %u inputs, but %u are given", plan->unit->index, formal->len,
                     n);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    {
      HirVal *val = formal->items[i];
      if (!HIR_IS_TENSOR (val))
        hir_env_bind (env, val, inputs[i]);
      else if (!hir_env_bind_input (env, HIR_TENSOR (val), inputs[i], error))
        return FALSE;
    }
  return TRUE;
}

GPtrArray *
hir_unit_plan_infer_outputs (const HirUnitPlan *plan,
                             gint64 device,
                             HirValue *const *inputs,
                             guint n,
                             HirEnv **env,
                             GError **error)
{
  g_autoptr (HirEnv) inner = hir_env_new ();
  g_autoptr (GPtrArray) outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_value_unref);
  const HirVec *formal = &plan->unit->fusion->outputs;

  hir_env_set_device (inner, device);
  if (!bind_inputs (plan, inner, inputs, n, error))
    return NULL;
  for (guint i = 0; i < formal->len; i++)
    {
      HirValue *value = hir_env_new_tensor (inner, HIR_TENSOR (formal->items[i]), NULL, error);
      if (value == NULL)
        return NULL;
      g_ptr_array_add (outputs, value);
    }
  *env = g_steal_pointer (&inner);
  return g_steal_pointer (&outputs);
}

/* Sets the output of @call: an output of the unit, or private memory. Sets *@is_view if the result
 * is a view and needs no computation. */
static gboolean
place_result (const HirUnitPlan *plan,
              HirEnv *env,
              HirOpCall *call,
              HirValue *const *outputs,
              gboolean *is_view,
              GError **error)
{
  HirVal *val = call->expr->outputs[0];
  int position = hir_vec_find (&plan->unit->fusion->outputs, val);
  g_autoptr (HirValue) value = NULL;
  g_autoptr (GError) local = NULL;

  *is_view = FALSE;
  value = hir_env_new_tensor (env, HIR_TENSOR (val), NULL, error);
  if (value == NULL)
    return FALSE;
  if (position >= 0)
    {
      if (!hir_value_same_sizes (value, outputs[position]))
        {
          hir_set_error (error, HIR_ERROR_RUN, &call->expr->node.pos,
                         "the buffer for T%d of HostUnit%d has another shape", val->name,
                         plan->unit->index);
          return FALSE;
        }
      hir_op_call_set_output_without (call, outputs[position],
                                      hir_op_find_device_axes (call->expr));
      hir_env_bind (env, val, outputs[position]);
      return TRUE;
    }
  hir_op_call_set_output_without (call, value, hir_op_find_device_axes (call->expr));
  g_autoptr (HirValue) view = hir_op_call_new_view (call, &local);
  if (local != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  *is_view = view != NULL;
  hir_env_bind (env, val, view != NULL ? view : value);
  return TRUE;
}

/* Rejects units that return an input unchanged: no op would write to the memory of the output. */
static gboolean
check_outputs (const HirUnitPlan *plan, GError **error)
{
  const HirContainer *fusion = plan->unit->fusion;

  for (guint i = 0; i < fusion->outputs.len; i++)
    if (hir_vec_find (&fusion->inputs, fusion->outputs.items[i]) >= 0)
      {
        hir_set_error (error, HIR_ERROR_UNSUPPORTED, &plan->unit->node.pos,
                       "HostUnit%d returns its input T%d unchanged, which is not supported yet",
                       plan->unit->index, HIR_VAL (fusion->outputs.items[i])->name);
        return FALSE;
      }
  return TRUE;
}

GPtrArray *
hir_unit_plan_dup_calls (const HirUnitPlan *plan,
                         HirEnv *env,
                         HirValue *const *outputs,
                         GError **error)
{
  g_autoptr (GPtrArray) calls = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_op_call_free);

  if (!check_outputs (plan, error))
    return NULL;
  for (guint i = 0; i < plan->exprs->len; i++)
    {
      g_autoptr (HirOpCall) call = hir_op_call_new (g_ptr_array_index (plan->exprs, i), env, error);
      gboolean is_view;

      if (call == NULL || !place_result (plan, env, call, outputs, &is_view, error))
        return NULL;
      if (!is_view)
        g_ptr_array_add (calls, g_steal_pointer (&call));
    }
  return g_steal_pointer (&calls);
}

GPtrArray *
hir_unit_dup_inputs (HirEnv *env, const HirExpr *expr, GError **error)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_value_unref);

  for (guint i = 0; i < expr->n_inputs; i++)
    {
      HirVal *val = expr->inputs[i];
      HirValue *value = HIR_IS_SCALAR (val) ? hir_env_evaluate (env, HIR_SCALAR (val), error)
                                            : hir_env_lookup (env, val);

      if (value == NULL)
        {
          if (!HIR_IS_SCALAR (val))
            hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                           "T%d must be computed before HostUnit%d reads it", val->name,
                           expr->u.post.unit->index);
          return NULL;
        }
      g_ptr_array_add (inputs, HIR_IS_SCALAR (val) ? value : hir_value_ref (value));
    }
  return g_steal_pointer (&inputs);
}
