#include "graph/graph-camera.h"

#include <math.h>

#define FIT_MARGIN 16.0 /* pixels around the fitted layout */

/* Returns the bounds of the drawn boxes. The layout itself is larger: it reserves space for the
 * nodes of all steps. */
static HirRect
get_bounds (const HirLayout *layout)
{
  double x0 = layout->width, y0 = layout->height, x1 = 0, y1 = 0;

  if (layout->lanes->len > 0)
    return hir_rect (0, 0, layout->width, layout->height);
  for (guint pass = 0; pass < 2; pass++)
    {
      const GArray *rects = pass == 0 ? layout->nodes : layout->groups;

      for (guint i = 0; i < rects->len; i++)
        {
          const HirRect *rect = &g_array_index (rects, HirRect, i);

          if (rect->width <= 0)
            continue;
          x0 = MIN (x0, rect->x);
          y0 = MIN (y0, rect->y);
          x1 = MAX (x1, rect->x + rect->width);
          y1 = MAX (y1, rect->y + rect->height);
        }
    }
  return hir_rect (x0, y0, MAX (x1 - x0, 0), MAX (y1 - y0, 0));
}

gboolean
hir_camera_fit (
    HirCamera *camera, const HirLayout *layout, double width, double height, double min_zoom)
{
  HirRect bounds = get_bounds (layout);

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
