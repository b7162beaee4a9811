/* Devices of a tensor's mesh or of a communication's team, arranged for drawing. Built from the
 * facts of a snapshot, like domain-tree.h. */
#pragma once

#include "view/program-view.h"

G_BEGIN_DECLS

/* Devices in a grid: a mesh, or a team in its order. */
typedef struct
{
  guint n_dims;    /* at least 1 */
  GArray *shape;   /* gint64, outermost first */
  GArray *devices; /* gint64, row-major */
} HirDeviceGrid;

/* Returns the grid of the "mesh" of a tensor or the "team" of a Communication; NULL if @info has
 * neither. */
HirDeviceGrid *hir_device_grid_new (const HirNodeInfo *info);
void hir_device_grid_free (HirDeviceGrid *grid);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirDeviceGrid, hir_device_grid_free)

G_END_DECLS
