/* Compares missing synchronization with a recorded run, in which each pair was executed in some
 * order. */
#pragma once

#include "analysis/sync-check.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* Sets `seen`, `overlapped` and `nearest_ns` of all missing entries from the recorded work of
 * the same instructions, iterations and ranks, without warm-ups; every repetition counts.
 * Returns the number of instances of the program in @trace, 0 if it records a different program. */
guint hir_sync_check_add_recording (HirSyncCheck *check, const HirTrace *trace);

/* Returns TRUE if the recording has the pair and the two accesses never overlapped: a latent
 * race. */
gboolean hir_sync_missing_is_latent (const HirSyncMissing *missing);

/* Describes the recorded order of the pair (transfer full); NULL if it is not in a recording. */
char *hir_sync_missing_dup_observation (const HirSyncMissing *missing);

G_END_DECLS
