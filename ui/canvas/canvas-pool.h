/* Reuses the image memory of a widget from frame to frame. Allocating new memory for each frame
 * would cost more than painting, because the kernel clears each page first. Call on the main
 * thread, except hir_canvas_picture_unref(). */
#pragma once

#include <cairo.h>
#include <gdk/gdk.h>

G_BEGIN_DECLS

typedef struct _HirCanvasPool HirCanvasPool;
typedef struct _HirCanvasPicture HirCanvasPicture;

/* Creates an empty pool. */
HirCanvasPool *hir_canvas_pool_new (void);
/* Frees @pool. Images that are still displayed are freed with their last reference. */
void hir_canvas_pool_free (HirCanvasPool *pool);
/* Returns an unused image of the given size with undefined content. Release it with
 * hir_canvas_picture_unref(). Returns NULL if there is no memory. */
HirCanvasPicture *hir_canvas_pool_take (HirCanvasPool *pool, int width, int height);

/* Creates an image outside of any pool. May be called from any thread. Returns NULL if there is no
 * memory. */
HirCanvasPicture *hir_canvas_picture_new (int width, int height);
/* Takes a reference. */
HirCanvasPicture *hir_canvas_picture_ref (HirCanvasPicture *picture);
/* Releases a reference. May be called from any thread. */
void hir_canvas_picture_unref (HirCanvasPicture *picture);
/* Returns the image surface, CAIRO_FORMAT_ARGB32 (borrowed). */
cairo_surface_t *hir_canvas_picture_get_surface (HirCanvasPicture *picture);
/* Returns a texture that uses the image's memory, always the same one (borrowed). The image must
 * not change after this call, so it must not be from a pool. */
GdkTexture *hir_canvas_picture_get_texture (HirCanvasPicture *picture);

G_END_DECLS
