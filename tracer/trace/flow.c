#include "trace/flow.h"

#include <string.h>

#include "trace/headroom.h"
#include "trace/trace-builder-private.h"

#define MAX_POINTS (8 * 1024 * 1024)
#define CHECK_EVERY 4096 /* points between two checks of the memory that is left */

void
hir_trace_builder_add_flow_point (HirTraceBuilder *builder, const HirFlowPoint *point)
{
  HirTrace *trace = builder->trace;

  if (trace == NULL)
    return;
  if (trace->flows->len >= MAX_POINTS || point->track >= trace->tracks->len ||
      point->time_ns <= -HIR_MAX_TIME_NS || point->time_ns >= HIR_MAX_TIME_NS ||
      point->phase == 0 || strchr ("stf", point->phase) == NULL ||
      (trace->flows->len % CHECK_EVERY == CHECK_EVERY - 1 && !hir_has_headroom ()))
    builder->counts[HIR_COUNT_NO_FLOW]++;
  else
    g_array_append_val (trace->flows, *point);
}

guint
hir_trace_get_n_flow_points (const HirTrace *trace)
{
  return trace->flows->len;
}

const HirFlowPoint *
hir_trace_get_flow_point (const HirTrace *trace, guint i)
{
  g_return_val_if_fail (i < trace->flows->len, NULL);
  return &g_array_index (trace->flows, HirFlowPoint, i);
}

gboolean
hir_trace_find_flow_event (const HirTrace *trace, const HirFlowPoint *point, guint *index)
{
  guint n = hir_trace_get_track_n_events (trace, point->track);
  gint64 start_ns, end_ns;

  if (point->phase == 'f' && !point->is_enclosed)
    {
      for (*index = hir_trace_find_first (trace, point->track, point->time_ns); *index < n;
           ++*index)
        {
          hir_trace_get_interval (trace, point->track, *index, &start_ns, &end_ns);
          if (start_ns >= point->time_ns)
            return TRUE;
        }
      return FALSE;
    }
  return hir_trace_lookup_at (trace, point->track, point->time_ns, 0, index);
}

static int
compare_numbers (guint64 a, guint64 b)
{
  return a < b ? -1 : a > b;
}

/* Sorts by flow, then by time. */
static int
compare_points (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const HirFlowPoint *x = *(const HirFlowPoint *const *) a, *y = *(const HirFlowPoint *const *) b;
  int rank_x = hir_trace_get_track (user_data, x->track)->rank;
  int rank_y = hir_trace_get_track (user_data, y->track)->rank;

  if (rank_x != rank_y)
    return rank_x < rank_y ? -1 : 1;
  if (x->id != y->id)
    return compare_numbers (x->id, y->id);
  if (x->category != y->category || x->name != y->name)
    return compare_numbers ((guint64) x->category << 32 | x->name,
                            (guint64) y->category << 32 | y->name);
  return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

static gboolean
is_same_flow (const HirTrace *trace, const HirFlowPoint *a, const HirFlowPoint *b)
{
  return a->id == b->id && a->category == b->category && a->name == b->name &&
         hir_trace_get_track (trace, a->track)->rank == hir_trace_get_track (trace, b->track)->rank;
}

GArray *
hir_trace_dup_flow_steps (const HirTrace *trace, const HirFlowPoint *of)
{
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (HirFlowStep));
  g_autoptr (GPtrArray) points = g_ptr_array_new ();
  const HirFlowPoint *before = NULL;
  HirFlowStep step = { 0 };

  for (guint i = 0; i < trace->flows->len; i++)
    if (of == NULL || is_same_flow (trace, of, hir_trace_get_flow_point (trace, i)))
      g_ptr_array_add (points, &g_array_index (trace->flows, HirFlowPoint, i));
  g_ptr_array_sort_with_data (points, compare_points, (gpointer) trace);
  for (guint i = 0; i < points->len; i++)
    {
      const HirFlowPoint *point = g_ptr_array_index (points, i);

      step.to_track = point->track;
      if (!hir_trace_find_flow_event (trace, point, &step.to_index))
        continue;
      if (before != NULL && point->phase != 's' && is_same_flow (trace, before, point))
        g_array_append_val (steps, step);
      before = point;
      step.from_track = step.to_track;
      step.from_index = step.to_index;
    }
  return steps;
}

void
hir_flows_shift (HirTrace *trace, int rank, gint64 shift_ns)
{
  for (guint i = 0; i < trace->flows->len; i++)
    {
      HirFlowPoint *point = &g_array_index (trace->flows, HirFlowPoint, i);

      if (rank == HIR_ALL_RANKS || hir_trace_get_track (trace, point->track)->rank == rank)
        point->time_ns += shift_ns;
    }
}
