/* Zoom and position of the graph in its pane. */
#pragma once

#include "draw/graph/layout.h"

G_BEGIN_DECLS

/* A point (x, y) of the layout is at (x * zoom + dx, y * zoom + dy) of the widget. */
typedef struct
{
  double zoom, dx, dy;
} HirCamera;

/**
 * hir_camera_fit:
 * @camera: (out): the camera
 * @layout: the layout
 * @width: width of the pane
 * @height: height of the pane
 * @min_zoom: smallest allowed zoom
 *
 * Fits the drawn part of @layout into the pane and centers it. If the zoom would be below
 * @min_zoom, shows the start of the layout at @min_zoom.
 *
 * Returns: FALSE if the layout or the pane is empty
 */
gboolean hir_camera_fit (
    HirCamera *camera, const HirLayout *layout, double width, double height, double min_zoom);
/* Interpolates between @from (t = 0) and @to (t = 1), decelerating towards the end. */
HirCamera hir_camera_between (HirCamera from, HirCamera to, double t);

G_END_DECLS
