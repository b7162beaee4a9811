/* Activity of a rank's devices over time, as prefix sums. Used for folded ranks and the minimap,
 * for which the cost must not depend on the number of events. */
#pragma once

#include <gio/gio.h>

#include "draw/theme.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct _HirRankCover HirRankCover;

/* Sums the events of the @n_tracks @tracks of one rank; ignores host threads and counters.
 * O(events), on any thread. The result does not refer to @trace. Returns NULL if @cancellable
 * (nullable) is cancelled, which is checked about every millisecond. */
HirRankCover *hir_rank_cover_new (const HirTrace *trace,
                                  const guint *tracks,
                                  guint n_tracks,
                                  GCancellable *cancellable);
/* Frees @cover. */
void hir_rank_cover_free (HirRankCover *cover);
/* Returns the size of the allocated memory. */
gsize hir_rank_cover_get_size_bytes (const HirRankCover *cover);
/* Returns the width of a bin, the resolution of the sums. */
double hir_rank_cover_get_bin_ns (const HirRankCover *cover);
/* Computes for each of @n columns of [@start_ns, @end_ns) the share of computation and copies, and
 * of communication, each at most 1. Corresponds to hir_timeline_index_add_cover() of all tracks. A
 * column should be at least a bin wide. */
void hir_rank_cover_get (const HirRankCover *cover,
                         gint64 start_ns,
                         gint64 end_ns,
                         guint n,
                         float *computation,
                         float *communication);
/* Returns the appearance of computation and communication in each column: that of the event with
 * the largest part in the busiest bin, or 0 if idle. If a column has many bins, only some of them
 * are read. A column narrower than a bin gets the appearance of its bin. */
void hir_rank_cover_get_looks (const HirRankCover *cover,
                               gint64 start_ns,
                               gint64 end_ns,
                               guint n,
                               HirLook *computation,
                               HirLook *communication);

G_END_DECLS
