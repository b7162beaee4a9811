/* How the axes of one domain are made from those of another. */
#pragma once

#include "tensor.h"

G_BEGIN_DECLS

/* The transforms that lead from @from to @to (logical to loop, say), each after those that made
 * what it takes; the walk back stops at the axes of @from. Newly allocated array of HirTransform*,
 * borrowed elements. Iterative, and safe where a broken program has axes that derive from
 * themselves. */
GPtrArray *hir_domain_dup_transforms (const HirDomain *from, const HirDomain *to);

/* `Split: iS0{i0} by factor 4 -> iS2{( ceilDiv(i0, 4) )}, iS3{4}`
 * (docs/host-ir.md#splits-and-merges). Newly allocated.
 */
char *hir_transform_to_string (const HirTransform *transform);

G_END_DECLS
