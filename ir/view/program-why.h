/* One-sentence explanations of why an instruction exists, as far as the program shows it. */
#pragma once

#include "expr.h"

G_BEGIN_DECLS

/* HirTensor* -> GPtrArray of the HirExpr* that access it, without its definition. */
typedef GHashTable HirTensorUses;

/* Explains the ALLOCATE of @buffer: which Exprs fill and read it, also through slices; or that it
 * is a slice itself and takes no memory. @is_output: the caller receives it. Returns NULL if
 * nothing accesses it. Newly allocated. */
char *hir_why_allocated (HirTensorUses *uses, const HirTensor *buffer, gboolean is_output);
/* Explains what must not start before the communication of @wait is done. Returns NULL if no Expr
 * reads its output. Newly allocated. */
char *hir_why_waited (HirTensorUses *uses, const HirExpr *wait);
/* Returns the Exprs that write (@writes) or read @tensor or a slice of it, in program order,
 * without ALLOCATE and alias selects. New array of const HirExpr*. */
GPtrArray *hir_tensor_dup_users (HirTensorUses *uses, const HirTensor *tensor, gboolean writes);

G_END_DECLS
