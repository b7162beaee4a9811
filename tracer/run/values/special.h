/* Functions that the C library lacks, in double. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Inverse of erf on [-1, 1], to a few units in the last place; NaN outside, infinite at the ends.
 */
double hir_erfinv (double x);
/* Inverse of erfc on [0, 2]. */
double hir_erfcinv (double x);
/* log |gamma (x)|, without lgamma's global sign: safe from any thread. */
double hir_lgamma (double x);
/* x (1 + erf (x / sqrt 2)) / 2, without cancellation for negative x. */
double hir_gelu (double x);

G_END_DECLS
