/* Plan of a reshape: which axes are merged and split into which (docs/host-ir.md#ops). */
#pragma once

#include "tensor.h"

G_BEGIN_DECLS

/* Consecutive input axes that become consecutive output axes; one and one if the axis is kept. Axes
 * of size 1 are in no group. */
typedef struct
{
  guint in, n_in;   /* range of input axes, not counting sizes of 1 */
  guint out, n_out; /* range of output axes, likewise */
  int inferred;     /* index of the group's output axis whose size is inferred, or -1 */
} HirReshapeGroup;

typedef struct
{
  GArray *groups; /* HirReshapeGroup, in order, covering all axes except sizes of 1 */
} HirReshapePlan;

/* Plans the reshape of axes with sizes @in to sizes @out. At most one of @out may be NULL
 * (inferred); none is the constant 1. Returns NULL if merges and splits that can be determined here
 * do not lead from @in to @out; sets *@is_contradiction if none ever can (the numbers of elements
 * differ). May create scalars in @container. */
HirReshapePlan *hir_reshape_plan_new (HirContainer *container,
                                      HirScalar *const *in,
                                      guint n_in,
                                      HirScalar *const *out,
                                      guint n_out,
                                      gboolean *is_contradiction);
void hir_reshape_plan_free (HirReshapePlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirReshapePlan, hir_reshape_plan_free)

G_END_DECLS
