/* Ties the events of a recording to the nodes and issues of a plan. */
#include "predict/measure-private.h"

#define MAX_AHEAD 4096 /* issues that may be missing in a recording */

/* An event before it is tied. */
typedef struct
{
  HirTied tied;
  HirEvent event;
  guint rank; /* index in the plan */
} Found;

typedef struct
{
  const HirExplainIndex *index;
  const HirPlan *plan;
  HirTies *ties;
  GHashTable *nodes;       /* HirPlanKey -> index + 1 */
  GArray **by_correlation; /* per rank: guint, node of each task of the dry run */
  GArray *works, *issues;  /* Found */
} Tie;

static guint
find_rank (const HirPlan *plan, int number)
{
  for (guint i = 0; i < plan->ranks->len; i++)
    if (g_array_index (plan->ranks, int, i) == number)
      return i;
  return HIR_PLAN_NONE;
}

static int
compare_found (gconstpointer a, gconstpointer b)
{
  const HirTied *x = &((const Found *) a)->tied, *y = &((const Found *) b)->tied;

  if (x->repetition != y->repetition)
    return x->repetition < y->repetition ? -1 : 1;
  if (x->start_ns != y->start_ns)
    return x->start_ns < y->start_ns ? -1 : 1;
  if (x->track != y->track)
    return x->track < y->track ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

static void
collect (Tie *tie)
{
  const HirTrace *trace = tie->index->trace;

  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    {
      guint rank = find_rank (tie->plan, hir_trace_get_track (trace, t)->rank);

      for (guint i = 0; rank != HIR_PLAN_NONE && i < hir_trace_get_track_n_events (trace, t); i++)
        {
          Found found = { .rank = rank };

          if (!hir_explain_index_has (tie->index, t, i, &found.event) ||
              found.event.instruction == 0)
            continue;
          found.tied =
              (HirTied){ HIR_PLAN_NONE,
                         hir_explain_index_get_repetition (tie->index, t, found.event.start_ns),
                         t,
                         i,
                         found.event.start_ns,
                         found.event.end_ns };
          g_array_append_val (found.event.kind == HIR_EVENT_ISSUE ? tie->issues : tie->works,
                              found);
        }
    }
  g_array_sort (tie->works, compare_found);
  g_array_sort (tie->issues, compare_found);
}

static void
index_nodes (Tie *tie)
{
  const guint none = HIR_PLAN_NONE;

  for (guint i = 0; i < tie->plan->nodes->len; i++)
    {
      const HirPlanNode *node = hir_plan_get_node (tie->plan, i);
      HirPlanKey key = { node->event.instruction, node->event.iteration, node->rank,
                         node->occurrence, node->kind };
      GArray *tasks = tie->by_correlation[node->rank];

      g_hash_table_insert (tie->nodes, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (i + 1));
      while (tasks->len <= node->event.correlation)
        g_array_append_val (tasks, none);
      g_array_index (tasks, guint, node->event.correlation) = i;
    }
}

static gboolean
is_of_node (const HirPlanNode *node, const Found *found)
{
  return node->event.instruction == found->event.instruction &&
         node->event.iteration == found->event.iteration &&
         (node->kind == HIR_PLAN_WAIT) == (found->event.kind == HIR_EVENT_SYNC);
}

/* In our own recordings, correlations count the tasks of a rank, in each run as in the dry one. */
static guint
find_by_correlation (const Tie *tie, const Found *found)
{
  const GArray *tasks = tie->by_correlation[found->rank];
  guint n = tasks->len > 0 ? tasks->len - 1 : 0, node;

  if (!tie->index->is_recording || found->event.correlation == 0 || n == 0)
    return HIR_PLAN_NONE;
  node = g_array_index (tasks, guint, (found->event.correlation - 1) % n + 1);
  return node != HIR_PLAN_NONE && is_of_node (hir_plan_get_node (tie->plan, node), found)
             ? node
             : HIR_PLAN_NONE;
}

static guint
lookup_node (const Tie *tie, const Found *found, guint occurrence, HirPlanKind kind)
{
  const HirPlanKey key = { found->event.instruction, found->event.iteration, found->rank,
                           occurrence, kind };

  return GPOINTER_TO_UINT (g_hash_table_lookup (tie->nodes, &key)) - 1;
}

/* Without correlations of our own, an instruction has one node per execution. A communication that
 * first copies has two nodes. */
static guint
find_by_name (const Tie *tie, const Found *found)
{
  guint node = HIR_PLAN_NONE;

  if (found->event.kind == HIR_EVENT_SYNC)
    return tie->index->is_recording ? lookup_node (tie, found, 0, HIR_PLAN_WAIT) : HIR_PLAN_NONE;
  for (guint i = 0; i < 2 && node == HIR_PLAN_NONE; i++)
    {
      HirPlanKind kind = (found->event.kind == HIR_EVENT_COMMUNICATION) == (i == 0) ? HIR_PLAN_POST
                                                                                    : HIR_PLAN_WORK;

      for (guint k = 0; k < 2 && node == HIR_PLAN_NONE; k++)
        node = lookup_node (tie, found, k, kind);
    }
  return node;
}

static int
compare_tied (gconstpointer a, gconstpointer b)
{
  const HirTied *x = a, *y = b;

  if (x->node != y->node)
    return x->node < y->node ? -1 : 1;
  if (x->repetition != y->repetition)
    return x->repetition < y->repetition ? -1 : 1;
  if (x->start_ns != y->start_ns)
    return x->start_ns < y->start_ns ? -1 : 1;
  return x->end_ns != y->end_ns ? (x->end_ns < y->end_ns ? -1 : 1)
                                : (x->index > y->index) - (x->index < y->index);
}

static void
tie_works (Tie *tie)
{
  HirTies *ties = tie->ties;
  guint n = tie->plan->nodes->len, at = 0;

  for (guint i = 0; i < tie->works->len; i++)
    {
      Found *found = &g_array_index (tie->works, Found, i);

      found->tied.node = find_by_correlation (tie, found);
      if (found->tied.node == HIR_PLAN_NONE)
        found->tied.node = find_by_name (tie, found);
      if (found->tied.node != HIR_PLAN_NONE)
        g_array_append_val (ties->events, found->tied);
    }
  g_array_sort (ties->events, compare_tied);
  ties->firsts = g_new0 (guint, n + 1);
  for (guint i = 0; i < n; i++)
    {
      ties->firsts[i] = at;
      while (at < ties->events->len && g_array_index (ties->events, HirTied, at).node == i)
        at++;
      ties->n_unknown +=
          at == ties->firsts[i] && hir_plan_get_node (tie->plan, i)->kind != HIR_PLAN_WAIT;
    }
  ties->firsts[n] = at;
}

/* Returns the next issue of the rank from @from on that @found is about, or HIR_PLAN_NONE. */
static guint
find_issue (const Tie *tie, const Found *found, guint from)
{
  for (guint i = from; i < MIN (tie->plan->issues->len, from + MAX_AHEAD); i++)
    {
      const HirPlanIssue *issue = hir_plan_get_issue (tie->plan, i);

      if (issue->rank != found->rank)
        break;
      if (issue->instruction == found->event.instruction &&
          issue->event.iteration == found->event.iteration)
        return i;
    }
  return HIR_PLAN_NONE;
}

/* Issues are recorded in the order of the program. Several calls may belong to one issue. */
static void
tie_issues (Tie *tie)
{
  guint n = tie->plan->issues->len, n_ranks = tie->plan->ranks->len;
  g_autofree guint *next = g_new0 (guint, n_ranks);
  guint repetition = G_MAXUINT;

  tie->ties->issued = g_new (gint64, (gsize) 2 * MAX (n, 1) * tie->index->n_repetitions);
  for (gsize i = 0; i < (gsize) 2 * n * tie->index->n_repetitions; i++)
    tie->ties->issued[i] = -1;
  for (guint i = 0; i < tie->issues->len; i++)
    {
      const Found *found = &g_array_index (tie->issues, Found, i);
      guint at;
      gint64 *issued;

      if (found->tied.repetition != repetition)
        for (guint r = 0; r < n_ranks; r++)
          next[r] = g_array_index (tie->plan->starts, guint, r);
      repetition = found->tied.repetition;
      at = find_issue (tie, found, next[found->rank]);
      if (at == HIR_PLAN_NONE)
        continue;
      tie->ties->n_issues++;
      issued = &tie->ties->issued[2 * ((gsize) repetition * n + at)];
      issued[0] = issued[0] < 0 ? found->tied.start_ns : issued[0];
      issued[1] = MAX (issued[1], found->tied.end_ns);
      next[found->rank] = tie->index->is_recording ? at + 1 : at;
    }
}

/* In traces of other profilers, the calls that launched the work of an issue are its time. */
static void
tie_launches (Tie *tie)
{
  for (guint i = 0; i < tie->ties->events->len; i++)
    {
      const HirTied *tied = &g_array_index (tie->ties->events, HirTied, i);
      const HirPlanNode *node = hir_plan_get_node (tie->plan, tied->node);
      const HirLaunch *launch;
      HirEvent event;
      gint64 *issued;

      hir_trace_get_event (tie->index->trace, tied->track, tied->index, &event);
      launch = hir_launches_lookup (tie->index->launches,
                                    hir_trace_get_track (tie->index->trace, tied->track)->rank,
                                    event.correlation, event.start_ns);
      if (launch == NULL)
        continue;
      issued =
          &tie->ties->issued[2 * ((gsize) tied->repetition * tie->plan->issues->len + node->issue)];
      issued[0] = issued[0] < 0 ? launch->start_ns : MIN (issued[0], launch->start_ns);
      issued[1] = MAX (issued[1], launch->end_ns);
    }
}

HirTies *
hir_ties_new (const HirExplainIndex *index, const HirPlan *plan)
{
  HirTies *ties = g_new0 (HirTies, 1);
  Tie tie = { .index = index,
              .plan = plan,
              .ties = ties,
              .nodes = g_hash_table_new_full (hir_plan_key_hash, hir_plan_key_equal, g_free, NULL),
              .by_correlation = g_new0 (GArray *, plan->ranks->len),
              .works = g_array_new (FALSE, FALSE, sizeof (Found)),
              .issues = g_array_new (FALSE, FALSE, sizeof (Found)) };

  ties->events = g_array_new (FALSE, FALSE, sizeof (HirTied));
  for (guint i = 0; i < plan->ranks->len; i++)
    tie.by_correlation[i] = g_array_new (FALSE, FALSE, sizeof (guint));
  collect (&tie);
  index_nodes (&tie);
  tie_works (&tie);
  tie_issues (&tie);
  if (!index->is_recording)
    tie_launches (&tie);
  for (guint i = 0; i < plan->ranks->len; i++)
    g_array_unref (tie.by_correlation[i]);
  g_free (tie.by_correlation);
  g_hash_table_unref (tie.nodes);
  g_array_unref (tie.works);
  g_array_unref (tie.issues);
  return ties;
}

void
hir_ties_free (HirTies *ties)
{
  g_array_unref (ties->events);
  g_free (ties->firsts);
  g_free (ties->issued);
  g_free (ties);
}

const HirTied *
hir_ties_get (const HirTies *ties, guint node, guint repetition, guint *n)
{
  guint first = ties->firsts[node], end = ties->firsts[node + 1];

  while (first < end && g_array_index (ties->events, HirTied, first).repetition < repetition)
    first++;
  *n = 0;
  while (first + *n < end &&
         g_array_index (ties->events, HirTied, first + *n).repetition == repetition)
    (*n)++;
  return *n > 0 ? &g_array_index (ties->events, HirTied, first) : NULL;
}

gint64
hir_ties_get_issue (
    const HirTies *ties, const HirPlan *plan, guint repetition, guint issue, gint64 *end_ns)
{
  const gint64 *issued = &ties->issued[2 * ((gsize) repetition * plan->issues->len + issue)];

  *end_ns = issued[1];
  return issued[0];
}
