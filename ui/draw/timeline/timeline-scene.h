/* The picture of a trace: ruler, ranks, tracks, bars, selection, arrows. The list is in pixels of
 * the view, (0, 0) its top left corner. Costs pixels, not events: a track with more events than the
 * view has columns is drawn from the trace's summary, and every event leaves ink. */
#pragma once

#include "draw/display-list.h"
#include "draw/theme.h"
#include "draw/timeline/timeline-pair.h"
#include "draw/timeline/timeline-rows.h"
#include "trace/export-progress.h"

G_BEGIN_DECLS

/* An arrow from the end of one event to the start of another. */
typedef struct
{
  guint from_track, from_index;
  guint to_track, to_index;
} HirTimelineLink;

/* Everything is borrowed for the time of the call. */
typedef struct
{
  const HirTimelineRows *rows;
  const HirTheme *theme;
  HirMeasure *measure;
  gint64 start_ns, end_ns; /* what is seen; at least 1 ns */
  double width, height;    /* of the view */
  double header_width;     /* of the track labels: hir_timeline_scene_get_header_width() */
  double scroll_y;
  gboolean has_selection;
  guint selected_track, selected_index;
  guint64 related;         /* 0: none; every event of this instruction is outlined */
  GHashTable *related_set; /* nullable; the same for a set of const gint64* ids */
  gboolean has_hover;
  guint hovered_track, hovered_index;
  gboolean has_hovered_label; /* the pointer is over the label of a row: timeline-tools.h */
  gboolean hovered_label_is_header;
  int hovered_rank;
  guint hovered_label_track;
  guint hovered_tool;                /* HirTimelineTool */
  gint64 band_start_ns, band_end_ns; /* chosen range; equal: none */
  gboolean has_cursor;               /* a row that the keys act on: its label is marked */
  gboolean cursor_is_header;
  int cursor_rank;
  guint cursor_track;
  gboolean has_pointer; /* a debugged program stands there: timeline-pointer.h */
  guint pointer_track;
  gint64 pointer_ns;
  const GArray *flows; /* nullable: hir_timeline_links_dup_flows() of the selected event; NULL:
                        * looked for, which costs the whole trace */
  const HirTimelineLink *links;
  guint n_links;
  const HirTimelinePair *pair; /* nullable: what lacks an order is lit, and the edge drawn */
  gboolean hurries; /* what a worker has not made yet (hir_timeline_indexes_make_all()) is not made
                     * now: a band stands in its place, and it is drawn again later */
  HirExportProgress
      *watch;     /* nullable: a figure that may be cancelled, then what is drawn is not whole */
  gboolean exact; /* bars at parts of pixels too, as figures want them; screens want them sharp */
} HirTimelineScene;

typedef enum
{
  HIR_TIMELINE_NOTHING,
  HIR_TIMELINE_RULER,
  HIR_TIMELINE_RANK,  /* its header: a click folds it */
  HIR_TIMELINE_TRACK, /* no event there */
  HIR_TIMELINE_EVENT,
} HirTimelinePart;

typedef struct
{
  HirTimelinePart part;
  int rank;
  guint track, index;
  gint64 time_ns;
} HirTimelineHit;

/* So that the longest label fits. */
double hir_timeline_scene_get_header_width (const HirTimelineRows *rows, HirMeasure *measure);
void hir_timeline_scene_draw (const HirTimelineScene *scene, HirDisplayList *list);
/* What is at a point of the view. An event that is thinner than a finger is found within 3 pixels.
 */
void
hir_timeline_scene_hit (const HirTimelineScene *scene, double x, double y, HirTimelineHit *hit);

/* The top of a row in the view, and the row there; pinned ones do not scroll, unless they leave the
 * others no room. Where there are several ranks, the header of the topmost one in sight stays below
 * them until its last track has gone. NULL where there is none. */
double hir_timeline_scene_get_row_y (const HirTimelineScene *scene, const HirTimelineRow *row);
const HirTimelineRow *hir_timeline_scene_get_row_at (const HirTimelineScene *scene, double y);
/* What the pinned rows take that stay where they are. */
double hir_timeline_scene_get_pinned_height (const HirTimelineScene *scene);
/* Returns the rank header that stays visible above the rows of its rank, or NULL. */
const HirTimelineRow *hir_timeline_scene_get_sticky (const HirTimelineScene *scene);
/* Computes the top and height of a bar in @lane of @row, whose top is @y. */
void hir_timeline_row_get_band (
    const HirTimelineRow *row, guint lane, double y, double *top, double *height);
/* Pixels of the view, also outside of it; the two are inverse but for rounding. */
double hir_timeline_scene_get_x (const HirTimelineScene *scene, gint64 time_ns);
gint64 hir_timeline_scene_get_time (const HirTimelineScene *scene, double x);
/* The rectangle of an event, clipped to the view's sides; FALSE where its track is not shown. */
gboolean hir_timeline_scene_get_rect (const HirTimelineScene *scene,
                                      guint track,
                                      guint index,
                                      HirRect *rect);

G_END_DECLS
