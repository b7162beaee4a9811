/* Segmentation as in docs/host-ir.md#segmentfusion, word for word and without any cleverness: what
 * passes/segment/segmenter.c must agree with. */
#pragma once

#include "container.h"

/* One line a segment, in run order: "[ops] inputs -> outputs", by names. Newly allocated. */
char *reference_segment (HirContainer *fusion);
