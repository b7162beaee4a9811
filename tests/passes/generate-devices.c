/* Meshes, and axes over devices. One class of related axes is mostly over DIDx wherever it occurs;
 * tensors that differ must communicate. */
#include "generate-private.h"

typedef struct
{
  HirGenerator *g;
  int class_x, class_y; /* -1 if not chosen yet */
  guint keep;           /* percentage of tensors that follow the class */
  guint wander;         /* percentage of tensors that are over another axis */
} Devices;

static void
add_schedule (HirGenerator *g, HirRandomScheduleKind kind, guint tensor, int axis, guint value)
{
  HirRandomSchedule schedule = { kind, tensor, axis, value };

  g_array_append_val (g->fusion->schedule, schedule);
}

/* Adds a mesh with @n devices, in any order or in ascending order. */
static void
add_mesh (HirGenerator *g, guint n, gboolean any)
{
  HirRandomMesh *mesh = &g->fusion->meshes[g->fusion->n_meshes++];
  guint n_all = g->fusion->n_devices;
  int devices[HIR_RANDOM_MAX_DEVICES];

  for (guint i = 0; i < n_all; i++)
    devices[i] = (int) i;
  for (guint i = 0; any && i < n_all; i++)
    {
      guint k = i + hir_generator_pick (g, n_all - i);
      int swapped = devices[i];

      devices[i] = devices[k];
      devices[k] = swapped;
    }
  for (guint i = 0; i < n; i++)
    mesh->devices[i] = devices[i];
  mesh->n_devices = n;
  mesh->n_rows = 1;
}

void
hir_generator_pick_meshes (HirGenerator *g)
{
  static const guint counts[] = { 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 6, 8 };
  HirRandomFusion *fusion = g->fusion;
  guint what = hir_generator_pick (g, 100);

  fusion->n_devices = counts[hir_generator_pick (g, G_N_ELEMENTS (counts))];
  add_mesh (g, fusion->n_devices, what >= 50 && what < 65);
  if (what >= 85 && fusion->n_devices % 2 == 0 && fusion->n_devices > 2)
    fusion->meshes[0].n_rows =
        fusion->n_devices > 4 && hir_generator_chance (g, 50) ? fusion->n_devices / 2 : 2;
  else if (what >= 65)
    for (guint i = 0; i < 1 + hir_generator_pick (g, 2); i++)
      add_mesh (g,
                hir_generator_chance (g, 60) ? fusion->n_devices
                                             : 1 + hir_generator_pick (g, fusion->n_devices),
                TRUE);
}

static guint
get_width (const HirRandomMesh *mesh)
{
  return mesh->n_devices / mesh->n_rows;
}

/* Returns an axis of @step that @n devices can share: one of @class_id if possible, otherwise
 * (@any) one after a random position; -1 if none. */
static int
find_axis (HirGenerator *g, const HirRandomStep *step, int class_id, guint n, gboolean any)
{
  guint at;

  for (guint i = 0; i < step->n_axes; i++)
    if (step->axes[i].class_id == class_id && !step->axes[i].is_broadcast &&
        step->axes[i].size % n == 0)
      return (int) i;
  if (!any || step->n_axes == 0)
    return -1;
  at = hir_generator_pick (g, step->n_axes);
  for (guint k = 0; k < step->n_axes; k++)
    {
      guint i = (at + k) % step->n_axes;

      if (!step->axes[i].is_broadcast && !step->axes[i].is_reduced && step->axes[i].size % n == 0)
        return (int) i;
    }
  return -1;
}

static gboolean
is_streamed (HirGenerator *g, guint tensor, int axis)
{
  for (guint i = 0; i < g->fusion->schedule->len; i++)
    {
      const HirRandomSchedule *schedule =
          &g_array_index (g->fusion->schedule, HirRandomSchedule, i);

      if (schedule->tensor == tensor && schedule->axis == axis)
        return TRUE;
    }
  return FALSE;
}

/* Returns TRUE if the axis was split, so that the axes after it moved. */
static gboolean
spread (HirGenerator *g, guint tensor, int axis, guint n, HirRandomScheduleKind kind)
{
  const HirRandomStep *step = hir_generator_get_step (g, tensor);
  gboolean is_split = step->axes[axis].size != n || hir_generator_chance (g, 8);

  /* The operand already determines a reduced axis over devices. */
  if (step->axes[axis].is_reduced && !is_split)
    return FALSE;
  if (is_split)
    add_schedule (g, HIR_RANDOM_OUTER_SPLIT, tensor, axis, n);
  add_schedule (g, kind, tensor, axis, 0);
  if (is_split && hir_generator_chance (g, 40))
    add_schedule (g, HIR_RANDOM_ALLOCATION_AS_LOOP, tensor, 0, 0);
  return is_split;
}

static void
spread_tensor (Devices *d, guint tensor, const HirRandomMesh *mesh)
{
  HirGenerator *g = d->g;
  const HirRandomStep *step = hir_generator_get_step (g, tensor);
  gboolean wanders = hir_generator_chance (g, d->wander);
  /* Sets communicate. */
  guint keep = step->kind == HIR_RANDOM_SET ? d->keep - 35 : d->keep;
  int x, y;

  if (!wanders && !hir_generator_chance (g, keep))
    return;
  x = find_axis (g, step, wanders ? -1 : d->class_x, get_width (mesh), wanders || d->class_x < 0);
  if (x >= 0 && is_streamed (g, tensor, x) && !hir_generator_chance (g, 3))
    x = -1;
  if (x >= 0)
    {
      if (d->class_x < 0)
        d->class_x = step->axes[x].class_id;
      if (spread (g, tensor, x, get_width (mesh), HIR_RANDOM_MESH_X))
        return;
      /* A sum over devices whose result is sharded too. */
      if (step->axes[x].is_reduced && hir_generator_chance (g, 40))
        {
          x = find_axis (g, step, -1, get_width (mesh), TRUE);
          if (x >= 0 && !is_streamed (g, tensor, x))
            spread (g, tensor, x, get_width (mesh), HIR_RANDOM_MESH_X);
          return;
        }
    }
  if (mesh->n_rows == 1)
    return;
  y = find_axis (g, step, d->class_y, mesh->n_rows, d->class_y < 0);
  if (y < 0 || y == x || is_streamed (g, tensor, y))
    return;
  d->class_y = step->axes[y].class_id;
  spread (g, tensor, y, mesh->n_rows, HIR_RANDOM_MESH_Y);
}

void
hir_generator_schedule_devices (HirGenerator *g)
{
  Devices d = { g, -1, -1, 80 + hir_generator_pick (g, 20), hir_generator_pick (g, 20) };
  guint n = g->fusion->steps->len;
  /* Leaves some meshes to PropagateShardings. */
  guint left_out = hir_generator_chance (g, 20) ? 40 : 0;

  for (guint i = 0; i < n; i++)
    {
      guint which = hir_generator_chance (g, 70) ? 0 : hir_generator_pick (g, g->fusion->n_meshes);

      if (hir_generator_get_step (g, i)->kind != HIR_RANDOM_INPUT &&
          hir_generator_chance (g, left_out))
        continue;
      add_schedule (g, HIR_RANDOM_SET_MESH, i, -1, which);
      spread_tensor (&d, i, &g->fusion->meshes[which]);
    }
}
