#include "trace/instance.h"

#define MAX_LOOKED_AT 1000000

/* Relevance of an event; larger is better. */
enum
{
  NONE,
  ISSUED,
  WAITED,
  WORKED,
  WORKED_THERE, /* on the stream of the instance */
};

void
hir_trace_instance_set (HirTraceInstance *to, const HirTraceInstance *from)
{
  HirTraceInstance before = *to;

  *to = from != NULL ? *from : (HirTraceInstance){ 0 };
  to->stream = g_strdup (to->stream);
  g_free (before.stream);
}

void
hir_trace_instance_clear (HirTraceInstance *instance)
{
  hir_trace_instance_set (instance, NULL);
}

gboolean
hir_trace_instance_equal (const HirTraceInstance *a, const HirTraceInstance *b)
{
  return a->instruction == b->instruction && a->rank == b->rank && a->iteration == b->iteration &&
         a->is_caller == b->is_caller && g_strcmp0 (a->stream, b->stream) == 0;
}

static int
get_worth (const HirTrace *trace, guint at, const HirEvent *event, const HirTraceInstance *instance)
{
  const HirTrack *track = hir_trace_get_track (trace, at);

  if (track->rank != instance->rank || event->iteration != instance->iteration ||
      event->phase != HIR_PHASE_PROGRAM)
    return NONE;
  if (!hir_track_is_of_device (track))
    return ISSUED;
  if (event->kind == HIR_EVENT_SYNC)
    return WAITED;
  return g_strcmp0 (track->name, instance->stream) == 0 ? WORKED_THERE : WORKED;
}

static int
compare_start (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const HirEventRef *x = a, *y = b;
  gint64 x_ns, y_ns, end_ns;

  hir_trace_get_interval (user_data, x->track, x->index, &x_ns, &end_ns);
  hir_trace_get_interval (user_data, y->track, y->index, &y_ns, &end_ns);
  return x_ns != y_ns ? (x_ns > y_ns) - (x_ns < y_ns)
                      : (x->track > y->track) - (x->track < y->track);
}

GArray *
hir_trace_dup_instance_events (const HirTrace *trace, const HirTraceInstance *instance)
{
  GArray *refs = g_array_new (FALSE, FALSE, sizeof (HirEventRef));
  HirEventRef at = { 0, HIR_NO_EVENT };
  int best = NONE;

  if (instance->is_caller)
    return refs;
  for (guint n = 0;
       n < MAX_LOOKED_AT &&
       hir_trace_next_of_instruction (trace, instance->instruction, &at.track, &at.index);
       n++)
    {
      HirEvent event;
      int worth;

      hir_trace_get_event (trace, at.track, at.index, &event);
      worth = get_worth (trace, at.track, &event, instance);
      if (worth > best)
        g_array_set_size (refs, 0);
      best = MAX (best, worth);
      if (worth == best && worth != NONE)
        g_array_append_val (refs, at);
    }
  g_array_sort_with_data (refs, compare_start, (gpointer) trace);
  return refs;
}
