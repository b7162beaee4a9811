/* Of work that is done again because a debugger went back, each event is kept once: what was
 * recorded first stays, what is new is added.
 *
 * Each step of each rank is known by its number, which going back gives once more. A *stamp* says
 * whose an event is, and which *epoch* it is of; going back begins a new one. Of a step's events of
 * one kind those of one epoch are taken, and none of the others. */
#pragma once

#include "trace/edge.h"
#include "trace/comm-records.h"

G_BEGIN_DECLS

/* For HirEvent.source, until the recorder takes it off; never 0. @epoch counts from 1; @rank < 64. */
guint64 hir_replay_filter_stamp (guint32 epoch, int rank, guint64 step);

typedef struct _HirReplayFilter HirReplayFilter;

/* One thread at a time. */
HirReplayFilter *hir_replay_filter_new (void);
void hir_replay_filter_free (HirReplayFilter *once);
/* FALSE: it was there before. Takes the stamp off @event; without one it is always new. */
gboolean hir_replay_filter_accept_event (HirReplayFilter *once, HirEvent *event);
/* The same, by all that they say. */
gboolean hir_replay_filter_accept_comm_record (HirReplayFilter *once, const HirCommRecord *meeting);
gboolean hir_replay_filter_accept_edge (HirReplayFilter *once, const HirEdge *edge);

G_END_DECLS
