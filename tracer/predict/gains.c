/* Simulates the removal of causes. */
#include "predict/gains.h"

#include "analysis/sync-check.h"
#include "diagnostic.h"
#include "predict/lines.h"
#include "predict/match.h"
#include "predict/predict-base.h"
#include "predict/simulate.h"
#include "print/print.h"
#include "program/program-check.h"

#define MAX_EVENTS 200000 /* of larger recordings, reading alone takes seconds */
#define MAX_WORK 4000000  /* nodes to simulate in total: 1 to 2 s */
#define MAX_CHECKED 5000  /* nodes of a program whose synchronization is checked */
#define MAX_COMPARED 2000 /* nodes of a program whose executions are compared */
#define LEAST_SHARE 1000  /* smaller gains than the total by this are omitted */
#define MOST_PERCENT 90   /* a rank with this part of what all hosts cost is late */
#define SLOW_PERCENT 10   /* smaller differences between executions are usual */

typedef struct
{
  HirExplain *explain;
  HirPredictBase base;
  HirMeasured *measured;
  HirSyncCheck *check; /* nullable */
  gint64 total_ns;     /* simulated without changes */
  guint n_left;        /* simulations that may still run */
} Gains;

static void
gain_clear (gpointer data)
{
  HirGain *gain = data;

  g_free (gain->name);
  g_free (gain->text);
}

/* Returns what @plan gains, or 0 if no more simulations may run. */
static gint64
simulate_gain (Gains *gains,
               const HirPlan *plan,
               const HirMeasured *measured,
               gboolean interference)
{
  const HirSimulationOptions options = { measured, 0, interference };
  gint64 total_ns = 0;

  if (gains->n_left == 0 || !hir_simulate (plan, &options, NULL, NULL, &total_ns, NULL))
    return 0;
  gains->n_left--;
  return gains->total_ns - total_ns;
}

/* Simulates @plan and adds what it gains. Takes the contents of @gain, and @plan. */
static void
add_gain (
    Gains *gains, HirGain *gain, HirPlan *plan, const HirMeasured *measured, gboolean interference)
{
  gain->gain_ns = simulate_gain (gains, plan, measured, interference);
  if (plan != gains->base.plan)
    hir_plan_free (plan);
  if (gain->gain_ns > gains->total_ns / LEAST_SHARE)
    g_array_append_val (gains->explain->gains, *gain);
  else
    gain_clear (gain);
}

/* Adds the gain of a plan that differs in durations or waits. */
static void
add_plan_gain (Gains *gains, HirGain *gain, HirPlan *plan)
{
  add_gain (gains, gain, plan, gains->measured, gains->measured->is_gpu);
}

static const char *
get_label (const Gains *gains, const HirPlanNode *node)
{
  return hir_recorder_get_string (gains->base.recorder, node->event.name);
}

/* All works named @name take no time. */
static void
add_named_gain (Gains *gains, HirGain *gain, const char *name)
{
  HirPlan *plan = hir_plan_copy (gains->base.plan);
  guint n = hir_plan_scale (plan, name, 0);

  gain->name = g_strdup (name);
  gain->text = n == 1 ? g_strdup_printf ("%s took no time", name)
                      : g_strdup_printf ("all %u executions of %s took no time", n, name);
  add_plan_gain (gains, gain, plan);
}

/* Each instruction that communicates takes no time, on all ranks and in all iterations. */
static void
add_communications (Gains *gains)
{
  g_autoptr (GHashTable) names = hir_plan_dup_comm_names (gains->base.plan);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < gains->base.plan->nodes->len; i++)
    {
      HirPlanNode *node = hir_plan_get_node (gains->base.plan, i);
      char *name = g_hash_table_lookup (names, &node->event.instruction);
      HirGain gain = { .kind = "communication",
                       .instruction = node->event.instruction,
                       .rank = -1 };

      if (node->kind == HIR_PLAN_POST && g_hash_table_add (seen, name))
        add_named_gain (gains, &gain, name);
    }
}

/* Each copy of a device takes no time. The one that a communication makes has its instruction, but
 * another name. */
static void
add_copies (Gains *gains)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < gains->base.plan->nodes->len; i++)
    {
      const HirPlanNode *node = hir_plan_get_node (gains->base.plan, i);
      HirGain gain = { .kind = "copy", .rank = -1 };

      if (node->kind == HIR_PLAN_WORK && node->event.kind == HIR_EVENT_MEMCPY &&
          g_hash_table_add (seen, GUINT_TO_POINTER (node->event.name)))
        add_named_gain (gains, &gain, get_label (gains, node));
    }
}

/* Returns whether the synchronization check finds that the program can do without @expr. */
static gboolean
is_redundant (const Gains *gains, const HirExpr *expr)
{
  for (guint i = 0; gains->check != NULL && i < gains->check->uses->len; i++)
    {
      const HirSyncUse *use = &g_array_index (gains->check->uses, HirSyncUse, i);

      if (use->expr->node.id == expr->node.id)
        return use->is_redundant_alone;
    }
  return FALSE;
}

/* Each Synchronize is omitted. A program without a Wait does not run. */
static void
add_synchronizes (Gains *gains)
{
  g_autoptr (GArray) lines = hir_program_dup_lines (gains->base.program);

  for (guint i = 0; i < lines->len; i++)
    {
      const HirProgramLine *line = &g_array_index (lines, HirProgramLine, i);
      HirGain gain = { .kind = "synchronization", .line = line->line, .rank = -1 };
      gboolean is_needed = gains->check != NULL && !is_redundant (gains, line->expr);
      g_autofree char *text = NULL;
      HirPlan *plan;

      if (line->expr->kind != HIR_EXPR_SYNCHRONIZE)
        continue;
      plan = hir_plan_copy (gains->base.plan);
      (void) hir_plan_drop (plan, line->expr->node.id);
      gain.name = hir_expr_to_string (line->expr);
      gain.breaks = is_needed;
      text = hir_program_line_dup_text (line);
      gain.text = g_strdup_printf ("%s was omitted (%s)", text,
                                   is_needed              ? "but work depends on it"
                                   : gains->check != NULL ? "nothing needs it"
                                                          : "if nothing needs it, see hirscope "
                                                            "check");
      add_plan_gain (gains, &gain, plan);
    }
}

/* The first synchronization of each stream is outside of the loop. */
static void
add_separate (Gains *gains, GCancellable *cancellable)
{
  static const char *const option[] = { "StreamParallelType.initial_sync=separate", NULL };
  g_autoptr (HirRequest) request =
      hir_predict_dup_request (gains->base.request, (char *const *) option);
  g_autoptr (HirProgram) program = hir_predict_open_program (request, cancellable, NULL);
  g_autoptr (HirRecorder) recorder = hir_recorder_new ();
  HirPlan *plan = program != NULL ? hir_plan_new (program, gains->base.settings.n_streams, recorder,
                                                  cancellable, NULL)
                                  : NULL;
  HirGain gain = { .kind = "option", .rank = -1 };
  HirMatchCounts counts;

  if (plan == NULL)
    return; /* a printed program, or another pipeline */
  hir_plan_match (gains->base.plan, plan, &counts);
  gain.name = g_strdup (option[0]);
  gain.text = g_strdup_printf ("the program was lowered with %s", gain.name);
  add_plan_gain (gains, &gain, plan);
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Returns the median time of the works that @node is one of; of @rank, unless it is
 * HIR_PLAN_NONE. */
static double
get_usual (const HirPlan *plan, const HirPlanNode *node, guint part, guint rank)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < plan->nodes->len; i++)
    {
      const HirPlanNode *other = hir_plan_get_node (plan, i);

      if (other->kind == HIR_PLAN_WORK && other->event.instruction == node->event.instruction &&
          other->event.bytes == node->event.bytes && other->event.flops == node->event.flops &&
          other->parts->len > part && (rank == HIR_PLAN_NONE || other->rank == rank))
        g_array_append_val (values, hir_plan_get_part (other, part)->ns);
    }
  g_array_sort (values, compare_doubles);
  return g_array_index (values, double, (values->len - 1) / 2);
}

/* Returns a plan in which no work of @instruction is slower than usual: on any rank, or compared
 * with its own rank. Returns NULL if none is, else sets @rank to the slowest one. */
static HirPlan *
dup_without_slow (const Gains *gains, guint64 instruction, gboolean of_rank, guint *rank)
{
  HirPlan *plan = hir_plan_copy (gains->base.plan);
  double most_ns = 0;

  for (guint i = 0; i < plan->nodes->len; i++)
    {
      HirPlanNode *node = hir_plan_get_node (plan, i);

      for (guint k = 0; node->kind == HIR_PLAN_WORK && node->event.instruction == instruction &&
                        k < node->parts->len;
           k++)
        {
          HirPlanPart *part = hir_plan_get_part (node, k);
          double own_ns = get_usual (gains->base.plan, node, k, node->rank);
          double usual_ns = of_rank ? get_usual (gains->base.plan, node, k, HIR_PLAN_NONE) : own_ns;
          double now_ns = of_rank ? own_ns : part->ns;

          if (now_ns <= usual_ns * (1 + SLOW_PERCENT / 100.0))
            continue;
          if (part->ns - usual_ns > most_ns)
            *rank = node->rank;
          most_ns = MAX (most_ns, part->ns - usual_ns);
          part->ns = MIN (part->ns, usual_ns);
        }
    }
  if (most_ns > 0)
    return plan;
  hir_plan_free (plan);
  return NULL;
}

/* Work that is slower on one rank or in some executions takes as long as usual. */
static void
add_slow (Gains *gains)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (guint i = 0; i < gains->base.plan->nodes->len; i++)
    {
      HirPlanNode *node = hir_plan_get_node (gains->base.plan, i);

      if (node->kind != HIR_PLAN_WORK || !g_hash_table_add (seen, &node->event.instruction))
        continue;
      for (guint of_rank = 0; of_rank < 2; of_rank++)
        {
          HirGain gain = { .kind = of_rank ? "slow_rank" : "slow_execution", .rank = -1 };
          guint rank = 0;
          HirPlan *plan = dup_without_slow (gains, node->event.instruction, of_rank, &rank);

          if (plan == NULL)
            continue;
          gain.name = g_strdup (get_label (gains, node));
          gain.rank = g_array_index (plan->ranks, int, rank);
          gain.text = of_rank
                          ? g_strdup_printf ("%s was as fast on rank %d as on the others",
                                             gain.name, gain.rank)
                          : g_strdup_printf ("no execution of %s was slower than usual", gain.name);
          add_plan_gain (gains, &gain, plan);
        }
    }
}

/* Returns a plan in which the host of @rank takes no time; HIR_PLAN_NONE: those of all ranks. */
static HirPlan *
dup_without_host (const Gains *gains, guint rank)
{
  HirPlan *plan = hir_plan_copy (gains->base.plan);

  for (guint i = 0; i < plan->issues->len; i++)
    {
      HirPlanIssue *issue = hir_plan_get_issue (plan, i);

      if (rank == HIR_PLAN_NONE || issue->rank == rank)
        issue->ns = issue->gap_ns = 0;
    }
  for (guint i = 0; i < plan->nodes->len; i++)
    {
      HirPlanNode *node = hir_plan_get_node (plan, i);

      if (rank == HIR_PLAN_NONE || node->rank == rank)
        node->launch_ns = -1;
    }
  return plan;
}

/* Returns the rank whose host alone costs most of @all_ns, what all hosts cost; HIR_PLAN_NONE if
 * there is none. */
static guint
find_late_host (Gains *gains, gint64 all_ns)
{
  guint n_ranks = gains->base.plan->ranks->len;

  for (guint rank = 0; n_ranks > 1 && rank < n_ranks && all_ns > 0; rank++)
    {
      HirPlan *plan = dup_without_host (gains, rank);
      gint64 gain_ns = simulate_gain (gains, plan, gains->measured, gains->measured->is_gpu);

      hir_plan_free (plan);
      if (gain_ns >= all_ns / 100 * MOST_PERCENT)
        return rank;
    }
  return HIR_PLAN_NONE;
}

static void
add_host (Gains *gains)
{
  HirPlan *plan = dup_without_host (gains, HIR_PLAN_NONE);
  gint64 all_ns = simulate_gain (gains, plan, gains->measured, gains->measured->is_gpu);
  guint rank = find_late_host (gains, all_ns);
  HirGain gain = { .kind = "host", .rank = -1 };

  if (rank != HIR_PLAN_NONE)
    {
      hir_plan_free (plan);
      plan = dup_without_host (gains, rank);
      gain.rank = g_array_index (plan->ranks, int, rank);
      gain.text = g_strdup_printf ("the host of rank %d took no time", gain.rank);
    }
  else
    gain.text = g_strdup ("the host took no time");
  add_plan_gain (gains, &gain, plan);
}

/* The ranks start at the same time. */
static void
add_start (Gains *gains)
{
  HirMeasured measured = *gains->measured;
  HirGain gain = { .kind = "start", .rank = -1, .text = g_strdup ("all ranks started together") };

  measured.skews = g_array_new (FALSE, TRUE, sizeof (gint64));
  g_array_set_size (measured.skews, gains->measured->skews->len);
  add_gain (gains, &gain, gains->base.plan, &measured, measured.is_gpu);
  g_array_unref (measured.skews);
}

static void
add_interference (Gains *gains)
{
  HirGain gain = { .kind = "interference",
                   .rank = -1,
                   .text = g_strdup ("communication and kernels did not slow each other down") };

  if (gains->measured->is_gpu)
    add_gain (gains, &gain, gains->base.plan, gains->measured, FALSE);
  else
    gain_clear (&gain);
}

static int
compare_gains (gconstpointer a, gconstpointer b)
{
  const HirGain *x = a, *y = b;

  if (x->breaks != y->breaks)
    return x->breaks ? 1 : -1;
  if (x->gain_ns != y->gain_ns)
    return x->gain_ns > y->gain_ns ? -1 : 1;
  return g_strcmp0 (x->text, y->text);
}

static void
add_all (Gains *gains, GCancellable *cancellable)
{
  guint n_nodes = gains->base.plan->nodes->len;

  gains->n_left = MAX_WORK / MAX (n_nodes, 1);
  if (n_nodes <= MAX_CHECKED)
    gains->check = hir_program_check_sync (gains->base.program, gains->base.settings.n_streams,
                                           NULL, HIR_SYNC_USES, NULL, NULL);
  add_interference (gains);
  add_host (gains);
  add_start (gains);
  add_communications (gains);
  add_copies (gains);
  add_synchronizes (gains);
  add_separate (gains, cancellable);
  if (n_nodes <= MAX_COMPARED)
    add_slow (gains);
  if (gains->n_left == 0)
    g_ptr_array_add (gains->explain->notes,
                     g_strdup ("the program is large: not all changes were simulated"));
  g_array_sort (gains->explain->gains, compare_gains);
  g_clear_pointer (&gains->check, hir_sync_check_free);
}

static gboolean
simulate_unchanged (Gains *gains,
                    const HirOpened *opened,
                    GCancellable *cancellable,
                    GError **error)
{
  HirSimulationOptions options = { 0 };

  if (!hir_predict_base_open (&gains->base, opened, cancellable, error))
    return FALSE;
  gains->measured = hir_measured_new (opened->trace, gains->base.plan, error);
  if (gains->measured == NULL)
    return FALSE;
  options = (HirSimulationOptions){ gains->measured, 0, gains->measured->is_gpu };
  return hir_simulate (gains->base.plan, &options, NULL, NULL, &gains->total_ns, error);
}

void
hir_gains_add (HirExplain *explain, const HirOpened *opened, GCancellable *cancellable)
{
  Gains gains = { .explain = explain };
  g_autoptr (GError) error = NULL;

  if (opened->program->request == NULL)
    return;
  if (hir_trace_get_meta (opened->trace, HIR_META_STOPPED) != NULL)
    g_ptr_array_add (explain->notes, g_strdup ("what would help is not simulated, because only a "
                                               "part of the run was recorded"));
  else if (hir_trace_get_n_events (opened->trace) > MAX_EVENTS)
    g_ptr_array_add (explain->notes, g_strdup ("the recording is too large to simulate what would "
                                               "help; predict simulates single changes"));
  else if (simulate_unchanged (&gains, opened, cancellable, &error))
    {
      explain->gains = g_array_new (FALSE, FALSE, sizeof (HirGain));
      g_array_set_clear_func (explain->gains, gain_clear);
      explain->simulated_ns = gains.total_ns;
      add_all (&gains, cancellable);
    }
  else
    g_ptr_array_add (explain->notes,
                     g_strdup_printf ("what would help is not simulated: %s", error->message));
  g_clear_pointer (&gains.measured, hir_measured_free);
  hir_predict_base_clear (&gains.base);
}
