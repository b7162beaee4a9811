/* Tests the reuse of a canvas's images. */
#include "canvas/canvas-pool.h"

static void
test_reuse (void)
{
  HirCanvasPool *pool = hir_canvas_pool_new ();
  HirCanvasPicture *first = hir_canvas_pool_take (pool, 40, 30);
  HirCanvasPicture *second = hir_canvas_pool_take (pool, 40, 30);
  HirCanvasPicture *again;

  g_assert_nonnull (first);
  g_assert_true (first != second);
  g_assert_cmpint (cairo_image_surface_get_width (hir_canvas_picture_get_surface (first)), ==, 40);
  g_assert_cmpint (cairo_image_surface_get_height (hir_canvas_picture_get_surface (first)), ==, 30);
  hir_canvas_picture_unref (first);
  again = hir_canvas_pool_take (pool, 40, 30);
  g_assert_true (again == first);
  hir_canvas_picture_unref (again);
  hir_canvas_picture_unref (second);
  hir_canvas_pool_free (pool);
}

/* More images than the pool stores can be taken. An image of another size is never returned. */
static void
test_limits (void)
{
  HirCanvasPool *pool = hir_canvas_pool_new ();
  HirCanvasPicture *pictures[6];

  for (guint i = 0; i < G_N_ELEMENTS (pictures); i++)
    {
      pictures[i] = hir_canvas_pool_take (pool, 8, 8 + (int) (i / 2));
      g_assert_cmpint (cairo_image_surface_get_height (
                           hir_canvas_picture_get_surface (pictures[i])),
                       ==, 8 + (int) (i / 2));
      for (guint k = 0; k < i; k++)
        g_assert_true (pictures[i] != pictures[k]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (pictures); i++)
    hir_canvas_picture_unref (pictures[i]);
  for (guint i = 0; i < 4; i++)
    {
      HirCanvasPicture *picture = hir_canvas_pool_take (pool, 9, 9);

      g_assert_cmpint (cairo_image_surface_get_width (hir_canvas_picture_get_surface (picture)), ==,
                       9);
      hir_canvas_picture_unref (picture);
    }
  hir_canvas_pool_free (pool);
}

/* A displayed image outlives its widget. */
static void
test_outlives (void)
{
  HirCanvasPool *pool = hir_canvas_pool_new ();
  HirCanvasPicture *picture = hir_canvas_pool_take (pool, 4, 4);

  hir_canvas_pool_free (pool);
  g_assert_cmpint (cairo_surface_status (hir_canvas_picture_get_surface (picture)), ==,
                   CAIRO_STATUS_SUCCESS);
  hir_canvas_picture_unref (picture);
}

/* A texture uses the memory of its image, and keeps it. */
static void
test_texture (void)
{
  HirCanvasPicture *picture = hir_canvas_picture_new (4, 2);
  cairo_surface_t *surface = hir_canvas_picture_get_surface (picture);
  guint32 *pixels = (guint32 *) (gpointer) cairo_image_surface_get_data (surface);
  g_autoptr (GdkTexture) texture = NULL;
  guint32 copy[8];

  pixels[0] = 0xff102030;
  cairo_surface_mark_dirty (surface);
  texture = g_object_ref (hir_canvas_picture_get_texture (picture));
  g_assert_true (texture == hir_canvas_picture_get_texture (picture));
  hir_canvas_picture_unref (picture);
  g_assert_cmpint (gdk_texture_get_width (texture), ==, 4);
  g_assert_cmpint (gdk_texture_get_height (texture), ==, 2);
  gdk_texture_download (texture, (guchar *) copy, 4 * sizeof *copy);
  g_assert_cmphex (copy[0], ==, 0xff102030);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/canvas-pool/reuse", test_reuse);
  g_test_add_func ("/canvas-pool/limits", test_limits);
  g_test_add_func ("/canvas-pool/outlives", test_outlives);
  g_test_add_func ("/canvas-pool/texture", test_texture);
  return g_test_run ();
}
