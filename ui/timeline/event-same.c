#include "timeline/event-same.h"

#include "trace/columns.h"

/* A place in the order of events. */
typedef struct
{
  gint64 start_ns;
  gint64 track, index; /* signed, so that they can be outside of the trace */
} Place;

static int
compare (const Place *a, const Place *b)
{
  if (a->start_ns != b->start_ns)
    return a->start_ns < b->start_ns ? -1 : 1;
  if (a->track != b->track)
    return a->track < b->track ? -1 : 1;
  return (a->index > b->index) - (a->index < b->index);
}

/* Returns the number of events of @track before @place. */
static guint
count_before (const HirTrace *trace, guint track, const Place *place)
{
  const HirColumns *columns = hir_trace_get_columns (trace, track);
  guint low = 0, high = hir_trace_get_track_n_events (trace, track);

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      Place at = { hir_columns_get_start (columns, middle), track, middle };

      if (compare (&at, place) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Improves @best by the nearest event of @track after (or before) @from. */
static void
find_on_track (const HirTrace *trace,
               guint track,
               guint32 name,
               const Place *from,
               gboolean forward,
               Place *best)
{
  const HirColumns *columns = hir_trace_get_columns (trace, track);
  gint64 n = hir_trace_get_track_n_events (trace, track), by = forward ? 1 : -1;
  gint64 at = count_before (trace, track, from) - (forward ? 0 : 1);

  for (; at >= 0 && at < n; at += by)
    {
      Place place = { hir_columns_get_start (columns, (guint) at), track, at };

      if (compare (&place, best) * by >= 0)
        return;
      if (hir_column_value (columns, HIR_COLUMN_NAME, guint32, at) == name &&
          compare (&place, from) != 0)
        {
          *best = place;
          return;
        }
    }
}

static gboolean
find_from (const HirTrace *trace, guint32 name, const Place *from, gboolean forward, Place *best)
{
  *best = (Place){ forward ? G_MAXINT64 : G_MININT64, 0, 0 };
  for (guint track = 0; track < hir_trace_get_n_tracks (trace); track++)
    if (hir_trace_get_track (trace, track)->kind != HIR_TRACK_COUNTER)
      find_on_track (trace, track, name, from, forward, best);
  return best->start_ns != (forward ? G_MAXINT64 : G_MININT64);
}

gboolean
hir_event_find_same (const HirTrace *trace, guint *track, guint *index, gboolean forward)
{
  const Place start = { forward ? G_MININT64 : G_MAXINT64, -1, -1 };
  Place from = { 0, *track, *index }, found;
  HirEvent event;

  hir_trace_get_event (trace, *track, *index, &event);
  from.start_ns = event.start_ns;
  if (!find_from (trace, event.name, &from, forward, &found) &&
      !find_from (trace, event.name, &start, forward, &found))
    return FALSE;
  if (compare (&found, &from) == 0)
    return FALSE;
  *track = (guint) found.track;
  *index = (guint) found.index;
  return TRUE;
}
