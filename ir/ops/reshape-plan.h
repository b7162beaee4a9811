/* How a reshape comes about: which axes are merged and split into which (docs/host-ir.md#ops).
 */
#pragma once

#include "tensor.h"

G_BEGIN_DECLS

/* Consecutive axes that become consecutive axes; 1 and 1 is one that passes through. Sizes of 1 are
 * in no group. */
typedef struct
{
  guint in, n_in;   /* positions among the input's axes, sizes of 1 left out */
  guint out, n_out; /* likewise of the output */
  int inferred;     /* which of the group's output axes has no size of its own, or -1 */
} HirReshapeGroup;

typedef struct
{
  GArray *groups; /* HirReshapeGroup, in order, covering all but sizes of 1 */
} HirReshapePlan;

/* @in: sizes of the input's axes, @out: sizes asked for, at most one of them NULL, to be worked
 * out; none is the constant 1. NULL where the one does not become the other by merges and splits
 * that can be known here; *@is_contradiction tells that it never can (the numbers of elements
 * differ). May make scalars in @container. */
HirReshapePlan *hir_reshape_plan_new (HirContainer *container,
                                      HirScalar *const *in,
                                      guint n_in,
                                      HirScalar *const *out,
                                      guint n_out,
                                      gboolean *is_contradiction);
void hir_reshape_plan_free (HirReshapePlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirReshapePlan, hir_reshape_plan_free)

G_END_DECLS
