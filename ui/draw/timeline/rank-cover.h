/* How busy a rank's devices are over time, as sums that are asked for in no time at all: what a
 * folded rank and the strip above the timeline show of a rank with a million events. */
#pragma once

#include <gio/gio.h>

#include "draw/theme.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct _HirRankCover HirRankCover;

/* Of @n_tracks of @tracks, which are those of a rank; host threads and counters among them do not
 * count. O(their events). Any thread; reads @trace, and keeps nothing of it. NULL where
 * @cancellable (nullable) was cancelled, which is looked at every millisecond or so. */
HirRankCover *hir_rank_cover_new (const HirTrace *trace,
                                  const guint *tracks,
                                  guint n_tracks,
                                  GCancellable *cancellable);
void hir_rank_cover_free (HirRankCover *cover);
/* Of all that it keeps. */
gsize hir_rank_cover_get_size_bytes (const HirRankCover *cover);
/* It knows nothing of what is shorter. */
double hir_rank_cover_get_bin_ns (const HirRankCover *cover);
/* For each of @n columns of [@start_ns, @end_ns) the share in which it computes or copies, and that
 * in which it communicates, each cut at 1: as hir_timeline_index_add_cover() of all its tracks. A
 * column is to be a bin at least. */
void hir_rank_cover_get (const HirRankCover *cover,
                         gint64 start_ns,
                         gint64 end_ns,
                         guint n,
                         float *computation,
                         float *communication);
/* What each column looks like, where it computes and where it communicates: as the longest event in
 * the busiest of its bins; 0 where it does nothing. Of a column that is narrower than a bin: as its
 * bin. */
void hir_rank_cover_get_looks (const HirRankCover *cover,
                               gint64 start_ns,
                               gint64 end_ns,
                               guint n,
                               HirLook *computation,
                               HirLook *communication);

G_END_DECLS
