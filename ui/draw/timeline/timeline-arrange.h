/* User arrangement of the rows of a timeline: pinned, hidden, folded and moved tracks, folded and
 * moved ranks. Changes update the rows immediately. The arrangement can be saved and applied to
 * another trace with the same tracks. */
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

/* Returns whether bit @flag of the track is set. */
gboolean hir_timeline_rows_get_flag (const HirTimelineRows *rows, guint track, HirTrackFlags flag);
void hir_timeline_rows_set_flag (HirTimelineRows *rows,
                                 guint track,
                                 HirTrackFlags flag,
                                 gboolean is_set);
/* Sets the height of a track with several lanes, which are compressed if it is less than
 * hir_timeline_rows_get_full_height(). 0 is the default. */
void hir_timeline_rows_set_height (HirTimelineRows *rows, guint track, double height);
/* Selects all ranks in hir_timeline_rows_get_n_hidden(). */
#define HIR_TIMELINE_ANY_RANK G_MININT
guint hir_timeline_rows_get_n_hidden (const HirTimelineRows *rows, int rank);
/* Clears @flag of the tracks of all ranks. */
void hir_timeline_rows_clear_flag (HirTimelineRows *rows, HirTrackFlags flag);
/* Moves a track past the next visible track of its rank, up (-1) or down (1). Returns FALSE if
 * there is none. */
gboolean hir_timeline_rows_move_track (HirTimelineRows *rows, guint track, int by);
gboolean hir_timeline_rows_move_rank (HirTimelineRows *rows, int rank, int by);

/* Prepares a comparison of two traces (analysis/compare.h): hides host tracks and folds all ranks
 * but the first of each trace, so that both are visible. Returns FALSE and changes nothing if the
 * trace is not a comparison or has only host tracks. */
gboolean hir_timeline_rows_show_both (HirTimelineRows *rows);

/* Saves the arrangement to keys of @group. Tracks are identified by rank, device, kind, stream
 * and name. */
void
hir_timeline_rows_save_arrangement (const HirTimelineRows *rows, GKeyFile *file, const char *group);
/* Applies an arrangement. Ignores tracks that the trace does not have. Tracks that are not in
 * @group follow the others in their old order. Returns FALSE if there is no such group. */
gboolean
hir_timeline_rows_load_arrangement (HirTimelineRows *rows, GKeyFile *file, const char *group);

G_END_DECLS
