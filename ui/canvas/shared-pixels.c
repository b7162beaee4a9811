#include "canvas/shared-pixels.h"

#include "config.h"
#if HIR_HAVE_X11
#include <X11/Xlib.h>
#include <cairo-xlib.h>
#include <gdk/x11/gdkx.h>

/* cairo shares only images of 16 KiB or more */
#define SMALL_SIDE 64

static gboolean
is_drawn_by_cairo (GdkDisplay *display)
{
  const char *from_environment = g_getenv ("GSK_RENDERER");
  const char *chosen = g_object_get_data (G_OBJECT (display), "gsk-renderer");

  return g_strcmp0 (from_environment != NULL ? from_environment : chosen, "cairo") == 0;
}

static void
get_largest (GdkDisplay *display, int *width, int *height)
{
  GListModel *monitors = gdk_display_get_monitors (display);

  *width = *height = SMALL_SIDE;
  for (guint i = 0; i < g_list_model_get_n_items (monitors); i++)
    {
      g_autoptr (GdkMonitor) monitor = g_list_model_get_item (monitors, i);
      int scale = gdk_monitor_get_scale_factor (monitor);
      GdkRectangle area;

      gdk_monitor_get_geometry (monitor, &area);
      *width = MAX (*width, area.width * scale);
      *height = MAX (*height, area.height * scale);
    }
}

static void
on_closed (GdkDisplay *display, gboolean is_error, cairo_surface_t *small)
{
  cairo_surface_destroy (small);
}

void
hir_shared_pixels_keep (GdkDisplay *display)
{
  cairo_surface_t *root, *large, *small;
  Display *x;
  int screen, width, height;

  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  if (!GDK_IS_X11_DISPLAY (display) || !is_drawn_by_cairo (display))
    return;
  x = gdk_x11_display_get_xdisplay (display);
  G_GNUC_END_IGNORE_DEPRECATIONS
  screen = DefaultScreen (x);
  get_largest (display, &width, &height);
  root = cairo_xlib_surface_create (x, RootWindow (x, screen), DefaultVisual (x, screen), 1, 1);
  /* A segment can hold eight images of the size it was created for. */
  large = cairo_surface_create_similar_image (root, CAIRO_FORMAT_ARGB32, width, height);
  small = cairo_surface_create_similar_image (root, CAIRO_FORMAT_ARGB32, SMALL_SIDE, SMALL_SIDE);
  cairo_surface_destroy (large);
  cairo_surface_destroy (root);
  g_signal_connect (display, "closed", G_CALLBACK (on_closed), small);
}

#else

void
hir_shared_pixels_keep (GdkDisplay *display)
{
}

#endif
