/* Internal declarations of the timeline view. timeline-view.c has the widget and its state,
 * timeline-visible.c the visible time range, timeline-tracks.c the rows, timeline-range.c the
 * selected time range, timeline-choice.c the selected tracks, timeline-highlight.c the highlights,
 * timeline-input.c the input. */
#pragma once

#include "base/document-memory.h"
#include "draw/text-cache.h"
#include "draw/timeline/timeline-scene.h"
#include "timeline/timeline-view.h"

G_BEGIN_DECLS

struct _HirTimelineView
{
  GtkWidget parent_instance;

  HirSelection *selection;
  HirExplaining *explaining; /* nullable */
  HirTrace *trace;
  HirTimelineRows *rows;
  GCancellable *making; /* of the worker that builds the rows' indexes; NULL if none is running */
  guint redraw;         /* timer that redraws while the indexes are built */
  gboolean is_memory_reported; /* the memory of the indexes was reported */
  HirMeasure *measure;
  HirDisplayList *list;
  HirTextCache *texts;
  HirDocumentMemory *memory; /* arrangement of the tracks by document */
  HirDocumentMemory *mark_memory;
  char *mark_document;       /* nullable: the document of the marks */
  GArray *marks;             /* HirTimelineMark, relative to the start of the trace */
  GArray *scene_marks;       /* the same, with the times of the trace */
  char *document;            /* nullable: path that identifies the trace if the program does not */
  GArray *flows;             /* HirTimelineLink: arrows of the selected event, or NULL */
  GtkAdjustment *adjustment; /* vertical scroll position */
  guint idle;                /* idle source that adapts it to a new size */
  GtkWidget *menu;           /* context menu of a track; NULL if it was never opened */
  gboolean has_cursor;       /* a row has the cursor: keys act on it */
  gboolean cursor_is_header;
  int cursor_rank;
  guint cursor_track;
  double header_width;
  gint64 start_ns, end_ns; /* visible time range */
  gboolean is_fitted;      /* the time range follows a growing trace: */
  gboolean fits_all;       /* the whole trace if requested; otherwise the program, if it is a
                              small part of the trace */
  double scroll_y;

  double pointer_x, pointer_y;
  gboolean has_pointer; /* the pointer is over the view */
  gboolean has_hover;
  guint hovered_track, hovered_index;
  gboolean has_hovered_label; /* the pointer is over the label of a row */
  gboolean hovered_label_is_header;
  int hovered_rank;
  guint hovered_label_track;
  guint hovered_tool;       /* HirTimelineTool */
  gboolean is_resizing;     /* a drag has started at the edge of moved_track */
  double resize_height;     /* at its start */
  gboolean may_move_track;  /* a drag has started on the label of a track */
  gboolean is_moving_track; /* the drag has moved far enough to move the track */
  guint moved_track;
  gint64 drag_start_ns, drag_end_ns;
  double drag_scroll_y;
  gboolean is_banding;
  gint64 band_ns;         /* fixed end of the time range while the other one is dragged */
  int band_row;           /* index of the row in which the drag started; -1: all tracks */
  gboolean has_debug_pos; /* position of a debugged program is known */
  guint debug_track;
  gint64 debug_ns;
  gboolean has_pair; /* the selection has a pair, see hir_selection_set_pair() */
  HirTimelinePair pair;
};

/* timeline-visible.c */

/* Fills @scene from the current state, including selection and hover, but without flows and the
 * related set. */
void hir_timeline_fill_scene (HirTimelineView *self, HirTimelineScene *scene);
/* Shows the given time range, limited to the trace with a margin at both ends. */
void hir_timeline_set_range (HirTimelineView *self, double start_ns, double end_ns);
/* Fits the time range to a new or longer trace. Requires self->trace. */
void hir_timeline_refit (HirTimelineView *self);
/* Zooms around the time at pixel @x. */
void hir_timeline_zoom_at (HirTimelineView *self, double factor, double x);
/* Scrolls the rows to @y pixels from the top. */
void hir_timeline_scroll_to (HirTimelineView *self, double y);
/* Scrolls as little as needed to make @row visible. */
void hir_timeline_scroll_to_row (HirTimelineView *self, const HirTimelineRow *row);
/* Moves the time range by @fraction of its length; to later times if it is positive. */
void hir_timeline_pan (HirTimelineView *self, double fraction);
/* Makes the selected range visible, and wide enough to see. */
void hir_timeline_reveal_range (HirTimelineView *self);
/* Makes the selected event visible. */
void hir_timeline_reveal (HirTimelineView *self);

/* timeline-input.c */

/* Adds the controllers for pointer and keys. */
void hir_timeline_add_controllers (HirTimelineView *self);

/* timeline-highlight.c */

/* Returns the ids whose events are highlighted, as HirTimelineScene.related_set. */
GHashTable *hir_timeline_dup_related (HirTimelineView *self);
/* Looks up the events of the selection's pair in the trace. */
void hir_timeline_find_pair (HirTimelineView *self);
/* Handles a changed pair: looks up its events and makes them visible. */
void hir_timeline_on_pair (HirTimelineView *self);

/* timeline-range.c */

/* Starts selecting a time range with a drag at pixel (@x, @y). */
void hir_timeline_begin_range (HirTimelineView *self, double x, double y);
/* Extends the time range to the drag's current position. */
void hir_timeline_drag_range (HirTimelineView *self, double x, double y);
/* Moves one end of the time range to the pointer if it is over the tracks, otherwise to that
 * edge of the selected event. A second call for the same edge uses the event's other edge. */
void hir_timeline_set_range_end (HirTimelineView *self, gboolean is_start);
/* Zooms to the time range, otherwise to the selected event, otherwise to the whole trace. */
void hir_timeline_fit_selection (HirTimelineView *self);

/* Returns the edge of an event nearest to pixel @x. Over a track only edges of this track are
 * considered; over the ruler, those of all visible tracks. */
gint64 hir_timeline_get_snapped (HirTimelineView *self, double x, double y);

/* timeline-bookmarks.c */

/* Creates the marks and their memory. */
void hir_timeline_create_marks (HirTimelineView *self);
/* Loads the marks of the document if it is another one. Updates their times for a new trace. */
void hir_timeline_restore_marks (HirTimelineView *self);

/* timeline-choice.c */

/* Returns the index of the displayed row at pixel @y, or -1. */
int hir_timeline_find_row (HirTimelineView *self, double y);
/* Selects the tracks from the row in which a drag started to pixel @y. Does nothing if the drag
 * started on the ruler. */
void hir_timeline_drag_tracks (HirTimelineView *self, double y);
/* Returns whether the track of a row is selected, or all tracks of a rank. */
gboolean hir_timeline_is_chosen (HirTimelineView *self, const HirTimelineRow *row);
/* Selects or deselects the track of a row, or all tracks of a rank. Keeps the others. */
void hir_timeline_toggle_chosen (HirTimelineView *self, const HirTimelineRow *row);
/* Selects the tracks between two indexes of displayed rows, too. */
void hir_timeline_choose_to (HirTimelineView *self, guint from, guint to);

/* timeline-height.c */

#define HIR_TIMELINE_SMALL_HEIGHT 60.0

/* Returns the track with several lanes whose label ends at pixel (@x, @y), or NULL. */
const HirTimelineRow *hir_timeline_find_edge (HirTimelineView *self, double x, double y);
/* Starts dragging the edge at pixel (@x, @y). Returns FALSE if there is none. */
gboolean hir_timeline_begin_resize (HirTimelineView *self, double x, double y);
/* Makes the track @by pixels higher than at the start. */
void hir_timeline_drag_resize (HirTimelineView *self, double by);
/* Ends the drag. Returns FALSE if there was none. */
gboolean hir_timeline_end_resize (HirTimelineView *self);
/* Returns whether each lane of the row has a label. */
gboolean hir_timeline_is_full_height (HirTimelineView *self, const HirTimelineRow *row);
/* Makes a track with several lanes as high as possible, or small. */
void hir_timeline_toggle_height (HirTimelineView *self, guint track);

/* timeline-bar-menu.c */

/* Adds the items for the selected event, if there is one. */
void hir_timeline_add_bar_items (HirTimelineView *self, GMenu *menu);

/* timeline-tracks.c */

#define FOLD_WIDTH 20.0 /* width of the fold triangle, at the left edge */

typedef enum
{
  HIR_TRACK_PIN,
  HIR_TRACK_HIDE,
  HIR_TRACK_FOLD,   /* a track or a rank */
  HIR_TRACK_HEIGHT, /* full or small */
  HIR_TRACK_UP,
  HIR_TRACK_DOWN,
  HIR_TRACK_SHOW_ALL,
  HIR_TRACK_CHOOSE,     /* a track or a rank */
  HIR_TRACK_UNFOLD_ALL, /* all tracks and ranks */
} HirTrackChange;

/* Installs the `track.*` actions of the context menu. */
void hir_timeline_class_install_track_actions (GtkWidgetClass *klass);
/* Returns the key of the document (transfer full), under which the arrangement is stored. */
char *hir_timeline_dup_document (HirTimelineView *self);
/* Saves the arrangement of the tracks for the open document. Call after every change of it. */
void hir_timeline_remember_tracks (HirTimelineView *self);
/* Restores the saved arrangement of the tracks. Without one, folds all ranks except the
 * displayed one if there are many. */
void hir_timeline_restore_tracks (HirTimelineView *self);
/* Moves the cursor @by rows down (negative: up). If an event is selected, selects the one at its
 * time in the new row. @extends: also selects the tracks of both rows. */
void hir_timeline_move_cursor (HirTimelineView *self, int by, gboolean extends);
/* Applies @change to the row with the cursor; without a cursor, to the row of the selected
 * event. */
void hir_timeline_change_track (HirTimelineView *self, HirTrackChange change);
/* Opens the context menu of the row with the cursor. */
void hir_timeline_show_menu (HirTimelineView *self);
/* Opens the context menu of the row at pixel (@x, @y). */
void hir_timeline_show_menu_at (HirTimelineView *self, double x, double y);
/* Handles a click with Ctrl, or with Shift (@extends), on the label at pixel @y: selects its track,
 * or also those from the cursor to it. */
void hir_timeline_choose_label (HirTimelineView *self, double y, gboolean extends);
/* Handles a click at pixel @x on the label of @track. */
void hir_timeline_click_label (HirTimelineView *self, guint track, double x);
/* Updates the hovered label, the tooltip and the pointer's shape. Call after the pointer or the
 * rows moved. Requires rows. */
void hir_timeline_hover (HirTimelineView *self);
/* Activates the tool of a label at pixel (@x, @y). Returns FALSE if there is none. */
gboolean hir_timeline_click_tool (HirTimelineView *self, double x, double y);
/* Starts dragging the track whose label is at pixel (@x, @y). Returns FALSE if there is none. */
gboolean hir_timeline_begin_move (HirTimelineView *self, double x, double y);
/* Moves the dragged track to pixel @y, within its rank. */
void hir_timeline_drag_move (HirTimelineView *self, double y);
/* Ends the drag and saves the arrangement. */
void hir_timeline_end_move (HirTimelineView *self);

G_END_DECLS
