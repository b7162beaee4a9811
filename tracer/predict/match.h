/* Gives the works of a changed plan their durations. */
#pragma once

#include "predict/plan.h"
#include "run/comm/comm-transport.h"

G_BEGIN_DECLS

typedef struct
{
  guint n_scaled;  /* works of another size */
  guint n_unknown; /* works that the measured plan does not have */
} HirMatchCounts;

/* Copies the durations of the works and issues of @measured to @plan: from the same execution, else
 * from another one of the same instruction, else of the same name, else of the same op. */
void hir_plan_match (const HirPlan *measured, HirPlan *plan, HirMatchCounts *counts);
/* Returns the names of the instructions that communicate (guint64 -> char*; the keys belong to
 * @plan). Labels of messages state the other rank; the name of an instruction is the same in all
 * executions on all ranks: "recv T6, send T0" of "recv T6 from 1, send T0 to 1". */
GHashTable *hir_plan_dup_comm_names (const HirPlan *plan);
/* Multiplies the durations of works named @name: their label, their op, or the name of the
 * instruction that communicates. Returns their number. */
guint hir_plan_scale (HirPlan *plan, const char *name, double factor);
/* Multiplies the durations of transfers. */
void hir_plan_scale_transfers (HirPlan *plan, double factor);
/* Makes communications use multiprocessors as @transport does. */
void hir_plan_set_transport (HirPlan *plan, HirCommTransport transport);
/* Returns the names of the works, at most 20: "T6_matmul; Allgather T5". Free with g_free(). */
char *hir_plan_dup_names (const HirPlan *plan);

G_END_DECLS
