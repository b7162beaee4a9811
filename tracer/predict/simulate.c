/* The simulation. Times are doubles: whole numbers of ns are exact, and only work that is slowed
 * down has other times. */
#include "predict/simulate-private.h"

#include <math.h>

#include "diagnostic.h"
#include "predict/interference.h"

static void
run_hosts (HirSimulation *s)
{
  guint n_ranks = s->plan->ranks->len;

  for (guint r = 0; r < n_ranks; r++)
    {
      guint end =
          r + 1 < n_ranks ? g_array_index (s->plan->starts, guint, r + 1) : s->plan->issues->len;
      double at_ns = (double) g_array_index (s->options->measure->skews, gint64,
                                             s->options->repetition * n_ranks + r);

      for (guint i = g_array_index (s->plan->starts, guint, r); i < end; i++)
        {
          const HirPlanIssue *issue = hir_plan_get_issue (s->plan, i);

          if (!issue->is_dropped)
            at_ns += (double) issue->gap_ns;
          s->issues[i].start_ns = at_ns;
          if (!issue->is_dropped)
            at_ns += (double) issue->ns;
          s->issues[i].end_ns = at_ns;
        }
    }
}

static gboolean
is_earlier (const HirSimulation *s, guint a, guint b)
{
  if (s->states[a].ready_ns < s->states[b].ready_ns)
    return TRUE;
  return s->states[a].ready_ns <= s->states[b].ready_ns && a < b;
}

static void
swap (GArray *heap, guint i, guint k)
{
  guint node = g_array_index (heap, guint, i);

  g_array_index (heap, guint, i) = g_array_index (heap, guint, k);
  g_array_index (heap, guint, k) = node;
}

static void
push (HirSimulation *s, guint node)
{
  GArray *heap = s->heap;

  g_array_append_val (heap, node);
  for (guint i = heap->len - 1; i > 0; i = (i - 1) / 2)
    {
      if (!is_earlier (s, g_array_index (heap, guint, i), g_array_index (heap, guint, (i - 1) / 2)))
        break;
      swap (heap, i, (i - 1) / 2);
    }
}

static guint
pop (HirSimulation *s)
{
  GArray *heap = s->heap;
  guint node = g_array_index (heap, guint, 0);

  swap (heap, 0, heap->len - 1);
  g_array_set_size (heap, heap->len - 1);
  for (guint i = 0, k = 1; k < heap->len; i = k, k = 2 * k + 1)
    {
      if (k + 1 < heap->len &&
          is_earlier (s, g_array_index (heap, guint, k + 1), g_array_index (heap, guint, k)))
        k++;
      if (!is_earlier (s, g_array_index (heap, guint, k), g_array_index (heap, guint, i)))
        break;
      swap (heap, i, k);
    }
  return node;
}

static void
resolve (HirSimulation *s, guint node, double end_ns)
{
  s->states[node].end_ns = end_ns;
  s->states[node].has_ended = TRUE;
  s->n_done++;
  g_array_append_val (s->resolved, node);
}

/* Time at which the stream or channel before @node, and the stream that posts it, are free. */
static double
get_free (const HirSimulation *s, const HirPlanNode *node)
{
  double free_ns = node->previous != HIR_PLAN_NONE ? s->states[node->previous].end_ns : 0;

  if (node->kind == HIR_PLAN_POST && node->after != HIR_PLAN_NONE)
    free_ns = MAX (free_ns, s->states[node->after].end_ns);
  return free_ns;
}

/* A wait for something that has ended takes no time. */
static void
enable_wait (HirSimulation *s, guint number, const HirPlanNode *node)
{
  double free_ns = get_free (s, node), from_ns = MAX (free_ns, s->issues[node->issue].end_ns);
  double for_ns = node->after != HIR_PLAN_NONE ? s->states[node->after].end_ns : 0;

  if (node->after_issue != HIR_PLAN_NONE)
    for_ns = MAX (for_ns, s->issues[node->after_issue].start_ns);
  if (node->is_dropped || for_ns <= from_ns)
    {
      resolve (s, number, free_ns);
      return;
    }
  s->states[number].wait_from_ns = from_ns;
  resolve (s, number, for_ns + s->options->measure->wait_ns);
}

/* All predecessors of the node have ended. */
static void
enable (HirSimulation *s, guint number)
{
  const HirPlanNode *node = hir_plan_get_node (s->plan, number);
  const HirSimulatedSpan *issue = &s->issues[node->issue];
  double launched_ns =
      node->launch_ns >= 0 ? issue->start_ns + (double) node->launch_ns : issue->end_ns;
  HirSimulatedState *state = &s->states[number];

  if (node->kind == HIR_PLAN_WAIT)
    {
      enable_wait (s, number, node);
      return;
    }
  state->ready_ns = MAX (get_free (s, node), launched_ns);
  if (node->parts->len == 0)
    {
      resolve (s, number, state->ready_ns);
      return;
    }
  state->ready_ns +=
      s->options->measure->latency_ns[hir_simulation_get_part (s, number)->work_class];
  push (s, number);
}

static void
inform (HirSimulation *s)
{
  while (s->resolved->len > 0)
    {
      guint node = g_array_index (s->resolved, guint, s->resolved->len - 1);

      g_array_set_size (s->resolved, s->resolved->len - 1);
      for (guint i = s->firsts[node]; i < s->firsts[node + 1]; i++)
        if (--s->states[s->next[i]].n_open == 0)
          enable (s, s->next[i]);
    }
}

static void
start (HirSimulation *s, guint number)
{
  const HirPlanNode *node = hir_plan_get_node (s->plan, number);
  const HirPlanPart *part = hir_simulation_get_part (s, number);
  HirSimulatedState *state = &s->states[number];

  state->left_ns = part->ns;
  state->lost_ns = 0;
  state->order = s->n_started++;
  if (s->options->interference && part->work_class == HIR_WORK_KERNEL &&
      hir_simulation_is_behind (s, number))
    state->left_ns += HIR_INTERFERENCE_TAIL * part->ns;
  g_array_index (s->spans, HirSimulatedSpan, state->first_span + state->part).start_ns = s->now_ns;
  for (guint i = 0;
       node->kind == HIR_PLAN_POST && state->part == node->transfer && i < node->n_members; i++)
    s->n_arrived[g_array_index (s->plan->members, guint, node->first_member + i)]++;
  g_array_append_val (s->running, number);
}

/* Starts what is ready and may start; communications first. */
static void
start_all (HirSimulation *s)
{
  while (s->heap->len > 0 && s->states[g_array_index (s->heap, guint, 0)].ready_ns <= s->now_ns)
    {
      guint node = pop (s);

      g_array_append_val (s->blocked, node);
    }
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < s->blocked->len;)
      {
        guint node = g_array_index (s->blocked, guint, i);

        if ((hir_simulation_get_part (s, node)->work_class == HIR_WORK_KERNEL) != (pass == 1) ||
            !hir_simulation_can_start (s, node))
          {
            i++;
            continue;
          }
        g_array_remove_index (s->blocked, i);
        start (s, node);
      }
}

/* The part has ended: its next part gets ready, or the node has ended. */
static void
end_part (HirSimulation *s, guint number)
{
  const HirPlanNode *node = hir_plan_get_node (s->plan, number);
  HirSimulatedState *state = &s->states[number];

  g_array_index (s->spans, HirSimulatedSpan, state->first_span + state->part).end_ns = s->now_ns;
  if (state->part + 1 == node->parts->len)
    {
      resolve (s, number, s->now_ns);
      return;
    }
  state->part++;
  state->ready_ns = s->now_ns + (double) hir_simulation_get_part (s, number)->gap_ns;
  push (s, number);
}

/* Returns the time of the next change; infinite if there is none. */
static double
get_next_time (const HirSimulation *s)
{
  double next_ns =
      s->heap->len > 0 ? s->states[g_array_index (s->heap, guint, 0)].ready_ns : (double) INFINITY;

  for (guint i = 0; i < s->running->len; i++)
    {
      guint number = g_array_index (s->running, guint, i);
      const HirSimulatedState *state = &s->states[number];

      if (state->rate <= 0)
        continue;
      next_ns = MIN (next_ns, s->now_ns + state->left_ns / state->rate);
      /* Then other work may start, and does not slow down the kernel any more. */
      if (hir_simulation_get_part (s, number)->work_class == HIR_WORK_KERNEL)
        {
          double rest_ns =
              state->left_ns - HIR_INTERFERENCE_WAVE * hir_simulation_get_part (s, number)->ns;

          if (rest_ns > HIR_SIMULATION_DONE_NS)
            next_ns = MIN (next_ns, s->now_ns + rest_ns / state->rate);
          if (state->rate < 1)
            next_ns =
                MIN (next_ns, s->now_ns + hir_simulation_get_slack (s, number) / (1 - state->rate));
        }
    }
  return next_ns;
}

static void
advance (HirSimulation *s, double to_ns)
{
  for (guint i = 0; i < s->running->len; i++)
    {
      HirSimulatedState *state = &s->states[g_array_index (s->running, guint, i)];

      state->left_ns -= (to_ns - s->now_ns) * state->rate;
      if (state->rate > 0)
        state->lost_ns += (to_ns - s->now_ns) * (1 - state->rate);
    }
  s->now_ns = to_ns;
  for (guint i = 0; i < s->running->len;)
    {
      guint node = g_array_index (s->running, guint, i);

      if (s->states[node].rate <= 0 || s->states[node].left_ns > HIR_SIMULATION_DONE_NS)
        {
          i++;
          continue;
        }
      g_array_remove_index (s->running, i);
      end_part (s, node);
    }
}

static void
run (HirSimulation *s)
{
  for (guint i = 0; i < s->plan->nodes->len; i++)
    if (s->states[i].n_open == 0)
      enable (s, i);
  inform (s);
  for (;;)
    {
      double next_ns = get_next_time (s);

      if (isinf (next_ns))
        return;
      advance (s, MAX (next_ns, s->now_ns));
      inform (s);
      start_all (s);
      for (guint i = 0; i < s->running->len; i++)
        {
          guint node = g_array_index (s->running, guint, i);

          s->states[node].rate = hir_simulation_get_rate (s, node);
        }
    }
}

/* A dropped wait waits for nothing. */
static guint
get_after (const HirPlanNode *node)
{
  return node->is_dropped ? HIR_PLAN_NONE : node->after;
}

static void
count_follower (guint before, guint *counts)
{
  if (before != HIR_PLAN_NONE)
    counts[before]++;
}

static void
add_follower (HirSimulation *s, guint before, guint node, guint *at)
{
  if (before == HIR_PLAN_NONE)
    return;
  s->next[at[before]++] = node;
  s->states[node].n_open++;
}

/* Links each node with those that follow it. */
static void
link_nodes (HirSimulation *s)
{
  guint n = s->plan->nodes->len;
  g_autofree guint *at = g_new0 (guint, n + 1);

  for (guint i = 0; i < n; i++)
    {
      count_follower (hir_plan_get_node (s->plan, i)->previous, at);
      count_follower (get_after (hir_plan_get_node (s->plan, i)), at);
    }
  s->firsts = g_new0 (guint, n + 1);
  for (guint i = 0; i < n; i++)
    {
      s->firsts[i + 1] = s->firsts[i] + at[i];
      at[i] = s->firsts[i];
    }
  s->next = g_new0 (guint, s->firsts[n] + 1);
  for (guint i = 0; i < n; i++)
    {
      add_follower (s, hir_plan_get_node (s->plan, i)->previous, i, at);
      add_follower (s, get_after (hir_plan_get_node (s->plan, i)), i, at);
    }
}

static void
simulation_init (HirSimulation *s, const HirPlan *plan, const HirSimulationOptions *options)
{
  guint n = plan->nodes->len, n_spans = 0;

  s->plan = plan;
  s->options = options;
  s->states = g_new0 (HirSimulatedState, n + 1);
  s->issues = g_new0 (HirSimulatedSpan, plan->issues->len + 1);
  s->n_arrived = g_new0 (guint, plan->meetings->len + 1);
  s->spans = g_array_new (FALSE, TRUE, sizeof (HirSimulatedSpan));
  s->heap = g_array_new (FALSE, FALSE, sizeof (guint));
  s->blocked = g_array_new (FALSE, FALSE, sizeof (guint));
  s->running = g_array_new (FALSE, FALSE, sizeof (guint));
  s->resolved = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < n; i++)
    {
      s->states[i].first_span = n_spans;
      s->states[i].wait_from_ns = -1;
      n_spans += hir_plan_get_node (plan, i)->parts->len;
    }
  g_array_set_size (s->spans, n_spans);
  link_nodes (s);
  run_hosts (s);
}

static void
simulation_clear (HirSimulation *s)
{
  g_free (s->states);
  g_free (s->issues);
  g_free (s->n_arrived);
  g_free (s->firsts);
  g_free (s->next);
  g_array_unref (s->spans);
  g_array_unref (s->heap);
  g_array_unref (s->blocked);
  g_array_unref (s->running);
  g_array_unref (s->resolved);
}

typedef struct
{
  HirSimulatedFunc func;
  gpointer user_data;
  gint64 first_ns, last_ns;
} Output;

static void
emit (
    Output *output, const HirEvent *event, const HirPlanPart *part, double start_ns, double end_ns)
{
  HirEvent timed = *event;

  timed.start_ns = (gint64) llround (start_ns);
  timed.end_ns = MAX (timed.start_ns, (gint64) llround (end_ns));
  output->first_ns = MIN (output->first_ns, timed.start_ns);
  output->last_ns = MAX (output->last_ns, timed.end_ns);
  if (output->func != NULL)
    output->func (&timed, part, output->user_data);
}

static void
emit_node (const HirSimulation *s, guint number, Output *output)
{
  const HirPlanNode *node = hir_plan_get_node (s->plan, number);
  const HirSimulatedState *state = &s->states[number];

  if (node->kind == HIR_PLAN_WAIT && state->wait_from_ns >= 0)
    emit (output, &node->event, NULL, state->wait_from_ns, state->end_ns);
  for (guint i = 0; i < node->parts->len && !node->is_silent; i++)
    {
      const HirSimulatedSpan *span =
          &g_array_index (s->spans, HirSimulatedSpan, state->first_span + i);

      emit (output, &node->event, hir_plan_get_part (node, i), span->start_ns, span->end_ns);
    }
}

static void
emit_all (const HirSimulation *s, Output *output)
{
  for (guint i = 0; i < s->plan->issues->len && s->options->measure->has_issues; i++)
    {
      const HirPlanIssue *issue = hir_plan_get_issue (s->plan, i);

      if (issue->has_event && !issue->is_dropped)
        emit (output, &issue->event, NULL, s->issues[i].start_ns, s->issues[i].end_ns);
    }
  for (guint i = 0; i < s->plan->nodes->len; i++)
    emit_node (s, i, output);
}

gboolean
hir_simulate (const HirPlan *plan,
              const HirSimulationOptions *options,
              HirSimulatedFunc func,
              gpointer user_data,
              gint64 *total_ns,
              GError **error)
{
  HirSimulation s = { 0 };
  Output output = { func, user_data, G_MAXINT64, G_MININT64 };
  gboolean has_ended;

  simulation_init (&s, plan, options);
  run (&s);
  has_ended = s.n_done == plan->nodes->len;
  if (has_ended)
    emit_all (&s, &output);
  else
    hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                   "the changed program cannot be simulated: ranks wait for two communications in "
                   "opposite order");
  *total_ns = MAX (output.last_ns - output.first_ns, 0);
  if (output.first_ns == G_MAXINT64)
    *total_ns = 0;
  simulation_clear (&s);
  return has_ended;
}
