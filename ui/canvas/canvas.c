#include "canvas/canvas.h"

#include <adwaita.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <math.h>

#include "canvas/scaler.h"
#include "draw/paint-pixels.h"

#define HEAP_BLOCK_BYTES                                                                           \
  (32 << 20) /* larger blocks are returned to the system at once; the C library                    \
          allows no higher limit */
#define HEAP_TRIM_BYTES (128 << 20)
#define STRIP_PIXELS 32

void
hir_canvas_keep_memory (void)
{
#ifdef __GLIBC__
  mallopt (M_MMAP_THRESHOLD, HEAP_BLOCK_BYTES);
  mallopt (M_TRIM_THRESHOLD, HEAP_TRIM_BYTES);
#endif
}

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

static HirCanvasPool *
get_pool (GtkWidget *widget)
{
  static const char key[] = "hir-canvas-pool";
  HirCanvasPool *pool = g_object_get_data (G_OBJECT (widget), key);

  if (pool == NULL)
    {
      pool = hir_canvas_pool_new ();
      g_object_set_data_full (G_OBJECT (widget), key, pool, (GDestroyNotify) hir_canvas_pool_free);
    }
  return pool;
}

/* Appends a texture that uses the image's memory without a copy. Takes the reference to
 * @picture. */
static void
append_texture (GtkSnapshot *snapshot, HirCanvasPicture *picture, const graphene_rect_t *bounds)
{
  cairo_surface_t *surface = hir_canvas_picture_get_surface (picture);
  int width = cairo_image_surface_get_width (surface);
  int height = cairo_image_surface_get_height (surface);
  gsize stride = (gsize) cairo_image_surface_get_stride (surface);
  g_autoptr (GdkTexture) texture = NULL;
  g_autoptr (GBytes) bytes = NULL;

  bytes =
      g_bytes_new_with_free_func (cairo_image_surface_get_data (surface), stride * (gsize) height,
                                  (GDestroyNotify) hir_canvas_picture_unref, picture);
  texture = gdk_memory_texture_new (width, height, GDK_MEMORY_DEFAULT, bytes, stride);
  gtk_snapshot_append_texture (snapshot, texture, bounds);
}

static cairo_surface_t *
acquire (cairo_pattern_t *pattern,
         gpointer picture,
         cairo_surface_t *target,
         const cairo_rectangle_int_t *extents)
{
  return cairo_surface_reference (hir_canvas_picture_get_surface (picture));
}

static void
release (cairo_pattern_t *pattern, gpointer picture, cairo_surface_t *surface)
{
  cairo_surface_destroy (surface);
}

static cairo_status_t
copy_pattern (cairo_pattern_t *pattern, gpointer picture, const cairo_pattern_t *other)
{
  hir_canvas_picture_ref (picture);
  return CAIRO_STATUS_SUCCESS;
}

static void
finish_pattern (cairo_pattern_t *pattern, gpointer picture)
{
  hir_canvas_picture_unref (picture);
}

/* Appends one render node for a strip of the image. */
static void
append_strip (GtkSnapshot *snapshot,
              cairo_pattern_t *pattern,
              const graphene_rect_t *strip,
              const graphene_rect_t *bounds,
              double scale)
{
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, strip);

  cairo_translate (cr, bounds->origin.x, bounds->origin.y);
  cairo_scale (cr, 1 / scale, 1 / scale);
  cairo_set_source (cr, pattern);
  cairo_set_operator (cr, CAIRO_OPERATOR_SOURCE);
  cairo_paint (cr);
  cairo_destroy (cr);
}

/* Appends @picture for the cairo renderer, because GTK 4.8 converts each pixel of a texture to
 * floating point and back there. A raster source supplies the surface when the node is drawn;
 * recording the surface itself would copy it. Each recording is painted into an intermediate
 * image; strips keep this image in the processor's cache. */
static void
append_surface (GtkSnapshot *snapshot,
                HirCanvasPicture *picture,
                const graphene_rect_t *bounds,
                double scale)
{
  cairo_surface_t *surface = hir_canvas_picture_get_surface (picture);
  int height = cairo_image_surface_get_height (surface);
  /* With a fractional scale or place strips would have visible seams. */
  gboolean is_whole = scale == floor (scale) && bounds->origin.y == floorf (bounds->origin.y);
  int each = is_whole ? STRIP_PIXELS * (int) scale : height;
  cairo_pattern_t *pattern =
      cairo_pattern_create_raster_source (picture, CAIRO_CONTENT_COLOR_ALPHA,
                                          cairo_image_surface_get_width (surface), height);

  hir_canvas_picture_ref (picture);
  cairo_raster_source_pattern_set_acquire (pattern, acquire, release);
  cairo_raster_source_pattern_set_copy (pattern, copy_pattern);
  cairo_raster_source_pattern_set_finish (pattern, finish_pattern);
  cairo_pattern_set_filter (pattern, CAIRO_FILTER_BILINEAR);
  for (int y = 0; y < height; y += each)
    append_strip (snapshot, pattern,
                  &GRAPHENE_RECT_INIT (bounds->origin.x, bounds->origin.y + (float) (y / scale),
                                       bounds->size.width,
                                       (float) (MIN (each, height - y) / scale)),
                  bounds, scale);
  cairo_pattern_destroy (pattern);
}

static gboolean
is_drawn_by_cairo (GtkWidget *widget)
{
  GtkNative *native = gtk_widget_get_native (widget);

  return native != NULL && GSK_IS_CAIRO_RENDERER (gtk_native_get_renderer (native));
}

void
hir_canvas_append_picture (GtkWidget *widget,
                           GtkSnapshot *snapshot,
                           HirCanvasPicture *picture,
                           const graphene_rect_t *bounds)
{
  int width = cairo_image_surface_get_width (hir_canvas_picture_get_surface (picture));

  if (is_drawn_by_cairo (widget))
    append_surface (snapshot, picture, bounds, width / (double) bounds->size.width);
  else
    gtk_snapshot_append_texture (snapshot, hir_canvas_picture_get_texture (picture), bounds);
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
  graphene_rect_t bounds =
      GRAPHENE_RECT_INIT (0, 0, (float) (pixel_width / scale), (float) (pixel_height / scale));
  HirCanvasPicture *picture;
  cairo_surface_t *surface;

  if (width <= 0 || height <= 0)
    return;
  picture = hir_canvas_pool_take (get_pool (widget), pixel_width, pixel_height);
  if (picture == NULL)
    return;
  surface = hir_canvas_picture_get_surface (picture);
  fill (surface, background);
  hir_paint_pixels (list, surface, zoom * scale, dx * scale, dy * scale, texts);
  cairo_surface_flush (surface);
  if (!is_drawn_by_cairo (widget))
    {
      append_texture (snapshot, picture, &bounds);
      return;
    }
  append_surface (snapshot, picture, &bounds, scale);
  hir_canvas_picture_unref (picture);
}
