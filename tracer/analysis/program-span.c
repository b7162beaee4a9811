#include "analysis/program-span.h"

/* The program alone is of interest if it takes less than this share of the trace. */
#define MAX_PROGRAM_SHARE 0.5
/* Events of other phases between those of the program, per end of a track. */
#define MAX_INSPECTED 10000

/* Returns the first event after setup and warm-up runs, which precede all others. */
static guint
skip_preparation (const HirTrace *trace, guint track)
{
  guint low = 0, high = hir_trace_get_track_n_events (trace, track);
  HirEventBrief brief;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      hir_trace_get_brief (trace, track, middle, &brief);
      if (brief.phase == HIR_PHASE_SETUP || brief.phase == HIR_PHASE_WARMUP)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static gboolean
find_on_track (const HirTrace *trace, guint track, gint64 *first_ns, gint64 *last_ns)
{
  guint n = hir_trace_get_track_n_events (trace, track);
  guint start = skip_preparation (trace, track), first = start, last = n;
  HirEventBrief brief;

  for (; first < n && first - start < MAX_INSPECTED; first++)
    {
      hir_trace_get_brief (trace, track, first, &brief);
      if (brief.phase == HIR_PHASE_PROGRAM)
        break;
    }
  if (first == n || first - start == MAX_INSPECTED)
    return FALSE;
  *first_ns = brief.start_ns;
  for (*last_ns = brief.end_ns; last > first && n - last < MAX_INSPECTED; last--)
    {
      hir_trace_get_brief (trace, track, last - 1, &brief);
      if (brief.phase != HIR_PHASE_PROGRAM)
        continue;
      *last_ns = MAX (*last_ns, brief.end_ns);
      break;
    }
  return TRUE;
}

gboolean
hir_trace_find_short_program (const HirTrace *trace, gint64 *first_ns, gint64 *last_ns)
{
  gboolean found = FALSE;
  gint64 start_ns, end_ns;

  for (guint i = 0; i < hir_trace_get_n_tracks (trace); i++)
    {
      gint64 from_ns, to_ns;

      if (hir_trace_get_track (trace, i)->kind != HIR_TRACK_STREAM ||
          !find_on_track (trace, i, &from_ns, &to_ns))
        continue;
      *first_ns = found ? MIN (*first_ns, from_ns) : from_ns;
      *last_ns = found ? MAX (*last_ns, to_ns) : to_ns;
      found = TRUE;
    }
  hir_trace_get_span (trace, &start_ns, &end_ns);
  return found &&
         (double) (*last_ns - *first_ns) < (double) (end_ns - start_ns) * MAX_PROGRAM_SHARE;
}
