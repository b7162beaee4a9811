/* Counts allocations by interposing malloc(). Counts nothing under a sanitizer or with another C
 * library than glibc. */
#pragma once

#include <glib.h>

/* Returns the number of allocations of this thread, or -1 if they are not counted. */
gint64 bench_count_allocations (void);
