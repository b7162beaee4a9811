/* The painter for the screen: rectangles and small rounded bars are written straight into the
 * pixels (a hundred thousand take about a millisecond or two, fifty times less than by cairo);
 * texts, curves and outlines are left to cairo. Same picture as paint-cairo.h, within a few levels
 * at rounded corners. */
#pragma once

#include "draw/display-list.h"
#include "draw/text-cache.h"

#include <cairo.h>

G_BEGIN_DECLS

/* Paints @list over what @surface holds. @surface: an image surface, CAIRO_FORMAT_ARGB32 or RGB24.
 * A point (x, y) of the list comes to pixel (x * scale + dx, y * scale + dy).
 * @texts: nullable; what a view keeps from frame to frame. */
void hir_paint_pixels (const HirDisplayList *list,
                       cairo_surface_t *surface,
                       double scale,
                       double dx,
                       double dy,
                       HirTextCache *texts);

G_END_DECLS
