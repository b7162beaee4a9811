#include "canvas/canvas-pool.h"

/* One displayed image, one for the next frame, and one that the toolkit has not released yet. */
#define MAX_IMAGES 3

struct _HirCanvasPicture
{
  gatomicrefcount ref_count; /* the pool holds one reference; the image is unused if there is no
                                other */
  cairo_surface_t *surface;
  GdkTexture *texture; /* NULL until the first use */
};

struct _HirCanvasPool
{
  HirCanvasPicture *pictures[MAX_IMAGES]; /* NULL if not allocated yet */
};

HirCanvasPool *
hir_canvas_pool_new (void)
{
  return g_new0 (HirCanvasPool, 1);
}

void
hir_canvas_pool_free (HirCanvasPool *pool)
{
  for (guint i = 0; i < MAX_IMAGES; i++)
    g_clear_pointer (&pool->pictures[i], hir_canvas_picture_unref);
  g_free (pool);
}

HirCanvasPicture *
hir_canvas_picture_new (int width, int height)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  HirCanvasPicture *picture;

  if (cairo_surface_status (surface) != CAIRO_STATUS_SUCCESS)
    {
      cairo_surface_destroy (surface);
      return NULL;
    }
  picture = g_new0 (HirCanvasPicture, 1);
  g_atomic_ref_count_init (&picture->ref_count);
  picture->surface = surface;
  return picture;
}

static gboolean
has_size (const HirCanvasPicture *picture, int width, int height)
{
  return cairo_image_surface_get_width (picture->surface) == width &&
         cairo_image_surface_get_height (picture->surface) == height;
}

HirCanvasPicture *
hir_canvas_pool_take (HirCanvasPool *pool, int width, int height)
{
  HirCanvasPicture *picture;
  guint slot = MAX_IMAGES;

  for (guint i = 0; i < MAX_IMAGES; i++)
    {
      picture = pool->pictures[i];
      if (picture != NULL && g_atomic_ref_count_compare (&picture->ref_count, 1))
        {
          if (has_size (picture, width, height))
            return hir_canvas_picture_ref (picture);
          g_clear_pointer (&pool->pictures[i], hir_canvas_picture_unref);
        }
      if (pool->pictures[i] == NULL)
        slot = i;
    }
  picture = hir_canvas_picture_new (width, height);
  if (picture != NULL && slot < MAX_IMAGES)
    pool->pictures[slot] = hir_canvas_picture_ref (picture);
  return picture;
}

HirCanvasPicture *
hir_canvas_picture_ref (HirCanvasPicture *picture)
{
  g_atomic_ref_count_inc (&picture->ref_count);
  return picture;
}

void
hir_canvas_picture_unref (HirCanvasPicture *picture)
{
  if (!g_atomic_ref_count_dec (&picture->ref_count))
    return;
  g_clear_object (&picture->texture);
  cairo_surface_destroy (picture->surface);
  g_free (picture);
}

cairo_surface_t *
hir_canvas_picture_get_surface (HirCanvasPicture *picture)
{
  return picture->surface;
}

GdkTexture *
hir_canvas_picture_get_texture (HirCanvasPicture *picture)
{
  cairo_surface_t *surface = picture->surface;
  int height = cairo_image_surface_get_height (surface);
  gsize stride = (gsize) cairo_image_surface_get_stride (surface);
  g_autoptr (GBytes) bytes = NULL;

  if (picture->texture != NULL)
    return picture->texture;
  bytes =
      g_bytes_new_with_free_func (cairo_image_surface_get_data (surface), stride * (gsize) height,
                                  (GDestroyNotify) cairo_surface_destroy,
                                  cairo_surface_reference (surface));
  picture->texture = gdk_memory_texture_new (cairo_image_surface_get_width (surface), height,
                                             GDK_MEMORY_DEFAULT, bytes, stride);
  return picture->texture;
}
