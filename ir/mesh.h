/* DeviceMesh: an N-D array of distinct device ids (docs/host-ir.md#device-meshes). */
#pragma once

#include "arena.h"
#include "iter-domain.h"

G_BEGIN_DECLS

/* Plain data in an arena; immutable once made. */
typedef struct
{
  int n_dims;
  gint64 *shape;   /* n_dims */
  gint64 *devices; /* row-major; product of shape */
  gint64 size;     /* product of shape */
} HirMesh;

/* Copies @devices and @shape into @arena. Returns NULL and sets @error (HIR_ERROR_INPUT) when a device
 * repeats, is negative, or the shape does not match @n_devices. */
HirMesh *hir_mesh_new (HirArena *arena, const gint64 *devices, gsize n_devices, const gint64 *shape,
                       int n_dims, GError **error) G_GNUC_WARN_UNUSED_RESULT;
HirMesh *hir_mesh_dup (HirArena *arena, const HirMesh *mesh);

gboolean hir_mesh_equal (const HirMesh *a, const HirMesh *b); /* either may be NULL: no mesh */
gboolean hir_mesh_has (const HirMesh *mesh, gint64 device);
/* Position of @device in the flattened mesh, -1 if absent. */
gint64 hir_mesh_index_of (const HirMesh *mesh, gint64 device);
/* The devices whose coordinates are those of @device but for one axis, in order along it: the team
 * of a collective (getSlice; docs/host-ir.md#device-meshes). @from_last counts mesh axes from the
 * innermost: 0 for DIDx, 1 for DIDy. Newly allocated (g_free), *@n of them; NULL where @device or
 * the axis is not in the mesh. */
gint64 *hir_mesh_dup_slice (const HirMesh *mesh, gint64 device, int from_last, guint *n);
/* Axis of @mesh that a device type stands for, counted from the outermost: DIDx is the last, DIDy the
 * one before, DIDz the one before that. -1 where the mesh has fewer, or @type is no device type. */
int hir_mesh_get_axis (const HirMesh *mesh, HirParallelType type);
/* How many devices lie along that axis; 0 where there is none. */
gint64 hir_mesh_get_axis_size (const HirMesh *mesh, HirParallelType type);
/* `DeviceMesh{0 1}`, `DeviceMesh{{0 1}{2 3}}`. */
void hir_mesh_print (const HirMesh *mesh, GString *out);

G_END_DECLS
