/* Measures how long the painters take for 100,000 bars in a window of 1600 x 400 pixels. Run it
 * with `meson test --benchmark`. Prints the best of seven runs because other programs use the
 * machine, too. Checks nothing. */
#include "draw/paint-cairo.h"
#include "draw/paint-pixels.h"

#define N_BARS 100000
#define WIDTH 1600
#define HEIGHT 400
#define ROWS 20

typedef struct
{
  const char *name;
  double length, shift; /* length of a bar and offset of its left side in pixels */
  double radius;
  HirColor fill, stroke;
} Shape;

/* Creates rows of bars, as in a timeline. */
static HirDisplayList *
new_list (const Shape *shape)
{
  HirDisplayList *list = hir_display_list_new ();
  double step = (WIDTH - shape->length - 1) / (double) (N_BARS / ROWS);

  for (guint i = 0; i < N_BARS; i++)
    {
      double x = (double) (guint) (i / ROWS * step) + shape->shift, y = i % ROWS * 20.0 + 2;
      HirRect rect = hir_rect (x, y, shape->length, 16);

      if (shape->radius > 0)
        hir_display_list_add_round_rect (list, rect, shape->radius, shape->fill, shape->stroke, 1,
                                         HIR_DASH_NONE);
      else
        hir_display_list_add_rect (list, rect, shape->fill);
    }
  return list;
}

static double
measure (const HirDisplayList *list, gboolean by_cairo)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
  gint64 best = G_MAXINT64;

  for (guint i = 0; i < 7; i++)
    {
      gint64 start = g_get_monotonic_time (), taken;

      if (by_cairo)
        {
          cairo_t *cr = cairo_create (surface);

          hir_paint_cairo (list, cr, NULL);
          cairo_destroy (cr);
        }
      else
        {
          hir_paint_pixels (list, surface, 1, 0, 0, NULL);
        }
      taken = g_get_monotonic_time () - start;
      best = MIN (best, taken);
    }
  cairo_surface_destroy (surface);
  return (double) best / 1000;
}

int
main (void)
{
  static const Shape shapes[] = {
    { "1 pixel wide", 1, 0, 0, 0xff2f71c9, 0 },
    { "4 pixels wide", 4, 0, 0, 0xff2f71c9, 0 },
    { "8 pixels, round", 8, 0, 2.5, 0xff2f71c9, 0 },
    { "8 pixels, round, outlined", 8, 0, 2.5, 0xffeee0b0, 0xffd9c26b },
    { "4 pixels, seen through", 4, 0, 0, 0x802f71c9, 0 },
    { "4 pixels, between pixels", 4, 0.4, 0, 0xff2f71c9, 0 },
    { "8 pixels, round, between pixels", 8, 0.4, 2.5, 0xff2f71c9, 0 },
  };

  g_print ("%d bars, %d x %d pixels, ms        by pixels   by cairo\n", N_BARS, WIDTH, HEIGHT);
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      g_autoptr (HirDisplayList) list = new_list (&shapes[i]);

      g_print ("%-40s %9.1f %10.1f\n", shapes[i].name, measure (list, FALSE), measure (list, TRUE));
    }
  return 0;
}
