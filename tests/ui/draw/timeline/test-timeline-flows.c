/* Tests the arrows of a selected event: from launches to their work, and flows of the profiler. */
#include "draw/timeline/timeline-links.h"
#include "trace/flow.h"

enum
{
  FORWARD,
  BACKWARD,
  STREAM,
  OTHER_RANK,
};

static void
add (HirTraceBuilder *builder,
     guint track,
     HirEventKind kind,
     gint64 start_ns,
     gint64 end_ns,
     guint32 correlation)
{
  HirEvent event = { .start_ns = start_ns,
                     .end_ns = end_ns,
                     .kind = kind,
                     .iteration = -1,
                     .correlation = correlation,
                     .track = (guint16) track };

  g_assert_true (hir_trace_builder_add (builder, &event, NULL));
}

/* An operator with two nested levels launches kernels 1 and 2; a later call launches 3. A flow
 * leads from the operator to its backward pass. Another rank uses correlation 1 too. */
static HirTrace *
create_trace (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  const HirTrack tracks[] = {
    [FORWARD] = { HIR_TRACK_HOST, 0, -1, 1, (char *) "forward" },
    [BACKWARD] = { HIR_TRACK_HOST, 0, -1, 2, (char *) "backward" },
    [STREAM] = { HIR_TRACK_STREAM, 0, 0, 7, (char *) "stream" },
    [OTHER_RANK] = { HIR_TRACK_STREAM, 1, 0, 7, (char *) "stream" },
  };
  HirFlowPoint point = { .time_ns = 100, .id = 5, .track = FORWARD, .phase = 's' };

  for (guint i = 0; i < G_N_ELEMENTS (tracks); i++)
    hir_trace_builder_add_track (builder, &tracks[i]);
  point.category = hir_trace_builder_intern (builder, "fwdbwd");
  point.name = point.category;
  add (builder, FORWARD, HIR_EVENT_HOST, 100, 200, 0);
  add (builder, FORWARD, HIR_EVENT_HOST, 110, 190, 0);
  add (builder, FORWARD, HIR_EVENT_ISSUE, 120, 125, 1);
  add (builder, FORWARD, HIR_EVENT_ISSUE, 130, 135, 2);
  add (builder, FORWARD, HIR_EVENT_ISSUE, 210, 215, 3);
  add (builder, BACKWARD, HIR_EVENT_HOST, 300, 310, 0);
  add (builder, STREAM, HIR_EVENT_KERNEL, 400, 410, 1);
  add (builder, STREAM, HIR_EVENT_KERNEL, 410, 420, 2);
  add (builder, STREAM, HIR_EVENT_KERNEL, 420, 430, 3);
  add (builder, OTHER_RANK, HIR_EVENT_KERNEL, 400, 410, 1);
  hir_trace_builder_add_flow_point (builder, &point);
  point = (HirFlowPoint){ 300, 5, point.category, point.name, BACKWARD, 'f', TRUE };
  hir_trace_builder_add_flow_point (builder, &point);
  point.id = 6;
  hir_trace_builder_add_flow_point (builder, &point);
  return hir_trace_builder_finish (builder);
}

/* Checks the arrows of an event, as "track/index>track/index" in any order of the tracks. */
static void
check (const HirTrace *trace, guint track, guint index, const char *wanted)
{
  g_autoptr (GArray) flows = hir_timeline_links_dup_flows (trace, track, index);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < flows->len; i++)
    {
      const HirTimelineLink *link = &g_array_index (flows, HirTimelineLink, i);

      g_string_append_printf (text, "%s%u/%u>%u/%u", i > 0 ? " " : "", link->from_track,
                              link->from_index, link->to_track, link->to_index);
    }
  g_assert_cmpstr (text->str, ==, wanted);
}

static void
test_launches (void)
{
  g_autoptr (HirTrace) trace = create_trace ();

  check (trace, FORWARD, 0, "0/2>2/0 0/3>2/1 0/0>1/0");
  check (trace, FORWARD, 1, "0/2>2/0 0/3>2/1");
  check (trace, FORWARD, 2, "0/2>2/0");
  check (trace, STREAM, 1, "0/3>2/1");
  check (trace, OTHER_RANK, 0, "");
  check (trace, BACKWARD, 0, "0/0>1/0");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/timeline-flows/launches", test_launches);
  return g_test_run ();
}
