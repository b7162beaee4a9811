/* What is missing, beside a run that was recorded: there each pair came in some order all the same.
 */
#pragma once

#include "analysis/sync-check.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* Fills in `seen`, `overlapped` and `nearest_ns` of all that is missing, from the work that @trace
 * has of the same instructions, iterations and ranks, outside of warm-ups; each repeat counts. Any
 * thread that has
 * @check to itself. Gives how many instances of the program's instructions @trace has: 0 where it
 * is of another program, or lowered in another way. */
guint hir_sync_check_add_recording (HirSyncCheck *check, const HirTrace *trace);

/* TRUE where a run was looked at, has the pair, and the two were apart in it each time. */
gboolean hir_sync_missing_is_latent (const HirSyncMissing *missing);

/* "12.3 us apart in the recording: ordered by luck"; NULL without a recording. Newly allocated. */
char *hir_sync_missing_dup_observation (const HirSyncMissing *missing);

G_END_DECLS
