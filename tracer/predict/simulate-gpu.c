/* How work on a GPU occupies its multiprocessors, and slows down other work
 * (docs/predict.md#interference). */
#include "predict/interference.h"
#include "predict/simulate-private.h"

static guint
get_gpu (const HirSimulation *s, guint rank)
{
  return g_array_index (s->options->measure->gpus, guint, rank);
}

/* Returns whether the part of the node is of @class and on the GPU of @rank. */
static gboolean
is_running (const HirSimulation *s, guint number, guint rank, HirWorkClass class)
{
  return get_gpu (s, hir_plan_get_node (s->plan, number)->rank) == get_gpu (s, rank) &&
         hir_simulation_get_part (s, number)->work_class == class;
}

/* Without interference, only kernels share the multiprocessors of a GPU. */
static gboolean
needs_device (const HirSimulation *s, const HirPlanPart *part)
{
  return part->work_class == HIR_WORK_KERNEL ||
         (s->options->interference && part->work_class != HIR_WORK_FREE);
}

/* In the last wave of a kernel, some multiprocessors are free. */
static gboolean
is_in_last_wave (const HirSimulation *s, guint number)
{
  return s->states[number].left_ns <=
         HIR_INTERFERENCE_WAVE * hir_simulation_get_part (s, number)->ns + HIR_SIMULATION_DONE_NS;
}

/* Work needs multiprocessors that kernels occupy until their last wave. */
gboolean
hir_simulation_can_start (const HirSimulation *s, guint number)
{
  guint rank = hir_plan_get_node (s->plan, number)->rank;

  if (!needs_device (s, hir_simulation_get_part (s, number)))
    return TRUE;
  for (guint i = 0; i < s->running->len; i++)
    {
      guint other = g_array_index (s->running, guint, i);

      if (is_running (s, other, rank, HIR_WORK_KERNEL) && !is_in_last_wave (s, other))
        return FALSE;
    }
  return TRUE;
}

static gboolean
has_running (const HirSimulation *s, guint rank, HirWorkClass class)
{
  for (guint i = 0; i < s->running->len; i++)
    if (is_running (s, g_array_index (s->running, guint, i), rank, class))
      return TRUE;
  return FALSE;
}

/* Returns whether all members of the communications of @node have started them. */
static gboolean
has_met (const HirSimulation *s, const HirPlanNode *node)
{
  for (guint i = 0; i < node->n_members; i++)
    {
      guint meeting = g_array_index (s->plan->members, guint, node->first_member + i);

      if (s->n_arrived[meeting] < g_array_index (s->plan->meetings, HirPlanMeeting, meeting).n)
        return FALSE;
    }
  return TRUE;
}

/* Returns whether the members of the communications of @node that have events have ended them. */
static gboolean
has_read (const HirSimulation *s, const HirPlanNode *node)
{
  for (guint i = 0; i < node->n_members; i++)
    {
      guint meeting = g_array_index (s->plan->members, guint, node->first_member + i);
      const GArray *nodes = g_array_index (s->plan->meetings, HirPlanMeeting, meeting).nodes;

      for (guint k = 0; k < nodes->len; k++)
        {
          guint other = g_array_index (nodes, guint, k);

          if (!hir_plan_get_node (s->plan, other)->is_silent && !s->states[other].has_ended)
            return FALSE;
        }
    }
  return TRUE;
}

/* Returns whether a kernel runs on the GPU of a member. */
static gboolean
is_disturbed (const HirSimulation *s, const HirPlanNode *node)
{
  for (guint i = 0; i < node->n_members; i++)
    {
      guint meeting = g_array_index (s->plan->members, guint, node->first_member + i);
      const GArray *nodes = g_array_index (s->plan->meetings, HirPlanMeeting, meeting).nodes;

      for (guint k = 0; k < nodes->len; k++)
        if (has_running (s, hir_plan_get_node (s->plan, g_array_index (nodes, guint, k))->rank,
                         HIR_WORK_KERNEL))
          return TRUE;
    }
  return has_running (s, node->rank, HIR_WORK_KERNEL);
}

/* A kernel that is shorter than the last wave of an older one runs on the multiprocessors that this
 * leaves free. */
gboolean
hir_simulation_is_behind (const HirSimulation *s, guint number)
{
  guint rank = hir_plan_get_node (s->plan, number)->rank;
  double ns = hir_simulation_get_part (s, number)->ns;

  for (guint i = 0; i < s->running->len; i++)
    {
      guint other = g_array_index (s->running, guint, i);

      if (is_running (s, other, rank, HIR_WORK_KERNEL) &&
          s->states[other].order < s->states[number].order &&
          ns > HIR_INTERFERENCE_WAVE * hir_simulation_get_part (s, other)->ns)
        return TRUE;
    }
  return FALSE;
}

/* Returns how much longer communications can slow the kernel down. */
double
hir_simulation_get_slack (const HirSimulation *s, guint number)
{
  return HIR_INTERFERENCE_LIMIT * hir_simulation_get_part (s, number)->ns -
         s->states[number].lost_ns;
}

static double
get_kernel_rate (const HirSimulation *s, guint number)
{
  if (hir_simulation_is_behind (s, number))
    return 0;
  if (!s->options->interference || is_in_last_wave (s, number) ||
      hir_simulation_get_slack (s, number) <= HIR_SIMULATION_DONE_NS ||
      !has_running (s, hir_plan_get_node (s->plan, number)->rank, HIR_WORK_COMMUNICATION))
    return 1;
  return 1 / HIR_INTERFERENCE_KERNEL;
}

double
hir_simulation_get_rate (const HirSimulation *s, guint number)
{
  const HirPlanNode *node = hir_plan_get_node (s->plan, number);
  const HirPlanPart *part = hir_simulation_get_part (s, number);

  if (node->kind == HIR_PLAN_POST && s->states[number].part == node->transfer && !has_met (s, node))
    return 0;
  if (node->is_silent)
    return has_read (s, node) ? 1 : 0;
  if (part->work_class == HIR_WORK_KERNEL)
    return get_kernel_rate (s, number);
  if (!s->options->interference)
    return 1;
  if (part->work_class == HIR_WORK_COMMUNICATION)
    return is_disturbed (s, node) ? 1 / HIR_INTERFERENCE_COMMUNICATION : 1;
  if (part->work_class == HIR_WORK_COPY)
    return has_running (s, node->rank, HIR_WORK_KERNEL) ? 1 / HIR_INTERFERENCE_COPY : 1;
  return 1;
}
