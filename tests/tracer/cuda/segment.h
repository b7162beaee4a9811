/* A fusion as one HostUnit on a back end, without passes. */
#pragma once

#include "run-fixture.h"

G_BEGIN_DECLS

/* Runs the whole of @fusion at once and fails the test where its numbers are not the reference's.
 * @shapes: of its inputs, as --input; nullable. */
void run_segment (HirBackendProvider *provider, HirContainer *fusion, const char *const *shapes);
/* The same, and whatever comes of it. */
void try_segment (HirBackendProvider *provider, HirContainer *fusion, const char *const *shapes);

G_END_DECLS
