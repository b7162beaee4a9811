/* Overlap of tensors in memory. */
#pragma once

#include "run/values/value.h"

G_BEGIN_DECLS

/* Returns TRUE if an element of @a and one of @b share memory; for contiguous tensors, if their
 * ranges overlap. */
gboolean hir_value_overlaps (const HirValue *a, const HirValue *b);

G_END_DECLS
