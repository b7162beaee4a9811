/* Finds out what would make a recorded run shorter: removes each cause of lost time alone, and
 * simulates the rest (docs/predict.md#what-would-help). */
#pragma once

#include "explain/explain.h"
#include "program/document-recording.h"

G_BEGIN_DECLS

/* Sets the gains of @explain, the explanation of @opened. Leaves them NULL if there is no program,
 * and adds a note if it cannot be simulated. Blocks; any thread. */
void hir_gains_add (HirExplain *explain, const HirOpened *opened, GCancellable *cancellable);

G_END_DECLS
