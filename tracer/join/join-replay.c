/* Launches of CUDA graphs. All nodes of a launch have its correlation. Nodes that the trace names
 * were captured in their order, which is that of the host. Without these, only the streams and
 * starts of the nodes are known, and the streams are branches that the graph chose. */
#include <string.h>

#include "join/join-private.h"
#include "trace/event-args.h"

#define LOOKAHEAD 64  /* ops of a stream that may be lost before one that is seen */
#define GOOD_FIT 0.9f /* worse fits are not of the program */

/* A work of a replay, with the node of the graph. */
typedef struct
{
  HirJoinWork *work;
  guint64 node; /* 0: unknown */
} Node;

static guint64
get_node (const HirTrace *trace, const HirJoinWork *work)
{
  static const char *const keys[] = { "graph node id", "graphNodeId", "graph_node_id" };
  g_autoptr (GArray) args = hir_trace_dup_event_args (trace, work->track, work->index, NULL);

  for (guint i = 0; args != NULL && i < args->len; i++)
    for (guint k = 0; k < G_N_ELEMENTS (keys); k++)
      if (g_ascii_strcasecmp (g_array_index (args, HirEventArg, i).key, keys[k]) == 0)
        return g_ascii_strtoull (g_array_index (args, HirEventArg, i).value, NULL, 10);
  return 0;
}

gboolean
hir_join_is_node (const HirTrace *trace, const HirJoinWork *work)
{
  return get_node (trace, work) != 0;
}

static int
compare_nodes (gconstpointer a, gconstpointer b)
{
  const Node *x = a, *y = b;

  return x->node < y->node ? -1 : x->node > y->node;
}

static int
compare_branches (gconstpointer a, gconstpointer b)
{
  const HirJoinWork *x = ((const Node *) a)->work, *y = ((const Node *) b)->work;

  if (x->track != y->track)
    return x->track < y->track ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

gboolean
hir_join_sort_replay (const HirTrace *trace, HirJoinWork **works, guint n)
{
  g_autofree Node *nodes = g_new (Node, n + 1);
  gboolean has_nodes = TRUE;

  for (guint i = 0; i < n; i++)
    {
      nodes[i] = (Node){ works[i], has_nodes ? get_node (trace, works[i]) : 0 };
      has_nodes &= nodes[i].node != 0;
    }
  qsort (nodes, n, sizeof *nodes, has_nodes ? compare_nodes : compare_branches);
  /* A node runs once. */
  for (guint i = 1; i < n && has_nodes; i++)
    has_nodes = nodes[i].node != nodes[i - 1].node;
  if (!has_nodes)
    qsort (nodes, n, sizeof *nodes, compare_branches);
  for (guint i = 0; i < n; i++)
    works[i] = nodes[i].work;
  return has_nodes;
}

/* That @count ops of stream @key are complete. */
typedef struct
{
  guint key, count;
} Need;

typedef struct
{
  guint step, first_need, end_need;
} Op;

/* The ops of one stream of the program. */
typedef struct
{
  GArray *ops; /* Op */
  guint head;  /* the next one */
  guint branch;
} Lane;

typedef struct
{
  const HirJoinExpected *expected;
  Lane *lanes; /* one per stream, then that of the communicators */
  guint n_lanes;
  GArray *needs; /* Need */
  guint round;   /* how often the program ran in the replay */
} Order;

static guint
get_lane (const Order *order, guint key)
{
  return key != HIR_JOIN_NONE ? key : order->n_lanes - 1;
}

/* Lists the ops of each stream with what they wait for. */
static void
fill_lanes (Order *order)
{
  guint n = order->n_lanes;
  g_autofree GArray **pending = g_new (GArray *, n); /* Need, of the next op of each stream */
  Need last = { HIR_JOIN_NONE, 0 };

  for (guint k = 0; k < n; k++)
    pending[k] = g_array_new (FALSE, FALSE, sizeof (Need));
  for (guint s = 0; s < order->expected->steps->len; s++)
    {
      const HirJoinStep *step = &g_array_index (order->expected->steps, HirJoinStep, s);
      guint k = get_lane (order, step->key);
      Op op = { s, order->needs->len, 0 };

      if (step->kind == HIR_JOIN_RECORD)
        last = (Need){ k, order->lanes[k].ops->len };
      else if (step->kind == HIR_JOIN_DONE)
        g_array_append_val (pending[k], ((Need){ n - 1, order->lanes[n - 1].ops->len }));
      else if (step->kind == HIR_JOIN_WAIT && last.key != HIR_JOIN_NONE)
        g_array_append_val (pending[k], last);
      if (step->kind != HIR_JOIN_OP)
        continue;
      g_array_append_vals (order->needs, pending[k]->data, pending[k]->len);
      g_array_set_size (pending[k], 0);
      /* An op that may launch nothing: its stream is not known. */
      for (guint i = 0; i < n && step->is_free && step->key == HIR_JOIN_NONE; i++)
        g_array_append_val (order->needs, ((Need){ i, order->lanes[i].ops->len }));
      op.end_need = order->needs->len;
      g_array_append_val (order->lanes[k].ops, op);
    }
  for (guint k = 0; k < n; k++)
    g_array_unref (pending[k]);
}

static void
order_init (Order *order, const HirJoinExpected *expected)
{
  *order = (Order){ .expected = expected,
                    .n_lanes = expected->n_keys + 1,
                    .lanes = g_new0 (Lane, expected->n_keys + 1),
                    .needs = g_array_new (FALSE, FALSE, sizeof (Need)) };
  for (guint k = 0; k < order->n_lanes; k++)
    order->lanes[k].ops = g_array_new (FALSE, FALSE, sizeof (Op));
  fill_lanes (order);
}

static void
order_clear (Order *order)
{
  for (guint k = 0; k < order->n_lanes; k++)
    g_array_unref (order->lanes[k].ops);
  g_free (order->lanes);
  g_array_unref (order->needs);
}

static void
start_round (Order *order)
{
  for (guint k = 0; k < order->n_lanes; k++)
    {
      order->lanes[k].head = 0;
      order->lanes[k].branch = HIR_JOIN_NONE;
    }
}

static const Op *
get_op (const Lane *lane, guint i)
{
  return i < lane->ops->len ? &g_array_index (lane->ops, Op, i) : NULL;
}

static gboolean
is_ready (const Order *order, const Op *op)
{
  for (guint i = op->first_need; i < op->end_need; i++)
    {
      const Need *need = &g_array_index (order->needs, Need, i);

      if (order->lanes[need->key].head < need->count)
        return FALSE;
    }
  return TRUE;
}

/* A stream whose next op, or one soon, @unit may be. */
typedef struct
{
  guint lane, op, step, affinity;
  float fit;
} Choice;

static gboolean
is_better (const Choice *a, const Choice *b)
{
  if (a->fit != b->fit)
    return a->fit < b->fit;
  return a->affinity != b->affinity ? a->affinity < b->affinity : a->step < b->step;
}

static void
consider (const Order *order, const HirJoinUnit *unit, guint lane, guint i, Choice *best)
{
  const Lane *l = &order->lanes[lane];
  const Op *op = get_op (l, i);
  Choice choice = { lane, i, op->step,
                    l->branch == unit->branch    ? 0
                    : l->branch == HIR_JOIN_NONE ? 1
                                                 : 2,
                    hir_join_fit (&g_array_index (order->expected->steps, HirJoinStep, op->step),
                                  unit) };

  if (choice.fit < GOOD_FIT && is_better (&choice, best))
    *best = choice;
}

/* Returns the step that @unit is, HIR_JOIN_NONE if none fits. Prefers an op whose predecessors have
 * run; else, some are lost. */
static guint
take (Order *order, const HirJoinUnit *unit)
{
  Choice best = { .fit = HIR_JOIN_NEVER };
  gboolean are_lost;

  for (guint k = 0; k < order->n_lanes; k++)
    {
      const Op *op = get_op (&order->lanes[k], order->lanes[k].head);

      if (op != NULL && is_ready (order, op))
        consider (order, unit, k, order->lanes[k].head, &best);
    }
  are_lost = best.fit >= HIR_JOIN_NEVER;
  for (guint k = 0; k < order->n_lanes && are_lost; k++)
    for (guint i = order->lanes[k].head;
         i < MIN (order->lanes[k].ops->len, order->lanes[k].head + LOOKAHEAD); i++)
      consider (order, unit, k, i, &best);
  if (best.fit >= HIR_JOIN_NEVER)
    return HIR_JOIN_NONE;
  order->lanes[best.lane].head = best.op + 1;
  order->lanes[best.lane].branch = unit->branch;
  return best.step;
}

static gboolean
is_complete (const Order *order)
{
  for (guint k = 0; k < order->n_lanes; k++)
    {
      const Lane *lane = &order->lanes[k];

      for (guint i = lane->head; i < lane->ops->len; i++)
        if (!g_array_index (order->expected->steps, HirJoinStep, get_op (lane, i)->step).is_free)
          return FALSE;
    }
  return TRUE;
}

static int
compare_starts (gconstpointer a, gconstpointer b)
{
  const HirJoinUnit *x = a, *y = b;

  if (x->work_start_ns != y->work_start_ns)
    return x->work_start_ns < y->work_start_ns ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

/* A unit, and the step that precedes it or that it is. */
typedef struct
{
  HirJoinUnit unit;
  guint64 step;
  guint number;
} Placed;

static int
compare_placed (gconstpointer a, gconstpointer b)
{
  const Placed *x = a, *y = b;

  if (x->step != y->step)
    return x->step < y->step ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

/* Orders the @n units of one replay. */
static void
order_one (Order *order, HirJoinUnit *units, guint n)
{
  g_autofree Placed *placed = g_new (Placed, n);
  guint64 base = 0, last = 0;

  qsort (units, n, sizeof *units, compare_starts);
  start_round (order);
  for (guint i = 0; i < n; i++)
    {
      guint step;

      if (is_complete (order))
        {
          base += order->expected->steps->len;
          start_round (order);
        }
      step = take (order, &units[i]);
      last = step != HIR_JOIN_NONE ? base + step : last;
      placed[i] = (Placed){ units[i], last, i };
    }
  qsort (placed, n, sizeof *placed, compare_placed);
  for (guint i = 0; i < n; i++)
    {
      units[i] = placed[i].unit;
      units[i].is_first = i == 0;
    }
}

void
hir_join_order_replays (const HirJoinExpected *expected,
                        HirJoinThread *thread,
                        guint from,
                        guint end)
{
  HirJoinUnit *units = (HirJoinUnit *) (gpointer) thread->units->data;
  Order order;

  if (thread->places == NULL)
    return;
  order_init (&order, expected);
  end = MIN (end, thread->units->len);
  for (guint u = from, next; u < end; u = next)
    {
      for (next = u + 1; next < thread->units->len && units[u].is_branched &&
                         units[next].replay == units[u].replay;)
        next++;
      if (next > u + 1 && (u == 0 || units[u - 1].replay != units[u].replay))
        order_one (&order, units + u, next - u);
    }
  order_clear (&order);
  for (guint u = 0; u < thread->units->len; u++)
    {
      g_array_index (thread->signatures, guint, units[u].signature) = u;
      thread->places[units[u].place] = u;
    }
}

/* Returns whether the replays of a thread are all that it launched, so that each can be a run. */
static gboolean
are_alone (const HirJoinThread *thread)
{
  for (guint u = 0; u < thread->units->len; u++)
    {
      const HirJoinUnit *unit = &g_array_index (thread->units, HirJoinUnit, u);

      if (unit->kind == HIR_JOIN_OP && !unit->is_opaque)
        return FALSE;
    }
  return TRUE;
}

static gboolean
has_opaque (const HirJoinThread *thread)
{
  for (guint u = 0; u < thread->units->len; u++)
    if (g_array_index (thread->units, HirJoinUnit, u).is_opaque)
      return TRUE;
  return FALSE;
}

guint
hir_join_number_replays (HirJoinAlignment *alignment)
{
  guint n = 0, last = HIR_JOIN_NONE, n_units = alignment->thread->units->len;
  g_autofree guint *ends = g_new0 (guint, alignment->n_repetitions + 1);

  if (!has_opaque (alignment->thread))
    return alignment->n_repetitions;
  if (alignment->n_repetitions == 0 && !are_alone (alignment->thread))
    return 0;
  for (guint u = 0; u < n_units; u++)
    if (alignment->ties[u].step != HIR_JOIN_NONE)
      ends[alignment->ties[u].repetition] = u;
  for (guint u = 0; u < n_units; u++)
    {
      HirJoinTie *tie = &alignment->ties[u];

      if (tie->step != HIR_JOIN_NONE)
        {
          if (last != tie->repetition)
            n++;
          last = tie->repetition;
          tie->repetition = n - 1;
        }
      else if (g_array_index (alignment->thread->units, HirJoinUnit, u).is_opaque &&
               (last == HIR_JOIN_NONE || ends[last] < u))
        {
          tie->is_replay = TRUE;
          tie->repetition = n++;
        }
    }
  return alignment->n_repetitions = n;
}
