#include "generate-private.h"

static void
add_schedule (HirGenerator *g, HirRandomScheduleKind kind, guint tensor, guint axis)
{
  HirRandomSchedule schedule = { kind, tensor, (int) axis, 0 };

  g_array_append_val (g->fusion->schedule, schedule);
}

/* Returns a kept axis, of @class_id (unless -1) if the tensor has it; -1 if none. */
static int
pick_axis (HirGenerator *g, const HirRandomStep *step, int class_id)
{
  guint at;

  for (guint i = 0; i < step->n_axes; i++)
    {
      if (step->axes[i].class_id == class_id && !step->axes[i].is_reduced &&
          !step->axes[i].is_broadcast)
        return (int) i;
    }
  if (step->n_axes == 0)
    return -1;
  at = hir_generator_pick (g, step->n_axes);
  for (guint k = 0; k < step->n_axes; k++)
    {
      guint i = (at + k) % step->n_axes;

      if (!step->axes[i].is_reduced &&
          (!step->axes[i].is_broadcast || hir_generator_chance (g, 20)))
        return (int) i;
    }
  return -1;
}

static gboolean
may_loop (const HirRandomStep *step)
{
  return step->kind != HIR_RANDOM_INPUT && !hir_random_is_fused (step->kind);
}

/* nvFuser of 2025 cannot write these into a slice of a buffer (docs/host-ir.md#compute), so a run
 * rejects them: rarely streamed. */
static gboolean
is_not_in_place (const HirRandomStep *step)
{
  return step->kind == HIR_RANDOM_BINARY_SCALAR || step->kind == HIR_RANDOM_SLICE;
}

/* The axes that a slice cuts cannot be streamed; the others can. */
static gboolean
is_cut (const HirRandomStep *step, int axis)
{
  return step->kind == HIR_RANDOM_SLICE && step->dims[axis] > 0;
}

void
hir_generator_schedule_streams (HirGenerator *g)
{
  guint share = (g->fusion->n_devices > 0 ? 10 : 45) + hir_generator_pick (g, 50);
  int class_id = -1;

  for (guint i = 0; i < g->fusion->steps->len; i++)
    {
      const HirRandomStep *step = hir_generator_get_step (g, i);
      int axis;

      if (!may_loop (step) || !hir_generator_chance (g, share))
        continue;
      axis = pick_axis (g, step, hir_generator_chance (g, 85) ? class_id : -1);
      if (axis < 0 || is_cut (step, axis) ||
          (is_not_in_place (step) && !hir_generator_chance (g, 3)))
        continue;
      add_schedule (g, HIR_RANDOM_PARALLELIZE, i, (guint) axis);
      class_id = step->axes[axis].class_id;
    }
}

static gboolean
is_scheduled (HirGenerator *g, guint tensor)
{
  for (guint i = 0; i < g->fusion->schedule->len; i++)
    {
      if (g_array_index (g->fusion->schedule, HirRandomSchedule, i).tensor == tensor)
        return TRUE;
    }
  return FALSE;
}

void
hir_generator_schedule_refused (HirGenerator *g)
{
  guint tensor = hir_generator_pick (g, g->fusion->steps->len);
  const HirRandomStep *step = hir_generator_get_step (g, tensor);
  guint what = hir_generator_pick (g, 3);

  if (step->n_axes == 0)
    return;
  if (is_scheduled (g, tensor))
    {
      /* Any second axis. */
      if (step->n_axes > 1 &&
          g_array_index (g->fusion->schedule, HirRandomSchedule, 0).tensor == tensor)
        add_schedule (g, HIR_RANDOM_PARALLELIZE, tensor,
                      g_array_index (g->fusion->schedule, HirRandomSchedule, 0).axis == 0 ? 1 : 0);
      return;
    }
  if (what == 0)
    add_schedule (g, HIR_RANDOM_SPLIT, tensor, 0);
  else if (what == 1 && step->n_axes > 1 && step->axes[0].is_reduced == step->axes[1].is_reduced)
    add_schedule (g, HIR_RANDOM_MERGE, tensor, 0);
  add_schedule (g, HIR_RANDOM_PARALLELIZE, tensor, what == 2 ? step->n_axes - 1 : 0);
}
