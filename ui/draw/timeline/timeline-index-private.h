/* Internal declarations of HirTimelineIndex, for timeline-index.c and timeline-walk.c: cells of
 * events, cells of cells, and their traversal. */
#pragma once

#include "draw/timeline/timeline-index.h"
#include "trace/columns.h"

G_BEGIN_DECLS

#define HIR_CELL_EVENTS 8
#define HIR_CELL_FAN 4 /* cells per parent cell */
#define HIR_CELL_LEVELS 16
#define HIR_CELL_NARROW 2.5 /* in columns; a cell of at most this width is not opened */

/* 32 bytes, because drawing many events reads mostly cells. */
typedef struct
{
  gint64 start_ns, end_ns;                      /* first start and last end */
  float longest_ns, busy_ns;                    /* busy_ns is the sum of all events */
  guint32 name;                                 /* of the longest event */
  guint32 flags : 7;                            /* of the longest event: kind | phase << 4 */
  guint32 is_one : 1;                           /* the cell is a single event */
  guint32 computation : 12, communication : 12; /* shares of device work in busy_ns, in
                                                 * 1/HIR_CELL_SHARE */
} HirTimelineCell;

#define HIR_CELL_SHARE 4095

typedef struct
{
  guint *events; /* indices on the track; NULL if the lane has all events in order */
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
  GCancellable *cancellable; /* nullable; only during construction */
};

/* Visits the cells and events that overlap [@start_ns, @end_ns), in order of time. Cells of at most
 * @narrow_ns are passed to @take_cell. For the others, the events [@first, @end) of the lane are
 * passed to @take_events; some of these may not overlap. Always inlined, so that the compiler can
 * inline the callbacks, which each frame calls for each visible cell. */
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
