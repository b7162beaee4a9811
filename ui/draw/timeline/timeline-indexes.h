/* What drawing needs of a trace besides its events, made once, by whoever asks first: an index of
 * each track, and for each rank how busy it is over time (rank-cover.h). Any thread; those who ask
 * for the same wait for each other. */
#pragma once

#include <gio/gio.h>

#include "draw/timeline/counter-index.h"
#include "draw/timeline/rank-cover.h"
#include "draw/timeline/timeline-index.h"

G_BEGIN_DECLS

/* Above a track's lane HIR_TIMELINE_MAX_LANES - 1 events share that one. */
#define HIR_TIMELINE_MAX_LANES 12

typedef struct _HirTimelineIndexes HirTimelineIndexes;

/* Makes nothing yet. Takes a reference on @trace. */
HirTimelineIndexes *hir_timeline_indexes_new (HirTrace *trace);
HirTimelineIndexes *hir_timeline_indexes_ref (HirTimelineIndexes *indexes);
void hir_timeline_indexes_unref (HirTimelineIndexes *indexes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTimelineIndexes, hir_timeline_indexes_unref)

/* Borrowed. */
HirTrace *hir_timeline_indexes_get_trace (HirTimelineIndexes *indexes);
/* Borrowed. Made now where it is not there: O(events of the track). */
const HirTimelineIndex *hir_timeline_indexes_get (HirTimelineIndexes *indexes, guint track);
/* NULL where it is not there yet; never waits. */
const HirTimelineIndex *hir_timeline_indexes_peek (HirTimelineIndexes *indexes, guint track);
/* The same of a counter's track, which has no other index. */
const HirCounterIndex *hir_timeline_indexes_get_counter (HirTimelineIndexes *indexes, guint track);
const HirCounterIndex *hir_timeline_indexes_peek_counter (HirTimelineIndexes *indexes, guint track);
/* The same for a rank; O(events of the rank). NULL also where the trace has no such rank. */
const HirRankCover *hir_timeline_indexes_get_cover (HirTimelineIndexes *indexes, int rank);
const HirRankCover *hir_timeline_indexes_peek_cover (HirTimelineIndexes *indexes, int rank);
/* Of what is made so far: what drawing takes besides the trace itself. */
gsize hir_timeline_indexes_get_size_bytes (HirTimelineIndexes *indexes);
/* Everything, for a worker: several may do so side by side, and share the work. Ends within some
 * milliseconds where
 * @cancellable (nullable) is cancelled, and leaves what was half made to be made by others. */
void hir_timeline_indexes_make_all (HirTimelineIndexes *indexes, GCancellable *cancellable);

G_END_DECLS
