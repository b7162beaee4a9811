/* Builds a random fusion as IR, by the same calls as the script reader. */
#pragma once

#include "container.h"
#include "generate.h"

G_BEGIN_DECLS

/* Returns NULL and @error if an op or a schedule is rejected. Positions: line i + 1 for step i,
 * 1000 + i for schedule i. */
HirContainer *hir_random_fusion_build (const HirRandomFusion *random, GError **error);

G_END_DECLS
