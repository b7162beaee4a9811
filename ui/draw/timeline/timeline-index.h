/* Index of the events of a track by time and lane, so that drawing costs pixel columns instead of
 * events. Cells of 8 events are grouped into cells of 4 cells. Drawing descends from the largest
 * cells to those of at most 2.5 columns.
 *
 * Takes about 5.3 bytes per event, plus 4 if events overlap. Internal to the timeline. */
#pragma once

#include <gio/gio.h>

#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct _HirTimelineIndex HirTimelineIndex;

/* The content of one pixel column of a lane. */
typedef struct
{
  guint64 key; /* of the displayed event; the largest key wins. See below */
  float share; /* sum of the covered parts of the column's time; an estimate if there are many
                * events, and above 1 if events overlap */
  guint32 n;   /* number of events: 0 means empty; for more than one, any number above 1 */
} HirTimelineColumn;

/* One of the events is highlighted. */
#define HIR_TIMELINE_COLUMN_SHINES (1ull << 63)

/* Returns the key of an event: the widest wins. @width is in columns; @flags is kind | phase <<
 * 4. */
static inline guint64
hir_timeline_column_make_key (float width, guint flags, guint32 name)
{
  const union
  {
    float value;
    guint32 bits; /* same order as non-negative values */
  } weight = { width };

  return (guint64) (weight.bits >> 7) << 39 | (guint64) flags << 32 | name;
}

static inline guint32
hir_timeline_column_get_name (const HirTimelineColumn *column)
{
  return (guint32) column->key;
}

static inline HirEventKind
hir_timeline_column_get_kind (const HirTimelineColumn *column)
{
  return (HirEventKind) (column->key >> 32 & 0xf);
}

static inline HirPhase
hir_timeline_column_get_phase (const HirTimelineColumn *column)
{
  return (HirPhase) (column->key >> 36 & 0x7);
}

/* Above this width in columns, an event leaves its last column free, as a gap to its neighbor. */
#define HIR_TIMELINE_CRACK 3.0

/* Events of at least `wide` columns are passed to add_wide() in order of time. The others are added
 * to `columns`; issues are added to `marks` unless it is NULL. */
typedef struct
{
  gint64 start_ns, end_ns; /* range of all columns */
  guint n_columns;
  double wide;
  HirTimelineColumn *columns, *marks;
  void (*add_wide) (guint index, const HirEventBrief *event, gpointer user_data);
  gboolean (*is_asked_for) (guint index, gpointer user_data); /* nullable; highlights the event.
                                                               * Not called for events in cells
                                                               * that are drawn as a whole */
  gpointer user_data;
} HirTimelineWalk;

/* Creates the index in O(events), on any thread. @trace must outlive it. Events above lane @n_lanes
 * - 1 share that lane. Returns NULL if @cancellable (nullable) is cancelled, which is checked about
 * every millisecond. */
HirTimelineIndex *hir_timeline_index_new (const HirTrace *trace,
                                          guint track,
                                          guint n_lanes,
                                          GCancellable *cancellable);
/* Frees @index. */
void hir_timeline_index_free (HirTimelineIndex *index);
guint hir_timeline_index_get_n_lanes (const HirTimelineIndex *index);
gsize hir_timeline_index_get_size_bytes (const HirTimelineIndex *index);

/* Fills the columns of @lane. Each event that overlaps the range is visible in a column at most one
 * away from its own. O(columns log events). */
void
hir_timeline_index_walk (const HirTimelineIndex *index, guint lane, const HirTimelineWalk *walk);
/* Adds, for each of @n columns of [@start_ns, @end_ns), the shares of computation and copies, and
 * of communication. Ignores waits, issues and host work. Overlapping lanes count twice; the caller
 * limits the sum to 1. */
void hir_timeline_index_add_cover (const HirTimelineIndex *index,
                                   gint64 start_ns,
                                   gint64 end_ns,
                                   guint n,
                                   float *computation,
                                   float *communication);
/* Determines the appearance of these columns as event keys: @computation and @communication become
 * the maximum of their old value and hir_timeline_column_make_key(); 0 means idle. */
void hir_timeline_index_add_looks (const HirTimelineIndex *index,
                                   gint64 start_ns,
                                   gint64 end_ns,
                                   guint n,
                                   guint64 *computation,
                                   guint64 *communication);

G_END_DECLS
