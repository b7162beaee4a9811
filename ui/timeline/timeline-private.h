/* What the files of the timeline share: timeline-view.c draws and keeps, timeline-input.c takes pointer and
 * keys. */
#pragma once

#include "draw/text-cache.h"
#include "draw/timeline/timeline-scene.h"
#include "timeline/track-memory.h"
#include "timeline/timeline-view.h"

G_BEGIN_DECLS

struct _HirTimelineView
{
  GtkWidget parent_instance;

  HirSelection *selection;
  HirTrace *trace;
  HirTimelineRows *rows;
  GCancellable *making; /* of a worker that makes what the rows need to be seen; NULL: none does */
  guint redraw;         /* now and then, meanwhile */
  gboolean is_told;     /* how much memory that takes */
  HirMeasure *measure;
  HirDisplayList *list;
  HirTextCache *texts;
  HirTrackMemory *memory;
  char *document; /* what the arrangement is remembered for, where the program does not say it; nullable */
  GArray *flows;  /* HirTimelineLink: of the selected event; NULL: none is */
  GtkAdjustment *adjustment; /* down the rows */
  guint idle;                /* fits it to a new size */
  GtkWidget *menu;           /* of a track; NULL: never asked for */
  gboolean has_cursor;       /* the row that the keys act on */
  gboolean cursor_is_header;
  int cursor_rank;
  guint cursor_track;
  double header_width;
  gint64 start_ns, end_ns; /* on show */
  gboolean is_fitted;      /* what is on show goes with the trace when that grows: */
  gboolean fits_all;       /* all of it, as was asked for; else the program, where that is little of it */
  double scroll_y;

  double pointer_x, pointer_y;
  gboolean has_pointer; /* it is over the view */
  gboolean has_hover;
  guint hovered_track, hovered_index;
  gboolean has_hovered_label; /* the pointer is over the label of a row: timeline-label.c */
  gboolean hovered_label_is_header;
  int hovered_rank;
  guint hovered_label_track;
  guint hovered_tool;      /* HirTimelineTool */
  gboolean may_move_track; /* a drag began on the label of a track, */
  gboolean is_moving_track; /* and has gone on */
  guint moved_track;
  gint64 drag_start_ns, drag_end_ns;
  double drag_scroll_y;
  gboolean is_banding;
  gint64 band_ns; /* the end of the range that is not dragged */
  gboolean has_place; /* a debugged program stands there */
  guint place_track;
  gint64 place_ns;
  gboolean has_pair; /* the selection has one, see hir_selection_set_pair() */
  HirTimelinePair pair;
};

/* The scene as it is now; selection and hover included, links and the related set not. */
void hir_timeline_fill_scene (HirTimelineView *self, HirTimelineScene *scene);
/* Shows that stretch, or as near to it as lets some of the trace be seen. */
void hir_timeline_set_range (HirTimelineView *self, double start_ns, double end_ns);
/* timeline-fit.c: a trace has come, or has grown. With self->trace. */
void hir_timeline_fit_again (HirTimelineView *self);
/* About the time at @x. */
void hir_timeline_zoom_at (HirTimelineView *self, double factor, double x);
void hir_timeline_scroll_to (HirTimelineView *self, double y);
/* By @fraction of what is on show; to later where it is positive. */
void hir_timeline_pan (HirTimelineView *self, double fraction);
/* Brings the selected event into sight. */
void hir_timeline_reveal (HirTimelineView *self);
/* After the user arranged something. */
void hir_timeline_remember_tracks (HirTimelineView *self);
/* timeline-input.c */
void hir_timeline_add_controllers (HirTimelineView *self);

/* timeline-lit.c. The ids whose events are lit up, as HirTimelineScene.related_set; borrows them from the selection. */
GHashTable *hir_timeline_dup_related (HirTimelineView *self);
/* Where the trace has the selection's pair; and, where that has changed, brings it into sight. */
void hir_timeline_find_pair (HirTimelineView *self);
void hir_timeline_on_pair (HirTimelineView *self);

/* timeline-range.c: a range of time is chosen. From a drag's begin to its updates, at @x, @y pixels. */
void hir_timeline_begin_range (HirTimelineView *self, double x, double y);
void hir_timeline_drag_range (HirTimelineView *self, double x, double y);
/* One end goes to the pointer where it is over the tracks, else to that edge of the selected event; asked for again, to
 * its other edge. */
void hir_timeline_set_range_end (HirTimelineView *self, gboolean is_start);
/* Shows the range; without one, the selected event. */
void hir_timeline_zoom_to_range (HirTimelineView *self);

/* timeline-tracks.c: the row that the keys act on. */
#define FOLD_WIDTH 20.0 /* of the triangle, from the left */
typedef enum
{
  HIR_TRACK_PIN,
  HIR_TRACK_HIDE,
  HIR_TRACK_FOLD, /* also a rank */
  HIR_TRACK_UP,
  HIR_TRACK_DOWN,
  HIR_TRACK_SHOW_ALL,
} HirTrackChange;
void hir_timeline_class_install_track_actions (GtkWidgetClass *klass);
/* To the row below (1) or above (-1); a selected event is followed to the one at its time there. */
void hir_timeline_move_cursor (HirTimelineView *self, int by);
/* Of the row with the cursor; without one, of the selected event's. */
void hir_timeline_change_track (HirTimelineView *self, HirTrackChange change);
void hir_timeline_show_menu (HirTimelineView *self);
void hir_timeline_show_menu_at (HirTimelineView *self, double x, double y);
void hir_timeline_click_label (HirTimelineView *self, guint track, double x);
void hir_timeline_scroll_to_row (HirTimelineView *self, const HirTimelineRow *row);
/* NULL: the keys act on no row. */
void hir_timeline_set_cursor (HirTimelineView *self, const HirTimelineRow *row);

/* timeline-label.c. After the pointer or the rows moved: which label is under it, what it offers, and the words and the
 * shape of the pointer that tell so. With rows. */
void hir_timeline_hover (HirTimelineView *self);
/* FALSE where the label has no tool at @x, @y. */
gboolean hir_timeline_click_tool (HirTimelineView *self, double x, double y);
/* A drag from the label of a track: the track follows the pointer, within its rank. FALSE where there is no such label. */
gboolean hir_timeline_begin_move (HirTimelineView *self, double x, double y);
void hir_timeline_drag_move (HirTimelineView *self, double y);
void hir_timeline_end_move (HirTimelineView *self);

G_END_DECLS
