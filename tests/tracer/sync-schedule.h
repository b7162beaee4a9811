/* A scheduler that runs the steps of a HirSyncTrace in any order that streams allow, on versions
 * instead of numbers: independent of the vector clocks that it checks. */
#pragma once

#include "analysis/sync-trace.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 seen;    /* of all that any step found in memory */
  guint64 outputs; /* of what the callers read at the end */
} SyncResult;

typedef struct _SyncSchedule SyncSchedule;

SyncSchedule *sync_schedule_new (const HirSyncTrace *trace);
void sync_schedule_free (SyncSchedule *schedule);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SyncSchedule, sync_schedule_free)

/* As the hosts issue it. */
SyncResult sync_schedule_run_in_order (SyncSchedule *schedule);
/* Queue @queue runs only where nothing else can. Whatever is not ordered after a step of that queue
 * has then run before it: over all queues this finds every pair that may run the other way round. */
SyncResult sync_schedule_run_delaying (SyncSchedule *schedule, guint queue);
/* At random; some queues much more slowly than others. */
SyncResult sync_schedule_run_random (SyncSchedule *schedule, GRand *rand);

G_END_DECLS
