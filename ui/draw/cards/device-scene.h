/* Draws a mesh or a team: a small grid of devices with the displayed rank marked and a root
 * outlined, and the use of each mesh axis. Fits any width. Hits are indices in the grid. */
#pragma once

#include "draw/display-list.h"
#include "draw/theme.h"
#include "view/device-grid.h"
#include "view/domain-tree.h"

G_BEGIN_DECLS

typedef struct
{
  const HirDeviceGrid *grid;
  const HirDomainTree *tree; /* nullable; domains of the tensor, to show the use of the mesh axes */
  const HirTheme *theme;
  HirMeasure *measure;
  double width;
  gint64 rank; /* displayed rank */
  gint64 root; /* -1 if none */
  int current; /* hovered cell, or -1 */
} HirDeviceScene;

/* Returns the height in pixels of the grid, the axes and a line of text. The theme and the hovered
 * cell may be unset. */
double hir_device_scene_get_height (const HirDeviceScene *scene);
/* Draws the scene at (0, 0). */
void hir_device_scene_draw (const HirDeviceScene *scene, HirDisplayList *list);
/* Returns the cell next to @current (-1: none) in the direction of an arrow key, or @current if
 * there is none. */
int hir_device_scene_step (const HirDeviceScene *scene, int current, int dx, int dy);
/* Returns a text such as "device 3 at (1, 1), the displayed rank" (transfer full). */
char *hir_device_scene_dup_text (const HirDeviceScene *scene, int cell);

G_END_DECLS
