/* A scheduler that executes the steps of a HirSyncTrace in any order that streams allow, on
 * versions instead of data. Independent of the vector clocks that it tests. */
#pragma once

#include "analysis/sync-trace.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 seen;    /* hash of everything that the steps have read */
  guint64 outputs; /* hash of the outputs that the callers read */
} SyncResult;

typedef struct _SyncSchedule SyncSchedule;

SyncSchedule *sync_schedule_new (const HirSyncTrace *trace);
void sync_schedule_free (SyncSchedule *schedule);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SyncSchedule, sync_schedule_free)

/* Executes the steps in host order. */
SyncResult sync_schedule_run_in_order (SyncSchedule *schedule);
/* Executes queue @queue only when no other queue can proceed. Everything that is not ordered
 * after a step of the queue then runs before it; over all queues, this finds every unordered
 * pair. */
SyncResult sync_schedule_run_delaying (SyncSchedule *schedule, guint queue);
/* Executes the steps in random order, with some queues much slower than others. */
SyncResult sync_schedule_run_random (SyncSchedule *schedule, GRand *rand);

G_END_DECLS
