/* Every answer of the pyramid against a loop over all events, on random tracks: sparse, dense,
 * nested, with instants, with events that span everything. */
#include "trace/trace-private.h"

typedef struct
{
  HirTrace *trace;
  guint n;
  HirEvent *events;
} Track;

static void
track_clear (Track *track)
{
  hir_trace_unref (track->trace);
  g_free (track->events);
}

static void
track_init (Track *track, GRand *rand, guint n, gint64 span, gint64 longest, gboolean overlap)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirTrack info = { HIR_TRACK_STREAM, 0, 0, 0, (char *) "s" };
  gint64 time = 0;

  hir_trace_builder_add_track (builder, &info);
  for (guint i = 0; i < n; i++)
    {
      HirEvent event = { 0 };

      if (overlap)
        time = (gint64) g_rand_double_range (rand, 0, (double) span);
      else
        time += g_rand_int_range (rand, 0, (gint32) MAX (1, span / n));
      event.start_ns = time;
      event.end_ns = time + (gint64) g_rand_double_range (rand, 0, (double) longest);
      if (g_rand_int_range (rand, 0, 10) == 0)
        event.end_ns = event.start_ns;
      else if (overlap && g_rand_int_range (rand, 0, 100) == 0)
        event.end_ns = event.start_ns + span / 2;
      if (!overlap)
        time = event.end_ns;
      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  track->trace = hir_trace_builder_finish (builder);
  track->n = n;
  track->events = g_new (HirEvent, n);
  for (guint i = 0; i < n; i++)
    hir_trace_get_event (track->trace, 0, i, &track->events[i]);
}

static void
check_lookups (const Track *track, gint64 time, gint64 slack)
{
  guint first = track->n, index = HIR_NO_EVENT, expected = HIR_NO_EVENT;
  gint64 best = G_MAXINT64;
  gboolean found = hir_trace_lookup_at (track->trace, 0, time, slack, &index);

  for (guint i = track->n; i-- > 0;)
    {
      const HirEvent *event = &track->events[i];
      gint64 distance = event->start_ns > time ? event->start_ns - time
                        : event->end_ns > time ? 0
                                               : time - event->end_ns;

      if (event->end_ns > time)
        first = i;
      /* the one that started last wins a tie, but a covering one wins over one that ends here */
      if (event->start_ns <= time && event->end_ns > time)
        distance = -1;
      if (distance < best)
        {
          best = distance;
          expected = i;
        }
    }
  g_assert_cmpuint (hir_trace_find_first (track->trace, 0, time), ==, first);
  g_assert_cmpint (found, ==, best <= slack);
  if (found && best == -1)
    g_assert_cmpuint (index, ==, expected);
  else if (found)
    {
      const HirEvent *event = &track->events[index];

      g_assert_cmpint (MAX (event->start_ns - time, time - event->end_ns), ==, best);
    }
}

static void
test_brute_force (void)
{
  const guint sizes[] = { 1, 2, 31, 32, 33, 511, 512, 513, 1500 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (guint shape = 0; shape < 6; shape++)
      {
        gint64 span = shape % 3 == 0 ? 100 : shape % 3 == 1 ? 20000 : 10000000;
        Track track;

        track_init (&track, rand, sizes[s], span, MAX (2, span / (2 * sizes[s])), shape >= 3);
        for (guint i = 0; i < 12; i++)
          {
            check_lookups (&track, g_rand_int_range (rand, -5, (gint32) span + 5),
                           g_rand_int_range (rand, 0, 20));
            check_lookups (&track,
                           track.events[g_rand_int_range (rand, 0, (gint32) track.n)].end_ns, 0);
          }
        check_lookups (&track, G_MAXINT64, 0);
        check_lookups (&track, -span * 1000, 10);
        track_clear (&track);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pyramid/brute-force", test_brute_force);
  return g_test_run ();
}
