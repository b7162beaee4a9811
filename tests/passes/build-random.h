/* A random fusion as IR, by the same calls that the script reader makes. */
#pragma once

#include "container.h"
#include "generate.h"

G_BEGIN_DECLS

/* NULL and @error where an op or a schedule is refused. Positions: line i + 1 for step i, 1000 + i
 * for schedule i. */
HirContainer *hir_random_fusion_build (const HirRandomFusion *random, GError **error);

G_END_DECLS
