/* Walks the critical path backwards, from the last end to the first start. */
#include "explain/explain-private.h"

/* Without a part that takes time, a path of this many steps runs in a circle: a trace with events
 * that take no time may have one. */
#define MAX_IDLE_STEPS 100000

typedef struct
{
  const HirExplainIndex *index;
  guint number;
  gint64 start_ns;
  GArray *path; /* HirPathPart, backwards */
  guint track, at;
  gint64 time_ns; /* the path is found from here to the end */
  HirEvent event;
} Walk;

/* Adds the part from @start_ns to the current time, which becomes @start_ns. Parts that take no
 * time are left out. */
static void
add_part (Walk *walk, gint64 start_ns, HirPathKind kind, HirPathReason reason)
{
  HirPathPart part = { MAX (start_ns, walk->start_ns),
                       walk->time_ns,
                       walk->track,
                       walk->at,
                       (guint8) kind,
                       (guint8) reason };

  if (part.start_ns >= part.end_ns)
    return;
  g_array_append_val (walk->path, part);
  walk->time_ns = part.start_ns;
}

static HirPathKind
get_kind (const HirEvent *event)
{
  switch (event->kind)
    {
    case HIR_EVENT_COMMUNICATION:
      return HIR_PATH_TRANSFER;
    case HIR_EVENT_SYNC:
      return HIR_PATH_WAIT;
    case HIR_EVENT_ISSUE:
      return HIR_PATH_HOST;
    default:
      return HIR_PATH_WORK;
    }
}

static HirPathKind
get_gap_kind (const HirPredecessor *before)
{
  switch (before->reason)
    {
    case HIR_REASON_LAUNCH:
      return HIR_PATH_LAUNCH;
    case HIR_REASON_HOST:
      return HIR_PATH_HOST_GAP;
    default:
      return HIR_PATH_GAP;
    }
}

static gboolean
is_usable (const Walk *walk, const HirPredecessor *before)
{
  HirEvent event;

  if (!before->is_known)
    return FALSE;
  hir_trace_get_event (walk->index->trace, before->track, before->index, &event);
  return hir_explain_index_is_in (walk->index, before->track, event.start_ns, walk->number);
}

static void
go_to (Walk *walk, const HirPredecessor *before)
{
  walk->track = before->track;
  walk->at = before->index;
  hir_trace_get_event (walk->index->trace, walk->track, walk->at, &walk->event);
}

/* Adds the event itself, or the part of it after what it waited for. Returns TRUE if the walk goes
 * on at another event, which the event waited for while it ran. */
static gboolean
add_event (Walk *walk)
{
  HirPathKind kind = get_kind (&walk->event);
  HirPredecessor within = { 0 };

  if (kind == HIR_PATH_TRANSFER)
    within = hir_predecessor_of_transfer (walk->index, walk->track, walk->at, walk->time_ns);
  else if (kind == HIR_PATH_WAIT)
    within = hir_predecessor_of_wait (walk->index, walk->track, walk->at, walk->time_ns);
  else if (kind == HIR_PATH_HOST)
    within = hir_predecessor_of_call (walk->index, walk->track, walk->at, walk->time_ns);
  if (is_usable (walk, &within) && within.ready_ns > walk->event.start_ns)
    {
      add_part (walk, within.ready_ns, kind, within.reason);
      go_to (walk, &within);
      return TRUE;
    }
  return FALSE;
}

/* Adds what is left before the first event of the path. */
static void
add_start (Walk *walk)
{
  const HirExplainRank *rank = hir_explain_index_get_rank (walk->index, walk->track);
  gint64 first_ns = g_array_index (rank->firsts, gint64, walk->number);
  HirPathKind kind = walk->event.kind == HIR_EVENT_ISSUE ? HIR_PATH_HOST_GAP : HIR_PATH_GAP;

  add_part (walk, MIN (first_ns, walk->time_ns), kind, HIR_REASON_START);
  add_part (walk, walk->start_ns, HIR_PATH_START, HIR_REASON_START);
}

/* Goes one event back. Returns FALSE at the start of the path. */
static gboolean
step (Walk *walk)
{
  HirPredecessor before;
  gint64 start_ns;

  if (add_event (walk))
    return TRUE;
  start_ns = MIN (walk->event.start_ns, walk->time_ns);
  before = hir_predecessor_of_start (walk->index, walk->track, walk->at, start_ns);
  if (!is_usable (walk, &before))
    {
      add_part (walk, start_ns, get_kind (&walk->event), HIR_REASON_START);
      add_start (walk);
      return FALSE;
    }
  add_part (walk, start_ns, get_kind (&walk->event), before.reason);
  add_part (walk, before.ready_ns, get_gap_kind (&before), before.reason);
  go_to (walk, &before);
  return walk->time_ns > walk->start_ns;
}

guint
hir_path_find_part (const GArray *path, gint64 time_ns)
{
  guint low = 0, high = path->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (path, HirPathPart, middle).end_ns <= time_ns)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

void
hir_path_find (
    const HirExplainIndex *index, guint number, guint track, guint at, HirRepetition *repetition)
{
  Walk walk = { .index = index,
                .number = number,
                .start_ns = repetition->start_ns,
                .path = repetition->path,
                .track = track,
                .at = at,
                .time_ns = repetition->end_ns };
  guint n_idle = 0;

  hir_trace_get_event (index->trace, track, at, &walk.event);
  while (n_idle < MAX_IDLE_STEPS && !hir_explain_index_is_cancelled (index))
    {
      gint64 time_ns = walk.time_ns;

      if (!step (&walk))
        break;
      n_idle = walk.time_ns < time_ns ? 0 : n_idle + 1;
    }
  add_part (&walk, walk.start_ns, HIR_PATH_GAP, HIR_REASON_START);
  for (guint i = 0; i < walk.path->len / 2; i++)
    {
      HirPathPart *a = &g_array_index (walk.path, HirPathPart, i);
      HirPathPart *b = &g_array_index (walk.path, HirPathPart, walk.path->len - 1 - i);
      HirPathPart swapped = *a;

      *a = *b;
      *b = swapped;
    }
}
