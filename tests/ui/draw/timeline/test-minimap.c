#include "draw/timeline/minimap-scene.h"

#include <math.h>

#define N 500
#define PLOT 100.0

static float shares[2 * N];
static HirLook looks[2 * N];

static HirMinimapScene
create_scene (void)
{
  for (guint i = 0; i < N; i++)
    {
      shares[i] = i % 5 == 0 ? 0.001f : i % 5 == 1 ? 1 : 0;
      shares[N + i] = i < N / 2 ? 0.5f : 0;
      looks[i] = hir_event_get_look (HIR_EVENT_KERNEL, "matmul");
      looks[N + i] =
          hir_event_get_look (HIR_EVENT_COMMUNICATION, i < 50 ? "Allreduce" : "Allgather");
    }
  return (HirMinimapScene){ .computation = shares,
                            .communication = shares + N,
                            .looks = looks,
                            .n = N,
                            .first_ns = 1000,
                            .last_ns = 51000,
                            .start_ns = 11000,
                            .end_ns = 21000,
                            .theme = hir_theme_get (TRUE),
                            .width = PLOT + N,
                            .height = HIR_MINIMAP_HEIGHT,
                            .plot_x = PLOT };
}

/* What is busy for ever so little is seen; what is not, is not. */
static void
test_ink (void)
{
  g_autoptr (HirDisplayList) list = hir_display_list_new ();
  HirMinimapScene scene = create_scene ();
  HirColor blue = hir_theme_get_event_color (scene.theme, HIR_EVENT_KERNEL, "matmul");
  HirColor red = hir_theme_get_event_color (scene.theme, HIR_EVENT_COMMUNICATION, "Allreduce");
  guint n_blue[N] = { 0 }, n_red = 0;
  float highest = 0;

  hir_minimap_scene_draw (&scene, list);
  for (guint i = 0; i < list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (list, i);

      n_red += item->kind == HIR_DRAW_RECT && item->fill == red;
      if (item->kind != HIR_DRAW_RECT || item->fill != blue)
        continue;
      g_assert_cmpfloat (item->rect.height, >=, 1);
      g_assert_cmpfloat (item->rect.y + item->rect.height, <, HIR_MINIMAP_HEIGHT / 2 + 2);
      n_blue[(guint) (item->rect.x - PLOT)]++;
      highest = MAX (highest, item->rect.height);
    }
  for (guint i = 0; i < N; i++)
    g_assert_cmpuint (n_blue[i], ==, i % 5 < 2);
  g_assert_cmpfloat (highest, >, 8);
  g_assert_cmpuint (n_red, ==, 50);
}

static void
test_window (void)
{
  HirMinimapScene scene = create_scene ();
  double x0, x1;

  hir_minimap_scene_get_window (&scene, &x0, &x1);
  g_assert_cmpfloat (x0, ==, PLOT + 100);
  g_assert_cmpfloat (x1, ==, PLOT + 200);
  g_assert_cmpint (hir_minimap_scene_get_time (&scene, x0), ==, scene.start_ns);
  g_assert_cmpint (hir_minimap_scene_hit (&scene, x0 + 2), ==, HIR_MINIMAP_START);
  g_assert_cmpint (hir_minimap_scene_hit (&scene, x1 - 2), ==, HIR_MINIMAP_END);
  g_assert_cmpint (hir_minimap_scene_hit (&scene, x0 + 50), ==, HIR_MINIMAP_WINDOW);
  g_assert_cmpint (hir_minimap_scene_hit (&scene, x0 - 50), ==, HIR_MINIMAP_OUTSIDE);
  /* Of a nanosecond, at the very end, and far outside: it can still be taken. */
  for (guint i = 0; i < 3; i++)
    {
      scene.start_ns = i == 0 ? 30000 : i == 1 ? 50999 : 90000;
      scene.end_ns = scene.start_ns + 1;
      hir_minimap_scene_get_window (&scene, &x0, &x1);
      g_assert_cmpfloat (x1 - x0, >=, 2.9);
      g_assert_true (x0 >= PLOT && x1 <= scene.width);
      g_assert_cmpint (hir_minimap_scene_hit (&scene, (x0 + x1) / 2), ==, HIR_MINIMAP_WINDOW);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/minimap/ink", test_ink);
  g_test_add_func ("/minimap/window", test_window);
  return g_test_run ();
}
