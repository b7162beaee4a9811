/* Adds statements to the host program that LowerSegmentedFusionToHostIr builds. */
#include "hostir/lower-private.h"

void
hir_lower_emit (HirLowerSegments *lower, HirExpr *expr)
{
  HirScope *scope = lower->loop != NULL ? &lower->loop->u.loop.body : &lower->host->top;

  hir_vec_push (lower->host->arena, &scope->exprs, expr);
}

/* The open loop is the last statement of the top level. */
void
hir_lower_emit_before_loop (HirLowerSegments *lower, HirExpr *expr)
{
  HirVec *top = &lower->host->top.exprs;

  hir_vec_push (lower->host->arena, top, lower->loop);
  top->items[top->len - 2] = expr;
}

HirExpr *
hir_lower_new_allocate (HirLowerSegments *lower, HirTensor *tensor)
{
  HirExpr *allocate = hir_expr_new_allocate (lower->host, tensor, tensor->memory);

  allocate->u.allocate.always = TRUE;
  return allocate;
}
