/* Measures durations, latencies and times of the host. */
#include "predict/measure-private.h"

#include "diagnostic.h"

#define LATENCY_NS 30000  /* work that starts later waits for something else */
#define MODEL_WAIT_NS 200 /* of the modelled clock; so are the issues */
#define MODEL_ISSUE_NS 300
#define MODEL_LAUNCH_NS 1000

/* Returns the first start of a rank in a repetition. */
static gint64
get_first (const HirMeasuring *m, guint rank, guint repetition)
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
measure_issue (HirMeasuring *m, guint number, gint64 *ends)
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
  issue->ns = (gint64) hir_measure_get_median (times, 0);
  issue->gap_ns = (gint64) hir_measure_get_median (gaps, 0);
  if (!m->measure->has_issues && m->measure->is_model)
    issue->ns = issue->launches ? MODEL_LAUNCH_NS : MODEL_ISSUE_NS;
}

static void
measure_issues (HirMeasuring *m)
{
  g_autofree gint64 *ends = g_new0 (gint64, m->measure->n_repetitions + 1);

  for (guint i = 0; i < m->plan->issues->len; i++)
    measure_issue (m, i, ends);
}

/* Work may start before the issue has ended: as early as ever seen. */
static void
measure_launches (HirMeasuring *m)
{
  g_autoptr (GHashTable) least =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);

  for (guint pass = 0; pass < 2; pass++)
    for (guint n = 0; n < m->plan->nodes->len; n++)
      {
        HirPlanNode *node = hir_plan_get_node (m->plan, n);
        guint64 key = hir_measure_get_key (node, node->occurrence);
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

/* Then the rules of the modelled clock state what the host takes, and there are no latencies. */
static gboolean
is_model_without_host (const HirMeasuring *m)
{
  return m->measure->is_model && !m->measure->has_issues;
}

/* Returns the time from the start of the host of @rank until it has issued the first recorded work
 * of a repetition. */
static gint64
get_first_issued (const HirMeasuring *m, guint rank, guint repetition)
{
  guint first = HIR_PLAN_NONE;
  gint64 first_ns = G_MAXINT64, issued_ns = 0;

  for (guint i = 0; i < m->plan->nodes->len; i++)
    {
      const HirPlanNode *node = hir_plan_get_node (m->plan, i);
      guint n;
      const HirTied *tied = node->rank == rank ? hir_ties_get (m->ties, i, repetition, &n) : NULL;

      if (tied == NULL || tied[0].start_ns >= first_ns)
        continue;
      first_ns = tied[0].start_ns;
      first = node->issue;
    }
  for (guint i = g_array_index (m->plan->starts, guint, rank); first != HIR_PLAN_NONE && i <= first;
       i++)
    issued_ns += hir_plan_get_issue (m->plan, i)->gap_ns + hir_plan_get_issue (m->plan, i)->ns;
  return issued_ns;
}

/* A modelled host starts before the first work of its rank. */
static void
correct_skews (HirMeasuring *m)
{
  guint n_ranks = m->plan->ranks->len;

  for (guint r = 0; is_model_without_host (m) && r < m->measure->n_repetitions; r++)
    {
      gint64 *skews = &g_array_index (m->measure->skews, gint64, r * n_ranks);
      gint64 least_ns = G_MAXINT64;

      for (guint k = 0; k < n_ranks; k++)
        {
          skews[k] -= get_first_issued (m, k, r);
          least_ns = MIN (least_ns, skews[k]);
        }
      for (guint k = 0; k < n_ranks; k++)
        skews[k] -= least_ns;
    }
}

/* Returns when the stream of @node was free of it in a repetition, from the ends of its
 * predecessors (@ends). */
static gint64
get_ready (const HirMeasuring *m, const HirPlanNode *node, const gint64 *ends, guint repetition)
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
add_latency (const HirMeasuring *m,
             guint number,
             const gint64 *ends,
             guint repetition,
             GArray *waits,
             GArray **latencies)
{
  const HirPlanNode *node = hir_plan_get_node (m->plan, number);
  guint n;
  const HirTied *tied = hir_ties_get (m->ties, number, repetition, &n);
  gint64 ready_ns;
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
  ready_ns = get_ready (m, node, ends, repetition);
  ns = (double) (tied[0].start_ns - ready_ns);
  if (ready_ns >= 0 && ns >= 0 && ns <= LATENCY_NS)
    g_array_append_val (latencies[hir_plan_get_part (node, 0)->work_class], ns);
}

/* Times from when work could start until it does. */
static void
measure_latencies (HirMeasuring *m)
{
  g_autofree gint64 *ends = g_new0 (gint64, m->plan->nodes->len + 1);
  g_autoptr (GArray) waits = g_array_new (FALSE, FALSE, sizeof (double));
  GArray *latencies[HIR_N_WORK_CLASSES];

  for (guint i = 0; i < HIR_N_WORK_CLASSES; i++)
    latencies[i] = g_array_new (FALSE, FALSE, sizeof (double));
  for (guint r = 0; r < m->measure->n_repetitions && !is_model_without_host (m); r++)
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
  m->measure->wait_ns = hir_measure_get_median (waits, m->measure->is_model ? MODEL_WAIT_NS : 0);
  for (guint i = 0; i < HIR_N_WORK_CLASSES; i++)
    {
      m->measure->latency_ns[i] = hir_measure_get_median (latencies[i], 0);
      g_array_unref (latencies[i]);
    }
}

static void
measure_totals (HirMeasuring *m, const HirExplain *explain)
{
  HirMeasured *measure = m->measure;

  measure->n_repetitions = explain->repetitions->len;
  for (guint i = 0; i < measure->n_repetitions; i++)
    {
      const HirRepetition *repetition = &g_array_index (explain->repetitions, HirRepetition, i);
      gint64 total_ns = repetition->end_ns - repetition->start_ns;

      if (i == 0)
        {
          measure->start_ns = repetition->start_ns;
          measure->end_ns = repetition->end_ns;
        }
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
measure_all (HirMeasuring *m)
{
  m->ties = hir_ties_new (m->index, m->plan);
  hir_measure_works (m);
  measure_issues (m);
  measure_launches (m);
  measure_latencies (m);
  correct_skews (m);
  m->measure->n_unknown = m->ties->n_unknown;
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
  HirMeasuring m = { .index = index, .plan = plan, .measure = measure };
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
  n_works = m.ties->events->len + m.ties->n_issues;
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
