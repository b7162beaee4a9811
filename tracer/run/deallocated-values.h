/* What a rank's program has deallocated, kept to be looked at after the run: the last value of each tensor,
 * as long as there is room. Used by the rank's thread, then by whoever looks. */
#pragma once

#include "run/evaluator.h"

G_BEGIN_DECLS

typedef struct _HirDeallocatedValues HirDeallocatedValues;

/* Hooks itself into @evaluator, which it must outlive until that runs no more. @max_bytes: of all that it keeps alive. */
HirDeallocatedValues *hir_deallocated_values_new (HirEvaluator *evaluator, gsize max_bytes);
/* Before the rank's back end, whose memory it holds. */
void hir_deallocated_values_free (HirDeallocatedValues *self);
/* Borrowed; NULL where @tensor was not deallocated, or where *@was_too_large is set. */
HirValue *hir_deallocated_values_lookup (HirDeallocatedValues *self, const HirTensor *tensor, gboolean *was_too_large);

G_END_DECLS
