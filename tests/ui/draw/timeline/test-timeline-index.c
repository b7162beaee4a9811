/* Compares the index of a track with a linear scan of all its events. */
#include "draw/timeline/timeline-index.h"

#include <math.h>

#if defined(__SANITIZE_ADDRESS__)
#define RANDOM_COUNT 150
#else
#define RANDOM_COUNT 600
#endif

typedef struct
{
  HirTrace *trace;
  guint n_wide;
  guint64 last_start;
  gboolean *is_wide;
} Fixture;

/* Creates bursts and gaps of any length, nested or not. */
static HirTrace *
create_random (GRand *rand)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirTrack track = { HIR_TRACK_STREAM, 0, 0, 7, (char *) "stream 7" };
  gboolean overlaps = g_rand_boolean (rand);
  guint n = (guint) g_rand_int_range (rand, 1, g_rand_boolean (rand) ? 40 : 3000);
  gint64 time_ns = g_rand_int_range (rand, -1000, 1000);

  hir_trace_builder_add_track (builder, &track);
  for (guint i = 0; i < n; i++)
    {
      static const gint64 most[] = { 1, 20, 300, 50000 };
      gint64 length = g_rand_int_range (rand, 0, most[g_rand_int_range (rand, 0, 4)] + 1);
      HirEvent event = { .start_ns = time_ns,
                         .end_ns = time_ns + length,
                         .iteration = -1,
                         .kind = (guint8) g_rand_int_range (rand, 0, HIR_EVENT_COUNTER) };

      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
      time_ns += overlaps ? g_rand_int_range (rand, 0, (gint32) length + 2) : length;
      if (g_rand_int_range (rand, 0, 20) == 0)
        time_ns += g_rand_int_range (rand, 0, 200000);
    }
  return hir_trace_builder_finish (builder);
}

static void
add_wide (guint index, const HirEventBrief *event, gpointer user_data)
{
  Fixture *f = user_data;

  g_assert_false (f->is_wide[index]);
  f->is_wide[index] = TRUE;
  f->n_wide++;
}

static gboolean
has_ink (const HirTimelineColumn *columns, guint n, double x0, double x1)
{
  for (int c = (int) floor (x0) - 1; c <= (int) floor (x1) + 1; c++)
    if (c >= 0 && c < (int) n && columns[c].n > 0)
      return TRUE;
  return FALSE;
}

static gboolean
has_event (const HirTrace *trace, guint lane, guint n_lanes, double from_ns, double to_ns)
{
  for (guint i = 0; i < hir_trace_get_track_n_events (trace, 0); i++)
    {
      gint64 start_ns, end_ns;

      hir_trace_get_interval (trace, 0, i, &start_ns, &end_ns);
      if (MIN (hir_trace_get_lane (trace, 0, i), n_lanes - 1) == lane &&
          (double) end_ns >= from_ns && (double) start_ns <= to_ns)
        return TRUE;
    }
  return FALSE;
}

/* Each event is visible within a column of its position, or is wide. No column more than two away
 * from an event is filled. */
static void
check_lane (
    Fixture *f, const HirTimelineIndex *index, guint lane, guint n_lanes, HirTimelineWalk walk)
{
  guint n_events = hir_trace_get_track_n_events (f->trace, 0);
  g_autofree HirTimelineColumn *columns = g_new0 (HirTimelineColumn, walk.n_columns);
  g_autofree gboolean *is_wide = g_new0 (gboolean, n_events);
  double ns = (double) (walk.end_ns - walk.start_ns) / walk.n_columns;

  f->is_wide = is_wide;
  walk.columns = columns;
  walk.user_data = f;
  walk.add_wide = add_wide;
  hir_timeline_index_walk (index, lane, &walk);
  for (guint i = 0; i < n_events; i++)
    {
      gint64 start_ns, end_ns;
      double x0, x1;

      hir_trace_get_interval (f->trace, 0, i, &start_ns, &end_ns);
      x0 = (double) (start_ns - walk.start_ns) / ns;
      x1 = (double) (end_ns - walk.start_ns) / ns;
      if (MIN (hir_trace_get_lane (f->trace, 0, i), n_lanes - 1) != lane ||
          end_ns < walk.start_ns || start_ns >= walk.end_ns)
        g_assert_false (is_wide[i]);
      else
        g_assert_true (is_wide[i] ? x1 - x0 >= walk.wide
                                  : has_ink (columns, walk.n_columns, x0, x1));
    }
  for (guint c = 0; c < walk.n_columns; c++)
    if (columns[c].n > 0)
      g_assert_true (has_event (f->trace, lane, n_lanes,
                                (double) walk.start_ns + ((double) c - 2) * ns,
                                (double) walk.start_ns + ((double) c + 3) * ns));
}

static void
test_ink (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);

  for (guint i = 0; i < RANDOM_COUNT; i++)
    {
      Fixture f = { .trace = create_random (rand) };
      guint n_lanes = MIN (hir_trace_get_n_lanes (f.trace, 0), 3);
      HirTimelineIndex *index = hir_timeline_index_new (f.trace, 0, n_lanes, NULL);
      HirTimelineWalk walk = { .wide = 3, .n_columns = (guint) g_rand_int_range (rand, 1, 400) };
      gint64 first_ns, last_ns;
      double from = g_rand_double (rand), to = g_rand_double_range (rand, from, 1);

      hir_trace_get_span (f.trace, &first_ns, &last_ns);
      walk.start_ns = first_ns + (gint64) (from * (double) (last_ns - first_ns)) - 3;
      walk.end_ns = first_ns + (gint64) (to * (double) (last_ns - first_ns)) + 3;
      for (guint lane = 0; lane < n_lanes; lane++)
        check_lane (&f, index, lane, n_lanes, walk);
      hir_timeline_index_free (index);
      hir_trace_unref (f.trace);
    }
}

/* Over the whole trace, the sums equal the events for any number of columns. */
static void
test_cover (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (6);

  for (guint i = 0; i < RANDOM_COUNT; i++)
    {
      HirTrace *trace = create_random (rand);
      HirTimelineIndex *index =
          hir_timeline_index_new (trace, 0, hir_trace_get_n_lanes (trace, 0), NULL);
      guint n = (guint) g_rand_int_range (rand, 1, 500), n_instants = 0;
      g_autofree float *cover = g_new0 (float, 2 * n);
      double sums[2] = { 0 }, wanted[2] = { 0 }, ns;
      gint64 first_ns, last_ns;

      hir_trace_get_span (trace, &first_ns, &last_ns);
      last_ns++;
      hir_timeline_index_add_cover (index, first_ns, last_ns, n, cover, cover + n);
      ns = (double) (last_ns - first_ns) / n;
      for (guint c = 0; c < 2 * n; c++)
        {
          g_assert_true (cover[c] >= 0);
          sums[c / n] += cover[c] * ns;
        }
      for (guint e = 0; e < hir_trace_get_track_n_events (trace, 0); e++)
        {
          HirEvent event;

          hir_trace_get_event (trace, 0, e, &event);
          if (event.kind == HIR_EVENT_SYNC || event.kind == HIR_EVENT_ISSUE ||
              event.kind == HIR_EVENT_HOST)
            continue;
          wanted[event.kind == HIR_EVENT_COMMUNICATION] += (double) (event.end_ns - event.start_ns);
          n_instants += (double) (event.end_ns - event.start_ns) < 0.02 * ns;
        }
      for (guint lane = 0; lane < 2; lane++)
        g_assert_cmpfloat (fabs (sums[lane] - wanted[lane]), <=,
                           1e-3 * wanted[lane] + 0.03 * ns * (n_instants + 1));
      hir_timeline_index_free (index);
      hir_trace_unref (trace);
    }
}

static gboolean
is_third (guint index, gpointer user_data)
{
  return index == 3;
}

/* Requested events are highlighted if single events are read. */
static void
test_highlighted (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirTrack track = { HIR_TRACK_STREAM, 0, 0, 7, (char *) "stream 7" };
  HirTimelineColumn columns[100] = { 0 };
  HirTimelineWalk walk = { 0, 10000, 100, 3, columns, NULL, NULL, is_third, NULL };
  HirTimelineIndex *index;
  HirTrace *trace;

  hir_trace_builder_add_track (builder, &track);
  for (guint i = 0; i < 10; i++)
    {
      HirEvent event = { .start_ns = 1000 * i + 50, .end_ns = 1000 * i + 90, .iteration = -1 };

      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  trace = hir_trace_builder_finish (builder);
  index = hir_timeline_index_new (trace, 0, 1, NULL);
  hir_timeline_index_walk (index, 0, &walk);
  for (guint c = 0; c < 100; c++)
    {
      g_assert_cmpint (columns[c].n, ==, c % 10 == 0 ? 1 : 0);
      g_assert_cmpint ((columns[c].key & HIR_TIMELINE_COLUMN_SHINES) != 0, ==, c == 30);
    }
  hir_timeline_index_free (index);
  hir_trace_unref (trace);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/timeline-index/ink", test_ink);
  g_test_add_func ("/timeline-index/cover", test_cover);
  g_test_add_func ("/timeline-index/highlighted", test_highlighted);
  return g_test_run ();
}
