/* Tests the critical path and the shades of lost time: their places, and that their number depends
 * on the pixels. */
#include "draw/timeline/timeline-explain.h"
#include "timeline-rig.h"

#include <math.h>

#define HEADER 120
#define N_MANY 20000

/* Three streams of one GPU: the path leads from the first to the last, and back, past the labels of
 * the second. */
static HirTrace *
new_labelled_trace (void)
{
  static const struct
  {
    guint track;
    gint64 start_us, end_us;
  } events[] = { { 0, 0, 100 }, { 1, 0, 400 }, { 2, 100, 500 }, { 1, 401, 900 }, { 0, 500, 1000 } };
  HirTraceBuilder *builder = hir_trace_builder_new ();
  guint16 tracks[3];

  for (guint i = 0; i < G_N_ELEMENTS (tracks); i++)
    {
      g_autofree char *name = g_strdup_printf ("Stream %u", i);
      HirTrack track = { HIR_TRACK_STREAM, 0, 0, i, name };

      tracks[i] = (guint16) hir_trace_builder_add_track (builder, &track);
    }
  for (guint i = 0; i < G_N_ELEMENTS (events); i++)
    {
      HirEvent event = { .start_ns = events[i].start_us * 1000,
                         .end_ns = events[i].end_us * 1000,
                         .iteration = -1,
                         .kind = HIR_EVENT_KERNEL,
                         .track = tracks[events[i].track] };

      event.name = hir_trace_builder_intern (builder, "matmul of a large matrix with many columns");
      hir_trace_builder_add (builder, &event, NULL);
    }
  return hir_trace_builder_finish (builder);
}

/* Two streams of one GPU: kernels of 60 ns with gaps of 40 ns, alternately. */
static HirTrace *
new_trace (guint n)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  guint16 tracks[2];

  for (guint i = 0; i < 2; i++)
    {
      HirTrack track = { HIR_TRACK_STREAM, 0, 0, i, (char *) (i == 0 ? "Stream 0" : "Stream 1") };

      tracks[i] = (guint16) hir_trace_builder_add_track (builder, &track);
    }
  for (guint i = 0; i < n; i++)
    {
      HirEvent event = { .start_ns = i * 100,
                         .end_ns = i * 100 + 60,
                         .iteration = -1,
                         .kind = HIR_EVENT_KERNEL,
                         .track = tracks[i % 2] };

      event.name = hir_trace_builder_intern (builder, "Set");
      hir_trace_builder_add (builder, &event, NULL);
    }
  return hir_trace_builder_finish (builder);
}

typedef struct
{
  TimelineRig rig;
  HirExplain *explain;
} Fixture;

static void
set_up (Fixture *f, gconstpointer n)
{
  g_autoptr (GError) error = NULL;

  timeline_rig_set_up (&f->rig,
                       n != NULL ? new_trace (GPOINTER_TO_UINT (n)) : new_labelled_trace (),
                       HEADER);
  f->explain = hir_explain_new (f->rig.trace, &error);
  g_assert_no_error (error);
  f->rig.scene.explain = f->explain;
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  hir_explain_free (f->explain);
  timeline_rig_tear_down (&f->rig);
}

/* Counts the items with a color, as fill or stroke. */
static guint
count (const HirDisplayList *list, HirDrawKind kind, HirColor color)
{
  guint n = 0;

  for (guint i = 0; i < list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (list, i);

      n += item->kind == kind && (item->fill == color || item->stroke == color);
    }
  return n;
}

static HirColor
get_shade (const Fixture *f, HirSpanKind kind)
{
  const HirTheme *theme = f->rig.scene.theme;

  return hir_color_mix (theme->background, hir_timeline_span_get_color (theme, kind), 0.28);
}

static gboolean
is_idle (const HirPathPart *part)
{
  return part->kind != HIR_PATH_WORK;
}

/* The path is one line for each run of parts that work, and each run of gaps. It passes along the
 * lower edges of the bars of its parts. */
static void
test_path (Fixture *f, gconstpointer data)
{
  const HirColor color = f->rig.scene.theme->text;
  const GArray *path = g_array_index (f->explain->repetitions, HirRepetition, 0).path;
  guint n, n_runs = 1;

  timeline_rig_draw (&f->rig);
  n = count (f->rig.list, HIR_DRAW_POLYLINE, color);
  f->rig.scene.shows_path = TRUE;
  timeline_rig_draw (&f->rig);
  g_assert_cmpuint (path->len, >, 2);
  for (guint i = 0; i < path->len; i++)
    {
      const HirPathPart *part = &g_array_index (path, HirPathPart, i);
      gboolean found = FALSE;
      HirRect bar;

      n_runs += i > 0 && is_idle (part) != is_idle (part - 1);
      g_assert_true (hir_timeline_scene_get_rect (&f->rig.scene, part->track, part->index, &bar));
      for (guint k = 0; k < f->rig.list->points->len; k++)
        {
          const HirPoint *point = &g_array_index (f->rig.list->points, HirPoint, k);

          found |= point->y > bar.y + bar.height && point->y < bar.y + bar.height + 2;
        }
      g_assert_true (found);
    }
  g_assert_cmpuint (count (f->rig.list, HIR_DRAW_POLYLINE, color) - n, ==, n_runs);
}

/* Returns the height of the lines of the path within the letters of @label. */
static double
get_crossed_px (const Fixture *f, const HirDrawItem *label)
{
  const HirDisplayList *list = f->rig.list;
  double width = hir_measure_get_width (f->rig.measure, (HirFont) label->font, label->radius,
                                        hir_display_list_get_text (list, label));
  double middle = label->rect.y + label->rect.height / 2, sum = 0;

  for (guint i = 0; i < list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (list, i);
      const HirPoint *points = hir_display_list_get_points (list, item);

      for (guint k = 0; item->kind == HIR_DRAW_POLYLINE &&
                        item->stroke == f->rig.scene.theme->text && k + 1 < item->n;
           k++)
        {
          double top = MAX (MIN (points[k].y, points[k + 1].y), middle - label->radius / 2);
          double bottom = MIN (MAX (points[k].y, points[k + 1].y), middle + label->radius / 2);

          if (points[k].x >= label->rect.x && points[k].x <= label->rect.x + width && top < bottom)
            sum += bottom - top;
        }
    }
  return sum;
}

/* The path does not cross letters, but what is beside them. */
static void
test_labels (Fixture *f, gconstpointer data)
{
  const double scene_widths[] = { RIG_WIDTH, 500 };

  f->rig.scene.shows_path = TRUE;
  for (guint w = 0; w < G_N_ELEMENTS (scene_widths); w++)
    {
      double x, between = 0;

      f->rig.scene.width = scene_widths[w];
      x = hir_timeline_scene_get_x (&f->rig.scene, 100000);
      timeline_rig_draw (&f->rig);
      for (guint i = 0; i < f->rig.list->items->len; i++)
        {
          const HirDrawItem *item = hir_display_list_get_item (f->rig.list, i);

          if (item->kind == HIR_DRAW_TEXT)
            g_assert_cmpfloat (get_crossed_px (f, item), ==, 0);
          else if (item->kind == HIR_DRAW_POLYLINE && item->stroke == f->rig.scene.theme->text)
            for (guint k = 0; k + 1 < item->n; k++)
              {
                const HirPoint *points = hir_display_list_get_points (f->rig.list, item) + k;

                if (fabs (points[0].x - x) < 1 && fabs (points[1].x - x) < 1)
                  between += fabs (points[1].y - points[0].y);
              }
        }
      /* Two rows of 22 pixels, without one label. */
      g_assert_cmpfloat (between, >, 22);
      g_assert_cmpfloat (between, <, 36);
    }
}

static void
test_shades (Fixture *f, gconstpointer data)
{
  timeline_rig_draw (&f->rig);
  g_assert_cmpuint (count (f->rig.list, HIR_DRAW_RECT, get_shade (f, HIR_SPAN_IDLE)), ==, 0);
  f->rig.scene.shades = 1u << HIR_SPAN_IDLE;
  timeline_rig_draw (&f->rig);
  /* Three gaps on each of two streams. */
  g_assert_cmpuint (count (f->rig.list, HIR_DRAW_RECT, get_shade (f, HIR_SPAN_IDLE)), ==, 6);
  g_assert_cmpuint (count (f->rig.list, HIR_DRAW_RECT, get_shade (f, HIR_SPAN_EXPOSED)), ==, 0);
}

static void
test_many (Fixture *f, gconstpointer data)
{
  guint n;

  timeline_rig_draw (&f->rig);
  n = f->rig.list->items->len;
  f->rig.scene.shows_path = TRUE;
  f->rig.scene.shades = 7;
  timeline_rig_draw (&f->rig);
  g_assert_cmpuint (f->rig.list->items->len - n, <, 12 * RIG_WIDTH);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/timeline/explain/path", Fixture, GUINT_TO_POINTER (4), set_up, test_path,
              tear_down);
  g_test_add ("/timeline/explain/labels", Fixture, NULL, set_up, test_labels, tear_down);
  g_test_add ("/timeline/explain/shades", Fixture, GUINT_TO_POINTER (4), set_up, test_shades,
              tear_down);
  g_test_add ("/timeline/explain/many", Fixture, GUINT_TO_POINTER (N_MANY), set_up, test_many,
              tear_down);
  return g_test_run ();
}
