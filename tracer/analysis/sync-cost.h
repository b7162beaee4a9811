/* What Synchronize and Wait that order nothing cost: the modelled clock of the program (run/model-tape.h) beside that
 * of the program without them. */
#pragma once

#include "analysis/sync-check.h"

G_BEGIN_DECLS

/* Fills in the costs of check->uses and check->times, where check->trace has tapes. @is_idle: a flag a step, as of
 * HirSyncOrder, with all waits in place. */
void hir_sync_check_add_costs (HirSyncCheck *check, const guint8 *is_idle);

/* "costs 3.2 us of 113.6 us on the modelled clock, and 2 us of overlap"; NULL where it is not known. Newly allocated. */
char *hir_sync_use_dup_cost (const HirSyncCheck *check, const HirSyncUse *use);
/* "113.6 us on the modelled clock, 85 us of it overlap; 110.4 us without what is needless"; NULL where it is not known.
 * Newly allocated. */
char *hir_sync_check_dup_times (const HirSyncCheck *check);

G_END_DECLS
