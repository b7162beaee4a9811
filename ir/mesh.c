#include "mesh.h"

#include <string.h>

#include "diagnostic.h"

static gboolean
check_devices (const gint64 *devices, gsize n_devices, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (gsize i = 0; i < n_devices; i++)
    {
      if (devices[i] < 0)
        {
          hir_set_error (error, HIR_ERROR_INPUT, NULL,
                         "device id %" G_GINT64_FORMAT " in a mesh; ids start at 0", devices[i]);
          return FALSE;
        }
      if (!g_hash_table_add (seen, (gpointer) &devices[i]))
        {
          hir_set_error (error, HIR_ERROR_INPUT, NULL,
                         "device %" G_GINT64_FORMAT " is in the mesh twice; name each device once",
                         devices[i]);
          return FALSE;
        }
    }
  return TRUE;
}

HirMesh *
hir_mesh_new (HirArena *arena,
              const gint64 *devices,
              gsize n_devices,
              const gint64 *shape,
              int n_dims,
              GError **error)
{
  HirMesh *mesh;
  gint64 size = 1;

  for (int i = 0; i < n_dims; i++)
    {
      if (shape[i] <= 0 || __builtin_mul_overflow (size, shape[i], &size))
        {
          hir_set_error (error, HIR_ERROR_INPUT, NULL,
                         "axis %d of the mesh has size %" G_GINT64_FORMAT "; it must be 1 or more",
                         i, shape[i]);
          return NULL;
        }
    }
  if (n_dims == 0)
    size = 0;
  if ((gsize) size != n_devices)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "the mesh has %" G_GSIZE_FORMAT
                     " devices, but its shape needs %" G_GINT64_FORMAT,
                     n_devices, size);
      return NULL;
    }
  if (!check_devices (devices, n_devices, error))
    return NULL;

  mesh = hir_arena_new0 (arena, HirMesh);
  mesh->n_dims = n_dims;
  mesh->shape = hir_arena_memdup (arena, shape, sizeof (gint64) * (gsize) n_dims);
  mesh->devices = hir_arena_memdup (arena, devices, sizeof (gint64) * n_devices);
  mesh->size = size;
  return mesh;
}

HirMesh *
hir_mesh_dup (HirArena *arena, const HirMesh *mesh)
{
  HirMesh *copy = hir_arena_memdup (arena, mesh, sizeof *mesh);

  copy->shape = hir_arena_memdup (arena, mesh->shape, sizeof (gint64) * (gsize) mesh->n_dims);
  copy->devices = hir_arena_memdup (arena, mesh->devices, sizeof (gint64) * (gsize) mesh->size);
  return copy;
}

gboolean
hir_mesh_equal (const HirMesh *a, const HirMesh *b)
{
  if (a == b)
    return TRUE;
  if (a == NULL || b == NULL || a->n_dims != b->n_dims || a->size != b->size)
    return FALSE;
  return memcmp (a->shape, b->shape, sizeof (gint64) * (gsize) a->n_dims) == 0 &&
         memcmp (a->devices, b->devices, sizeof (gint64) * (gsize) a->size) == 0;
}

gint64
hir_mesh_index_of (const HirMesh *mesh, gint64 device)
{
  for (gint64 i = 0; i < mesh->size; i++)
    {
      if (mesh->devices[i] == device)
        return i;
    }
  return -1;
}

gboolean
hir_mesh_has (const HirMesh *mesh, gint64 device)
{
  return hir_mesh_index_of (mesh, device) >= 0;
}

gint64 *
hir_mesh_dup_slice (const HirMesh *mesh, gint64 device, int from_last, guint *n)
{
  gint64 index = hir_mesh_index_of (mesh, device), stride = 1, size, first;
  gint64 *slice;

  *n = 0;
  if (index < 0 || from_last < 0 || from_last >= mesh->n_dims)
    return NULL;

  for (int i = 0; i < from_last; i++)
    stride *= mesh->shape[mesh->n_dims - 1 - i];
  size = mesh->shape[mesh->n_dims - 1 - from_last];
  first = index - index / stride % size * stride;
  slice = g_new (gint64, (gsize) size);
  for (gint64 i = 0; i < size; i++)
    slice[i] = mesh->devices[first + i * stride];
  *n = (guint) size;
  return slice;
}

int
hir_mesh_get_axis (const HirMesh *mesh, HirParallelType type)
{
  int from_last = (int) type - HIR_PARALLEL_DIDX;

  if (from_last < 0 || type > HIR_PARALLEL_DIDZ || from_last >= mesh->n_dims)
    return -1;
  return mesh->n_dims - 1 - from_last;
}

gint64
hir_mesh_get_axis_size (const HirMesh *mesh, HirParallelType type)
{
  int axis = hir_mesh_get_axis (mesh, type);

  return axis < 0 ? 0 : mesh->shape[axis];
}

/* Prints one nesting level. Nested groups are not separated; devices are separated by a space. */
static void
print_level (const HirMesh *mesh, int dim, gint64 first, gint64 stride, GString *out)
{
  gint64 step = mesh->n_dims == 0 ? 0 : stride / mesh->shape[dim];

  g_string_append_c (out, '{');
  for (gint64 i = 0; mesh->n_dims > 0 && i < mesh->shape[dim]; i++)
    {
      if (dim + 1 < mesh->n_dims)
        print_level (mesh, dim + 1, first + i * step, step, out);
      else
        g_string_append_printf (out, "%s%" G_GINT64_FORMAT, i > 0 ? " " : "",
                                mesh->devices[first + i]);
    }
  g_string_append_c (out, '}');
}

void
hir_mesh_print (const HirMesh *mesh, GString *out)
{
  g_string_append (out, "DeviceMesh");
  print_level (mesh, 0, 0, mesh->size, out);
}
