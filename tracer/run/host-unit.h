/* A HostUnit's segment as one piece of work: its ops in order, what only they read kept in memory
 * of their own. */
#pragma once

#include "run/op-call.h"

G_BEGIN_DECLS

/* What does not change from one execution to the next. */
typedef struct
{
  const HirHostUnit *unit;
  GPtrArray *exprs;  /* HirExpr*, in order */
  const char *shape; /* "pointwise", "reduction", "matmul", "copy": what its name ends in */
} HirUnitPlan;

/* Returns a new cache: const HirHostUnit* -> HirUnitPlan*. */
GHashTable *hir_unit_plans_new (void);
/* Returns the plan of @unit (owned by @plans), which is created on first use. */
HirUnitPlan *hir_unit_plans_get (GHashTable *plans, const HirHostUnit *unit);

/* Returns the inputs of the PostOnStream @expr by position, as an array of HirValue*. Sets
 * HIR_ERROR_RUN if a tensor has no value in @env. */
GPtrArray *hir_unit_dup_inputs (HirEnv *env, const HirExpr *expr, GError **error);

/* The shapes of the unit's outputs on @device when it is given @inputs (by position), as tensors on
 * deferred buffers: GPtrArray of HirValue*. *@env (owned by the caller) is what
 * hir_unit_plan_dup_calls() then needs. */
GPtrArray *hir_unit_plan_infer_outputs (const HirUnitPlan *plan,
                                        gint64 device,
                                        HirValue *const *inputs,
                                        guint n,
                                        HirEnv **env,
                                        GError **error);
/* The calls that compute @outputs (by position, values with memory). */
GPtrArray *hir_unit_plan_dup_calls (const HirUnitPlan *plan,
                                    HirEnv *env,
                                    HirValue *const *outputs,
                                    GError **error);

G_END_DECLS
