/* Reads a timeline index: the content of pixel columns, and their busy shares. */
#include "draw/timeline/timeline-index-private.h"

#include <math.h>
#include <string.h>

/* Returns the column at @x of @n columns. Events that end or start at the border are in the last or
 * first column. */
static inline guint
get_column (double x, guint n)
{
  return x <= 0 ? 0 : MIN ((guint) x, n - 1);
}

typedef struct
{
  const HirTimelineWalk *walk;
  guint track;
  const HirColumns *events;
  HirTimelineColumn *columns[2]; /* of other events, and of issues */
  double scale;                  /* columns per ns */
} Picture;

/* Shows the longest event; of equal ones, that with the largest key. Has no branches, because they
 * could not be predicted. */
static inline void
put (HirTimelineColumn *column, float share, guint n, guint64 key)
{
  column->share += share;
  column->n += n;
  column->key = MAX (column->key, key);
}

static inline void
picture_cell (const void *user_data, const HirTimelineCell *cell)
{
  const Picture *picture = user_data;
  guint n_columns = picture->walk->n_columns;
  gint64 start_ns = picture->walk->start_ns;
  double x0 = (double) (cell->start_ns - start_ns) * picture->scale;
  double x1 = (double) (cell->end_ns - start_ns) * picture->scale;
  guint from = get_column (x0, n_columns), to = get_column (x1, n_columns),
        n = cell->is_one ? 1 : 2;
  float share = cell->busy_ns * (float) picture->scale;
  guint64 key = hir_timeline_column_make_key (cell->longest_ns * (float) picture->scale,
                                              cell->flags, cell->name);
  HirTimelineColumn *columns = picture->columns[(cell->flags & 0xf) == HIR_EVENT_ISSUE];

  if (from == to)
    {
      put (&columns[from], share, n, key);
      return;
    }
  share /= (float) (x1 - x0);
  for (guint c = from; c <= to; c++)
    {
      double part = MIN (x1, c + 1.0) - MAX (x0, (double) c);

      if (part > 0 || c == from)
        put (&columns[c], share * (float) part, n, key);
    }
}

static void
picture_event (
    const Picture *picture, guint index, const HirEventBrief *event, double x0, double x1)
{
  const HirTimelineWalk *walk = picture->walk;
  HirTimelineColumn *columns = picture->columns[event->kind == HIR_EVENT_ISSUE];
  double width = x1 - x0;
  guint64 key = hir_timeline_column_make_key ((float) width,
                                              event->kind | (guint) event->phase << 4, event->name);
  guint from, to;

  if (width >= walk->wide)
    {
      walk->add_wide (index, event, walk->user_data);
      return;
    }
  /* Like bars: on whole columns, at least one. */
  from = get_column (width >= 1 ? floor (x0 + 0.5) : x0, walk->n_columns);
  to = width >= 1 ? (guint) CLAMP (floor (x1 + 0.5), from + 1, walk->n_columns) : from + 1;
  to -= width > HIR_TIMELINE_CRACK && x1 < walk->n_columns && to > from + 1;
  if (walk->is_asked_for != NULL && walk->is_asked_for (index, walk->user_data))
    key |= HIR_TIMELINE_COLUMN_SHINES;
  for (guint c = from; c < to; c++)
    put (&columns[c], (float) MIN (width, 1), 1, key);
}

/* Nearly all events are narrower than a column. A call for each of them would take most of the
 * time. */
static inline void
picture_events (const void *user_data, const HirTimelineLane *lane, guint first, guint end)
{
  const Picture *picture = user_data;
  const HirTimelineWalk *walk = picture->walk;
  const gint64 *starts = picture->events->data[HIR_COLUMN_START];
  const guint32 *durations = picture->events->data[HIR_COLUMN_DURATION];
  const guint32 *names = picture->events->data[HIR_COLUMN_NAME];
  const guint8 *flags = picture->events->data[HIR_COLUMN_FLAGS];
  double scale = picture->scale, narrow_ns = walk->is_asked_for == NULL ? 1 / scale : -1;

  for (guint i = first; i < end; i++)
    {
      guint at = lane->events == NULL ? i : lane->events[i];
      gint64 start_ns = starts[at];
      gint64 length_ns = flags[at] & HIR_FLAG_LONG ? picture->events->longs.values[durations[at]]
                                                   : (gint64) durations[at];
      double x0 = (double) (start_ns - walk->start_ns) * scale;

      if (start_ns >= walk->end_ns)
        return;
      if (start_ns + length_ns < walk->start_ns)
        continue;
      if ((double) length_ns < narrow_ns)
        {
          float width = (float) length_ns * (float) scale;

          put (&picture->columns[(flags[at] & 0xf) == HIR_EVENT_ISSUE]
                                [get_column (x0, walk->n_columns)],
               width, 1,
               hir_timeline_column_make_key (width, flags[at] & 0x7f,
                                             names != NULL ? names[at] : 0));
          continue;
        }
      HirEventBrief event = { start_ns, start_ns + length_ns, names != NULL ? names[at] : 0,
                              flags[at] & 0xf, flags[at] >> 4 & 0x7 };

      picture_event (picture, at, &event, x0, (double) (event.end_ns - walk->start_ns) * scale);
    }
}

void
hir_timeline_index_walk (const HirTimelineIndex *index, guint lane, const HirTimelineWalk *walk)
{
  Picture picture = { .walk = walk,
                      .events = hir_trace_get_columns (index->trace, index->track),
                      .columns = { walk->columns,
                                   walk->marks != NULL ? walk->marks : walk->columns } };

  g_return_if_fail (lane < index->n_lanes);
  g_return_if_fail (walk->end_ns > walk->start_ns && walk->n_columns > 0);
  picture.scale = walk->n_columns / (double) (walk->end_ns - walk->start_ns);
  hir_timeline_lane_walk (&index->lanes[lane], walk->start_ns, walk->end_ns,
                          (gint64) (HIR_CELL_NARROW / picture.scale), picture_cell, picture_events,
                          &picture);
}

typedef struct
{
  const HirTimelineIndex *index;
  float *computation, *communication;
  gint64 start_ns, end_ns;
  double scale;
  guint n;
} Cover;

/* Distributes work evenly over the columns between @x0 and @x1. */
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

static inline void
cover_cell (const void *user_data, const HirTimelineCell *cell)
{
  const Cover *cover = user_data;
  double each = cell->busy_ns * cover->scale / HIR_CELL_SHARE;

  spread (cover, (double) (cell->start_ns - cover->start_ns) * cover->scale,
          (double) (cell->end_ns - cover->start_ns) * cover->scale, cell->computation * each,
          cell->communication * each);
}

static void
cover_event (const Cover *cover, const HirEventBrief *event, double x0, double x1)
{
  if (event->kind == HIR_EVENT_SYNC || event->kind == HIR_EVENT_ISSUE ||
      event->kind == HIR_EVENT_HOST)
    return;
  /* Instants must be visible, too. */
  if (event->kind == HIR_EVENT_COMMUNICATION)
    spread (cover, x0, x1, 0, MAX (x1 - x0, 0.02));
  else
    spread (cover, x0, x1, MAX (x1 - x0, 0.02), 0);
}

static inline void
cover_events (const void *user_data, const HirTimelineLane *lane, guint first, guint end)
{
  const Cover *cover = user_data;

  for (guint i = first; i < end; i++)
    {
      HirEventBrief event;

      hir_trace_get_brief (cover->index->trace, cover->index->track,
                           lane->events == NULL ? i : lane->events[i], &event);
      if (event.end_ns >= cover->start_ns && event.start_ns < cover->end_ns)
        cover_event (cover, &event, (double) (event.start_ns - cover->start_ns) * cover->scale,
                     (double) (event.end_ns - cover->start_ns) * cover->scale);
    }
}

void
hir_timeline_index_add_cover (const HirTimelineIndex *index,
                              gint64 start_ns,
                              gint64 end_ns,
                              guint n,
                              float *computation,
                              float *communication)
{
  Cover cover = { index,    computation, communication,
                  start_ns, end_ns,      n / (double) (end_ns - start_ns),
                  n };

  g_return_if_fail (end_ns > start_ns && n > 0);
  for (guint lane = 0; lane < index->n_lanes; lane++)
    hir_timeline_lane_walk (&index->lanes[lane], start_ns, end_ns,
                            (gint64) (HIR_CELL_NARROW / cover.scale), cover_cell, cover_events,
                            &cover);
}

typedef struct
{
  const HirTimelineIndex *index;
  guint64 *keys[2];
  gint64 start_ns, end_ns;
  double scale;
  guint n;
} Looks;

static inline void
look_at (
    const Looks *looks, gint64 start_ns, gint64 end_ns, float length_ns, guint flags, guint32 name)
{
  guint kind = flags & 0xf;
  guint64 key = hir_timeline_column_make_key (length_ns * (float) looks->scale, flags, name);
  guint64 *keys = looks->keys[kind == HIR_EVENT_COMMUNICATION];
  guint from = get_column ((double) (start_ns - looks->start_ns) * looks->scale, looks->n);
  guint to = get_column ((double) (end_ns - looks->start_ns) * looks->scale, looks->n);

  if (kind == HIR_EVENT_SYNC || kind == HIR_EVENT_ISSUE || kind == HIR_EVENT_HOST)
    return;
  for (guint c = from; c <= to; c++)
    keys[c] = MAX (keys[c], key);
}

static inline void
look_at_cell (const void *user_data, const HirTimelineCell *cell)
{
  look_at (user_data, cell->start_ns, cell->end_ns, cell->longest_ns, cell->flags, cell->name);
}

static inline void
look_at_events (const void *user_data, const HirTimelineLane *lane, guint first, guint end)
{
  const Looks *looks = user_data;

  for (guint i = first; i < end; i++)
    {
      HirEventBrief event;

      hir_trace_get_brief (looks->index->trace, looks->index->track,
                           lane->events == NULL ? i : lane->events[i], &event);
      if (event.end_ns >= looks->start_ns && event.start_ns < looks->end_ns)
        look_at (looks, event.start_ns, event.end_ns, (float) (event.end_ns - event.start_ns),
                 event.kind | (guint) event.phase << 4, event.name);
    }
}

void
hir_timeline_index_add_looks (const HirTimelineIndex *index,
                              gint64 start_ns,
                              gint64 end_ns,
                              guint n,
                              guint64 *computation,
                              guint64 *communication)
{
  Looks looks = { index,  { computation, communication },   start_ns,
                  end_ns, n / (double) (end_ns - start_ns), n };

  g_return_if_fail (end_ns > start_ns && n > 0);
  for (guint lane = 0; lane < index->n_lanes; lane++)
    hir_timeline_lane_walk (&index->lanes[lane], start_ns, end_ns,
                            (gint64) (HIR_CELL_NARROW / looks.scale), look_at_cell, look_at_events,
                            &looks);
}
