/* Execution of a HostUnit as one task: its ops in order, with private memory for intermediate
 * values. */
#pragma once

#include "run/op-call.h"

G_BEGIN_DECLS

/* Data of a HostUnit that all executions share. */
typedef struct
{
  const HirHostUnit *unit;
  GPtrArray *exprs;  /* HirExpr*, in order */
  const char *shape; /* "pointwise", "reduction", "matmul" or "copy": suffix of its name */
} HirUnitPlan;

/* Creates a cache of plans, const HirHostUnit* -> HirUnitPlan*. */
GHashTable *hir_unit_plans_new (void);
/* Returns the plan of @unit (owned by @plans), which is created on first use. */
HirUnitPlan *hir_unit_plans_get (GHashTable *plans, const HirHostUnit *unit);

/* Returns the inputs of the PostOnStream @expr by position, as an array of HirValue*. Sets
 * HIR_ERROR_RUN if a tensor has no value in @env. */
GPtrArray *hir_unit_dup_inputs (HirEnv *env, const HirExpr *expr, GError **error);

/* Infers the shapes of the outputs on @device for @inputs (by position). Returns tensors on
 * deferred buffers as an array of HirValue*. Sets *@env (owned by the caller) to the environment
 * for hir_unit_plan_dup_calls(). */
GPtrArray *hir_unit_plan_infer_outputs (const HirUnitPlan *plan,
                                        gint64 device,
                                        HirValue *const *inputs,
                                        guint n,
                                        HirEnv **env,
                                        GError **error);
/* Returns the calls that compute @outputs (by position, values with memory). */
GPtrArray *hir_unit_plan_dup_calls (const HirUnitPlan *plan,
                                    HirEnv *env,
                                    HirValue *const *outputs,
                                    GError **error);

G_END_DECLS
