/* How much of a trace is shown: all of it, or at first the program alone. */
#include "timeline/timeline-private.h"

/* Of a recording with more than that the program is told at once from what stands around it. */
#define MUCH_OF_IT 0.5
#define MAX_LOOKED_AT 10000

/* The program's work on one track: from its first to its last. What was done before and after it is
 * little, or the track is looked through in vain. */
static gboolean
find_on_track (const HirTrace *trace, guint track, gint64 *first_ns, gint64 *last_ns)
{
  guint n = hir_trace_get_track_n_events (trace, track);
  guint first = 0, last = n;
  HirEventBrief brief;

  for (; first < n && first < MAX_LOOKED_AT; first++)
    {
      hir_trace_get_brief (trace, track, first, &brief);
      if (brief.phase == HIR_PHASE_PROGRAM)
        break;
    }
  if (first == n || first == MAX_LOOKED_AT)
    return FALSE;
  *first_ns = brief.start_ns;
  for (*last_ns = brief.end_ns; last > first && n - last < MAX_LOOKED_AT; last--)
    {
      hir_trace_get_brief (trace, track, last - 1, &brief);
      if (brief.phase != HIR_PHASE_PROGRAM)
        continue;
      *last_ns = MAX (*last_ns, brief.end_ns);
      break;
    }
  return TRUE;
}

/* The program's work on streams: set-up, warm-ups and checks can take a hundred times as long. */
static gboolean
find_program (const HirTrace *trace, gint64 *first_ns, gint64 *last_ns)
{
  gboolean found = FALSE;

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
  return found;
}

static void
show_span (HirTimelineView *self, gint64 first_ns, gint64 last_ns)
{
  double margin = (double) (last_ns - first_ns) * HIR_TIMELINE_FIT_MARGIN;

  hir_timeline_set_range (self, (double) first_ns - margin, (double) last_ns + margin);
  self->is_fitted = TRUE;
}

void
hir_timeline_view_fit (HirTimelineView *self)
{
  gint64 first_ns, last_ns;

  if (self->trace == NULL)
    return;
  hir_trace_get_span (self->trace, &first_ns, &last_ns);
  show_span (self, first_ns, last_ns);
  self->fits_all = TRUE;
}

void
hir_timeline_fit_again (HirTimelineView *self)
{
  gint64 first_ns, last_ns, from_ns, to_ns;

  hir_trace_get_span (self->trace, &first_ns, &last_ns);
  if (!self->fits_all && find_program (self->trace, &from_ns, &to_ns) &&
      (double) (to_ns - from_ns) < (double) (last_ns - first_ns) * MUCH_OF_IT)
    show_span (self, from_ns, to_ns);
  else
    show_span (self, first_ns, last_ns);
}
