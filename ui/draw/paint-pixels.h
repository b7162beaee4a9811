/* Paints a display list on the screen. Writes rectangles and small rounded bars directly into the
 * pixels; cairo paints texts, curves and outlines.
 *
 * Bars on whole pixels, as in a timeline, are fast (see tests/bench/bench-paint.c). Other shapes
 * take about as long as with cairo. The image equals that of paint-cairo.h, except for a few levels
 * at rounded corners. */
#pragma once

#include "draw/display-list.h"
#include "draw/text-cache.h"

#include <cairo.h>

G_BEGIN_DECLS

/* Paints @list over the contents of @surface.
 *
 * @surface: an image surface in CAIRO_FORMAT_ARGB32 or CAIRO_FORMAT_RGB24
 * @scale: a point (x, y) of the list is at pixel (x * scale + dx, y * scale + dy)
 * @texts: (nullable): cache that a view keeps between frames */
void hir_paint_pixels (const HirDisplayList *list,
                       cairo_surface_t *surface,
                       double scale,
                       double dx,
                       double dy,
                       HirTextCache *texts);

G_END_DECLS
