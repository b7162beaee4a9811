/* Tests which part of a recording hir_trace_find_short_program() returns. */
#include "analysis/program-span.h"

typedef struct
{
  guint n;
  gint64 step_ns; /* each event takes half of it */
  HirPhase phase;
} Part;

/* Returns a trace of a stream with the events of @parts, one after another. A host thread has one
 * event of the program at 0. */
static HirTrace *
make_trace (const Part *parts, guint n_parts)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  const HirTrack host = { .kind = HIR_TRACK_HOST, .name = (char *) "host" };
  const HirTrack stream = { .kind = HIR_TRACK_STREAM, .name = (char *) "Stream 0" };
  HirEvent event = { .end_ns = 1, .iteration = -1 };
  gint64 now_ns = 0;

  hir_trace_builder_add_track (builder, &host);
  hir_trace_builder_add_track (builder, &stream);
  g_assert_true (hir_trace_builder_add (builder, &event, NULL));
  event.track = 1;
  for (guint p = 0; p < n_parts; p++)
    for (guint i = 0; i < parts[p].n; i++, now_ns += parts[p].step_ns)
      {
        event.start_ns = now_ns;
        event.end_ns = now_ns + parts[p].step_ns / 2;
        event.phase = (guint8) parts[p].phase;
        g_assert_true (hir_trace_builder_add (builder, &event, NULL));
      }
  return hir_trace_builder_finish (builder);
}

/* More events precede the program than are inspected one by one. */
static void
test_short (void)
{
  static const Part parts[] = { { 5000, 10000, HIR_PHASE_SETUP },
                                { 20000, 1000, HIR_PHASE_WARMUP },
                                { 100, 1000, HIR_PHASE_PROGRAM },
                                { 10, 1000, HIR_PHASE_CHECK } };
  g_autoptr (HirTrace) trace = make_trace (parts, G_N_ELEMENTS (parts));
  gint64 first_ns, last_ns;

  g_assert_true (hir_trace_find_short_program (trace, &first_ns, &last_ns));
  g_assert_cmpint (first_ns, ==, 70000000);
  g_assert_cmpint (last_ns, ==, 70000000 + 99 * 1000 + 500);
}

static void
test_long (void)
{
  static const Part parts[] = { { 10, 1000, HIR_PHASE_SETUP }, { 100, 1000, HIR_PHASE_PROGRAM } };
  g_autoptr (HirTrace) trace = make_trace (parts, G_N_ELEMENTS (parts));
  gint64 first_ns, last_ns;

  g_assert_false (hir_trace_find_short_program (trace, &first_ns, &last_ns));
}

static void
test_none (void)
{
  static const Part parts[] = { { 10, 1000, HIR_PHASE_SETUP }, { 10, 1000, HIR_PHASE_CHECK } };
  g_autoptr (HirTrace) trace = make_trace (parts, G_N_ELEMENTS (parts));
  gint64 first_ns, last_ns;

  g_assert_false (hir_trace_find_short_program (trace, &first_ns, &last_ns));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/program-span/short", test_short);
  g_test_add_func ("/program-span/long", test_long);
  g_test_add_func ("/program-span/none", test_none);
  return g_test_run ();
}
