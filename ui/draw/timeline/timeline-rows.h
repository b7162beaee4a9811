/* The rows of a timeline: one header per rank, one row per track, and lanes for overlapping events
 * (host ranges nest, and kernels of one stream may overlap since Hopper).
 *
 * Created once per trace in O(tracks). Indexes of events are created when a track is first drawn.
 * Use from one thread at a time. */
#pragma once

#include "draw/theme.h"
#include "draw/timeline/timeline-indexes.h"
#include "trace/trace.h"

G_BEGIN_DECLS

#define HIR_TIMELINE_RULER_HEIGHT 26.0

typedef struct
{
  gboolean is_header; /* row of a rank */
  int rank;
  int device;         /* for a header, the device of the rank's first track */
  guint track;        /* not for headers */
  guint n_lanes;      /* 1 or more; 0 for headers */
  gboolean is_pinned; /* above all ranks; never for headers */
  gboolean is_folded; /* all lanes of the track are drawn in one */
  double y;           /* distance from the top of the first row */
  double height;
} HirTimelineRow;

typedef struct
{
  HirTrace *trace;
  GArray *rows;  /* HirTimelineRow; displayed rows */
  double height; /* total height */
  GArray *all;   /* HirTimelineRow; displayed or not */
  HirTimelineIndexes *indexes;
  gboolean is_whole;                 /* all tracks of the trace have a row */
  HirLook **looks;                   /* per kind, per name; see hir_timeline_rows_get_look() */
  HirColor palettes[2][HIR_N_LOOKS]; /* light and dark */
  guint32 n_names;                   /* strings in the trace */
  HirColor *inks;                    /* cache of hir_timeline_rows_get_ink() */
  GHashTable *collapsed;             /* set of ranks */
  guint8 *flags;                     /* per track; see timeline-arrange.h */
  guint16 *heights;                  /* per track: as the user set it; 0: default */
  double pinned_height;              /* of the pinned rows, which come first */
  guint *track_rows;                 /* per track: index of its row in `rows` + 1, or 0 */
  GHashTable *headers;               /* rank -> index of its header in `rows` + 1 */
  GHashTable *n_hidden;              /* rank -> number of hidden tracks */
} HirTimelineRows;

/* Creates rows for the tracks of @set (nullable; trace/track-set.h). Takes a reference on @trace.
 * May be called from any thread. */
HirTimelineRows *hir_timeline_rows_new (HirTrace *trace, const GArray *set);
/* Creates rows for all tracks, with indexes that may be shared. */
HirTimelineRows *hir_timeline_rows_new_of (HirTimelineIndexes *indexes);
/* Frees @rows. */
void hir_timeline_rows_free (HirTimelineRows *rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTimelineRows, hir_timeline_rows_free)

/* Collapses or expands a rank and updates rows and height. A collapsed rank shows only its header,
 * which is higher because it has a summary (timeline-summary.h). */
void hir_timeline_rows_set_collapsed (HirTimelineRows *rows, int rank, gboolean collapsed);
/* Updates rows, height and pinned_height after a change of `all` or flags. For
 * timeline-arrange.c. */
void hir_timeline_rows_update (HirTimelineRows *rows);
/* Collapses or expands all ranks. */
void hir_timeline_rows_set_all_collapsed (HirTimelineRows *rows, gboolean collapsed);
/* Returns the height at which each lane of a track has a label. */
double hir_timeline_rows_get_full_height (const HirTimelineRows *rows, guint track);
guint hir_timeline_rows_get_n_ranks (const HirTimelineRows *rows);
gboolean hir_timeline_rows_get_collapsed (const HirTimelineRows *rows, int rank);
/* Returns the row at @y pixels from the top of the first row, or NULL. O(log rows). */
const HirTimelineRow *hir_timeline_rows_get_at (const HirTimelineRows *rows, double y);
/* Returns the row of @track, or NULL if it is not displayed. */
const HirTimelineRow *hir_timeline_rows_get_track (const HirTimelineRows *rows, guint track);
const HirTimelineRow *hir_timeline_rows_get_header (const HirTimelineRows *rows, int rank);
guint hir_timeline_rows_get_lane (const HirTimelineRows *rows, guint track, guint index);
/* Computes a cache entry of hir_timeline_rows_get_look(). */
HirLook hir_timeline_rows_make_look (const HirTimelineRows *rows, HirEventKind kind, guint32 name);
/* Like hir_event_get_look(), with a cache per name of the trace. */
static inline HirLook
hir_timeline_rows_get_look (const HirTimelineRows *rows, HirEventKind kind, guint32 name)
{
  const HirLook *table = rows->looks[kind];
  HirLook look = table != NULL && name < rows->n_names ? table[name] : 0;

  return look != 0 ? look : hir_timeline_rows_make_look (rows, kind, name);
}

/* Like hir_theme_get_event_color(), with the same cache. */
static inline HirColor
hir_timeline_rows_get_color (const HirTimelineRows *rows,
                             const HirTheme *theme,
                             HirEventKind kind,
                             guint32 name)
{
  return rows->palettes[theme->dark][hir_timeline_rows_get_look (rows, kind, name)];
}

/* Like hir_theme_get_ink(), with a cache. */
HirColor hir_timeline_rows_get_ink (const HirTimelineRows *rows, HirColor background);

G_END_DECLS
