/* Cost of redundant Synchronize and Wait instructions: modelled time of the program
 * (run/model/model-tape.h) with and without them. */
#pragma once

#include "analysis/sync-check.h"

G_BEGIN_DECLS

/* Sets the costs of check->uses and check->times, if check->trace has tapes. @is_idle has one
 * flag per step, see HirSyncOrder, with no wait removed. */
void hir_sync_check_add_costs (HirSyncCheck *check, const guint8 *is_idle);

/* Describes the cost (transfer full): "costs 3.20 µs of 113.6 µs on the modelled clock, and 2.00
 * µs of concurrency"; NULL if it is not known. */
char *hir_sync_use_dup_cost (const HirSyncCheck *check, const HirSyncUse *use);
/* Describes the modelled times with and without redundant synchronization (transfer full); NULL if
 * they are not known. */
char *hir_sync_check_dup_times (const HirSyncCheck *check);

G_END_DECLS
