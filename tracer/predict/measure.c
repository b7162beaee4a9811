/* Measures durations, latencies and times of the host. */
#include "predict/measure-private.h"

#include "diagnostic.h"
#include "predict/interference.h"

#include <string.h>

#define LATENCY_NS 30000  /* work that starts later waits for something else */
#define ALONE_PERCENT 5   /* as for kernels, see explain/gpu.c */
#define MODEL_WAIT_NS 200 /* of the modelled clock; so are the issues */
#define MODEL_ISSUE_NS 300
#define MODEL_LAUNCH_NS 1000

typedef struct
{
  const HirExplainIndex *index;
  HirPlan *plan;
  HirTies *ties;
  HirMeasured *measure;
  GPtrArray *gpus;   /* nullable */
  GPtrArray *ends;   /* per GPU: gint64, the last end of the works so far */
  GHashTable *works; /* guint64 of track and index -> HirGpuWork */
  GHashTable *alone; /* guint64, instruction -> GArray of double: kernels, and other work with
                      * nothing beside it */
} Measuring;

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Returns the median of @values, which it sorts; @otherwise if there are none. */
static double
get_median (GArray *values, double otherwise)
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
index_gpu (Measuring *m, const HirGpu *gpu)
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
index_works (Measuring *m)
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
get_class (const Measuring *m, guint8 kind, guint32 name_id)
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
get_beside (const Measuring *m, guint track, HirWorkClass class, gint64 start_ns, gint64 end_ns)
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
add_parts (Measuring *m, guint number)
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
has_active_member (const Measuring *m, const HirPlanNode *node)
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

static void
add_silent_part (Measuring *m, HirPlanNode *node)
{
  HirPlanPart part = { .kind = HIR_EVENT_COMMUNICATION, .work_class = HIR_WORK_FREE };

  if (node->kind != HIR_PLAN_POST || node->parts->len > 0 || !has_active_member (m, node))
    return;
  node->is_silent = TRUE;
  node->transfer = 0;
  g_array_append_val (node->parts, part);
  m->ties->n_unknown--;
}

/* Returns the events of @node in a repetition if it has the parts of the plan. */
static const HirTied *
get_parts (const Measuring *m, guint number, guint repetition)
{
  guint n;
  const HirTied *tied = hir_ties_get (m->ties, number, repetition, &n);

  return tied != NULL && n == hir_plan_get_node (m->plan, number)->parts->len ? tied : NULL;
}

/* Returns the start of the last member of the communications of @node; -1 if one is missing. */
static gint64
get_last_start (const Measuring *m, guint number, guint repetition)
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
get_kernel_ns (const Measuring *m, const HirTied *tied)
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
  return MAX (((double) owned_ns - slowed_ns) / factor,
              (double) owned_ns / (factor + HIR_INTERFERENCE_LIMIT));
}

/* Returns what a transfer or copy takes alone, and sets @is_alone. */
static double
get_transfer_ns (const Measuring *m,
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

/* Identifies the subject of a sample: an instruction, and the number of the part. */
static guint64
get_alone_key (const HirPlanNode *node, guint part)
{
  return node->event.instruction + part;
}

static void
add_alone (Measuring *m, const HirPlanNode *node, guint part, double ns)
{
  guint64 key = get_alone_key (node, part);
  GArray *values = g_hash_table_lookup (m->alone, &key);

  if (values == NULL)
    {
      values = g_array_new (FALSE, FALSE, sizeof (double));
      g_hash_table_insert (m->alone, g_memdup2 (&key, sizeof key), values);
    }
  g_array_append_val (values, ns);
}

/* Returns one sample of the duration of a part; negative: it is not known. */
static double
get_sample (Measuring *m, guint number, guint at, guint repetition, gboolean *is_alone)
{
  const HirPlanNode *node = hir_plan_get_node (m->plan, number);
  const HirPlanPart *part = hir_plan_get_part (node, at);
  const HirTied *tied = get_parts (m, number, repetition);
  gint64 start_ns;

  *is_alone = FALSE;
  if (tied == NULL)
    return -1;
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
measure_parts (Measuring *m, guint number)
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
      part->ns = get_median (values, part->ns);
      part->gap_ns = gap_ns == G_MAXINT64 ? 0 : gap_ns;
    }
}

/* Communications and copies that once ran with nothing beside them take that time; kernels without
 * a sample take that of the other executions. */
static void
use_alone (Measuring *m)
{
  for (guint n = 0; n < m->plan->nodes->len; n++)
    {
      HirPlanNode *node = hir_plan_get_node (m->plan, n);

      for (guint i = 0; i < node->parts->len; i++)
        {
          HirPlanPart *part = hir_plan_get_part (node, i);
          guint64 key = get_alone_key (node, i);
          GArray *values = g_hash_table_lookup (m->alone, &key);

          if (values != NULL && (part->work_class != HIR_WORK_KERNEL || !part->is_known))
            part->ns = get_median (values, part->ns);
        }
    }
}

/* The smallest gap before a part, over all executions: in others, it waits for the device. */
static void
measure_gaps (Measuring *m)
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
            guint64 key = get_alone_key (node, i);
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

/* Returns the first start of a rank in a repetition. */
static gint64
get_first (const Measuring *m, guint rank, guint repetition)
{
  for (guint k = 0; k < m->index->ranks->len; k++)
    {
      const HirExplainRank *found = g_ptr_array_index (m->index->ranks, k);

      if (found->rank == g_array_index (m->plan->ranks, int, rank))
        return g_array_index (found->firsts, gint64, repetition);
    }
  return G_MAXINT64;
}

/* The gap before an issue starts at the end of the recorded issue before it. */
static void
measure_issue (Measuring *m, guint number, gint64 *ends)
{
  HirPlanIssue *issue = hir_plan_get_issue (m->plan, number);
  gboolean is_first = number == g_array_index (m->plan->starts, guint, issue->rank);
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) gaps = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint r = 0; r < m->measure->n_repetitions; r++)
    {
      gint64 end_ns;
      gint64 start_ns = hir_ties_get_issue (m->ties, m->plan, r, number, &end_ns);
      double ns, gap;

      if (is_first)
        ends[r] = get_first (m, issue->rank, r);
      if (start_ns < 0)
        continue;
      ns = (double) (end_ns - MAX (start_ns, MIN (ends[r], end_ns)));
      gap = (double) MAX (start_ns - MIN (ends[r], start_ns), 0);
      ends[r] = MAX (end_ns, MIN (ends[r], end_ns));
      g_array_append_val (times, ns);
      g_array_append_val (gaps, gap);
    }
  issue->ns = (gint64) get_median (times, 0);
  issue->gap_ns = (gint64) get_median (gaps, 0);
  if (!m->measure->has_issues && m->measure->is_model)
    issue->ns = issue->launches ? MODEL_LAUNCH_NS : MODEL_ISSUE_NS;
}

static void
measure_issues (Measuring *m)
{
  g_autofree gint64 *ends = g_new0 (gint64, m->measure->n_repetitions + 1);

  for (guint i = 0; i < m->plan->issues->len; i++)
    measure_issue (m, i, ends);
}

/* Work may start before the issue has ended: as early as ever seen. */
static void
measure_launches (Measuring *m)
{
  g_autoptr (GHashTable) least =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);

  for (guint pass = 0; pass < 2; pass++)
    for (guint n = 0; n < m->plan->nodes->len; n++)
      {
        HirPlanNode *node = hir_plan_get_node (m->plan, n);
        guint64 key = get_alone_key (node, node->occurrence);
        gint64 *launch_ns = g_hash_table_lookup (least, &key);

        for (guint r = 0; pass == 0 && r < m->measure->n_repetitions; r++)
          {
            gint64 end_ns, ns;
            gint64 start_ns = hir_ties_get_issue (m->ties, m->plan, r, node->issue, &end_ns);
            guint n_tied;
            const HirTied *tied = hir_ties_get (m->ties, n, r, &n_tied);

            if (tied == NULL || start_ns < 0)
              continue;
            ns = MAX (tied[0].start_ns - start_ns, 0);
            if (launch_ns == NULL)
              g_hash_table_insert (least, g_memdup2 (&key, sizeof key), g_memdup2 (&ns, sizeof ns));
            else
              *launch_ns = MIN (*launch_ns, ns);
            launch_ns = g_hash_table_lookup (least, &key);
          }
        if (pass == 1 && launch_ns != NULL && node->kind != HIR_PLAN_WAIT &&
            *launch_ns < hir_plan_get_issue (m->plan, node->issue)->ns)
          node->launch_ns = *launch_ns;
      }
}

/* Returns when the stream of @node was free of it in a repetition, from the ends of its
 * predecessors (@ends). */
static gint64
get_ready (const Measuring *m, const HirPlanNode *node, const gint64 *ends, guint repetition)
{
  gint64 issue_end_ns, ready_ns = -1;
  gint64 issue_ns = hir_ties_get_issue (m->ties, m->plan, repetition, node->issue, &issue_end_ns);

  if (node->previous != HIR_PLAN_NONE)
    ready_ns = ends[node->previous];
  if (node->kind == HIR_PLAN_POST && node->after != HIR_PLAN_NONE)
    ready_ns = MAX (ready_ns, ends[node->after]);
  if (issue_ns >= 0)
    ready_ns = MAX (ready_ns, node->launch_ns >= 0 ? issue_ns + node->launch_ns : issue_end_ns);
  return ready_ns;
}

static void
add_latency (const Measuring *m,
             guint number,
             const gint64 *ends,
             guint repetition,
             GArray *waits,
             GArray **latencies)
{
  const HirPlanNode *node = hir_plan_get_node (m->plan, number);
  guint n;
  const HirTied *tied = hir_ties_get (m->ties, number, repetition, &n);
  double ns;

  if (tied == NULL)
    return;
  if (node->kind == HIR_PLAN_WAIT)
    {
      gint64 waited_ns = node->after != HIR_PLAN_NONE ? ends[node->after] : -1;

      ns = (double) (tied[0].end_ns - waited_ns);
      if (waited_ns > tied[0].start_ns && waited_ns <= tied[0].end_ns && ns <= LATENCY_NS)
        g_array_append_val (waits, ns);
      return;
    }
  ns = (double) (tied[0].start_ns - get_ready (m, node, ends, repetition));
  if (ns >= 0 && ns <= LATENCY_NS)
    g_array_append_val (latencies[hir_plan_get_part (node, 0)->work_class], ns);
}

/* Times from when work could start until it does. */
static void
measure_latencies (Measuring *m)
{
  g_autofree gint64 *ends = g_new0 (gint64, m->plan->nodes->len + 1);
  g_autoptr (GArray) waits = g_array_new (FALSE, FALSE, sizeof (double));
  GArray *latencies[HIR_N_WORK_CLASSES];

  for (guint i = 0; i < HIR_N_WORK_CLASSES; i++)
    latencies[i] = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint r = 0; r < m->measure->n_repetitions; r++)
    {
      for (guint i = 0; i < m->plan->nodes->len; i++)
        {
          const HirPlanNode *node = hir_plan_get_node (m->plan, i);
          guint n;
          const HirTied *tied = hir_ties_get (m->ties, i, r, &n);

          /* A wait that is not recorded did not wait. */
          ends[i] = tied != NULL                      ? tied[n - 1].end_ns
                    : node->previous != HIR_PLAN_NONE ? ends[node->previous]
                                                      : -1;
        }
      for (guint i = 0; i < m->plan->nodes->len; i++)
        add_latency (m, i, ends, r, waits, latencies);
    }
  m->measure->wait_ns = get_median (waits, m->measure->is_model ? MODEL_WAIT_NS : 0);
  for (guint i = 0; i < HIR_N_WORK_CLASSES; i++)
    {
      m->measure->latency_ns[i] = get_median (latencies[i], 0);
      g_array_unref (latencies[i]);
    }
}

static void
measure_totals (Measuring *m, const HirExplain *explain)
{
  HirMeasured *measure = m->measure;

  measure->n_repetitions = explain->repetitions->len;
  for (guint i = 0; i < measure->n_repetitions; i++)
    {
      const HirRepetition *repetition = &g_array_index (explain->repetitions, HirRepetition, i);
      gint64 total_ns = repetition->end_ns - repetition->start_ns;

      g_array_append_val (measure->totals, total_ns);
      for (guint r = 0; r < m->plan->ranks->len; r++)
        {
          gint64 first_ns = get_first (m, r, i);
          gint64 skew_ns = first_ns != G_MAXINT64 ? first_ns - repetition->start_ns : 0;

          g_array_append_val (measure->skews, skew_ns);
        }
    }
}

static void
measure_all (Measuring *m)
{
  m->ties = hir_ties_new (m->index, m->plan);
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
  measure_issues (m);
  measure_launches (m);
  measure_latencies (m);
  m->measure->n_unknown = m->ties->n_unknown;
  g_clear_pointer (&m->gpus, g_ptr_array_unref);
  g_ptr_array_unref (m->ends);
  g_hash_table_unref (m->works);
  g_hash_table_unref (m->alone);
}

/* Returns the GPU of each rank. */
static GArray *
dup_gpus (const HirExplainIndex *index, const HirPlan *plan)
{
  GArray *gpus = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint r = 0; r < plan->ranks->len; r++)
    {
      int rank = g_array_index (plan->ranks, int, r);
      guint gpu = G_MAXUINT - r; /* no work is recorded */

      for (guint t = 0; t < hir_trace_get_n_tracks (index->trace); t++)
        if (hir_trace_get_track (index->trace, t)->rank == rank &&
            hir_track_is_of_device (hir_trace_get_track (index->trace, t)))
          gpu = hir_explain_index_get_gpu (index, t);
      g_array_append_val (gpus, gpu);
    }
  return gpus;
}

HirMeasured *
hir_measured_new (HirTrace *trace, HirPlan *plan, GError **error)
{
  g_autoptr (HirExplainIndex) index = hir_explain_index_new (trace, NULL, NULL);
  g_autoptr (HirExplain) explain = hir_explain_new (trace, error);
  g_autoptr (HirMeasured) measure = g_new0 (HirMeasured, 1);
  Measuring m = { .index = index, .plan = plan, .measure = measure };
  guint n_works = 0;

  measure->gpus = dup_gpus (index, plan);
  measure->totals = g_array_new (FALSE, FALSE, sizeof (gint64));
  measure->skews = g_array_new (FALSE, FALSE, sizeof (gint64));
  if (explain == NULL)
    return NULL;
  measure->is_gpu = index->has_contention;
  measure->is_model = g_strcmp0 (hir_trace_get_meta (trace, "clock"), "model") == 0;
  measure->has_issues = index->has_issues;
  measure_totals (&m, explain);
  measure_all (&m);
  n_works = m.ties->events->len;
  hir_ties_free (m.ties);
  if (n_works == 0)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "no work in the trace belongs to an instruction of its program; tie them with "
                     "hirscope join PROGRAM TRACE -o joined.hirs");
      return NULL;
    }
  return g_steal_pointer (&measure);
}

void
hir_measured_free (HirMeasured *measure)
{
  g_array_unref (measure->gpus);
  g_array_unref (measure->totals);
  g_array_unref (measure->skews);
  g_free (measure);
}
