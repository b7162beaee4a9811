/* Indexes of a trace for drawing, created on demand: one per track, and the activity of each rank
 * over time (rank-cover.h). May be used from any thread. Threads that request the same object wait
 * for the thread that creates it. */
#pragma once

#include <gio/gio.h>

#include "draw/timeline/counter-index.h"
#include "draw/timeline/rank-cover.h"
#include "draw/timeline/timeline-index.h"

G_BEGIN_DECLS

/* Events above lane HIR_TIMELINE_MAX_LANES - 1 of a track share that lane; only endless recursion
 * is as deep. */
#define HIR_TIMELINE_MAX_LANES 1000

typedef struct _HirTimelineIndexes HirTimelineIndexes;

/* Creates an empty set of indexes. Takes a reference on @trace. */
HirTimelineIndexes *hir_timeline_indexes_new (HirTrace *trace);
HirTimelineIndexes *hir_timeline_indexes_ref (HirTimelineIndexes *indexes);
void hir_timeline_indexes_unref (HirTimelineIndexes *indexes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTimelineIndexes, hir_timeline_indexes_unref)

/* Returns the trace (borrowed). */
HirTrace *hir_timeline_indexes_get_trace (HirTimelineIndexes *indexes);
/* Returns the index of a track (borrowed). Creates it if necessary, in O(events of the track). */
const HirTimelineIndex *hir_timeline_indexes_get (HirTimelineIndexes *indexes, guint track);
/* Returns the index of a track, or NULL if it does not exist yet. Never blocks. */
const HirTimelineIndex *hir_timeline_indexes_peek (HirTimelineIndexes *indexes, guint track);
/* Like hir_timeline_indexes_get(), for a counter's track, which has no other index. */
const HirCounterIndex *hir_timeline_indexes_get_counter (HirTimelineIndexes *indexes, guint track);
const HirCounterIndex *hir_timeline_indexes_peek_counter (HirTimelineIndexes *indexes, guint track);
/* Like hir_timeline_indexes_get(), for a rank, in O(events of the rank). Returns NULL if the trace
 * has no such rank. */
const HirRankCover *hir_timeline_indexes_get_cover (HirTimelineIndexes *indexes, int rank);
const HirRankCover *hir_timeline_indexes_peek_cover (HirTimelineIndexes *indexes, int rank);
/* Returns the size of all indexes created so far. */
gsize hir_timeline_indexes_get_size_bytes (HirTimelineIndexes *indexes);
/* Creates all indexes. Several worker threads may share this work. If @cancellable (nullable) is
 * cancelled, ends within a few milliseconds and leaves incomplete indexes to other threads. */
void hir_timeline_indexes_make_all (HirTimelineIndexes *indexes, GCancellable *cancellable);

G_END_DECLS
