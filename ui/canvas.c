#include "canvas.h"

#include <adwaita.h>
#include <math.h>

#include "draw/paint-pixels.h"
#include "scaler.h"

const HirTheme *
hir_canvas_get_theme (void)
{
  return hir_theme_get (adw_style_manager_get_dark (adw_style_manager_get_default ()));
}

void
hir_canvas_follow_style (GtkWidget *widget)
{
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (gtk_widget_queue_draw), widget, G_CONNECT_SWAPPED);
}

static void
fill (cairo_surface_t *surface, HirColor color)
{
  cairo_t *cr = cairo_create (surface);

  cairo_set_source_rgb (cr, ((color >> 16) & 0xff) / 255.0, ((color >> 8) & 0xff) / 255.0,
                        (color & 0xff) / 255.0);
  cairo_paint (cr);
  cairo_destroy (cr);
}

static void
destroy_surface (gpointer surface)
{
  cairo_surface_destroy (surface);
}

void
hir_canvas_snapshot (GtkWidget *widget,
                     GtkSnapshot *snapshot,
                     const HirDisplayList *list,
                     HirTextCache *texts,
                     HirColor background,
                     double zoom,
                     double dx,
                     double dy)
{
  double scale = gtk_widget_get_scale_factor (widget) * hir_scaler_get (widget);
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);
  int pixel_width = (int) ceil (width * scale), pixel_height = (int) ceil (height * scale);
  cairo_surface_t *surface;
  g_autoptr (GdkTexture) texture = NULL;
  g_autoptr (GBytes) bytes = NULL;
  gsize stride;

  if (width <= 0 || height <= 0)
    return;

  surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, pixel_width, pixel_height);
  if (cairo_surface_status (surface) != CAIRO_STATUS_SUCCESS)
    {
      cairo_surface_destroy (surface);
      return;
    }
  fill (surface, background);
  hir_paint_pixels (list, surface, zoom * scale, dx * scale, dy * scale, texts);
  cairo_surface_flush (surface);

  stride = (gsize) cairo_image_surface_get_stride (surface);
  /* The texture keeps the surface's memory: no copy. */
  bytes = g_bytes_new_with_free_func (cairo_image_surface_get_data (surface),
                                      stride * (gsize) pixel_height, destroy_surface, surface);
  texture = gdk_memory_texture_new (pixel_width, pixel_height, GDK_MEMORY_DEFAULT, bytes, stride);
  gtk_snapshot_append_texture (snapshot, texture,
                               &GRAPHENE_RECT_INIT (0, 0, (float) (pixel_width / scale),
                                                    (float) (pixel_height / scale)));
}
