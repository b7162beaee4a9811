/* Transforms between two domains of a tensor. */
#pragma once

#include "tensor.h"

G_BEGIN_DECLS

/* Returns the transforms that lead from @from to @to (for example, from logical to loop), each
 * after those that create its inputs. The search stops at the axes of @from. Iterative, and safe if
 * axes of a broken program derive from themselves. New array of HirTransform* (borrowed). */
GPtrArray *hir_domain_dup_transforms (const HirDomain *from, const HirDomain *to);

/* Returns `Split: iS0{i0} by factor 4 -> iS2{( ceilDiv(i0, 4) )}, iS3{4}`
 * (docs/host-ir.md#splits-and-merges). Newly allocated. */
char *hir_transform_to_string (const HirTransform *transform);

G_END_DECLS
