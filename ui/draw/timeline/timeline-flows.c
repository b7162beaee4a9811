/* Finds what caused an event and what it caused: launches, and flows that the profiler stored. */
#include <stdlib.h>

#include "draw/timeline/timeline-links.h"
#include "trace/flow.h"

/* More arrows are not readable; one launch with more events is a sign of an invalid trace. */
#define MAX_FLOWS 64

/* A launch; for work of a device, the work itself. */
typedef struct
{
  guint32 correlation;
  guint index;
} Launch;

static int
compare_launches (gconstpointer a, gconstpointer b)
{
  const Launch *x = a, *y = b;

  return x->correlation < y->correlation ? -1 : x->correlation > y->correlation;
}

/* Returns the event and all launches below it that have a correlation, sorted by that. */
static GArray *
dup_launches (const HirTrace *trace, guint track, guint index)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (Launch));
  gboolean is_host = hir_trace_get_track (trace, track)->kind == HIR_TRACK_HOST;
  guint n = hir_trace_get_track_n_events (trace, track);
  gint64 end_ns = 0;

  for (guint i = index; i < n && found->len < MAX_FLOWS; i++)
    {
      Launch launch = { .index = i };
      HirEvent event;

      hir_trace_get_event (trace, track, i, &event);
      if (i == index)
        end_ns = event.end_ns;
      else if (!is_host || event.start_ns >= end_ns)
        break;
      launch.correlation = event.correlation;
      if (launch.correlation != 0 && event.end_ns <= end_ns &&
          (i == index || event.kind == HIR_EVENT_ISSUE))
        g_array_append_val (found, launch);
    }
  g_array_sort (found, compare_launches);
  return found;
}

static void
add_launches (const HirTrace *trace, guint track, guint index, GArray *flows)
{
  const HirTrack *own = hir_trace_get_track (trace, track);
  g_autoptr (GArray) launches = dup_launches (trace, track, index);
  guint32 correlations[MAX_FLOWS];
  guint at_track = 0, at_index = HIR_NO_EVENT;

  for (guint i = 0; i < launches->len; i++)
    correlations[i] = g_array_index (launches, Launch, i).correlation;
  while (launches->len > 0 && flows->len < MAX_FLOWS &&
         hir_trace_next_of_correlations (trace, correlations, launches->len, &at_track, &at_index))
    {
      HirTimelineLink link = { track, index, at_track, at_index };
      const HirTrack *other = hir_trace_get_track (trace, at_track);
      HirEvent event;
      Launch wanted, *launch;

      if (other->rank != own->rank ||
          (own->kind == HIR_TRACK_HOST) == (other->kind == HIR_TRACK_HOST))
        continue;
      hir_trace_get_event (trace, at_track, at_index, &event);
      wanted.correlation = event.correlation;
      launch = bsearch (&wanted, launches->data, launches->len, sizeof *launch, compare_launches);
      link.from_index = launch->index;
      if (own->kind != HIR_TRACK_HOST)
        link = (HirTimelineLink){ at_track, at_index, track, index };
      g_array_append_val (flows, link);
    }
}

/* Adds the steps of the flow of @point. */
static void
add_flow (const HirTrace *trace, const HirFlowPoint *point, GArray *flows)
{
  g_autoptr (GArray) steps = hir_trace_dup_flow_steps (trace, point);

  for (guint i = 0; i < steps->len && flows->len < MAX_FLOWS; i++)
    {
      const HirFlowStep *step = &g_array_index (steps, HirFlowStep, i);
      const HirTimelineLink link = { step->from_track, step->from_index, step->to_track,
                                     step->to_index };

      g_array_append_val (flows, link);
    }
}

static void
add_stored (const HirTrace *trace, guint track, guint index, GArray *flows)
{
  gint64 start_ns, end_ns;
  guint found, n_flows = 0;

  hir_trace_get_interval (trace, track, index, &start_ns, &end_ns);
  for (guint i = 0; i < hir_trace_get_n_flow_points (trace) && n_flows < MAX_FLOWS; i++)
    {
      const HirFlowPoint *point = hir_trace_get_flow_point (trace, i);

      if (point->track == track && point->time_ns <= end_ns &&
          hir_trace_find_flow_event (trace, point, &found) && found == index)
        {
          add_flow (trace, point, flows);
          n_flows++;
        }
    }
}

GArray *
hir_timeline_links_dup_flows (const HirTrace *trace, guint track, guint index)
{
  GArray *flows = g_array_new (FALSE, FALSE, sizeof (HirTimelineLink));

  add_launches (trace, track, index, flows);
  add_stored (trace, track, index, flows);
  return flows;
}
