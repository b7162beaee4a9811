#include "draw/timeline-index.h"

#include <math.h>
#include <string.h>

#define CELL 8  /* events */
#define FAN 4  /* cells */
#define MAX_LEVELS 12
#define NARROW 2.5 /* columns; a cell that is not wider is not opened */

typedef struct
{
  gint64 start_ns, end_ns; /* first start, last end */
  float longest_ns;
  float busy_ns; /* sums: of all events, and of what the device does */
  float computation_ns, communication_ns;
  guint32 name; /* of the longest */
  guint8 kind, phase;
  guint8 n; /* of events; 2: or more */
} Cell;

typedef struct
{
  guint *events; /* places on the track; NULL: all of it, in order */
  guint n;
  Cell *levels[MAX_LEVELS];
  guint n_cells[MAX_LEVELS];
  guint n_levels;
} Lane;

struct _HirTimelineIndex
{
  const HirTrace *trace;
  guint track;
  Lane *lanes;
  guint n_lanes;
};

static inline guint
get_place (const Lane *lane, guint i)
{
  return lane->events != NULL ? lane->events[i] : i;
}

/* Events [from, to) of the lane, at most CELL of them. */
static void
get_events (const HirTimelineIndex *index,
            const Lane *lane,
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
take_event (Cell *cell, const HirEventBrief *event)
{
  float length = (float) (event->end_ns - event->start_ns);

  cell->busy_ns += length;
  cell->n = MIN (cell->n + 1, 2);
  if (event->kind == HIR_EVENT_COMMUNICATION)
    cell->communication_ns += length;
  else if (event->kind != HIR_EVENT_SYNC && event->kind != HIR_EVENT_ISSUE &&
           event->kind != HIR_EVENT_HOST)
    cell->computation_ns += length;
  cell->end_ns = MAX (cell->end_ns, event->end_ns);
  if (length <= cell->longest_ns)
    return;
  cell->longest_ns = length;
  cell->name = event->name;
  cell->kind = event->kind;
  cell->phase = event->phase;
}

static void
take_cell (Cell *cell, const Cell *part)
{
  cell->busy_ns += part->busy_ns;
  cell->n = 2;
  cell->computation_ns += part->computation_ns;
  cell->communication_ns += part->communication_ns;
  cell->end_ns = MAX (cell->end_ns, part->end_ns);
  if (part->longest_ns <= cell->longest_ns)
    return;
  cell->longest_ns = part->longest_ns;
  cell->name = part->name;
  cell->kind = part->kind;
  cell->phase = part->phase;
}

static void
sum_events (const HirTimelineIndex *index, Lane *lane)
{
  for (guint c = 0; c < lane->n_cells[0]; c++)
    {
      guint end = MIN ((c + 1) * CELL, lane->n);
      Cell *cell = &lane->levels[0][c];
      HirEventBrief events[CELL];

      get_events (index, lane, c * CELL, end, events);
      *cell =
          (Cell){ .start_ns = events[0].start_ns, .end_ns = G_MININT64, .longest_ns = -1 };
      for (guint i = 0; i < end - c * CELL; i++)
        take_event (cell, &events[i]);
    }
}

static void
sum_cells (Lane *lane, guint level)
{
  for (guint c = 0; c < lane->n_cells[level]; c++)
    {
      guint end = MIN ((c + 1) * FAN, lane->n_cells[level - 1]);
      Cell *cell = &lane->levels[level][c];

      *cell = lane->levels[level - 1][c * FAN];
      for (guint i = c * FAN + 1; i < end; i++)
        take_cell (cell, &lane->levels[level - 1][i]);
    }
}

static void
build_lane (const HirTimelineIndex *index, Lane *lane)
{
  guint n = lane->n / CELL + (lane->n % CELL != 0);

  while (n > 0)
    {
      guint level = lane->n_levels++;

      lane->levels[level] = g_new (Cell, n);
      lane->n_cells[level] = n;
      if (level == 0)
        sum_events (index, lane);
      else
        sum_cells (lane, level);
      n = n > 1 ? n / FAN + (n % FAN != 0) : 0;
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
      for (guint i = 0; i < n; i++)
        {
          guint at = hir_trace_get_lane (index->trace, index->track, i);
          Lane *lane = &index->lanes[MIN (at, index->n_lanes - 1)];

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
hir_timeline_index_new (const HirTrace *trace, guint track, guint n_lanes)
{
  HirTimelineIndex *index = g_new0 (HirTimelineIndex, 1);

  g_return_val_if_fail (n_lanes > 0, NULL);
  index->trace = trace;
  index->track = track;
  index->n_lanes = n_lanes;
  index->lanes = g_new0 (Lane, n_lanes);
  divide (index);
  for (guint l = 0; l < n_lanes; l++)
    build_lane (index, &index->lanes[l]);
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
      const Lane *lane = &index->lanes[l];

      if (lane->events != NULL)
        size += (lane->n + 1) * sizeof *lane->events;
      for (guint level = 0; level < lane->n_levels; level++)
        size += lane->n_cells[level] * sizeof (Cell);
    }
  return size;
}

/* One way down, whatever is done with what is found. */
typedef struct _Descent Descent;
struct _Descent
{
  const HirTimelineIndex *index;
  const Lane *lane;
  gint64 start_ns, end_ns, narrow_ns;
  double scale; /* columns a ns */
  void (*take_cell) (gpointer user_data, const Cell *cell, double x0, double x1);
  /* Of a cell: @events, of which the first has the place @first in the lane. All begin before the end. */
  void (*take_events) (const Descent *descent, guint first, const HirEventBrief *events, guint n);
  gpointer user_data;
};

static inline double
get_x (const Descent *descent, gint64 time_ns)
{
  return (double) (time_ns - descent->start_ns) * descent->scale;
}

static void
descend_to_events (const Descent *descent, guint c)
{
  guint first = c * CELL, n = MIN (CELL, descent->lane->n - first);
  HirEventBrief events[CELL];

  get_events (descent->index, descent->lane, first, first + n, events);
  while (n > 0 && events[n - 1].start_ns >= descent->end_ns)
    n--;
  descent->take_events (descent, first, events, n);
}

/* Cells [from, to) of @level. */
static void
descend (const Descent *descent, guint level, guint from, guint to)
{
  const Cell *cells = descent->lane->levels[level];

  for (guint c = from; c < to; c++)
    {
      const Cell *cell = &cells[c];

      if (cell->end_ns < descent->start_ns)
        continue;
      if (cell->start_ns >= descent->end_ns)
        return;
      if (cell->end_ns - cell->start_ns <= descent->narrow_ns)
        descent->take_cell (descent->user_data, cell, get_x (descent, cell->start_ns),
                            get_x (descent, cell->end_ns));
      else if (level > 0)
        descend (descent, level - 1, c * FAN,
                 MIN ((c + 1) * FAN, descent->lane->n_cells[level - 1]));
      else
        descend_to_events (descent, c);
    }
}

static void
begin (Descent *descent,
       const HirTimelineIndex *index,
       gint64 start_ns,
       gint64 end_ns,
       guint n_columns)
{
  descent->index = index;
  descent->start_ns = start_ns;
  descent->end_ns = end_ns;
  descent->scale = n_columns / (double) (end_ns - start_ns);
  descent->narrow_ns = (gint64) (NARROW / descent->scale);
}

static void
go (Descent *descent, guint lane)
{
  descent->lane = &descent->index->lanes[lane];
  if (descent->lane->n_levels > 0)
    descend (descent, descent->lane->n_levels - 1, 0,
             descent->lane->n_cells[descent->lane->n_levels - 1]);
}

/* What is at @x of @n columns; what ends at a border or begins there is still in the last, the
 * first. */
static inline guint
get_column (double x, guint n)
{
  return x <= 0 ? 0 : MIN ((guint) x, n - 1);
}

/* The longest gives its name. Without branches: which it is can't be foretold. */
static inline void
put (HirTimelineColumn *column,
     double share,
     double weight,
     guint n,
     guint32 name,
     guint8 kind,
     guint8 phase)
{
  gboolean is_longer = ((float) weight > column->weight) | (column->n == 0);

  column->share += (float) share;
  column->n = (guint8) MIN (column->n + n, 2);
  column->weight = is_longer ? (float) weight : column->weight;
  column->name = is_longer ? name : column->name;
  column->kind = is_longer ? kind : column->kind;
  column->phase = is_longer ? phase : column->phase;
}

static void
picture_cell (gpointer user_data, const Cell *cell, double x0, double x1)
{
  const HirTimelineWalk *walk = user_data;
  double scale = walk->n_columns / (double) (walk->end_ns - walk->start_ns);
  guint from = get_column (x0, walk->n_columns), to = get_column (x1, walk->n_columns);
  double per_column;
  HirTimelineColumn *columns =
      cell->kind == HIR_EVENT_ISSUE && walk->marks != NULL ? walk->marks : walk->columns;

  if (from == to)
    {
      put (&columns[from], cell->busy_ns * scale, cell->longest_ns * scale, cell->n, cell->name,
           cell->kind, cell->phase);
      return;
    }
  per_column = 1 / (x1 - x0);
  for (guint c = from; c <= to; c++)
    {
      double part = (MIN (x1, c + 1.0) - MAX (x0, (double) c)) * per_column;

      if (part > 0 || c == from)
        put (&columns[c], cell->busy_ns * scale * part, cell->longest_ns * scale, cell->n,
             cell->name, cell->kind, cell->phase);
    }
}

static void
picture_event (
    const HirTimelineWalk *walk, guint index, const HirEventBrief *event, double x0, double x1)
{
  HirTimelineColumn *columns =
      event->kind == HIR_EVENT_ISSUE && walk->marks != NULL ? walk->marks : walk->columns;
  double width = x1 - x0;
  gboolean shines;
  guint from, to;

  if (width >= walk->wide)
    {
      walk->add_wide (index, event, walk->user_data);
      return;
    }
  /* As bars are: on whole columns, at least one. */
  from = get_column (width >= 1 ? floor (x0 + 0.5) : x0, walk->n_columns);
  to = width >= 1 ? (guint) CLAMP (floor (x1 + 0.5), from + 1, walk->n_columns) : from + 1;
  to -= width > HIR_TIMELINE_CRACK && x1 < walk->n_columns && to > from + 1;
  shines = walk->is_asked_for != NULL && walk->is_asked_for (index, walk->user_data);
  for (guint c = from; c < to; c++)
    {
      put (&columns[c], MIN (width, 1), width, 1, event->name, event->kind, event->phase);
      columns[c].shines |= shines;
    }
}

/* Nearly all are narrower than a column, and one call each would take most of the time. */
static void
picture_events (const Descent *descent, guint first, const HirEventBrief *events, guint n)
{
  const HirTimelineWalk *walk = descent->user_data;
  double narrow_ns = walk->is_asked_for == NULL ? 1 / descent->scale : -1;

  for (guint i = 0; i < n; i++)
    {
      const HirEventBrief *event = &events[i];
      double x0 = get_x (descent, event->start_ns);
      double length_ns = (double) (event->end_ns - event->start_ns);

      if (event->end_ns < descent->start_ns)
        continue;
      if (length_ns >= narrow_ns)
        {
          picture_event (walk, get_place (descent->lane, first + i), event, x0,
                         get_x (descent, event->end_ns));
          continue;
        }
      HirTimelineColumn *columns =
          event->kind == HIR_EVENT_ISSUE && walk->marks != NULL ? walk->marks : walk->columns;
      double width = length_ns * descent->scale;

      put (&columns[get_column (x0, walk->n_columns)], width, width, 1, event->name, event->kind,
           event->phase);
    }
}

void
hir_timeline_index_walk (const HirTimelineIndex *index, guint lane, const HirTimelineWalk *walk)
{
  Descent descent = { .take_cell = picture_cell,
                      .take_events = picture_events,
                      .user_data = (gpointer) walk };

  g_return_if_fail (lane < index->n_lanes);
  g_return_if_fail (walk->end_ns > walk->start_ns && walk->n_columns > 0);
  begin (&descent, index, walk->start_ns, walk->end_ns, walk->n_columns);
  go (&descent, lane);
}

typedef struct
{
  float *computation, *communication;
  double scale;
  guint n;
} Cover;

/* Columns of work between @x0 and @x1, evenly. */
static void
spread (const Cover *cover, double x0, double x1, double computation, double communication)
{
  guint from = get_column (x0, cover->n), to = get_column (x1, cover->n);
  double per_column;

  if (x1 < 0 || x0 >= cover->n)
    return;
  if (from == to && x0 >= 0 && x1 <= cover->n)
    {
      cover->computation[from] += (float) computation;
      cover->communication[from] += (float) communication;
      return;
    }
  per_column = x1 > x0 ? 1 / (x1 - x0) : 0;
  for (guint c = from; c <= to; c++)
    {
      double part = (MIN (x1, c + 1.0) - MAX (x0, (double) c)) * per_column;

      cover->computation[c] += (float) (computation * part);
      cover->communication[c] += (float) (communication * part);
    }
}

static void
cover_cell (gpointer user_data, const Cell *cell, double x0, double x1)
{
  const Cover *cover = user_data;

  spread (cover, x0, x1, cell->computation_ns * cover->scale,
          cell->communication_ns * cover->scale);
}

static void
cover_event (const Cover *cover, const HirEventBrief *event, double x0, double x1)
{
  if (event->kind == HIR_EVENT_SYNC || event->kind == HIR_EVENT_ISSUE ||
      event->kind == HIR_EVENT_HOST)
    return;
  /* An instant is seen, too. */
  if (event->kind == HIR_EVENT_COMMUNICATION)
    spread (cover, x0, x1, 0, MAX (x1 - x0, 0.02));
  else
    spread (cover, x0, x1, MAX (x1 - x0, 0.02), 0);
}

static void
cover_events (const Descent *descent, guint first, const HirEventBrief *events, guint n)
{
  for (guint i = 0; i < n; i++)
    if (events[i].end_ns >= descent->start_ns)
      cover_event (descent->user_data, &events[i], get_x (descent, events[i].start_ns),
                   get_x (descent, events[i].end_ns));
}

void
hir_timeline_index_add_cover (const HirTimelineIndex *index,
                              gint64 start_ns,
                              gint64 end_ns,
                              guint n,
                              float *computation,
                              float *communication)
{
  Cover cover = { computation, communication, n / (double) (end_ns - start_ns), n };
  Descent descent = { .take_cell = cover_cell, .take_events = cover_events, .user_data = &cover };

  g_return_if_fail (end_ns > start_ns && n > 0);
  begin (&descent, index, start_ns, end_ns, n);
  for (guint lane = 0; lane < index->n_lanes; lane++)
    go (&descent, lane);
}
