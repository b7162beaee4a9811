/* Which edge a point is on. */
#include <math.h>

#include "draw/graph/graph-scene.h"

static HirPoint
get_curve_point (const HirPoint *p, double t)
{
  double u = 1 - t, a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;

  return (HirPoint){ (float) (a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x),
                     (float) (a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y) };
}

static double
get_distance (HirPoint a, HirPoint b, double x, double y)
{
  double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  double t = length > 0 ? CLAMP (((x - a.x) * dx + (y - a.y) * dy) / length, 0.0, 1.0) : 0;

  return hypot (x - a.x - t * dx, y - a.y - t * dy);
}

int
hir_graph_scene_find_edge (const HirGraphScene *scene, double x, double y, double slack)
{
  double best = slack;
  int found = -1;

  for (guint i = 0; i < scene->layout->edges->len; i++)
    {
      const HirLayoutEdge *path = &g_array_index (scene->layout->edges, HirLayoutEdge, i);
      const HirPoint *points =
          (const HirPoint *) (gpointer) scene->layout->points->data + path->first_point;

      for (guint k = 0; k + 3 < path->n_points; k += 3)
        {
          HirRect bounds = hir_points_get_bounds (points + k, 4, (float) slack);
          HirPoint before = points[k];

          if (!hir_rect_contains (&bounds, x, y))
            continue;
          for (int step = 1; step <= 12; step++)
            {
              HirPoint point = get_curve_point (points + k, step / 12.0);
              double distance = get_distance (before, point, x, y);

              if (distance < best)
                {
                  best = distance;
                  found = (int) i;
                }
              before = point;
            }
        }
    }
  return found;
}
