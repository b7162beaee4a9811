/* Inside of HirTimelineIndex: cells of events, cells of cells, and the way down through them. For
 * timeline-index.c, timeline-walk.c. */
#pragma once

#include "draw/timeline/timeline-index.h"
#include "trace/columns.h"

G_BEGIN_DECLS

#define HIR_CELL_EVENTS 8
#define HIR_CELL_FAN 4 /* cells */
#define HIR_CELL_LEVELS 16
#define HIR_CELL_NARROW 2.5 /* columns; a cell that is not wider is not opened */

/* 32 bytes: a picture of many events reads little else. */
typedef struct
{
  gint64 start_ns, end_ns;   /* first start, last end */
  float longest_ns, busy_ns; /* the sum of all */
  guint32 name;              /* of the longest */
  guint32 flags : 7;         /* of the longest: kind | phase << 4 */
  guint32 is_one : 1;        /* event */
  guint32 computation : 12,
      communication : 12; /* what of busy_ns the device does, in 1/HIR_CELL_SHARE */
} HirTimelineCell;

#define HIR_CELL_SHARE 4095

typedef struct
{
  guint *events; /* places on the track; NULL: all of it, in order */
  guint n;
  HirTimelineCell *levels[HIR_CELL_LEVELS];
  guint n_cells[HIR_CELL_LEVELS];
  guint n_levels;
} HirTimelineLane;

struct _HirTimelineIndex
{
  const HirTrace *trace;
  guint track;
  HirTimelineLane *lanes;
  guint n_lanes;
  GCancellable *cancellable; /* nullable; while it is made */
};

/* Gives what touches [@start_ns, @end_ns) in the order of time: cells that are at most @narrow_ns
 * long to @take_cell, else their events, from @first to @end in the lane, to @take_events, also
 * those that do not touch it. Inline, since a frame comes here for each column of each row. */
static G_ALWAYS_INLINE inline void
hir_timeline_lane_walk (const HirTimelineLane *lane,
                        gint64 start_ns,
                        gint64 end_ns,
                        gint64 narrow_ns,
                        void (*take_cell) (const void *user_data, const HirTimelineCell *cell),
                        void (*take_events) (const void *user_data,
                                             const HirTimelineLane *lane,
                                             guint first,
                                             guint end),
                        const void *user_data)
{
  guint top = lane->n_levels - 1, level = top, c = 0;

  if (lane->n_levels == 0)
    return;
  while (c < lane->n_cells[level])
    {
      const HirTimelineCell *cell = &lane->levels[level][c];

      if (cell->start_ns >= end_ns)
        return;
      if (cell->end_ns >= start_ns)
        {
          if (cell->end_ns - cell->start_ns <= narrow_ns)
            take_cell (user_data, cell);
          else if (level == 0)
            take_events (user_data, lane, c * HIR_CELL_EVENTS,
                         MIN ((c + 1) * HIR_CELL_EVENTS, lane->n));
          else
            {
              level--;
              c *= HIR_CELL_FAN;
              continue;
            }
        }
      c++;
      while (level < top && c % HIR_CELL_FAN == 0)
        {
          level++;
          c /= HIR_CELL_FAN;
        }
    }
}

G_END_DECLS
