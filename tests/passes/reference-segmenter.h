/* Reference implementation of docs/host-ir.md#segmentfusion, as simple as possible.
 * passes/segment/segmenter.c must give the same results. */
#pragma once

#include "container.h"

/* Returns one line per segment, in run order: "[ops] inputs -> outputs". Newly allocated. */
char *reference_segment (HirContainer *fusion);
