#include "draw/timeline/timeline-index-private.h"

#define CELLS_A_LOOK 4096
#define EVENTS_A_LOOK 65536

static gboolean
is_cancelled (const HirTimelineIndex *index)
{
  return g_cancellable_is_cancelled (index->cancellable);
}

/* What is summed up while a cell is made. */
typedef struct
{
  float longest_ns, busy_ns, computation_ns, communication_ns;
} Sums;

static void
keep_sums (HirTimelineCell *cell, const Sums *sums)
{
  float each = sums->busy_ns > 0 ? HIR_CELL_SHARE / sums->busy_ns : 0;

  cell->longest_ns = sums->longest_ns;
  cell->busy_ns = sums->busy_ns;
  cell->computation =
      (guint32) MIN (sums->computation_ns * each + 0.5f, HIR_CELL_SHARE) & HIR_CELL_SHARE;
  cell->communication =
      (guint32) MIN (sums->communication_ns * each + 0.5f, HIR_CELL_SHARE) & HIR_CELL_SHARE;
}

static void
take_event (HirTimelineCell *cell, Sums *sums, const HirEventBrief *event)
{
  float length = (float) (event->end_ns - event->start_ns);

  sums->busy_ns += length;
  if (event->kind == HIR_EVENT_COMMUNICATION)
    sums->communication_ns += length;
  else if (event->kind != HIR_EVENT_SYNC && event->kind != HIR_EVENT_ISSUE &&
           event->kind != HIR_EVENT_HOST)
    sums->computation_ns += length;
  cell->end_ns = MAX (cell->end_ns, event->end_ns);
  if (length <= sums->longest_ns)
    return;
  sums->longest_ns = length;
  cell->name = event->name;
  cell->flags = (event->kind | (guint) event->phase << 4) & 0x7f;
}

static void
take_cell (HirTimelineCell *cell, Sums *sums, const HirTimelineCell *part)
{
  sums->busy_ns += part->busy_ns;
  sums->computation_ns += part->busy_ns * (float) part->computation / HIR_CELL_SHARE;
  sums->communication_ns += part->busy_ns * (float) part->communication / HIR_CELL_SHARE;
  cell->end_ns = MAX (cell->end_ns, part->end_ns);
  if (part->longest_ns <= sums->longest_ns)
    return;
  sums->longest_ns = part->longest_ns;
  cell->name = part->name;
  cell->flags = part->flags;
}

/* Events [from, to) of the lane, at most HIR_CELL_EVENTS of them. */
static void
get_events (const HirTimelineIndex *index,
            const HirTimelineLane *lane,
            guint from,
            guint to,
            HirEventBrief *events)
{
  if (lane->events == NULL)
    {
      hir_trace_get_briefs (index->trace, index->track, from, to - from, events);
      return;
    }
  for (guint i = from; i < to; i++)
    hir_trace_get_brief (index->trace, index->track, lane->events[i], &events[i - from]);
}

static void
sum_events (const HirTimelineIndex *index, HirTimelineLane *lane)
{
  for (guint c = 0; c < lane->n_cells[0] && (c % CELLS_A_LOOK != 0 || !is_cancelled (index)); c++)
    {
      guint n = MIN (HIR_CELL_EVENTS, lane->n - c * HIR_CELL_EVENTS);
      HirTimelineCell *cell = &lane->levels[0][c];
      Sums sums = { .longest_ns = -1 };
      HirEventBrief events[HIR_CELL_EVENTS];

      get_events (index, lane, c * HIR_CELL_EVENTS, c * HIR_CELL_EVENTS + n, events);
      *cell = (HirTimelineCell){ .start_ns = events[0].start_ns,
                                 .end_ns = G_MININT64,
                                 .is_one = n == 1 };
      for (guint i = 0; i < n; i++)
        take_event (cell, &sums, &events[i]);
      keep_sums (cell, &sums);
    }
}

static void
sum_cells (const HirTimelineIndex *index, HirTimelineLane *lane, guint level)
{
  for (guint c = 0; c < lane->n_cells[level] && (c % CELLS_A_LOOK != 0 || !is_cancelled (index));
       c++)
    {
      guint first = c * HIR_CELL_FAN, n = MIN (HIR_CELL_FAN, lane->n_cells[level - 1] - first);
      const HirTimelineCell *parts = &lane->levels[level - 1][first];
      HirTimelineCell *cell = &lane->levels[level][c];
      Sums sums = { .longest_ns = -1 };

      *cell = (HirTimelineCell){ .start_ns = parts[0].start_ns,
                                 .end_ns = G_MININT64,
                                 .is_one = n == 1 && parts[0].is_one };
      for (guint i = 0; i < n; i++)
        take_cell (cell, &sums, &parts[i]);
      keep_sums (cell, &sums);
    }
}

static void
build_lane (const HirTimelineIndex *index, HirTimelineLane *lane)
{
  guint n = lane->n / HIR_CELL_EVENTS + (lane->n % HIR_CELL_EVENTS != 0);

  while (n > 0 && !is_cancelled (index))
    {
      guint level = lane->n_levels++;

      lane->levels[level] = g_new (HirTimelineCell, n);
      lane->n_cells[level] = n;
      if (level == 0)
        sum_events (index, lane);
      else
        sum_cells (index, lane, level);
      n = n > 1 ? n / HIR_CELL_FAN + (n % HIR_CELL_FAN != 0) : 0;
    }
}

/* Which events are in which lane. */
static void
divide (HirTimelineIndex *index)
{
  guint n = hir_trace_get_track_n_events (index->trace, index->track);

  if (index->n_lanes == 1)
    {
      index->lanes[0].n = n;
      return;
    }
  for (guint pass = 0; pass < 2; pass++)
    {
      for (guint i = 0; i < n && (i % EVENTS_A_LOOK != 0 || !is_cancelled (index)); i++)
        {
          guint at = hir_trace_get_lane (index->trace, index->track, i);
          HirTimelineLane *lane = &index->lanes[MIN (at, index->n_lanes - 1)];

          if (pass == 1)
            lane->events[lane->n] = i;
          lane->n++;
        }
      for (guint l = 0; l < index->n_lanes && pass == 0; l++)
        {
          index->lanes[l].events = g_new (guint, index->lanes[l].n + 1);
          index->lanes[l].n = 0;
        }
    }
}

HirTimelineIndex *
hir_timeline_index_new (const HirTrace *trace,
                        guint track,
                        guint n_lanes,
                        GCancellable *cancellable)
{
  HirTimelineIndex *index = g_new0 (HirTimelineIndex, 1);

  g_return_val_if_fail (n_lanes > 0, NULL);
  index->trace = trace;
  index->track = track;
  index->n_lanes = n_lanes;
  index->cancellable = cancellable;
  index->lanes = g_new0 (HirTimelineLane, n_lanes);
  divide (index);
  for (guint l = 0; l < n_lanes; l++)
    build_lane (index, &index->lanes[l]);
  if (is_cancelled (index))
    {
      hir_timeline_index_free (index);
      return NULL;
    }
  index->cancellable = NULL;
  return index;
}

void
hir_timeline_index_free (HirTimelineIndex *index)
{
  if (index == NULL)
    return;
  for (guint l = 0; l < index->n_lanes; l++)
    {
      for (guint level = 0; level < index->lanes[l].n_levels; level++)
        g_free (index->lanes[l].levels[level]);
      g_free (index->lanes[l].events);
    }
  g_free (index->lanes);
  g_free (index);
}

guint
hir_timeline_index_get_n_lanes (const HirTimelineIndex *index)
{
  return index->n_lanes;
}

gsize
hir_timeline_index_get_size_bytes (const HirTimelineIndex *index)
{
  gsize size = 0;

  for (guint l = 0; l < index->n_lanes; l++)
    {
      const HirTimelineLane *lane = &index->lanes[l];

      if (lane->events != NULL)
        size += (lane->n + 1) * sizeof *lane->events;
      for (guint level = 0; level < lane->n_levels; level++)
        size += lane->n_cells[level] * sizeof (HirTimelineCell);
    }
  return size;
}
