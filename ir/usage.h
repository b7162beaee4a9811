/* Which tensors an Expr touches, and how. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_ACCESS_READ,  /* its elements; what an alias select cuts from */
  HIR_ACCESS_WRITE, /* its elements */
  HIR_ACCESS_BIND,  /* the tensor becomes a buffer: Allocate, the result of an alias select */
  HIR_ACCESS_FREE,
} HirAccessKind;

typedef struct
{
  HirTensor *tensor;
  HirAccessKind kind;
} HirAccess;

/* Appends to @accesses (of HirAccess): reads in operand order, then the rest. Nested Exprs and what
 * is inside a HostUnit do not count. Missing operands of a broken program are left out. */
void hir_expr_collect_accesses (const HirExpr *expr, GArray *accesses);

/* The tensors that the inputs, the outputs and the Exprs of @container name, in order of first
 * appearance, HostUnits' after the program's own: what a viewer shows. Unlike `tensors` it leaves
 * out what a pass has dropped. Newly allocated array of HirTensor*. */
GPtrArray *hir_container_dup_used_tensors (HirContainer *container);

/* @expr, which reads @old, reads @new in its place, wherever it does; an axis of @old that it names
 * becomes that of @new at the same place, reductions left out. */
void hir_expr_replace_input (HirExpr *expr, const HirTensor *old, HirTensor *new);

G_END_DECLS
