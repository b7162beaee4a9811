/* Tests the critical path and the shades of lost time: their places, and that their number depends
 * on the pixels. */
#include "draw/timeline/timeline-explain.h"
#include "timeline-rig.h"

#define HEADER 120
#define N_MANY 20000

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

  timeline_rig_set_up (&f->rig, new_trace (GPOINTER_TO_UINT (n)), HEADER);
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

/* The path is one line for each run of parts that work, and each run of gaps. It passes through the
 * bars of its parts. */
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

          found |= point->y > bar.y && point->y < bar.y + bar.height;
        }
      g_assert_true (found);
    }
  g_assert_cmpuint (count (f->rig.list, HIR_DRAW_POLYLINE, color) - n, ==, n_runs);
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
  g_test_add ("/timeline/explain/shades", Fixture, GUINT_TO_POINTER (4), set_up, test_shades,
              tear_down);
  g_test_add ("/timeline/explain/many", Fixture, GUINT_TO_POINTER (N_MANY), set_up, test_many,
              tear_down);
  return g_test_run ();
}
