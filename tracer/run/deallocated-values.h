/* Keeps the last value of each tensor that a rank's program deallocates, up to a memory limit, so
 * that it can be inspected after the run. Used by the rank's thread and, after the run, by any
 * other thread. */
#pragma once

#include "run/evaluator.h"

G_BEGIN_DECLS

typedef struct _HirDeallocatedValues HirDeallocatedValues;

/* Adds hooks to @evaluator, and must not be freed before @evaluator has run for the last time.
 * @max_bytes: limit of the memory that is kept alive. */
HirDeallocatedValues *hir_deallocated_values_new (HirEvaluator *evaluator, gsize max_bytes);
/* Frees @self (nullable). Call before the rank's back end is freed, which owns the memory. */
void hir_deallocated_values_free (HirDeallocatedValues *self);
/* Returns the last value of @tensor (borrowed), or NULL if @tensor was not deallocated or, with
 * *@was_too_large, if its value was too large to be kept. */
HirValue *hir_deallocated_values_lookup (HirDeallocatedValues *self,
                                         const HirTensor *tensor,
                                         gboolean *was_too_large);

G_END_DECLS
