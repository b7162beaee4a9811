/* Finds ranks that wait for each other. A communication occupies its channel from its post until
 * all ranks that take part have posted it, as a rendezvous (docs/host-ir.md#blocking). Each step
 * waits for its predecessors; steps in a circle never run. */
#include "analysis/sync-trace-private.h"

/* Predecessors of steps. */
typedef struct
{
  const HirSyncTrace *trace;
  const GArray *meetings; /* HirSyncMeeting */
  guint *first, *next;    /* per step, per meeting: linked list of the meetings whose work ends with
                             the step */
  guint8 *is_done;        /* per step: it can run */
} Graph;

static const HirSyncMeeting *
get_meeting (const Graph *graph, guint i)
{
  return &g_array_index (graph->meetings, HirSyncMeeting, i);
}

static gboolean
is_blocked (const Graph *graph, guint step)
{
  return step != HIR_SYNC_NONE && !graph->is_done[step];
}

/* Returns a predecessor of @step that cannot run, or HIR_SYNC_NONE. Sets *@meeting to the meeting
 * because of which @step waits for it, or to HIR_SYNC_NONE. */
static guint
find_blocker (const Graph *graph, guint step, guint *meeting)
{
  const HirSyncStep *own = hir_sync_trace_get_step (graph->trace, step);

  *meeting = HIR_SYNC_NONE;
  if (is_blocked (graph, own->previous))
    return own->previous;
  if (is_blocked (graph, own->after))
    return own->after;
  for (*meeting = graph->first[step]; *meeting != HIR_SYNC_NONE; *meeting = graph->next[*meeting])
    if (is_blocked (graph, get_meeting (graph, *meeting)->post))
      return get_meeting (graph, *meeting)->post;
  return HIR_SYNC_NONE;
}

/* Marks the steps that can run. Each queue is advanced as far as possible, until none advances. */
static guint
run_steps (Graph *graph)
{
  const HirSyncTrace *trace = graph->trace;
  guint n = trace->steps->len, n_queues = trace->queues->len, n_done = 0, meeting;
  g_autofree guint *head = g_new (guint, n_queues + 1);
  g_autofree guint *following = g_new (guint, n + 1);
  gboolean moved = TRUE;

  for (guint i = 0; i < n_queues; i++)
    head[i] = HIR_SYNC_NONE;
  for (guint i = n; i-- > 0;)
    {
      guint queue = hir_sync_trace_get_step (trace, i)->queue;

      following[i] = head[queue];
      head[queue] = i;
    }
  while (moved)
    {
      moved = FALSE;
      for (guint q = 0; q < n_queues; q++)
        while (head[q] != HIR_SYNC_NONE && find_blocker (graph, head[q], &meeting) == HIR_SYNC_NONE)
          {
            graph->is_done[head[q]] = 1;
            head[q] = following[head[q]];
            n_done++;
            moved = TRUE;
          }
    }
  return n_done;
}

/* Appends "send T0 to 1 in iteration 2 on rank 0" and the line. */
static void
append_post (GString *text, const HirSyncPost *post)
{
  g_string_append_printf (text, "%s (line %u)", post->header->where, post->expr->node.pos.line);
}

/* Adds the meetings of the circle that contains @step. */
static void
add_circle (const Graph *graph, guint step, HirSyncFault *fault)
{
  guint at = step, meeting;

  do
    {
      guint blocker = find_blocker (graph, at, &meeting);

      if (meeting != HIR_SYNC_NONE)
        {
          const HirSyncMeeting *between = get_meeting (graph, meeting);
          g_autoptr (GString) text = g_string_new ("waits for ");

          append_post (text, between->other);
          hir_sync_fault_add_place (fault, between->rank, between->work->expr,
                                    between->work->iteration, text->str);
        }
      at = blocker;
    }
  while (at != step);
}

static HirSyncFault *
add_fault (HirSyncTrace *trace, const Graph *graph, guint step)
{
  g_autoptr (GString) message = g_string_new (NULL);
  const HirSyncMeeting *first = NULL;
  const char *separator = "";
  HirSyncFault *fault;
  guint at = step, meeting;

  do
    {
      guint blocker = find_blocker (graph, at, &meeting);

      if (meeting != HIR_SYNC_NONE)
        {
          const HirSyncMeeting *between = get_meeting (graph, meeting);

          first = first != NULL ? first : between;
          g_string_append_printf (message, "%s%s waits for rank %d", separator,
                                  between->work->header->where, between->other_rank);
          separator = "; ";
        }
      at = blocker;
    }
  while (at != step);
  g_string_append (message, "; post communications in the same order on all ranks, or group sends "
                            "and receives");
  fault = hir_sync_faults_add (trace->faults, HIR_SYNC_FAULT_DEADLOCK, first->work->expr->node.pos,
                               -1, message->str);
  add_circle (graph, step, fault);
  return fault;
}

/* Returns a step of a circle. */
static guint
find_circle (const Graph *graph)
{
  g_autofree guint8 *is_seen = g_new0 (guint8, graph->trace->steps->len);
  guint step = 0, meeting;

  while (graph->is_done[step])
    step++;
  while (!is_seen[step])
    {
      is_seen[step] = 1;
      step = find_blocker (graph, step, &meeting);
    }
  return step;
}

void
hir_sync_find_deadlock (HirSyncTrace *trace, const GArray *meetings)
{
  guint n = trace->steps->len;
  g_autofree guint *first = g_new (guint, n + 1);
  g_autofree guint *next = g_new (guint, meetings->len + 1);
  g_autofree guint8 *is_done = g_new0 (guint8, n + 1);
  Graph graph = { trace, meetings, first, next, is_done };

  for (guint i = 0; i < n; i++)
    first[i] = HIR_SYNC_NONE;
  for (guint i = meetings->len; i-- > 0;)
    {
      guint last = get_meeting (&graph, i)->last;

      next[i] = first[last];
      first[last] = i;
    }
  if (run_steps (&graph) < n)
    add_fault (trace, &graph, find_circle (&graph));
}
