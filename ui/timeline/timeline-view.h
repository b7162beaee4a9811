/* A trace as a timeline: one row per stream, with a bar per event. Time can be zoomed and moved;
 * bars can be selected. */
#pragma once

#include <gtk/gtk.h>

#include "document/document.h"
#include "draw/timeline/timeline-pair.h"
#include "draw/timeline/timeline-rows.h"
#include "draw/timeline/timeline-scene.h"
#include "selection/explaining.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_TIMELINE_VIEW (hir_timeline_view_get_type ())
G_DECLARE_FINAL_TYPE (HirTimelineView, hir_timeline_view, HIR, TIMELINE_VIEW, GtkWidget)

/* Signal `shown-changed`, without arguments: the time range or the trace changed. */
GtkWidget *hir_timeline_view_new (HirSelection *selection);
/* Sets the path that identifies the next trace, or NULL. The arrangement of the tracks is stored
 * for it, unless the program has a script. The next trace is shown as a whole initially. */
void hir_timeline_view_set_document (HirTimelineView *self, const char *document);
/* Displays the path and the lost time of @explaining, and makes the ranges visible that it shows.
 */
void hir_timeline_view_set_explaining (HirTimelineView *self, HirExplaining *explaining);
/* Shows the given time range. The range is limited so that some of the trace stays visible. */
void hir_timeline_view_show (HirTimelineView *self, gint64 start_ns, gint64 end_ns);
/* Returns the vertical adjustment (borrowed). */
GtkAdjustment *hir_timeline_view_get_adjustment (HirTimelineView *self);
/* Returns the rows, or NULL without a trace. Valid until the trace changes. */
const HirTimelineRows *hir_timeline_view_get_rows (HirTimelineView *self);

#define HIR_TIMELINE_FIT_MARGIN 0.02 /* share of the trace added at each end */
/* Shows the whole trace with margins. */
void hir_timeline_view_fit (HirTimelineView *self);
/* Zooms around the center; @factor > 1 zooms in. */
void hir_timeline_view_zoom (HirTimelineView *self, double factor);
/* Folds all ranks, or unfolds them if all are folded. Stored for the document. */
void hir_timeline_view_fold_all (HirTimelineView *self);
/* Puts the cursor on the header of @rank, or on @track, and scrolls to it. Unfolds the rank of
 * @track, and shows the track if it is hidden. */
void hir_timeline_view_go_to_rank (HirTimelineView *self, int rank);
void hir_timeline_view_go_to_track (HirTimelineView *self, guint track);
/* Moves the visible range so that @time_ns is in its middle, unless it is visible. */
void hir_timeline_view_go_to_time (HirTimelineView *self, gint64 time_ns);

/* Returns the marks (borrowed): HirTimelineMark by time, which is relative to the start of the
 * trace. The signal "marks-changed" is emitted when marks are added or removed. */
const GArray *hir_timeline_view_get_marks (HirTimelineView *self);
/* Sets a mark at the pointer if it is over the tracks and not over the selected event, otherwise at
 * the start of the selected event, or of the selected range, otherwise in the middle of the visible
 * range. Returns its index, or -1 if there is no trace, and sets *@message to where it is, or to
 * the reason (transfer full). */
int hir_timeline_view_add_mark (HirTimelineView *self, char **message);
/* Changes the name of mark @i. */
void hir_timeline_view_rename_mark (HirTimelineView *self, guint i, const char *name);
/* Deletes mark @i, which can be undone in @document. */
void hir_timeline_view_delete_mark (HirTimelineView *self, guint i, HirDocument *document);
/* Makes mark @i visible. */
void hir_timeline_view_go_to_mark (HirTimelineView *self, guint i);
/* Also stores the marks for the recording @path, to which the trace was saved. */
void hir_timeline_view_store_marks_for (HirTimelineView *self, const char *path);
/* Returns a point of the flag of mark @i in widget pixels. Returns FALSE if it is not visible.
 * For tests. */
gboolean hir_timeline_view_get_mark_place (HirTimelineView *self, guint i, double *x, double *y);

/* Returns the height in pixels that shows all rows. */
double hir_timeline_view_get_full_height (HirTimelineView *self);
/* Returns the width in pixels of the labels at the left. */
double hir_timeline_view_get_header_width (HirTimelineView *self);
/* Returns the visible time range. */
void hir_timeline_view_get_shown (HirTimelineView *self, gint64 *start_ns, gint64 *end_ns);
/* Returns the ids of the instructions whose events are highlighted (transfer full). For tests. */
GHashTable *hir_timeline_view_dup_related (HirTimelineView *self);
/* Returns the center of event @index of @track in widget pixels. Returns FALSE if the event is
 * not visible. For tests that click with a real pointer. */
gboolean hir_timeline_view_get_event_position (
    HirTimelineView *self, guint track, guint index, double *x, double *y);

/* Returns the center of the header of the @i-th rank from the top, in widget pixels. Returns
 * FALSE past the last rank. For tests. */
gboolean hir_timeline_view_get_rank_position (
    HirTimelineView *self, guint i, int *rank, gboolean *is_folded, double *x, double *y);

/* A visible row. The position is the center of its label in widget pixels, which can be outside
 * of the widget. */
typedef struct
{
  guint track, n_lanes;
  gboolean is_chosen, is_pinned, is_folded, has_cursor;
  double x, y;
  double height, bottom; /* of the row, and its lower edge */
} HirTimelineTrackPlace;

/* Returns the @i-th visible track from the top. Returns FALSE past the last track. For tests. */
gboolean
hir_timeline_view_get_track_place (HirTimelineView *self, guint i, HirTimelineTrackPlace *place);
/* Returns the highlighted pair of the selection (borrowed until the selection or the trace
 * changes), or NULL. */
const HirTimelinePair *hir_timeline_view_get_pair (HirTimelineView *self);
/* Returns the position of a debugged program. Returns FALSE if it is unknown. */
gboolean hir_timeline_view_get_pointer (HirTimelineView *self, gint64 *time_ns);

G_END_DECLS
