/* The expected steps of a rank: the program is unrolled by a run that computes nothing. */
#include "join/join-private.h"
#include "run/evaluator.h"

/* Prices of what the trace lacks. */
#define MISSING_OP 1.5f
#define MISSING_SYNC 0.5f
#define MISSING_FREE 0.05f

typedef struct
{
  HirJoinExpected *expected;
  const HirSyncTrace *trace;
  GHashTable *labels;  /* HirExpr* -> label */
  GHashTable *by_text; /* text of a signature -> number + 1 */
  guint first_queue;   /* of the rank */
  guint instance;
  gboolean has_sizes;
} Maker;

static const char *
get_label (Maker *maker, const HirExpr *expr)
{
  char *label = g_hash_table_lookup (maker->labels, expr);

  if (label != NULL)
    return label;
  label = hir_evaluator_dup_expr_label (expr);
  g_ptr_array_add (maker->expected->labels, label);
  g_hash_table_insert (maker->labels, (gpointer) expr, label);
  return label;
}

static HirJoinClass
classify (const HirExpr *expr)
{
  switch (expr->kind)
    {
    case HIR_EXPR_SET:
    case HIR_EXPR_CAT:
      return HIR_JOIN_COPY;
    case HIR_EXPR_UNARY:
      return expr->u.unary.op == HIR_UNARY_CAST ? HIR_JOIN_COPY : HIR_JOIN_ELEMENTWISE;
    case HIR_EXPR_BINARY:
    case HIR_EXPR_TERNARY:
      return HIR_JOIN_ELEMENTWISE;
    case HIR_EXPR_REDUCTION:
      return HIR_JOIN_REDUCE;
    case HIR_EXPR_MATMUL:
    case HIR_EXPR_LINEAR:
      return HIR_JOIN_MATMUL;
    case HIR_EXPR_FULL:
    case HIR_EXPR_IOTA:
      return HIR_JOIN_FILL;
    case HIR_EXPR_ALLOCATE:
      return HIR_JOIN_ALLOCATION;
    case HIR_EXPR_BROADCAST:
    case HIR_EXPR_SQUEEZE:
    case HIR_EXPR_EXPAND:
    case HIR_EXPR_RESHAPE:
    case HIR_EXPR_SLICE:
    case HIR_EXPR_SELECT:
    case HIR_EXPR_ALIAS_SELECT:
    case HIR_EXPR_SHARD_BY_STREAM:
      return HIR_JOIN_VIEW;
    case HIR_EXPR_POST_ON_STREAM:
    case HIR_EXPR_LAUNCH_KERNEL:
      return HIR_JOIN_FUSED;
    default:
      return HIR_JOIN_UNKNOWN;
    }
}

static void
add (Maker *maker, HirJoinStep step)
{
  HirJoinExpected *expected = maker->expected;
  g_autofree char *text = NULL;
  guint number;

  step.instance = maker->instance;
  step.label = get_label (maker, step.expr);
  step.op = hir_expr_get_op_name (step.expr);
  if (!maker->has_sizes)
    step.bytes = 0;
  text = g_strdup_printf ("%u %u %" G_GINT64_FORMAT " %s", step.kind, step.class, step.bytes,
                          step.label);
  number = GPOINTER_TO_UINT (g_hash_table_lookup (maker->by_text, text));
  if (number == 0)
    {
      guint index = expected->steps->len;

      g_array_append_val (expected->signatures, index);
      number = expected->signatures->len;
      g_hash_table_insert (maker->by_text, g_steal_pointer (&text), GUINT_TO_POINTER (number));
    }
  step.signature = number - 1;
  expected->n_ops += step.kind == HIR_JOIN_OP && !step.is_free;
  g_array_append_val (expected->steps, step);
}

static guint
get_key (const Maker *maker, guint queue)
{
  const HirSyncQueue *q = hir_sync_trace_get_queue (maker->trace, queue);

  return q->is_channel ? HIR_JOIN_NONE : queue - maker->first_queue;
}

/* Returns the number of bytes that @step writes. */
static gint64
count_written (const HirSyncTrace *trace, const HirSyncStep *step)
{
  gint64 n = 0;

  for (guint i = step->first_access; i < step->first_access + step->n_accesses; i++)
    {
      const HirSyncAccess *access = hir_sync_trace_get_access (trace, i);

      for (guint k = 0; access->is_write && k < access->n_ranges; k++)
        {
          const HirByteRange *range =
              &g_array_index (trace->ranges, HirByteRange, access->first_range + k);

          n += range->to - range->from;
        }
    }
  return n;
}

/* Adds a record and a wait. */
static void
add_synchronize (Maker *maker, const HirSyncInstance *instance, const HirSyncStep *wait)
{
  HirJoinStep step = { .kind = HIR_JOIN_RECORD,
                       .expr = instance->expr,
                       .iteration = instance->iteration,
                       .key = HIR_JOIN_NONE,
                       .missing = MISSING_SYNC };

  if (wait->after != HIR_SYNC_NONE)
    step.key = get_key (maker, hir_sync_trace_get_step (maker->trace, wait->after)->queue);
  if (instance->expr->kind == HIR_EXPR_SYNCHRONIZE)
    add (maker, step);
  step.kind = instance->expr->kind == HIR_EXPR_SYNCHRONIZE ? HIR_JOIN_WAIT : HIR_JOIN_DONE;
  step.key = get_key (maker, wait->queue);
  add (maker, step);
}

/* Adds the work of a communication: its copy on the current stream, then the transfer. */
static void
add_work (Maker *maker, const HirSyncInstance *instance, const HirSyncStep *step, gboolean is_comm)
{
  HirJoinStep work = { .kind = HIR_JOIN_OP,
                       .class = (guint8) classify (instance->expr),
                       .expr = instance->expr,
                       .iteration = instance->iteration,
                       .key = get_key (maker, step->queue),
                       .missing = MISSING_OP };

  if (is_comm)
    work.class = HIR_JOIN_COMM;
  else if (instance->expr->kind == HIR_EXPR_ALLOCATE)
    work.class = HIR_JOIN_FILL;
  else if (work.class == HIR_JOIN_UNKNOWN && hir_expr_is_waitable (instance->expr))
    work.class = HIR_JOIN_COPY;
  if (work.class == HIR_JOIN_COPY)
    work.bytes = count_written (maker->trace, step);
  work.is_free = work.class == HIR_JOIN_VIEW;
  if (work.is_free)
    work.missing = MISSING_FREE;
  add (maker, work);
}

static void
add_instance (Maker *maker, const HirSyncInstance *instance)
{
  HirJoinStep prepare = { .kind = HIR_JOIN_PREPARE,
                          .class = (guint8) classify (instance->expr),
                          .is_free = TRUE,
                          .expr = instance->expr,
                          .iteration = instance->iteration,
                          .key = HIR_JOIN_NONE,
                          .missing = MISSING_FREE };
  gboolean has_comm = FALSE;

  if (prepare.class == HIR_JOIN_ALLOCATION ||
      (instance->n_steps == 0 && prepare.class == HIR_JOIN_VIEW))
    add (maker, prepare);
  /* A Set that only binds its output; others copy. */
  if (instance->n_steps == 0 && instance->expr->kind == HIR_EXPR_SET)
    {
      prepare.kind = HIR_JOIN_OP;
      add (maker, prepare);
    }
  for (guint i = 0; i < instance->n_steps; i++)
    {
      const HirSyncStep *step = hir_sync_trace_get_step (maker->trace, instance->first_step + i);

      switch (step->kind)
        {
        case HIR_SYNC_WORK:
          add_work (maker, instance, step, FALSE);
          break;

        case HIR_SYNC_GIVE:
        case HIR_SYNC_TAKE:
          /* Reading and writing are one kernel. */
          if (!has_comm)
            add_work (maker, instance, step, TRUE);
          has_comm = TRUE;
          break;

        case HIR_SYNC_WAIT:
          add_synchronize (maker, instance, step);
          break;

        default:
          break;
        }
    }
  maker->instance++;
}

static void
name_keys (Maker *maker, int rank)
{
  GArray *queues = maker->trace->queues;
  GPtrArray *names = g_ptr_array_new ();
  gboolean found = FALSE;

  for (guint i = 0; i < queues->len; i++)
    {
      const HirSyncQueue *queue = &g_array_index (queues, HirSyncQueue, i);

      if (queue->rank != rank)
        continue;
      if (!found)
        maker->first_queue = i;
      found = TRUE;
      g_ptr_array_add (names, g_strdup (queue->name != NULL ? queue->name : "a stream"));
    }
  maker->expected->n_keys = names->len;
  g_ptr_array_add (names, NULL);
  maker->expected->key_names = (char **) g_ptr_array_free (names, FALSE);
}

HirJoinExpected *
hir_join_expected_new (const HirSyncTrace *trace, int rank, gboolean has_sizes)
{
  HirJoinExpected *expected = g_new0 (HirJoinExpected, 1);
  g_autoptr (GHashTable) labels = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) by_text = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Maker maker = { expected, trace, labels, by_text, 0, 0, has_sizes };

  expected->steps = g_array_new (FALSE, FALSE, sizeof (HirJoinStep));
  expected->signatures = g_array_new (FALSE, FALSE, sizeof (guint));
  expected->labels = g_ptr_array_new_with_free_func (g_free);
  name_keys (&maker, rank);
  for (guint i = 0; i < trace->instances->len; i++)
    {
      const HirSyncInstance *instance = &g_array_index (trace->instances, HirSyncInstance, i);

      if (instance->rank == rank)
        add_instance (&maker, instance);
    }
  return expected;
}

void
hir_join_expected_free (HirJoinExpected *expected)
{
  g_array_unref (expected->steps);
  g_array_unref (expected->signatures);
  g_ptr_array_unref (expected->labels);
  g_strfreev (expected->key_names);
  g_free (expected);
}
