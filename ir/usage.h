/* Which tensors an Expr accesses, and how. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_ACCESS_READ,  /* reads its elements; also the source of an alias select */
  HIR_ACCESS_WRITE, /* writes its elements */
  HIR_ACCESS_BIND,  /* binds the tensor to a buffer: Allocate, result of an alias select */
  HIR_ACCESS_FREE,
} HirAccessKind;

typedef struct
{
  HirTensor *tensor;
  HirAccessKind kind;
} HirAccess;

/* Appends HirAccess items to @accesses: reads in operand order, then the others. Does not look into
 * nested Exprs and HostUnits. Skips missing operands of a broken program. */
void hir_expr_collect_accesses (const HirExpr *expr, GArray *accesses);

/* Returns the tensors that the inputs, outputs and Exprs of @container refer to, in order of first
 * appearance, those of HostUnits last. Unlike `tensors`, this excludes tensors that a pass no
 * longer uses. New array of HirTensor*. */
GPtrArray *hir_container_dup_used_tensors (HirContainer *container);

/* Replaces operand @old of @expr by @new wherever it is read. A selected axis of @old is replaced
 * by the axis of @new at the same position, not counting reductions. */
void hir_expr_replace_input (HirExpr *expr, const HirTensor *old, HirTensor *new);

/* Returns the scalars that @expr evaluates on the host when it is executed: indices, peers, roots,
 * bounds, conditions; without those that only describe axes. Free with g_ptr_array_unref(). */
GPtrArray *hir_expr_dup_scalars (const HirExpr *expr);

G_END_DECLS
