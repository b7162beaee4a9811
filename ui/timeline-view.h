/* The trace as a timeline: streams in rows, bars to click, time to zoom and move. */
#pragma once

#include <gtk/gtk.h>

#include "selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_TIMELINE_VIEW (hir_timeline_view_get_type ())
G_DECLARE_FINAL_TYPE (HirTimelineView, hir_timeline_view, HIR, TIMELINE_VIEW, GtkWidget)

GtkWidget *hir_timeline_view_new (HirSelection *selection);

/* All of the trace. */
void hir_timeline_view_fit (HirTimelineView *self);
/* @factor > 1 is nearer; about the middle. */
void hir_timeline_view_zoom (HirTimelineView *self, double factor);
/* Folds all ranks; where all are folded, unfolds them. Remembered, as each fold is, for the document. */
void hir_timeline_view_fold_all (HirTimelineView *self);
guint hir_timeline_view_get_n_ranks (HirTimelineView *self);
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

G_END_DECLS
