/* Segmentation as reference 3.2 tells it, word for word and without any cleverness: what
 * passes/segment-graph.c must agree with. */
#pragma once

#include "container.h"

/* One line a segment, in run order: "[ops] inputs -> outputs", by names. Newly allocated. */
char *reference_segment (HirContainer *fusion);
