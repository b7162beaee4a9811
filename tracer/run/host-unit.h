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

HirUnitPlan *hir_unit_plan_new (const HirHostUnit *unit);
void hir_unit_plan_free (HirUnitPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirUnitPlan, hir_unit_plan_free)

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
