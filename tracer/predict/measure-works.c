/* Measures what works take with nothing beside them. */
#include "predict/interference.h"
#include "predict/measure-private.h"
#include "trace/baseline.h"

#include <string.h>

#define ALONE_PERCENT 5 /* as for kernels, see explain/gpu.c */

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

double
hir_measure_get_median (GArray *values, double otherwise)
{
  guint n = values->len;

  if (n == 0)
    return otherwise;
  g_array_sort (values, compare_doubles);
  return (g_array_index (values, double, (n - 1) / 2) + g_array_index (values, double, n / 2)) / 2;
}

static guint64
make_key (guint track, guint index)
{
  return (guint64) track << 32 | index;
}

static void
index_gpu (HirMeasuring *m, const HirGpu *gpu)
{
  GArray *ends = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 end_ns = G_MININT64;

  for (guint i = 0; i < gpu->works->len; i++)
    {
      HirGpuWork *work = &g_array_index (gpu->works, HirGpuWork, i);
      guint64 key = make_key (work->track, work->index);

      end_ns = MAX (end_ns, work->end_ns);
      g_array_append_val (ends, end_ns);
      g_hash_table_insert (m->works, g_memdup2 (&key, sizeof key), work);
    }
  g_ptr_array_add (m->ends, ends);
}

static void
index_works (HirMeasuring *m)
{
  m->works = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  m->ends = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  m->gpus = m->measure->is_gpu ? hir_gpus_new (m->index, TRUE) : NULL;
  for (guint i = 0; m->gpus != NULL && i < m->gpus->len; i++)
    index_gpu (m, g_ptr_array_index (m->gpus, i));
}

/* Returns the first work that may still run at @time_ns. */
static guint
find_first (const GArray *ends, gint64 time_ns)
{
  guint low = 0, high = ends->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (ends, gint64, middle) <= time_ns)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static HirWorkClass
get_class (const HirMeasuring *m, guint8 kind, guint32 name_id)
{
  const char *name = hir_trace_get_string (m->index->trace, name_id);

  if (!m->measure->is_gpu)
    return HIR_WORK_FREE;
  if (kind == HIR_EVENT_KERNEL)
    return HIR_WORK_KERNEL;
  if (kind != HIR_EVENT_COMMUNICATION)
    return HIR_WORK_FREE;
  if (strstr (name, "(copy on device)") != NULL)
    return HIR_WORK_COPY;
  return strstr (name, "(copy ") != NULL ? HIR_WORK_FREE : HIR_WORK_COMMUNICATION;
}

/* Returns the time between @start_ns and @end_ns in which works of @class run on the GPU of
 * @track. */
static gint64
get_beside (const HirMeasuring *m, guint track, HirWorkClass class, gint64 start_ns, gint64 end_ns)
{
  guint own = hir_explain_index_get_gpu (m->index, track);
  gint64 until_ns = start_ns, beside_ns = 0;

  for (guint i = 0; m->gpus != NULL && i < m->gpus->len; i++)
    {
      const HirGpu *gpu = g_ptr_array_index (m->gpus, i);

      if (gpu->number != own)
        continue;
      for (guint k = find_first (g_ptr_array_index (m->ends, i), start_ns); k < gpu->works->len;
           k++)
        {
          const HirGpuWork *work = &g_array_index (gpu->works, HirGpuWork, k);

          if (work->start_ns >= end_ns)
            break;
          if (work->end_ns <= until_ns || get_class (m, work->kind, work->name) != class)
            continue;
          beside_ns += MIN (work->end_ns, end_ns) - MAX (work->start_ns, until_ns);
          until_ns = MIN (work->end_ns, end_ns);
        }
    }
  return beside_ns;
}

/* Adds the parts of a node, of the first repetition that has the node. Their durations follow. */
static void
add_parts (HirMeasuring *m, guint number)
{
  HirPlanNode *node = hir_plan_get_node (m->plan, number);
  const HirTied *tied = NULL;
  guint n = 0;

  if (node->kind == HIR_PLAN_WAIT)
    return; /* its length follows from what it waits for */
  for (guint r = 0; tied == NULL && r < m->measure->n_repetitions; r++)
    tied = hir_ties_get (m->ties, number, r, &n);
  for (guint i = 0; i < n; i++)
    {
      HirPlanPart part = { 0 };
      HirEvent event;

      hir_trace_get_event (m->index->trace, tied[i].track, tied[i].index, &event);
      part.name = hir_trace_get_string (m->index->trace, event.name);
      part.kind = event.kind;
      part.work_class = (guint8) get_class (m, event.kind, event.name);
      part.ns = (double) (tied[i].end_ns - tied[i].start_ns);
      part.bytes = event.bytes;
      part.flops = event.flops;
      g_array_append_val (node->parts, part);
    }
  /* A copy on the device comes before or after the transfer. */
  for (node->transfer = 0; node->transfer + 1 < n; node->transfer++)
    if (node->kind == HIR_PLAN_POST &&
        hir_plan_get_part (node, node->transfer)->work_class != HIR_WORK_COPY)
      break;
}

/* Copies are recorded on the rank that issues them. Returns whether another member of the
 * communications of @node has events. */
static gboolean
has_active_member (const HirMeasuring *m, const HirPlanNode *node)
{
  for (guint i = 0; i < node->n_members; i++)
    {
      guint meeting = g_array_index (m->plan->members, guint, node->first_member + i);
      const GArray *nodes = g_array_index (m->plan->meetings, HirPlanMeeting, meeting).nodes;

      for (guint k = 0; k < nodes->len; k++)
        {
          const HirPlanNode *other = hir_plan_get_node (m->plan, g_array_index (nodes, guint, k));

          if (other->parts->len > 0 && !other->is_silent)
            return TRUE;
        }
    }
  return FALSE;
}

/* A communication of one device is nothing to do. */
static gboolean
is_of_one (const HirMeasuring *m, const HirPlanNode *node)
{
  for (guint i = 0; i < node->n_members; i++)
    {
      guint meeting = g_array_index (m->plan->members, guint, node->first_member + i);

      if (g_array_index (m->plan->meetings, HirPlanMeeting, meeting).n > 1)
        return FALSE;
    }
  return TRUE;
}

static void
add_silent_part (HirMeasuring *m, HirPlanNode *node)
{
  HirPlanPart part = { .kind = HIR_EVENT_COMMUNICATION, .work_class = HIR_WORK_FREE };

  if (node->kind != HIR_PLAN_POST || node->parts->len > 0)
    return;
  if (is_of_one (m, node))
    m->ties->n_unknown--;
  if (!has_active_member (m, node))
    return;
  node->is_silent = TRUE;
  node->transfer = 0;
  g_array_append_val (node->parts, part);
  m->ties->n_unknown--;
}

/* Returns the events of @node in a repetition if it has the parts of the plan. */
static const HirTied *
get_parts (const HirMeasuring *m, guint number, guint repetition)
{
  guint n;
  const HirTied *tied = hir_ties_get (m->ties, number, repetition, &n);

  return tied != NULL && n == hir_plan_get_node (m->plan, number)->parts->len ? tied : NULL;
}

/* Returns the start of the last member of the communications of @node; -1 if one is missing. */
static gint64
get_last_start (const HirMeasuring *m, guint number, guint repetition)
{
  const HirPlanNode *node = hir_plan_get_node (m->plan, number);
  gint64 last_ns = -1;

  for (guint i = 0; i < node->n_members; i++)
    {
      guint meeting = g_array_index (m->plan->members, guint, node->first_member + i);
      const GArray *nodes = g_array_index (m->plan->meetings, HirPlanMeeting, meeting).nodes;

      for (guint k = 0; k < nodes->len; k++)
        {
          guint other = g_array_index (nodes, guint, k);
          const HirTied *tied = get_parts (m, other, repetition);

          if (hir_plan_get_node (m->plan, other)->is_silent)
            continue;
          if (tied == NULL)
            return -1;
          last_ns = MAX (last_ns, tied[hir_plan_get_node (m->plan, other)->transfer].start_ns);
        }
    }
  return last_ns;
}

/* Returns what a kernel takes alone; negative: older kernels ran for most of its time, so it is not
 * known. */
static double
get_kernel_ns (const HirMeasuring *m, const HirTied *tied)
{
  guint64 key = make_key (tied->track, tied->index);
  const HirGpuWork *work = g_hash_table_lookup (m->works, &key);
  gint64 duration_ns = tied->end_ns - tied->start_ns, owned_ns, beside_ns;
  double factor = 1, slowed_ns;

  if (work == NULL || work->is_alone)
    return (double) duration_ns;
  if (work->knows_alone)
    return (double) work->usual_ns;
  owned_ns = work->owned_ns;
  if (owned_ns < duration_ns / 2)
    return -1;
  beside_ns =
      get_beside (m, tied->track, HIR_WORK_COMMUNICATION, tied->end_ns - owned_ns, tied->end_ns);
  factor += owned_ns < duration_ns ? HIR_INTERFERENCE_TAIL : 0;
  slowed_ns = (double) beside_ns * (1 - 1 / HIR_INTERFERENCE_KERNEL);
  return MIN (MAX (((double) owned_ns - slowed_ns) / factor,
                   (double) owned_ns / (factor + HIR_INTERFERENCE_LIMIT)),
              (double) work->least_ns);
}

/* Returns what a transfer or copy takes alone, and sets @is_alone. */
static double
get_transfer_ns (const HirMeasuring *m,
                 const HirTied *tied,
                 gint64 start_ns,
                 HirWorkClass class,
                 gboolean *is_alone)
{
  gint64 duration_ns = MAX (tied->end_ns - start_ns, 0);
  gint64 beside_ns = class == HIR_WORK_FREE
                         ? 0
                         : get_beside (m, tied->track, HIR_WORK_KERNEL, start_ns, tied->end_ns);
  double slower = class == HIR_WORK_COPY ? HIR_INTERFERENCE_COPY : HIR_INTERFERENCE_COMMUNICATION;

  *is_alone = beside_ns <= duration_ns / (100 / ALONE_PERCENT);
  return (double) (duration_ns - beside_ns) + (double) beside_ns / slower;
}

guint64
hir_measure_get_key (const HirPlanNode *node, guint part)
{
  return node->event.instruction + part;
}

static void
add_alone (HirMeasuring *m, const HirPlanNode *node, guint part, double ns)
{
  guint64 key = hir_measure_get_key (node, part);
  GArray *values = g_hash_table_lookup (m->alone, &key);

  if (values == NULL)
    {
      values = g_array_new (FALSE, FALSE, sizeof (double));
      g_hash_table_insert (m->alone, g_memdup2 (&key, sizeof key), values);
    }
  g_array_append_val (values, ns);
}

/* Returns what --baseline has measured for an event on a GPU, or -1. On the CPU, threads compete
 * for cores, which is not simulated: works take as long as in the run. */
static double
get_baseline_ns (const HirMeasuring *m, const HirTied *tied, HirWorkClass class)
{
  const HirTrace *trace = m->index->trace;
  HirEvent event;

  if (class == HIR_WORK_FREE || hir_trace_get_n_baselines (trace) == 0)
    return -1;
  hir_trace_get_event (trace, tied->track, tied->index, &event);
  return (double) hir_trace_lookup_baseline_ns (trace, event.instruction, event.iteration,
                                                event.name,
                                                hir_trace_get_track (trace, tied->track)->rank);
}

/* Returns one sample of the duration of a part; negative: it is not known. */
static double
get_sample (HirMeasuring *m, guint number, guint at, guint repetition, gboolean *is_alone)
{
  const HirPlanNode *node = hir_plan_get_node (m->plan, number);
  const HirPlanPart *part = hir_plan_get_part (node, at);
  const HirTied *tied = get_parts (m, number, repetition);
  gint64 start_ns;
  double baseline_ns;

  *is_alone = FALSE;
  if (tied == NULL)
    return -1;
  baseline_ns = get_baseline_ns (m, &tied[at], part->work_class);
  if (baseline_ns >= 0)
    {
      *is_alone = TRUE;
      m->measure->n_baselines++;
      return baseline_ns;
    }
  if (part->work_class == HIR_WORK_KERNEL)
    return get_kernel_ns (m, &tied[at]);
  start_ns = tied[at].start_ns;
  if (node->kind == HIR_PLAN_POST && at == node->transfer)
    {
      gint64 last_ns = get_last_start (m, number, repetition);

      if (last_ns < 0)
        return -1;
      start_ns = MAX (start_ns, last_ns);
    }
  return get_transfer_ns (m, &tied[at], start_ns, part->work_class, is_alone);
}

/* Sets the duration of each part, and of gaps, from all repetitions. */
static void
measure_parts (HirMeasuring *m, guint number)
{
  HirPlanNode *node = hir_plan_get_node (m->plan, number);

  for (guint i = 0; i < node->parts->len; i++)
    {
      HirPlanPart *part = hir_plan_get_part (node, i);
      g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (double));
      gint64 gap_ns = G_MAXINT64;

      for (guint r = 0; r < m->measure->n_repetitions; r++)
        {
          gboolean is_alone;
          double ns = get_sample (m, number, i, r, &is_alone);
          const HirTied *tied = get_parts (m, number, r);

          if (ns < 0)
            continue;
          g_array_append_val (values, ns);
          if ((is_alone || part->work_class == HIR_WORK_KERNEL) &&
              part->work_class != HIR_WORK_FREE)
            add_alone (m, node, i, ns);
          if (i > 0)
            gap_ns = MIN (gap_ns, MAX (tied[i].start_ns - tied[i - 1].end_ns, 0));
        }
      part->is_known = values->len > 0;
      part->ns = hir_measure_get_median (values, part->ns);
      part->gap_ns = gap_ns == G_MAXINT64 ? 0 : gap_ns;
    }
}

/* Communications and copies that once ran with nothing beside them take that time; kernels without
 * a sample take that of the other executions. */
static void
use_alone (HirMeasuring *m)
{
  for (guint n = 0; n < m->plan->nodes->len; n++)
    {
      HirPlanNode *node = hir_plan_get_node (m->plan, n);

      for (guint i = 0; i < node->parts->len; i++)
        {
          HirPlanPart *part = hir_plan_get_part (node, i);
          guint64 key = hir_measure_get_key (node, i);
          GArray *values = g_hash_table_lookup (m->alone, &key);

          if (values != NULL && (part->work_class != HIR_WORK_KERNEL || !part->is_known))
            part->ns = hir_measure_get_median (values, part->ns);
        }
    }
}

/* The smallest gap before a part, over all executions: in others, it waits for the device. */
static void
measure_gaps (HirMeasuring *m)
{
  g_autoptr (GHashTable) least =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);

  for (guint pass = 0; pass < 2; pass++)
    for (guint n = 0; n < m->plan->nodes->len; n++)
      {
        const HirPlanNode *node = hir_plan_get_node (m->plan, n);

        for (guint i = 1; i < node->parts->len; i++)
          {
            HirPlanPart *part = hir_plan_get_part (node, i);
            guint64 key = hir_measure_get_key (node, i);
            gint64 *gap_ns = g_hash_table_lookup (least, &key);

            if (gap_ns == NULL)
              g_hash_table_insert (least, g_memdup2 (&key, sizeof key),
                                   g_memdup2 (&part->gap_ns, sizeof part->gap_ns));
            else if (pass == 0)
              *gap_ns = MIN (*gap_ns, part->gap_ns);
            else
              part->gap_ns = *gap_ns;
          }
      }
}

void
hir_measure_works (HirMeasuring *m)
{
  m->alone =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, (GDestroyNotify) g_array_unref);
  index_works (m);
  for (guint i = 0; i < m->plan->nodes->len; i++)
    add_parts (m, i);
  for (guint i = 0; i < m->plan->nodes->len; i++)
    add_silent_part (m, hir_plan_get_node (m->plan, i));
  for (guint i = 0; i < m->plan->nodes->len; i++)
    measure_parts (m, i);
  use_alone (m);
  measure_gaps (m);
  g_clear_pointer (&m->gpus, g_ptr_array_unref);
  g_clear_pointer (&m->ends, g_ptr_array_unref);
  g_clear_pointer (&m->works, g_hash_table_unref);
  g_clear_pointer (&m->alone, g_hash_table_unref);
}
