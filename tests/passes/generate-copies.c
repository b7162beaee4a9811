/* Schedules that create tensors or change their layout. */
#include "generate-private.h"

static void
add_schedule (HirGenerator *g, HirRandomScheduleKind kind, guint tensor, guint axis)
{
  HirRandomSchedule schedule = { kind, tensor, (int) axis, 0 };

  g_array_append_val (g->fusion->schedule, schedule);
}

/* Returns TRUE if the loop axes differ from those of the step. */
static gboolean
is_transformed (HirGenerator *g, guint tensor)
{
  for (guint i = 0; i < g->fusion->schedule->len; i++)
    {
      const HirRandomSchedule *schedule =
          &g_array_index (g->fusion->schedule, HirRandomSchedule, i);

      if (schedule->tensor == tensor &&
          (schedule->kind == HIR_RANDOM_SPLIT || schedule->kind == HIR_RANDOM_MERGE ||
           schedule->kind == HIR_RANDOM_OUTER_SPLIT))
        return TRUE;
    }
  return FALSE;
}

/* Returns TRUE if loop axis @axis is parallelized and thus cannot be split. */
static gboolean
is_parallelized (HirGenerator *g, guint tensor, guint axis)
{
  for (guint i = 0; i < g->fusion->schedule->len; i++)
    {
      const HirRandomSchedule *schedule =
          &g_array_index (g->fusion->schedule, HirRandomSchedule, i);

      if (schedule->tensor == tensor && schedule->axis == (int) axis &&
          (schedule->kind == HIR_RANDOM_PARALLELIZE || schedule->kind == HIR_RANDOM_MESH_X ||
           schedule->kind == HIR_RANDOM_MESH_Y))
        return TRUE;
    }
  return FALSE;
}

/* Splits the first reduced axis with an even size in two; the inner part is reduced first. */
static void
add_rfactor (HirGenerator *g, guint tensor)
{
  const HirRandomStep *step = hir_generator_get_step (g, tensor);

  for (guint i = 0; i < step->n_axes; i++)
    {
      if (!step->axes[i].is_reduced || step->axes[i].size % 2 != 0 || step->axes[i].size == 0 ||
          is_parallelized (g, tensor, i))
        continue;
      add_schedule (g, HIR_RANDOM_SPLIT, tensor, i);
      add_schedule (g, HIR_RANDOM_RFACTOR, tensor, i + 1);
      return;
    }
}

void
hir_generator_schedule_copies (HirGenerator *g)
{
  HirGenerator own = *g;

  own.state = g->fusion->seed ^ 0x636f70696573u;
  /* With devices, the lower bounds of the tests refer to communicating ops. */
  if (g->fusion->n_devices > 0 || !hir_generator_chance (&own, 40))
    return;
  for (guint i = 0; i < g->fusion->steps->len; i++)
    {
      const HirRandomStep *step = hir_generator_get_step (&own, i);

      if (!hir_generator_chance (&own, 30))
        continue;
      if (step->kind == HIR_RANDOM_SUM && !is_transformed (&own, i))
        add_rfactor (&own, i);
      else if (step->is_output && step->n_uses > 0 && hir_generator_chance (&own, 50))
        add_schedule (&own, HIR_RANDOM_CACHE_FORK, i, 0);
      else if (step->kind != HIR_RANDOM_INPUT && hir_generator_chance (&own, 40))
        add_schedule (&own, HIR_RANDOM_CACHE_BEFORE, i, 0);
      else if (step->n_uses > 0 && hir_generator_chance (&own, 60))
        add_schedule (&own, HIR_RANDOM_CACHE_AFTER, i, 0);
      /* Dumps do not show the memory layout of an output. */
      else if (!step->is_output)
        add_schedule (&own, HIR_RANDOM_ALLOCATION_REVERSED, i, 0);
    }
}
