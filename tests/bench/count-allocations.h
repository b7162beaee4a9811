/* Counts what is taken from malloc(), by standing in front of it. Where a sanitizer does so
 * already, or the C library is not glibc, nothing is counted. */
#pragma once

#include <glib.h>

/* Pieces that this thread has taken so far; -1: they are not counted. */
gint64 bench_count_allocations (void);
