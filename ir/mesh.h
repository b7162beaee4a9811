/* DeviceMesh: N-dimensional array of distinct device ids (docs/host-ir.md#device-meshes). */
#pragma once

#include "arena.h"
#include "iter-domain.h"

G_BEGIN_DECLS

/* Plain data in an arena; immutable. */
typedef struct
{
  int n_dims;
  gint64 *shape;   /* n_dims */
  gint64 *devices; /* row-major; product of shape */
  gint64 size;     /* product of shape */
} HirMesh;

/* Copies @devices and @shape into @arena. Returns NULL and sets @error (HIR_ERROR_INPUT) if a
 * device is repeated or negative, or if @shape does not match @n_devices. */
HirMesh *hir_mesh_new (HirArena *arena,
                       const gint64 *devices,
                       gsize n_devices,
                       const gint64 *shape,
                       int n_dims,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Copies @mesh into @arena. */
HirMesh *hir_mesh_dup (HirArena *arena, const HirMesh *mesh);

gboolean hir_mesh_equal (const HirMesh *a, const HirMesh *b); /* either may be NULL (no mesh) */
/* Returns TRUE if @device is in @mesh. */
gboolean hir_mesh_has (const HirMesh *mesh, gint64 device);
/* Returns the position of @device in the flattened mesh, or -1. */
gint64 hir_mesh_index_of (const HirMesh *mesh, gint64 device);
/* Returns the team of a collective (getSlice; docs/host-ir.md#device-meshes): the devices whose
 * coordinates differ from @device's only along one axis, in order along it. @from_last counts mesh
 * axes from the innermost: 0 for DIDx, 1 for DIDy. Returns a new array (g_free) of *@n devices, or
 * NULL if @device or the axis is not in the mesh. */
gint64 *hir_mesh_dup_slice (const HirMesh *mesh, gint64 device, int from_last, guint *n);
/* Returns the mesh axis of a device type, counted from the outermost: DIDx is the last, DIDy the
 * one before, DIDz the one before that. Returns -1 if the mesh has fewer axes or @type is not a
 * device type. */
int hir_mesh_get_axis (const HirMesh *mesh, HirParallelType type);
/* Returns the number of devices along that axis, or 0. */
gint64 hir_mesh_get_axis_size (const HirMesh *mesh, HirParallelType type);
/* Appends `DeviceMesh{0 1}`, `DeviceMesh{{0 1}{2 3}}`. */
void hir_mesh_print (const HirMesh *mesh, GString *out);

G_END_DECLS
