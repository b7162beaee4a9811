/* Why an instruction is there, in a sentence, as far as the program itself says. */
#pragma once

#include "expr.h"

G_BEGIN_DECLS

/* Uses of tensors: HirTensor* -> GPtrArray of the HirExpr* that touch it, their definitions left out. */
typedef GHashTable HirTensorUses;

/* Why @buffer has an ALLOCATE: who fills it and who reads it, also through slices that are aliases of it; or that it is
 * such a slice itself, and takes no memory. @is_output: the caller gets it. NULL where nothing touches it. Newly allocated. */
char *hir_why_allocated (HirTensorUses *uses, const HirTensor *buffer, gboolean is_output);
/* What must not begin before @wait has seen its communication done; NULL where that has no output that anybody reads. Newly
 * allocated. */
char *hir_why_waited (HirTensorUses *uses, const HirExpr *wait);
/* The Exprs that write (@writes) or read @tensor or a slice of it, in program order; no ALLOCATE, no alias. Newly allocated
 * array of const HirExpr*. */
GPtrArray *hir_tensor_dup_users (HirTensorUses *uses, const HirTensor *tensor, gboolean writes);

G_END_DECLS
