/* The devices of a tensor's mesh or of a communication's team, as a picture needs them. Made from the facts of
 * a snapshot, as domain-tree.h is. */
#pragma once

#include "view/program-view.h"

G_BEGIN_DECLS

/* Devices in a grid: a mesh, or a team in its order. */
typedef struct
{
  guint n_dims;   /* 1 or more */
  GArray *shape;  /* gint64, outermost first */
  GArray *devices; /* gint64, row-major */
} HirDeviceGrid;

/* Of the "mesh" of a tensor, or the "team" of a Communication; NULL where it has neither. */
HirDeviceGrid *hir_device_grid_new (const HirNodeInfo *info);
void hir_device_grid_free (HirDeviceGrid *grid);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirDeviceGrid, hir_device_grid_free)

G_END_DECLS
