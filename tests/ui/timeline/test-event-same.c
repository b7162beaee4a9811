/* Tests the steps between events of one name: each step is compared with a sorted list of all
 * events. */
#include "timeline/event-same.h"

#define N_TRACKS 4
#define N 60
#define N_NAMES 5

typedef struct
{
  gint64 start_ns;
  guint track, index;
} Place;

/* Creates tracks with random starts, of which some are equal; the last track has samples. */
static HirTrace *
make_trace (GRand *rand)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();

  for (guint t = 0; t < N_TRACKS; t++)
    {
      const HirTrack track = { .kind = t == 0              ? HIR_TRACK_HOST
                                       : t == N_TRACKS - 1 ? HIR_TRACK_COUNTER
                                                           : HIR_TRACK_STREAM,
                               .name = (char *) "track" };
      gint64 at_ns = 0;

      hir_trace_builder_add_track (builder, &track);
      for (guint i = 0; i < N; i++)
        {
          HirEvent event = { .start_ns = at_ns, .end_ns = at_ns + 5 };
          g_autofree char *name = g_strdup_printf ("%d", g_rand_int_range (rand, 0, N_NAMES));

          event.track = (guint16) t;
          event.name = hir_trace_builder_intern (builder, name);
          event.kind = t == N_TRACKS - 1 ? HIR_EVENT_COUNTER : HIR_EVENT_KERNEL;
          event.iteration = -1;
          g_assert_true (hir_trace_builder_add (builder, &event, NULL));
          at_ns += g_rand_int_range (rand, 0, 4);
        }
    }
  return hir_trace_builder_finish (builder);
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const Place *x = a, *y = b;

  if (x->start_ns != y->start_ns)
    return x->start_ns < y->start_ns ? -1 : 1;
  if (x->track != y->track)
    return x->track < y->track ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

static GArray *
dup_named (const HirTrace *trace, guint32 name)
{
  GArray *places = g_array_new (FALSE, FALSE, sizeof (Place));

  for (guint t = 0; t < N_TRACKS - 1; t++)
    for (guint i = 0; i < N; i++)
      {
        HirEvent event;
        Place place = { 0, t, i };

        hir_trace_get_event (trace, t, i, &event);
        place.start_ns = event.start_ns;
        if (event.name == name)
          g_array_append_val (places, place);
      }
  g_array_sort (places, compare_places);
  return places;
}

static void
test_steps (void)
{
  for (guint32 seed = 1; seed <= 20; seed++)
    {
      GRand *rand = g_rand_new_with_seed (seed);
      g_autoptr (HirTrace) trace = make_trace (rand);

      for (guint32 name = 0; name < hir_trace_get_n_strings (trace); name++)
        {
          g_autoptr (GArray) places = dup_named (trace, name);

          for (guint i = 0; places->len > 1 && i < places->len; i++)
            for (int by = -1; by <= 1; by += 2)
              {
                const Place *from = &g_array_index (places, Place, i);
                const Place *to =
                    &g_array_index (places, Place, (i + places->len + (guint) by) % places->len);
                guint track = from->track, index = from->index;

                g_assert_true (hir_event_find_same (trace, &track, &index, by > 0));
                g_assert_cmpuint (track, ==, to->track);
                g_assert_cmpuint (index, ==, to->index);
              }
        }
      g_rand_free (rand);
    }
}

static void
test_only_one (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  const HirTrack track = { .kind = HIR_TRACK_STREAM, .name = (char *) "track" };
  HirEvent event = { .start_ns = 3, .end_ns = 5, .iteration = -1 };
  g_autoptr (HirTrace) trace = NULL;
  guint at_track = 0, index = 0;

  hir_trace_builder_add_track (builder, &track);
  event.name = hir_trace_builder_intern (builder, "alone");
  g_assert_true (hir_trace_builder_add (builder, &event, NULL));
  trace = hir_trace_builder_finish (builder);
  g_assert_false (hir_event_find_same (trace, &at_track, &index, TRUE));
  g_assert_false (hir_event_find_same (trace, &at_track, &index, FALSE));
  g_assert_cmpuint (at_track, ==, 0);
  g_assert_cmpuint (index, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/event-same/steps", test_steps);
  g_test_add_func ("/event-same/only-one", test_only_one);
  return g_test_run ();
}
