/* Runs a fusion as one HostUnit on a back end, without passes. */
#pragma once

#include "run-fixture.h"

G_BEGIN_DECLS

/* Runs @fusion and fails the test if a result differs from the reference evaluation. @shapes
 * (nullable): shapes of the inputs, as for --input. */
void run_segment (HirBackendProvider *provider, HirContainer *fusion, const char *const *shapes);
/* Like run_segment(), but ignores the results. */
void try_segment (HirBackendProvider *provider, HirContainer *fusion, const char *const *shapes);

G_END_DECLS
