/* What lies where on a track, lane by lane, so that its picture costs columns of pixels and not
 * events: events in cells of 8, cells in cells of 4. A picture walks down from the largest and
 * stops at what is not wider than 2.5 columns. 5.4 bytes an event, 4 more where events overlap.
 * Internal to the timeline's picture. */
#pragma once

#include <gio/gio.h>

#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct _HirTimelineIndex HirTimelineIndex;

/* What a column of pixels shows of one lane. */
typedef struct
{
  guint64 key; /* of the event that it shows: the larger wins. See below */
  float share; /* of the column's time that is covered; of many events an estimate, not above 1 */
  guint32 n;   /* events: 0: leave no ink; of more than one a number above 1 */
} HirTimelineColumn;

/* One of the events was asked for. */
#define HIR_TIMELINE_COLUMN_SHINES (1ull << 63)

/* @width: of the event, in columns: the wider wins. @flags: kind | phase << 4. */
static inline guint64
hir_timeline_column_make_key (float width, guint flags, guint32 name)
{
  const union
  {
    float value;
    guint32 bits; /* in the order of values that are not negative */
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

/* Wider than so many columns, an event leaves its last one free: a crack between neighbours tells
 * that they are two. */
#define HIR_TIMELINE_CRACK 3.0

/* Events that are at least @wide columns wide are given to wide(), in the order of time. The others
 * are added to
 * @columns; those that are issued by a host to @marks, where that is not NULL. */
typedef struct
{
  gint64 start_ns, end_ns; /* of all columns */
  guint n_columns;
  double wide;
  HirTimelineColumn *columns, *marks;
  void (*add_wide) (guint index, const HirEventBrief *event, gpointer user_data);
  gboolean (*is_asked_for) (guint index, gpointer user_data); /* nullable */
  gpointer user_data;
} HirTimelineWalk;

/* Events above lane @n_lanes - 1 share that one. O(events); any thread. @trace must outlive it.
 * NULL where @cancellable (nullable) was cancelled, which is looked at every millisecond or so. */
HirTimelineIndex *hir_timeline_index_new (const HirTrace *trace,
                                          guint track,
                                          guint n_lanes,
                                          GCancellable *cancellable);
void hir_timeline_index_free (HirTimelineIndex *index);
guint hir_timeline_index_get_n_lanes (const HirTimelineIndex *index);
gsize hir_timeline_index_get_size_bytes (const HirTimelineIndex *index);

/* Every event of the lane that touches the walk's time leaves ink in a column that is at most one
 * beside its own. O(columns log events). */
void
hir_timeline_index_walk (const HirTimelineIndex *index, guint lane, const HirTimelineWalk *walk);
/* Adds, for each of @n columns of [@start_ns, @end_ns), the shares in which the track computes or
 * copies, and communicates. Waiting, issuing and host work do not count. Overlaps of lanes count
 * twice: the caller cuts at 1. */
void hir_timeline_index_add_cover (const HirTimelineIndex *index,
                                   gint64 start_ns,
                                   gint64 end_ns,
                                   guint n,
                                   float *computation,
                                   float *communication);
/* What each of those columns looks like, as keys of events: @computation and @communication become
 * the larger of what they are and hir_timeline_column_make_key() of what is added there; 0:
 * nothing. */
void hir_timeline_index_add_looks (const HirTimelineIndex *index,
                                   gint64 start_ns,
                                   gint64 end_ns,
                                   guint n,
                                   guint64 *computation,
                                   guint64 *communication);

G_END_DECLS
