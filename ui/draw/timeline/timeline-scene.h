/* Draws a trace: ruler, ranks, tracks, bars, selection and arrows. The list is in pixels of the
 * view, with (0, 0) at its top left.
 *
 * The cost depends on pixels, not on events: a track with more events than columns is drawn from
 * its index. Every event stays visible. */
#pragma once

#include "draw/display-list.h"
#include "draw/theme.h"
#include "draw/timeline/timeline-pair.h"
#include "draw/timeline/timeline-rows.h"
#include "explain/explain.h"
#include "trace/export-progress.h"

G_BEGIN_DECLS

/* An arrow from the end of one event to the start of another. */
typedef struct
{
  guint from_track, from_index;
  guint to_track, to_index;
} HirTimelineLink;

/* A named time. */
typedef struct
{
  gint64 time_ns;
  char *name;
} HirTimelineMark;

/* All fields are borrowed during a call. */
typedef struct
{
  const HirTimelineRows *rows;
  const HirTheme *theme;
  HirMeasure *measure;
  gint64 start_ns, end_ns; /* visible range; at least 1 ns */
  double width, height;    /* size of the view */
  double header_width;     /* width of the track labels: hir_timeline_scene_get_header_width() */
  double scroll_y;
  gboolean has_selection;
  guint selected_track, selected_index;
  guint64 related;         /* events of this instruction are outlined; 0 if none */
  GHashTable *related_set; /* nullable; set of const gint64* ids of instructions to outline */
  gboolean has_hover;
  guint hovered_track, hovered_index;
  gboolean has_hovered_label; /* the pointer is over the label of a row (timeline-tools.h) */
  gboolean hovered_label_is_header;
  int hovered_rank;
  guint hovered_label_track;
  guint hovered_tool;                /* HirTimelineTool */
  gint64 band_start_ns, band_end_ns; /* selected range; none if equal */
  const GArray *tracks;              /* nullable; the selected tracks, to which the range applies */
  gboolean has_cursor;               /* a row has the keyboard cursor, which marks its label */
  gboolean cursor_is_header;
  int cursor_rank;
  guint cursor_track;
  gboolean has_pointer; /* shows the position of a debugged program (timeline-pointer.h) */
  guint pointer_track;
  gint64 pointer_ns;
  const GArray *flows; /* nullable; hir_timeline_links_dup_flows() of the selected event. If NULL,
                        * they are searched in the whole trace */
  const HirTimelineLink *links;
  guint n_links;
  const GArray *marks; /* nullable; HirTimelineMark: flags on the ruler (timeline-marks.h) */
  const HirTimelinePair *pair; /* nullable; two instances to highlight with the missing edge between
                                * them */
  const HirExplain *explain;   /* nullable; of the trace: */
  gboolean shows_path;         /* its critical path is drawn */
  guint shades;                /* set of 1 << HirSpanKind: its lost time is shaded */
  gboolean hurries; /* missing indexes (hir_timeline_indexes_make_all()) are not created: a
                     * placeholder is drawn, and the view is drawn again later */
  HirExportProgress *progress; /* nullable; for figures. After cancellation, the result is
                                * incomplete */
  gboolean exact;              /* bars are not rounded to whole pixels, as for figures */
} HirTimelineScene;

typedef enum
{
  HIR_TIMELINE_NOTHING,
  HIR_TIMELINE_RULER,
  HIR_TIMELINE_RANK,  /* header of a rank; a click folds it */
  HIR_TIMELINE_TRACK, /* no event at this point */
  HIR_TIMELINE_EVENT,
} HirTimelinePart;

typedef struct
{
  HirTimelinePart part;
  int rank;
  guint track, index;
  gint64 time_ns;
} HirTimelineHit;

/* Returns the width needed for the longest label, from 90 to 220 pixels. */
double hir_timeline_scene_get_header_width (const HirTimelineRows *rows, HirMeasure *measure);
void hir_timeline_scene_draw (const HirTimelineScene *scene, HirDisplayList *list);
/* Finds the object at a point of the view. Thin events are found within 3 pixels. */
void
hir_timeline_scene_hit (const HirTimelineScene *scene, double x, double y, HirTimelineHit *hit);

/* Returns the top of a row in the view. */
double hir_timeline_scene_get_row_y (const HirTimelineScene *scene, const HirTimelineRow *row);
/* Returns the row at @y of the view, or NULL. Pinned rows do not scroll unless they would cover
 * more than 60% of the view. If there are several ranks, the header of the topmost visible rank
 * stays below them until its last track is scrolled away. */
const HirTimelineRow *hir_timeline_scene_get_row_at (const HirTimelineScene *scene, double y);
/* Returns the height of the pinned rows that do not scroll. */
double hir_timeline_scene_get_pinned_height (const HirTimelineScene *scene);
/* Returns the rank header that stays visible above the rows of its rank, or NULL. */
const HirTimelineRow *hir_timeline_scene_get_sticky (const HirTimelineScene *scene);
/* Computes the top and height of a bar in @lane of @row, whose top is @y. */
void hir_timeline_row_get_band (
    const HirTimelineRow *row, guint lane, double y, double *top, double *height);
/* Returns the x of @time_ns in the view. Times outside the visible range give an x outside the
 * plot. */
double hir_timeline_scene_get_x (const HirTimelineScene *scene, gint64 time_ns);
/* Returns the time at @x of the view, rounded down: the inverse of hir_timeline_scene_get_x(). */
gint64 hir_timeline_scene_get_time (const HirTimelineScene *scene, double x);
/* Returns the rectangle of an event in the view. Its sides may be outside the view, but at most
 * 100,000 pixels from x = 0. Returns FALSE if the track is not displayed or has no such event. */
gboolean hir_timeline_scene_get_rect (const HirTimelineScene *scene,
                                      guint track,
                                      guint index,
                                      HirRect *rect);

G_END_DECLS
