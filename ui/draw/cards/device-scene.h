/* The picture of a mesh or a team: its devices as a small grid, the rank that is looked at marked, a root
 * outlined, and what each axis of the mesh does. Fits any width. Hits are places in the grid. */
#pragma once

#include "view/device-grid.h"
#include "view/domain-tree.h"
#include "draw/display-list.h"
#include "draw/theme.h"

G_BEGIN_DECLS

typedef struct
{
  const HirDeviceGrid *grid;
  const HirDomainTree *tree; /* nullable: of the tensor, for what the mesh's axes do */
  const HirTheme *theme;
  HirMeasure *measure;
  double width;
  gint64 rank; /* that is looked at */
  gint64 root; /* -1: none */
  int current; /* a cell that is pointed at, or -1 */
} HirDeviceScene;

/* In pixels, of all of it: grid, axes, and a line of text. Theme and current may be unset. */
double hir_device_scene_get_height (const HirDeviceScene *scene);
/* From (0, 0) downwards. */
void hir_device_scene_draw (const HirDeviceScene *scene, HirDisplayList *list);
/* The cell beside @current (-1: none) in the direction of an arrow key; @current where there is none. */
int hir_device_scene_step (const HirDeviceScene *scene, int current, int dx, int dy);
/* "device 3 at (1, 1), the rank shown". Newly allocated. */
char *hir_device_scene_dup_text (const HirDeviceScene *scene, int cell);

G_END_DECLS
