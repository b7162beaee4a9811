/* Which rows a timeline has, in what order and how high: a header a rank, a row a track, and in it
 * as many lanes as events overlap (kernels of one stream may, since Hopper; host spans nest). Made
 * once a trace, O(events); then only collapse() changes it. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

#define HIR_TIMELINE_RULER_HEIGHT 26.0
#define HIR_TIMELINE_MAX_LANES 6

typedef struct
{
  gboolean is_header; /* of a rank */
  int rank;
  int device;    /* a header: of the rank's first track */
  guint track;   /* unless a header */
  guint n_lanes; /* 1 or more */
  double y;      /* from the top of the first row */
  double height;
} HirTimelineRow;

typedef struct
{
  HirTrace *trace;
  GArray *rows;          /* HirTimelineRow, those that are shown now */
  double height;         /* of all of them */
  GArray *all;           /* HirTimelineRow, collapsed or not */
  guint8 **lanes;        /* one a track: of each event its lane; NULL where nothing overlaps */
  GHashTable *collapsed; /* set of ranks */
} HirTimelineRows;

/* @glob: nullable; tracks whose "rank/name" or name matches it are shown. Takes a reference on
 * @trace. May run on any thread. */
HirTimelineRows *hir_timeline_rows_new (HirTrace *trace, const char *glob);
void hir_timeline_rows_free (HirTimelineRows *rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTimelineRows, hir_timeline_rows_free)

/* A collapsed rank shows its header alone, somewhat higher: it has a summary (timeline-summary.h); rows and height follow at once. */
void hir_timeline_rows_set_collapsed (HirTimelineRows *rows, int rank, gboolean collapsed);
/* All ranks at once. */
void hir_timeline_rows_set_all_collapsed (HirTimelineRows *rows, gboolean collapsed);
guint hir_timeline_rows_get_n_ranks (const HirTimelineRows *rows);
gboolean hir_timeline_rows_get_collapsed (const HirTimelineRows *rows, int rank);
/* The row at @y pixels from the top of the first; NULL where there is none. O(log rows). */
const HirTimelineRow *hir_timeline_rows_get_at (const HirTimelineRows *rows, double y);
/* NULL where @track is not shown. */
const HirTimelineRow *hir_timeline_rows_get_track (const HirTimelineRows *rows, guint track);
const HirTimelineRow *hir_timeline_rows_get_header (const HirTimelineRows *rows, int rank);
guint hir_timeline_rows_get_lane (const HirTimelineRows *rows, guint track, guint index);

G_END_DECLS
