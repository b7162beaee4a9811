/* Builds the graph of a program from the tapes of a dry run. */
#include "predict/plan.h"

#include "diagnostic.h"
#include "program/program-check.h"

/* What the streams and channels of a rank have so far. */
typedef struct
{
  HirPlan *plan;
  guint rank;
  GArray *tails;           /* guint, per stream or channel: its last node */
  GHashTable *marks;       /* HirModelMark -> Mark* */
  GHashTable *n_posted;    /* "key/side" -> count */
  GHashTable *occurrences; /* HirPlanKey, of issues and nodes -> count */
  GHashTable *meetings;    /* "key#number" -> index + 1; of all ranks */
} Builder;

typedef struct
{
  guint node, issue;
} Mark;

guint
hir_plan_key_hash (gconstpointer data)
{
  const HirPlanKey *key = data;
  guint64 hash = key->instruction ^ (guint64) (guint32) key->iteration * 0x9e3779b97f4a7c15u;

  hash +=
      (guint64) key->rank * 0xff51afd7ed558ccdu + (guint64) key->occurrence * 0xc4ceb9fe1a85ec53u;
  return (guint) (hash ^ hash >> 32) + key->kind;
}

gboolean
hir_plan_key_equal (gconstpointer a, gconstpointer b)
{
  const HirPlanKey *x = a, *y = b;

  return x->instruction == y->instruction && x->iteration == y->iteration && x->rank == y->rank &&
         x->occurrence == y->occurrence && x->kind == y->kind;
}

static void
node_clear (gpointer data)
{
  g_clear_pointer (&((HirPlanNode *) data)->parts, g_array_unref);
}

static void
meeting_clear (gpointer data)
{
  g_array_unref (((HirPlanMeeting *) data)->nodes);
}

static HirPlan *
plan_alloc (HirProgram *program, HirRecorder *recorder)
{
  HirPlan *plan = g_new0 (HirPlan, 1);

  plan->program = hir_program_ref (program);
  plan->recorder = recorder;
  plan->ranks = g_array_new (FALSE, FALSE, sizeof (int));
  plan->issues = g_array_new (FALSE, FALSE, sizeof (HirPlanIssue));
  plan->nodes = g_array_new (FALSE, FALSE, sizeof (HirPlanNode));
  g_array_set_clear_func (plan->nodes, node_clear);
  plan->meetings = g_array_new (FALSE, FALSE, sizeof (HirPlanMeeting));
  g_array_set_clear_func (plan->meetings, meeting_clear);
  plan->members = g_array_new (FALSE, FALSE, sizeof (guint));
  plan->starts = g_array_new (FALSE, FALSE, sizeof (guint));
  return plan;
}

void
hir_plan_free (HirPlan *plan)
{
  hir_program_unref (plan->program);
  g_array_unref (plan->ranks);
  g_array_unref (plan->issues);
  g_array_unref (plan->nodes);
  g_array_unref (plan->meetings);
  g_array_unref (plan->members);
  g_array_unref (plan->starts);
  g_free (plan);
}

static void
append_all (GArray *to, const GArray *from)
{
  if (from->len > 0)
    g_array_append_vals (to, from->data, from->len);
}

HirPlan *
hir_plan_copy (const HirPlan *plan)
{
  HirPlan *copy = plan_alloc (plan->program, plan->recorder);

  append_all (copy->ranks, plan->ranks);
  append_all (copy->issues, plan->issues);
  append_all (copy->nodes, plan->nodes);
  append_all (copy->meetings, plan->meetings);
  append_all (copy->members, plan->members);
  append_all (copy->starts, plan->starts);
  for (guint i = 0; i < copy->nodes->len; i++)
    {
      HirPlanNode *node = hir_plan_get_node (copy, i);

      node->parts = g_array_copy (node->parts);
    }
  for (guint i = 0; i < copy->meetings->len; i++)
    g_array_ref (g_array_index (copy->meetings, HirPlanMeeting, i).nodes);
  return copy;
}

/* Returns how often the rank has had @instruction in @iteration before, as an issue or a node. */
static guint
count_occurrence (Builder *builder, guint64 instruction, gint32 iteration, gboolean of_issue)
{
  const HirPlanKey key = { instruction, iteration, 0, 0, of_issue };
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (builder->occurrences, &key));

  g_hash_table_replace (builder->occurrences, g_memdup2 (&key, sizeof key),
                        GUINT_TO_POINTER (n + 1));
  return n;
}

static guint *
get_tail (Builder *builder, guint number)
{
  const guint none = HIR_PLAN_NONE;

  while (builder->tails->len <= number)
    g_array_append_val (builder->tails, none);
  return &g_array_index (builder->tails, guint, number);
}

static void
set_mark (Builder *builder, const HirModelMark *mark, guint node, guint issue)
{
  Mark *own = g_new (Mark, 1);

  *own = (Mark){ node, issue };
  g_hash_table_replace (builder->marks, (gpointer) mark, own);
}

/* Returns the index of the meeting that the next post with @wanted takes part in. */
static guint
enter_meeting (Builder *builder, const HirModelMeeting *wanted)
{
  char *side = g_strdup_printf ("%s/%c", wanted->key, wanted->side);
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (builder->n_posted, side));
  char *key = g_strdup_printf ("%s#%u", wanted->key, number);
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (builder->meetings, key));

  g_hash_table_replace (builder->n_posted, side, GUINT_TO_POINTER (number + 1));
  if (index > 0)
    {
      g_free (key);
      return index - 1;
    }

  HirPlanMeeting meeting = { wanted->n, g_array_new (FALSE, FALSE, sizeof (guint)) };

  g_array_append_val (builder->plan->meetings, meeting);
  g_hash_table_insert (builder->meetings, key, GUINT_TO_POINTER (builder->plan->meetings->len));
  return builder->plan->meetings->len - 1;
}

static void
add_members (Builder *builder, const HirModelStep *step, HirPlanNode *node, guint index)
{
  node->first_member = builder->plan->members->len;
  node->n_members = step->n_meetings;
  for (guint i = 0; i < step->n_meetings; i++)
    {
      guint meeting = enter_meeting (builder, &step->meetings[i]);

      g_array_append_val (builder->plan->members, meeting);
      g_array_append_val (g_array_index (builder->plan->meetings, HirPlanMeeting, meeting).nodes,
                          index);
    }
}

static void
add_node (Builder *builder, const HirModelStep *step, HirPlanKind kind)
{
  guint index = builder->plan->nodes->len;
  guint *tail = get_tail (builder, kind == HIR_PLAN_POST ? step->channel : step->stream);
  const Mark *mark =
      kind == HIR_PLAN_WAIT ? g_hash_table_lookup (builder->marks, step->mark) : NULL;
  HirPlanNode node = { .kind = (guint8) kind,
                       .rank = builder->rank,
                       .issue = builder->plan->issues->len - 1,
                       .previous = *tail,
                       .after = mark != NULL ? mark->node : HIR_PLAN_NONE,
                       .after_issue = mark != NULL ? mark->issue : HIR_PLAN_NONE,
                       .launch_ns = -1,
                       .event = *step->event,
                       .parts = g_array_new (FALSE, FALSE, sizeof (HirPlanPart)) };

  node.occurrence =
      count_occurrence (builder, step->event->instruction, step->event->iteration, FALSE);
  *tail = index;
  if (kind == HIR_PLAN_POST)
    {
      node.after = *get_tail (builder, step->stream);
      add_members (builder, step, &node, index);
      set_mark (builder, step->mark, index, HIR_PLAN_NONE);
    }
  g_array_append_val (builder->plan->nodes, node);
}

static void
add_issue (Builder *builder, const HirModelStep *step)
{
  HirPlanIssue issue = { .launches = step->launches,
                         .rank = builder->rank,
                         .instruction = step->instruction,
                         .event = { .iteration = -1 } };

  g_array_append_val (builder->plan->issues, issue);
}

static void
end_issue (Builder *builder, const HirEvent *event)
{
  HirPlanIssue *issue = hir_plan_get_issue (builder->plan, builder->plan->issues->len - 1);

  issue->has_event = TRUE;
  issue->event = *event;
  issue->occurrence = count_occurrence (builder, event->instruction, event->iteration, TRUE);
}

static void
add_step (const HirModelStep *step, gpointer user_data)
{
  Builder *builder = user_data;

  switch (step->kind)
    {
    case HIR_MODEL_STEP_ISSUE:
      add_issue (builder, step);
      break;
    case HIR_MODEL_STEP_ISSUED:
      end_issue (builder, step->event);
      break;
    case HIR_MODEL_STEP_RUN:
      add_node (builder, step, HIR_PLAN_WORK);
      break;
    case HIR_MODEL_STEP_WAIT:
      add_node (builder, step, HIR_PLAN_WAIT);
      break;
    case HIR_MODEL_STEP_POST:
      add_node (builder, step, HIR_PLAN_POST);
      break;
    case HIR_MODEL_STEP_RECORD:
      set_mark (builder, step->mark, *get_tail (builder, step->stream),
                builder->plan->issues->len - 1);
      break;
    }
}

static void
add_rank (HirPlan *plan, guint rank, const HirModelTape *tape, GHashTable *meetings)
{
  Builder builder = {
    .plan = plan,
    .rank = rank,
    .tails = g_array_new (FALSE, FALSE, sizeof (guint)),
    .marks = g_hash_table_new_full (NULL, NULL, NULL, g_free),
    .n_posted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
    .occurrences = g_hash_table_new_full (hir_plan_key_hash, hir_plan_key_equal, g_free, NULL),
    .meetings = meetings,
  };

  g_array_append_val (plan->starts, plan->issues->len);
  hir_model_tape_foreach (tape, add_step, &builder);
  g_array_unref (builder.tails);
  g_hash_table_unref (builder.marks);
  g_hash_table_unref (builder.n_posted);
  g_hash_table_unref (builder.occurrences);
}

/* Returns what ended the dry run. */
static const char *
get_fault (const HirSyncTrace *trace)
{
  const HirSyncFault *fault = trace->faults->len > 0 ? g_ptr_array_index (trace->faults, 0) : NULL;

  return fault != NULL ? fault->message : "a rank does not reach its end";
}

HirPlan *
hir_plan_new (HirProgram *program,
              gint64 n_streams,
              HirRecorder *recorder,
              GCancellable *cancellable,
              GError **error)
{
  const HirSyncOptions options = { .n_streams = n_streams,
                                   .parts = HIR_SYNC_TIMES,
                                   .recorder = recorder };
  g_autoptr (HirSyncTrace) trace = hir_program_dry_run (program, options, cancellable, error);
  g_autoptr (GHashTable) meetings = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  HirPlan *plan;

  if (trace == NULL)
    return NULL;
  if (!trace->is_complete)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "the program cannot run to its end: %s",
                     get_fault (trace));
      return NULL;
    }
  plan = plan_alloc (program, recorder);
  for (guint i = 0; i < trace->tapes->len; i++)
    {
      int number = trace->tapes->len == 1 ? (int) program->request->rank : (int) i;

      g_array_append_val (plan->ranks, number);
      add_rank (plan, i, g_ptr_array_index (trace->tapes, i), meetings);
    }
  return plan;
}

guint
hir_plan_drop (HirPlan *plan, guint64 instruction)
{
  guint n = 0;

  for (guint i = 0; i < plan->issues->len; i++)
    {
      HirPlanIssue *issue = hir_plan_get_issue (plan, i);

      if (issue->instruction != instruction)
        continue;
      issue->is_dropped = TRUE;
      n++;
    }
  for (guint i = 0; i < plan->nodes->len; i++)
    if (hir_plan_get_issue (plan, hir_plan_get_node (plan, i)->issue)->instruction == instruction)
      hir_plan_get_node (plan, i)->is_dropped = TRUE;
  return n;
}
