/* Which rows a timeline has, in what order and how high: a header a rank, a row a track, and in it
 * as many lanes as events overlap (kernels of one stream may, since Hopper; host spans nest). Made
 * once a trace, O(tracks); what drawing needs of a track's events is made when it is first drawn.
 * One thread at a time. */
#pragma once

#include "draw/theme.h"
#include "draw/timeline/timeline-indexes.h"
#include "trace/trace.h"

G_BEGIN_DECLS

#define HIR_TIMELINE_RULER_HEIGHT 26.0

typedef struct
{
  gboolean is_header; /* of a rank */
  int rank;
  int device;         /* a header: of the rank's first track */
  guint track;        /* unless a header */
  guint n_lanes;      /* 1 or more */
  gboolean is_pinned; /* above all ranks; never a header */
  gboolean is_folded; /* a track whose lanes lie in one */
  double y;           /* from the top of the first row */
  double height;
} HirTimelineRow;

typedef struct
{
  HirTrace *trace;
  GArray *rows;  /* HirTimelineRow, those that are shown now */
  double height; /* of all of them */
  GArray *all;   /* HirTimelineRow, collapsed or not */
  HirTimelineIndexes *indexes;
  gboolean is_whole; /* every track of the trace has its row, shown or not */
  HirLook **looks;   /* one a kind: of each name; see hir_timeline_rows_get_look() */
  HirColor palettes[2][HIR_N_LOOKS]; /* light, dark */
  guint32 n_names;                   /* strings of the trace */
  HirColor *inks;                    /* lately asked for: see hir_timeline_rows_get_ink() */
  GHashTable *collapsed;             /* set of ranks */
  guint8 *flags;                     /* one a track: see timeline-arrange.h */
  double pinned_height;              /* of the pinned rows, which are the first ones */
  guint *track_rows;                 /* one a track: the place of its row in `rows` + 1, or 0 */
  GHashTable *headers;               /* rank -> the place of its header in `rows` + 1 */
  GHashTable *n_hidden;              /* rank -> how many of its tracks are hidden */
} HirTimelineRows;

/* @glob: nullable; tracks whose "rank/name" or name matches it are shown. Takes a reference on
 * @trace. May run on any thread. */
HirTimelineRows *hir_timeline_rows_new (HirTrace *trace, const char *glob);
/* Those of all tracks, with indexes that others may have a part in. */
HirTimelineRows *hir_timeline_rows_new_of (HirTimelineIndexes *indexes);
void hir_timeline_rows_free (HirTimelineRows *rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTimelineRows, hir_timeline_rows_free)

/* A collapsed rank shows its header alone, somewhat higher: it has a summary (timeline-summary.h);
 * rows and height follow at once. */
void hir_timeline_rows_set_collapsed (HirTimelineRows *rows, int rank, gboolean collapsed);
/* After `all` or flags were changed: rows, height and pinned_height follow. For timeline-arrange.c.
 */
void hir_timeline_rows_update (HirTimelineRows *rows);
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
/* What hir_timeline_rows_get_look() does where it was not asked before. */
HirLook hir_timeline_rows_make_look (const HirTimelineRows *rows, HirEventKind kind, guint32 name);
/* hir_event_get_look() of a name of the trace, without looking at its letters each time. */
static inline HirLook
hir_timeline_rows_get_look (const HirTimelineRows *rows, HirEventKind kind, guint32 name)
{
  const HirLook *table = rows->looks[kind];
  HirLook look = table != NULL && name < rows->n_names ? table[name] : 0;

  return look != 0 ? look : hir_timeline_rows_make_look (rows, kind, name);
}

/* hir_theme_get_event_color(), the same way. */
static inline HirColor
hir_timeline_rows_get_color (const HirTimelineRows *rows,
                             const HirTheme *theme,
                             HirEventKind kind,
                             guint32 name)
{
  return rows->palettes[theme->dark][hir_timeline_rows_get_look (rows, kind, name)];
}

/* hir_theme_get_ink(), without reckoning each time. */
HirColor hir_timeline_rows_get_ink (const HirTimelineRows *rows, HirColor background);

G_END_DECLS
