#include "draw/timeline/minimap-scene.h"

#include <math.h>

#define FINGER_PX 5.0
#define LABEL_PX 10.5
#define MARGIN 3.0
#define MARK_HEIGHT 6.0
#define MIN_WINDOW_PX 3.0

static double
get_x (const HirMinimapScene *scene, gint64 time_ns)
{
  double span = (double) MAX (scene->last_ns - scene->first_ns, 1);

  return scene->plot_x +
         (double) (time_ns - scene->first_ns) / span * (scene->width - scene->plot_x);
}

gint64
hir_minimap_scene_get_time (const HirMinimapScene *scene, double x)
{
  double share = (x - scene->plot_x) / MAX (scene->width - scene->plot_x, 1);

  return scene->first_ns +
         (gint64) (CLAMP (share, 0, 1) * (double) (scene->last_ns - scene->first_ns));
}

void
hir_minimap_scene_get_window (const HirMinimapScene *scene, double *x0, double *x1)
{
  *x0 = CLAMP (get_x (scene, scene->start_ns), scene->plot_x, scene->width);
  *x1 = CLAMP (get_x (scene, scene->end_ns), scene->plot_x, scene->width);
  if (*x1 - *x0 < MIN_WINDOW_PX)
    {
      double middle = CLAMP ((*x0 + *x1) / 2, scene->plot_x + MIN_WINDOW_PX / 2,
                             scene->width - MIN_WINDOW_PX / 2);

      *x0 = middle - MIN_WINDOW_PX / 2;
      *x1 = middle + MIN_WINDOW_PX / 2;
    }
}

/* Draws each column as high as its busy share. */
static void
draw_lane (const HirMinimapScene *scene,
           HirDisplayList *list,
           const float *shares,
           const HirLook *looks,
           double top,
           double height)
{
  double each = (scene->width - scene->plot_x) / scene->n;

  for (guint c = 0; c < scene->n; c++)
    if (shares[c] > 0)
      {
        double high = MAX (round (shares[c] * height), 1);

        hir_display_list_add_rect (list,
                                   hir_rect (scene->plot_x + c * each, top + height - high, each,
                                             high),
                                   hir_theme_get_look_color (scene->theme, looks[c]));
      }
}

static void
draw_marks (const HirMinimapScene *scene, HirDisplayList *list)
{
  double each = (scene->width - scene->plot_x) / scene->n;

  for (guint c = 0; scene->marks != NULL && c < scene->n; c++)
    if (scene->marks[c] != 0)
      hir_display_list_add_rect (list,
                                 hir_rect (scene->plot_x + c * each - 0.5, 0, MAX (each, 2),
                                           MARK_HEIGHT),
                                 scene->theme->text);
}

static void
draw_window (const HirMinimapScene *scene, HirDisplayList *list)
{
  HirColor shade = hir_color_fade (scene->theme->background, 0.6);
  double x0, x1, middle = scene->height / 2;

  hir_minimap_scene_get_window (scene, &x0, &x1);
  hir_display_list_add_rect (list, hir_rect (scene->plot_x, 0, x0 - scene->plot_x, scene->height),
                             shade);
  hir_display_list_add_rect (list, hir_rect (x1, 0, scene->width - x1, scene->height), shade);
  hir_display_list_add_round_rect (list, hir_rect (x0, 0.5, x1 - x0, scene->height - 1), 3, 0,
                                   scene->theme->accent, 1.5, HIR_DASH_NONE);
  hir_display_list_add_round_rect (list, hir_rect (x0 - 2, middle - 7, 4, 14), 2,
                                   scene->theme->accent, 0, 0, HIR_DASH_NONE);
  hir_display_list_add_round_rect (list, hir_rect (x1 - 2, middle - 7, 4, 14), 2,
                                   scene->theme->accent, 0, 0, HIR_DASH_NONE);
}

void
hir_minimap_scene_draw (const HirMinimapScene *scene, HirDisplayList *list)
{
  const HirTheme *theme = scene->theme;
  double half = (scene->height - 2 * MARGIN - 2) / 2;

  if (scene->width - scene->plot_x < 2 * MIN_WINDOW_PX)
    return;
  hir_display_list_push_clip (list, hir_rect (0, 0, scene->width, scene->height));
  if (scene->label != NULL)
    hir_display_list_add_text (list, hir_rect (8, 0, scene->plot_x - 16, scene->height),
                               scene->label, HIR_FONT_SANS, LABEL_PX, theme->dim_text,
                               HIR_ALIGN_START);
  hir_display_list_add_rect (list,
                             hir_rect (scene->plot_x, 0, scene->width - scene->plot_x,
                                       scene->height),
                             theme->panel);
  if (scene->computation != NULL)
    {
      draw_lane (scene, list, scene->computation, scene->looks, MARGIN, half);
      draw_lane (scene, list, scene->communication, scene->looks + scene->n, MARGIN + half + 2,
                 half);
    }
  if (scene->band_end_ns > scene->band_start_ns)
    {
      double x0 = get_x (scene, scene->band_start_ns);
      double x1 = get_x (scene, scene->band_end_ns);

      hir_display_list_add_rect (list, hir_rect (x0, 0, MAX (x1 - x0, 1), scene->height),
                                 theme->band);
    }
  draw_window (scene, list);
  draw_marks (scene, list);
  hir_display_list_add_rect (list, hir_rect (0, scene->height - 1, scene->width, 1), theme->line);
  hir_display_list_pop_clip (list);
}

HirMinimapPart
hir_minimap_scene_hit (const HirMinimapScene *scene, double x)
{
  double x0, x1;

  hir_minimap_scene_get_window (scene, &x0, &x1);
  /* A drag inside a narrow window moves it; its edges can then be dragged only from outside. */
  if (x1 - x0 > 3 * FINGER_PX || x < x0 || x > x1)
    {
      if (fabs (x - x0) <= FINGER_PX)
        return HIR_MINIMAP_START;
      if (fabs (x - x1) <= FINGER_PX)
        return HIR_MINIMAP_END;
    }
  return x >= x0 && x <= x1 ? HIR_MINIMAP_WINDOW : HIR_MINIMAP_OUTSIDE;
}
