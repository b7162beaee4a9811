/* Special functions that the C library lacks, in double. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns the inverse of erf on [-1, 1], accurate to a few units in the last place; NaN outside,
 * infinite at the ends. */
double hir_erfinv (double x);
/* Returns the inverse of erfc on [0, 2]. */
double hir_erfcinv (double x);
/* Returns log |gamma (x)|. Thread-safe, unlike lgamma(), which sets a global sign. */
double hir_lgamma (double x);
/* Returns x (1 + erf (x / sqrt 2)) / 2, without cancellation for negative x. NaN for -infinity, as
 * in PyTorch and nvFuser: x is multiplied by 0. */
double hir_gelu (double x);

G_END_DECLS
