/* Where the graph's picture is in its pane. */
#pragma once

#include "draw/graph/layout.h"

G_BEGIN_DECLS

/* A point (x, y) of the layout is at (x * zoom + dx, y * zoom + dy) of the widget. */
typedef struct
{
  double zoom, dx, dy;
} HirCamera;

/* Puts all that @layout draws into a pane of @width x @height, in the middle; its beginning where that would
 * take a zoom below @min_zoom. FALSE where there is nothing to show, or no room. */
gboolean hir_camera_fit (
    HirCamera *camera, const HirLayout *layout, double width, double height, double min_zoom);
/* On the way from @from (t = 0) to @to (t = 1), slower towards its end. */
HirCamera hir_camera_between (HirCamera from, HirCamera to, double t);

G_END_DECLS
