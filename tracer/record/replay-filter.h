/* Drops duplicate events when the debugger replays instructions: the first recording of an event is
 * kept, and only new events are added.
 *
 * Going back reuses the step numbers of a rank. A *stamp* identifies the rank, step and *epoch*
 * of an event; going back begins a new epoch. For each step and kind of event, only the events
 * of one epoch are accepted. */
#pragma once

#include "trace/comm-records.h"
#include "trace/edge.h"

G_BEGIN_DECLS

/* Returns a stamp for HirEvent.source, which the recorder removes; never 0. @epoch counts from
 * 1, and @rank is less than 64. */
guint64 hir_replay_filter_stamp (guint32 epoch, int rank, guint64 step);

typedef struct _HirReplayFilter HirReplayFilter;

/* Creates a filter. Use it on one thread at a time. */
HirReplayFilter *hir_replay_filter_new (void);
void hir_replay_filter_free (HirReplayFilter *filter);
/* Returns FALSE if @event is a duplicate. Removes its stamp; an event without a stamp is always
 * new. */
gboolean hir_replay_filter_accept_event (HirReplayFilter *filter, HirEvent *event);
/* Returns FALSE if an equal record was accepted before. */
gboolean
hir_replay_filter_accept_comm_record (HirReplayFilter *filter, const HirCommRecord *record);
/* Returns FALSE if an equal edge was accepted before. */
gboolean hir_replay_filter_accept_edge (HirReplayFilter *filter, const HirEdge *edge);

G_END_DECLS
