/* Memory for the pictures of one widget, used again from frame to frame: a fresh one each frame costs the system more
 * than painting does, for every page of it is cleared first. Main thread, but for the last use of a picture. */
#pragma once

#include <cairo.h>
#include <glib.h>

G_BEGIN_DECLS

typedef struct _HirCanvasPool HirCanvasPool;
typedef struct _HirCanvasPicture HirCanvasPicture;

HirCanvasPool *hir_canvas_pool_new (void);
/* Pictures that are still on show live on. */
void hir_canvas_pool_free (HirCanvasPool *pool);
/* A picture of that size that nobody shows, whatever it holds; give it back with unref(). NULL where memory can't be
 * had. */
HirCanvasPicture *hir_canvas_pool_take (HirCanvasPool *pool, int width, int height);

HirCanvasPicture *hir_canvas_picture_ref (HirCanvasPicture *picture);
/* Any thread. */
void hir_canvas_picture_unref (HirCanvasPicture *picture);
/* An image, CAIRO_FORMAT_ARGB32; borrowed. */
cairo_surface_t *hir_canvas_picture_get_surface (HirCanvasPicture *picture);

G_END_DECLS
