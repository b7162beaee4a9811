/* Helpers of the ir tests: fusions built by hand. */
#pragma once

#include "container.h"

/* Creates a symbolic input of rank @n with axes and extents numbered as in nvFuser. */
static inline HirTensor *
test_input (HirContainer *fusion, guint n)
{
  HirIterDomain *ids[8];
  HirTensor *tensor;

  for (guint i = 0; i < n; i++)
    ids[i] = hir_iter_domain_new (fusion, hir_scalar_new_symbol (fusion, HIR_DTYPE_INDEX),
                                  HIR_ITER_ITERATION);
  tensor = hir_tensor_new (fusion, HIR_DTYPE_FLOAT, ids, n);
  hir_container_add_input (fusion, HIR_VAL (tensor));
  return tensor;
}

static inline HirTensor *
test_set (HirContainer *fusion, HirTensor *in)
{
  HirIterDomain *ids[8];
  HirTensor *out;
  HirExpr *expr;

  for (guint i = 0; i < in->logical.n; i++)
    ids[i] = hir_iter_domain_dup (fusion, in->logical.ids[i], FALSE);
  out = hir_tensor_new (fusion, in->base.dtype, ids, in->logical.n);
  expr = hir_expr_new (fusion, HIR_EXPR_SET, (HirVal *[]){ HIR_VAL (in) }, 1,
                       (HirVal *[]){ HIR_VAL (out) }, 1);
  hir_container_add_expr (fusion, expr);
  return out;
}
