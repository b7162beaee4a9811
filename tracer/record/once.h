/* Of work that is done again because a debugger went back, each event is kept once: what was
 * recorded first stays, what is new is added.
 *
 * Each step of each rank is known by its number, which going back gives once more. A *stamp* says
 * whose an event is, and which *epoch* it is of; going back begins a new one. Of a step's events of
 * one kind those of one epoch are taken, and none of the others. */
#pragma once

#include "trace/edge.h"
#include "trace/meetings.h"

G_BEGIN_DECLS

/* For HirEvent.source, until the recorder takes it off; never 0. @epoch counts from 1; @rank < 64. */
guint64 hir_once_stamp (guint32 epoch, int rank, guint64 step);

typedef struct _HirOnce HirOnce;

/* One thread at a time. */
HirOnce *hir_once_new (void);
void hir_once_free (HirOnce *once);
/* FALSE: it was there before. Takes the stamp off @event; without one it is always new. */
gboolean hir_once_take_event (HirOnce *once, HirEvent *event);
/* The same, by all that they say. */
gboolean hir_once_take_meeting (HirOnce *once, const HirMeeting *meeting);
gboolean hir_once_take_edge (HirOnce *once, const HirEdge *edge);

G_END_DECLS
