/* Tests counters: compares the index with a scan of all samples, and checks the drawing of a
 * row. */
#include "draw/timeline/counter-index.h"
#include "draw/timeline/timeline-counter.h"
#include "draw/timeline/timeline-scene.h"

#include "timeline-rig.h"

#include <math.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define RANDOM_COUNT 40
#else
#define RANDOM_COUNT 200
#endif

static HirTrace *
create (guint n, const gint64 *times_ns, const double *values)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirTrack track = { HIR_TRACK_COUNTER, 0, -1, -1, (char *) "power" };

  hir_trace_builder_add_track (builder, &track);
  for (guint i = 0; i < n; i++)
    {
      HirEvent sample = {
        .start_ns = times_ns[i], .end_ns = times_ns[i], .iteration = -1, .kind = HIR_EVENT_COUNTER
      };

      hir_event_set_value (&sample, values[i]);
      g_assert_true (hir_trace_builder_add (builder, &sample, NULL));
    }
  return hir_trace_builder_finish (builder);
}

static void
test_range (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);

  for (guint round = 0; round < RANDOM_COUNT; round++)
    {
      guint n = (guint) g_rand_int_range (rand, 1, round % 8 == 0 ? 70000 : 700);
      g_autofree gint64 *times = g_new (gint64, n);
      g_autofree double *values = g_new (double, n);
      g_autoptr (HirTrace) trace = NULL;
      HirCounterIndex *index;

      for (guint i = 0; i < n; i++)
        {
          times[i] = i;
          values[i] = (double) (float) g_rand_double_range (rand, -1e6, 1e9);
        }
      trace = create (n, times, values);
      index = hir_counter_index_new (trace, 0, NULL);
      for (guint k = 0; k < 40; k++)
        {
          guint from = (guint) g_rand_int_range (rand, 0, (gint32) n);
          guint to = (guint) g_rand_int_range (rand, (gint32) from + 1, (gint32) n + 1);
          HirCounterRange range = hir_counter_index_get_range (index, from, to);
          double min = G_MAXDOUBLE, max = -G_MAXDOUBLE;

          for (guint i = from; i < to; i++)
            {
              min = MIN (min, values[i]);
              max = MAX (max, values[i]);
            }
          g_assert_cmpfloat (range.min, ==, min);
          g_assert_cmpfloat (range.max, ==, max);
        }
      hir_counter_index_free (index);
    }
}

/* Tests which data is accepted only for counters, and which is rejected for them. */
static void
test_rejected (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirTrack tracks[] = { { HIR_TRACK_COUNTER, 0, -1, -1, (char *) "power" },
                        { HIR_TRACK_HOST, 0, -1, -1, (char *) "host" } };
  HirEvent wrong[] = {
    { .kind = HIR_EVENT_KERNEL, .track = 0 },
    { .kind = HIR_EVENT_COUNTER, .track = 1 },
    { .kind = HIR_EVENT_COUNTER, .track = 0, .end_ns = 5 },
    { .kind = HIR_EVENT_COUNTER, .track = 0 },
  };
  g_autoptr (HirTrace) trace = NULL;

  hir_event_set_value (&wrong[3], INFINITY);
  for (guint i = 0; i < G_N_ELEMENTS (tracks); i++)
    hir_trace_builder_add_track (builder, &tracks[i]);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    g_assert_true (hir_trace_builder_add (builder, &wrong[i], NULL));
  trace = hir_trace_builder_finish (builder);
  g_assert_cmpuint (hir_trace_get_n_events (trace), ==, 0);
  g_assert_nonnull (strstr (hir_trace_get_account (trace)[0], "4 events rejected"));
}

/* Returns whether a rectangle of @color covers the point. */
static gboolean
has_ink (const HirDisplayList *list, HirColor color, double x, double y)
{
  for (guint i = 0; i < list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (list, i);

      if (item->kind == HIR_DRAW_RECT && item->fill == color &&
          hir_rect_contains (&item->rect, x, y))
        return TRUE;
    }
  return FALSE;
}

/* 10 from 200 ns, -10 from 600 ns to the end at 1000 ns, and a spike of one sample among many. */
static void
test_picture (void)
{
  const gint64 times[] = { 0, 200, 600, 899, 900, 1000 };
  const double values[] = { 0, 10, -10, 30, -10, -10 };
  g_autoptr (HirTrace) trace = create (6, times, values);
  g_autoptr (HirTimelineRows) rows = hir_timeline_rows_new (trace, NULL);
  g_autoptr (HirDisplayList) list = hir_display_list_new ();
  g_autoptr (HirMeasure) measure = hir_measure_new ();
  const HirTheme *theme = hir_theme_get (FALSE);
  HirColor line = hir_theme_get_event_color (theme, HIR_EVENT_COUNTER, NULL);
  HirColor area = hir_color_mix (theme->background, line, 0.4);
  HirTimelineScene scene = { .rows = rows,
                             .theme = theme,
                             .measure = measure,
                             .end_ns = 1000,
                             .width = 200,
                             .height = HIR_TIMELINE_RULER_HEIGHT + rows->height,
                             .header_width = 100 };
  const HirTimelineRow *row = hir_timeline_rows_get_track (rows, 0);
  double y, at_zero, at_ten;
  HirTimelineHit hit;

  hir_timeline_scene_draw (&scene, list);
  y = hir_timeline_scene_get_row_y (&scene, row);
  at_zero = round (y + 3 + 0.75 * (row->height - 7));
  at_ten = round (y + 3 + 0.5 * (row->height - 7));
  g_assert_true (has_ink (list, line, 140.5, at_ten + 0.5));
  g_assert_true (has_ink (list, area, 140.5, at_zero - 2));
  g_assert_false (has_ink (list, area, 140.5, at_zero + 2));
  g_assert_true (has_ink (list, area, 170.5, at_zero + 2));
  g_assert_false (has_ink (list, area, 170.5, at_zero - 2));
  /* One column shows both, from top to bottom. */
  g_assert_true (has_ink (list, line, 189.5, y + 4));
  g_assert_true (has_ink (list, line, 189.5, at_zero + 2));
  g_assert_false (has_ink (list, line, 187.5, y + 4));
  g_assert_true (list_has_text (list, "30") && list_has_text (list, "-10"));
  /* The value at this time, anywhere in the row. */
  hir_timeline_scene_hit (&scene, 150.5, y + 2, &hit);
  g_assert_cmpint (hit.part, ==, HIR_TIMELINE_EVENT);
  g_assert_cmpuint (hit.index, ==, 1);
  hir_timeline_scene_hit (&scene, 161.5, y + row->height - 4, &hit);
  g_assert_cmpuint (hit.index, ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/counter/range", test_range);
  g_test_add_func ("/counter/rejected", test_rejected);
  g_test_add_func ("/counter/picture", test_picture);
  return g_test_run ();
}
