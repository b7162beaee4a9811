/* Short names of nodes for messages to people. */
#pragma once

#include "tensor.h"

G_BEGIN_DECLS

/* `T1`; `out (T1)` where the script has a name for it; `T4 (from out)` where a pass made it of one
 * that has. Newly allocated. */
char *hir_tensor_dup_label (const HirTensor *tensor);
/* `[i0, 1, 8]`: the extents as torch would show a shape (expanded ones expanded, reductions left
 * out). Newly allocated. */
char *hir_tensor_dup_shape_text (const HirTensor *tensor);
/* The script line of a schedule of @id, or else of what made it or @tensor. */
HirPos hir_axis_get_pos (const HirTensor *tensor, const HirIterDomain *id);

G_END_DECLS
