/* How the user arranged the rows of a timeline: tracks pinned above all, hidden, folded to one
 * lane, and moved; ranks folded and moved. Rows follow at once. It can be written down and found
 * again in another trace of the same tracks. */
#pragma once

#include "draw/timeline/timeline-rows.h"

G_BEGIN_DECLS

/* Bits of HirTimelineRows.flags. */
typedef enum
{
  HIR_TRACK_PINNED = 1 << 0,
  HIR_TRACK_HIDDEN = 1 << 1,
  HIR_TRACK_FOLDED = 1 << 2,
} HirTrackFlags;

/* One of the bits. */
gboolean hir_timeline_rows_get_flag (const HirTimelineRows *rows, guint track, HirTrackFlags flag);
void hir_timeline_rows_set_flag (HirTimelineRows *rows,
                                 guint track,
                                 HirTrackFlags flag,
                                 gboolean is_set);
/* Of @rank; of all with HIR_TIMELINE_ANY_RANK. */
#define HIR_TIMELINE_ANY_RANK G_MININT
guint hir_timeline_rows_get_n_hidden (const HirTimelineRows *rows, int rank);
/* Of all ranks. */
void hir_timeline_rows_show_hidden (HirTimelineRows *rows);
/* Past the next track of its rank that is seen, up (-1) or down (1). FALSE where there is none. */
gboolean hir_timeline_rows_move_track (HirTimelineRows *rows, guint track, int by);
gboolean hir_timeline_rows_move_rank (HirTimelineRows *rows, int rank, int by);

/* Where the trace is two side by side (analysis/compare.h): what hosts did is hidden, ranks other
 * than the first of either are folded, so that both are in sight. FALSE, and nothing is changed,
 * where it is not, or has hosts alone. */
gboolean hir_timeline_rows_show_both (HirTimelineRows *rows);

/* Into, and from, keys of @group. Tracks are told by rank, device, stream and name: what the trace
 * does not have is passed over, what the file does not have keeps its place. load(): FALSE where
 * there is no such group. */
void
hir_timeline_rows_save_arrangement (const HirTimelineRows *rows, GKeyFile *file, const char *group);
gboolean
hir_timeline_rows_load_arrangement (HirTimelineRows *rows, GKeyFile *file, const char *group);

G_END_DECLS
