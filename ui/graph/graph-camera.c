#include "graph/graph-camera.h"

#include <math.h>

#define FIT_MARGIN 16.0 /* pixels around the fitted layout */

gboolean
hir_camera_fit (
    HirCamera *camera, const HirLayout *layout, double width, double height, double min_zoom)
{
  HirRect bounds = hir_layout_get_bounds (layout);

  if (bounds.width <= 0 || bounds.height <= 0 || width <= 0 || height <= 0)
    return FALSE;
  camera->zoom =
      MIN ((width - 2 * FIT_MARGIN) / bounds.width, (height - 2 * FIT_MARGIN) / bounds.height);
  camera->zoom = CLAMP (camera->zoom, min_zoom, 1.0);
  camera->dx =
      MAX (FIT_MARGIN, (width - bounds.width * camera->zoom) / 2) - bounds.x * camera->zoom;
  camera->dy =
      MAX (FIT_MARGIN, (height - bounds.height * camera->zoom) / 2) - bounds.y * camera->zoom;
  return TRUE;
}

HirCamera
hir_camera_between (HirCamera from, HirCamera to, double t)
{
  double eased = 1 - pow (1 - CLAMP (t, 0, 1), 3);

  return (HirCamera){
    .zoom = from.zoom + (to.zoom - from.zoom) * eased,
    .dx = from.dx + (to.dx - from.dx) * eased,
    .dy = from.dy + (to.dy - from.dy) * eased,
  };
}
