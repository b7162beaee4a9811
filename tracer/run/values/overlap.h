/* Whether two tensors share memory. */
#pragma once

#include "run/values/value.h"

G_BEGIN_DECLS

/* TRUE where some element of both is the same memory; of contiguous ones, where their ranges
 * meet. */
gboolean hir_value_overlaps (const HirValue *a, const HirValue *b);

G_END_DECLS
