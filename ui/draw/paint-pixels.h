/* The painter for the screen: rectangles and small rounded bars are written straight into the
 * pixels; texts, curves and outlines of what is hollow are left to cairo. Bars on whole pixels, as
 * a timeline has them, are quick: see tests/bench/bench-paint.c for how quick on a machine; the
 * others cost about what they cost cairo. Same picture as paint-cairo.h, within a few levels at
 * rounded corners. */
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
