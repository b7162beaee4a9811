/* Short names of nodes for messages. */
#pragma once

#include "tensor.h"

G_BEGIN_DECLS

/* Returns `T1`; `out (T1)` if the script has a name for the tensor; `T4 (from out)` if a pass
 * derived it from a tensor that has a name. Newly allocated. */
char *hir_tensor_dup_label (const HirTensor *tensor);
/* Returns `[i0, 1, 8]`: the extents as torch shows a shape, with expanded extents and without
 * reductions. Newly allocated. */
char *hir_tensor_dup_shape_text (const HirTensor *tensor);
/* Returns the script position of the schedule of @id, otherwise of the transform that created @id,
 * otherwise of @tensor. */
HirPos hir_axis_get_pos (const HirTensor *tensor, const HirIterDomain *id);

G_END_DECLS
