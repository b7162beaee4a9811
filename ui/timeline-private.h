/* What the files of the timeline share: timeline-view.c draws and keeps, timeline-input.c takes pointer and
 * keys. */
#pragma once

#include "draw/text-cache.h"
#include "draw/timeline-scene.h"
#include "timeline-view.h"

G_BEGIN_DECLS

struct _HirTimelineView
{
  GtkWidget parent_instance;

  HirSelection *selection;
  HirTrace *trace;
  HirTimelineRows *rows;
  HirMeasure *measure;
  HirDisplayList *list;
  HirTextCache *texts;
  GHashTable *folds; /* char* document -> set of the ranks that the user folded there */
  double header_width;
  gint64 start_ns, end_ns; /* on show */
  gboolean is_fitted;      /* all of the trace is, also when it grows */
  double scroll_y;

  double pointer_x, pointer_y;
  gboolean has_pointer; /* it is over the view */
  gboolean has_hover;
  guint hovered_track, hovered_index;
  gint64 drag_start_ns, drag_end_ns;
  double drag_scroll_y;
  gboolean is_banding;
  gint64 band_ns; /* the end of the range that is not dragged */
};

/* The scene as it is now; selection and hover included, links and the related set not. */
void hir_timeline_fill_scene (HirTimelineView *self, HirTimelineScene *scene);
/* Shows that stretch, or as near to it as lets some of the trace be seen. */
void hir_timeline_set_range (HirTimelineView *self, double start_ns, double end_ns);
/* About the time at @x. */
void hir_timeline_zoom_at (HirTimelineView *self, double factor, double x);
void hir_timeline_scroll_to (HirTimelineView *self, double y);
/* By @fraction of what is on show; to later where it is positive. */
void hir_timeline_pan (HirTimelineView *self, double fraction);
/* Brings the selected event into sight. */
void hir_timeline_reveal (HirTimelineView *self);
/* After the user folded or unfolded a rank. */
void hir_timeline_remember_folds (HirTimelineView *self);
/* timeline-input.c */
void hir_timeline_add_controllers (HirTimelineView *self);

/* timeline-range.c: a range of time is chosen. From a drag's begin to its updates, at @x, @y pixels. */
void hir_timeline_begin_range (HirTimelineView *self, double x, double y);
void hir_timeline_drag_range (HirTimelineView *self, double x, double y);
/* One end goes to the pointer where it is over the tracks, else to that edge of the selected event. */
void hir_timeline_set_range_end (HirTimelineView *self, gboolean is_start);
/* Shows the range; without one, the selected event. */
void hir_timeline_zoom_to_range (HirTimelineView *self);

G_END_DECLS
