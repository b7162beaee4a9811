/* The trace as a timeline: streams in rows, bars to click, time to zoom and move. */
#pragma once

#include <gtk/gtk.h>

#include "draw/timeline/timeline-pair.h"
#include "draw/timeline/timeline-rows.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_TIMELINE_VIEW (hir_timeline_view_get_type ())
G_DECLARE_FINAL_TYPE (HirTimelineView, hir_timeline_view, HIR, TIMELINE_VIEW, GtkWidget)

/* Signal: shown-changed: another stretch of time, or another trace, is on show. */
GtkWidget *hir_timeline_view_new (HirSelection *selection);
/* What tells the trace that comes next from others, its path, or NULL: how its tracks are arranged is remembered for
 * it (track-memory.h), where no script tells it. All of another one's trace is shown at first. */
void hir_timeline_view_set_document (HirTimelineView *self, const char *document);
/* That stretch, or as near to it as lets some of the trace be seen. */
void hir_timeline_view_show (HirTimelineView *self, gint64 start_ns, gint64 end_ns);
/* What scrolls the rows; borrowed. */
GtkAdjustment *hir_timeline_view_get_adjustment (HirTimelineView *self);
/* Nullable, borrowed until the trace changes. */
const HirTimelineRows *hir_timeline_view_get_rows (HirTimelineView *self);

#define HIR_TIMELINE_FIT_MARGIN 0.02 /* of the trace, at each end */
/* Shows all of the trace, and the margins. */
void hir_timeline_view_fit (HirTimelineView *self);
/* @factor > 1 is nearer; about the middle. */
void hir_timeline_view_zoom (HirTimelineView *self, double factor);
/* Folds all ranks; where all are folded, unfolds them. Remembered, as each fold is, for the document. */
void hir_timeline_view_fold_all (HirTimelineView *self);
/* That shows all rows, in pixels. */
double hir_timeline_view_get_full_height (HirTimelineView *self);
/* Of the labels at the left, in pixels. */
double hir_timeline_view_get_header_width (HirTimelineView *self);
/* What is on show. */
void hir_timeline_view_get_shown (HirTimelineView *self, gint64 *start_ns, gint64 *end_ns);
/* Where the middle of event @index of @track is now, in widget pixels; FALSE where it is not shown. For
 * tests that click with a real pointer. */
gboolean hir_timeline_view_get_event_position (HirTimelineView *self,
                                               guint track,
                                               guint index,
                                               double *x,
                                               double *y);

/* The same of the header of rank number @i from above; FALSE past the last. */
gboolean hir_timeline_view_get_rank_position (
    HirTimelineView *self, guint i, int *rank, gboolean *is_folded, double *x, double *y);

/* The @i-th track that is shown, from above: in widget pixels the middle of its label, which may be out of sight. For
 * tests. FALSE past the last. */
typedef struct
{
  guint track, n_lanes;
  gboolean is_pinned, is_folded, has_cursor;
  double x, y;
} HirTimelineTrackPlace;
gboolean
hir_timeline_view_get_track_place (HirTimelineView *self, guint i, HirTimelineTrackPlace *place);
/* What is lit of the selection's pair; NULL: it has none, or there is no trace. Borrowed, until either changes. */
const HirTimelinePair *hir_timeline_view_get_pair (HirTimelineView *self);
/* Where a debugged program stands; FALSE: nowhere. */
gboolean hir_timeline_view_get_pointer (HirTimelineView *self, gint64 *time_ns);

G_END_DECLS
