/* Finds what an event waited for (docs/explain.md#dependencies). */
#include "explain/explain-private.h"
#include "trace/comm-records.h"
#include "trace/edge.h"

#include <string.h>

#define MAX_SCAN 4096   /* events to look through for one predecessor */
#define MAX_TASKS 16    /* tasks of an instruction */
#define MAX_LINKS 1024  /* edges or members of an event */
#define ASSUME_NS 20000 /* an assumed predecessor ended at most this long before */
#define READY_NS 10000  /* work that starts later after it is ready waits for the device */

typedef struct
{
  const HirExplainIndex *index;
  guint track, at;
  HirEvent event;
  gint64 limit_ns; /* predecessors are ready at or before this */
  HirPredecessor best;
} Search;

static Search
start_search (const HirExplainIndex *index, guint track, guint at, gint64 limit_ns)
{
  Search search = { .index = index, .track = track, .at = at, .limit_ns = limit_ns };

  hir_trace_get_event (index->trace, track, at, &search.event);
  search.best.ready_ns = G_MININT64;
  return search;
}

/* Keeps the candidate that is ready last; of equal ones, the first. */
static void
offer (Search *search, guint track, guint at, gint64 ready_ns, HirPathReason reason)
{
  ready_ns = MIN (ready_ns, search->limit_ns);
  if (search->best.is_known && ready_ns <= search->best.ready_ns)
    return;
  search->best = (HirPredecessor){ TRUE, track, at, ready_ns, ready_ns, (guint8) reason };
}

/* Offers the event before on the same track: of overlapping ones, the one that ended last before
 * the limit. */
static void
offer_stream (Search *search, gboolean of_host)
{
  guint n_seen = 0;
  HirEvent event;

  for (guint i = search->at; i-- > 0 && n_seen < MAX_SCAN;)
    {
      n_seen += !of_host;
      if (!hir_explain_index_has (search->index, search->track, i, &event))
        continue;
      if (event.end_ns > search->limit_ns)
        continue; /* a call that contains this one, or work that overlaps it */
      offer (search, search->track, i, event.end_ns, of_host ? HIR_REASON_HOST : HIR_REASON_STREAM);
      return;
    }
}

/* Returns the issue of the instruction. In recordings, an instruction with several tasks has the
 * correlation of the last one. */
static const HirLaunch *
lookup_issue (const Search *search, int rank)
{
  guint n = search->index->is_recording && search->event.correlation != 0 ? MAX_TASKS : 1;

  for (guint i = 0; i < n; i++)
    {
      const HirLaunch *issue =
          hir_launches_lookup_issue (search->index->launches, rank, search->event.correlation + i,
                                     search->event.start_ns);
      HirEvent event;

      if (issue == NULL)
        continue;
      hir_trace_get_event (search->index->trace, issue->track, issue->index, &event);
      return i == 0 || event.instruction == search->event.instruction ? issue : NULL;
    }
  return NULL;
}

/* Offers the issue of the instruction. It was ready when the launch call returned, or earlier if
 * the work started before that. */
static void
offer_launch (Search *search)
{
  int rank = hir_trace_get_track (search->index->trace, search->track)->rank;
  const HirLaunch *call = hir_launches_lookup (search->index->launches, rank,
                                               search->event.correlation, search->event.start_ns);
  const HirLaunch *issue = lookup_issue (search, rank);

  if (issue == NULL)
    return;
  if (call == NULL)
    call = issue;
  if (call->start_ns <= search->limit_ns && issue->start_ns <= search->limit_ns)
    offer (search, issue->track, issue->index, MAX (call->end_ns, issue->start_ns),
           HIR_REASON_LAUNCH);
}

static void
offer_edges (Search *search)
{
  g_autoptr (GArray) links = NULL;

  if (!search->index->has_edges)
    return;
  links = hir_trace_dup_edge_links (search->index->trace, search->track, search->at, MAX_LINKS);
  for (guint i = 0; i < links->len; i++)
    {
      const HirEdgeLink *link = &g_array_index (links, HirEdgeLink, i);
      HirEvent event;

      if (link->to_track == search->track && link->to_index == search->at &&
          hir_explain_index_has (search->index, link->from_track, link->from_index, &event) &&
          event.start_ns < search->limit_ns)
        offer (search, link->from_track, link->from_index, event.end_ns, HIR_REASON_EVENT);
    }
}

/* Returns whether a wait of our own recordings names @end: a stream ("Synchronize Stream 1"), a
 * communication ("Wait Allgather T5") or a group of messages ("Wait EndCoalescing"). */
static gboolean
is_named (const Search *search, const HirExplainEnd *end)
{
  const char *name = hir_trace_get_string (search->index->trace, search->event.name);
  const char *track = hir_trace_get_track (search->index->trace, end->track)->name;
  HirEvent event;

  if (g_str_has_prefix (name, "Synchronize "))
    {
      const char *stream = name + strlen ("Synchronize ");
      const char *part = strstr (track, " = ");

      return strcmp (part != NULL ? part + 3 : track, stream) == 0;
    }
  if (!g_str_has_prefix (name, "Wait "))
    return FALSE;
  hir_trace_get_event (search->index->trace, end->track, end->index, &event);
  name += strlen ("Wait ");
  return event.kind == HIR_EVENT_COMMUNICATION && event.iteration == search->event.iteration &&
         (strcmp (name, "EndCoalescing") == 0 ||
          g_str_has_prefix (hir_trace_get_string (search->index->trace, event.name), name));
}

typedef gboolean (*Accept) (const Search *search, const HirExplainEnd *end);

static gboolean
accept_any (const Search *search, const HirExplainEnd *end)
{
  return TRUE;
}

/* Offers the last accepted event of the rank that ended in (@after_ns, limit]. In a recording, it
 * was issued before this one. */
static void
offer_last (Search *search, gint64 after_ns, Accept accept, HirPathReason reason)
{
  const GArray *ends = hir_explain_index_get_rank (search->index, search->track)->ends;
  guint low = 0, high = ends->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (ends, HirExplainEnd, middle).end_ns <= search->limit_ns)
        low = middle + 1;
      else
        high = middle;
    }
  for (guint n_seen = 0; low-- > 0 && n_seen < MAX_SCAN; n_seen++)
    {
      const HirExplainEnd *end = &g_array_index (ends, HirExplainEnd, low);

      if (end->end_ns <= after_ns)
        return;
      if (end->track == search->track ||
          (search->index->is_recording && search->event.correlation != 0 &&
           end->correlation >= search->event.correlation) ||
          !accept (search, end))
        continue;
      offer (search, end->track, end->index, end->end_ns, reason);
      return;
    }
}

/* Offers the work that occupied the device while this one was ready: a kernel that ran for most of
 * that time, and still runs or ended shortly before. */
static void
offer_device (Search *search)
{
  const HirTrace *trace = search->index->trace;
  gint64 ready_ns = search->best.ready_ns, gap_ns = search->limit_ns - ready_ns;
  gint64 longest_ns = gap_ns / 2;

  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    {
      const HirTrack *track = hir_trace_get_track (trace, t);
      HirEvent event;
      guint i;

      if (t == search->track || !hir_track_is_of_device (track) ||
          hir_explain_index_get_gpu (search->index, t) !=
              hir_explain_index_get_gpu (search->index, search->track))
        continue;
      for (i = hir_trace_find_first (trace, t, search->limit_ns - READY_NS);
           i < hir_trace_get_track_n_events (trace, t); i++)
        {
          gint64 cover_ns;

          hir_trace_get_event (trace, t, i, &event);
          if (event.start_ns >= search->limit_ns)
            break;
          cover_ns = MIN (event.end_ns, search->limit_ns) - MAX (event.start_ns, ready_ns);
          if (cover_ns <= longest_ns || event.kind == HIR_EVENT_SYNC ||
              event.kind == HIR_EVENT_MEMCPY ||
              !hir_explain_index_has (search->index, t, i, &event))
            continue;
          longest_ns = cover_ns;
          offer (search, t, i, event.end_ns, HIR_REASON_DEVICE);
          search->best.since_ns = ready_ns;
        }
    }
}

/* Returns whether @track has the event of task @correlation. A stream executes its tasks in the
 * order of their numbers. */
static gboolean
has_task (const HirTrace *trace, guint track, guint32 correlation)
{
  guint low = 0, high = hir_trace_get_track_n_events (trace, track);
  HirEvent event;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      hir_trace_get_event (trace, track, middle, &event);
      if (event.correlation == correlation)
        return TRUE;
      if (event.correlation < correlation)
        low = middle + 1;
      else
        high = middle;
    }
  return FALSE;
}

/* Returns the stream of the rank of the search that executes task @correlation, or -1. */
static int
find_stream_of_task (const Search *search, guint32 correlation)
{
  const HirTrace *trace = search->index->trace;
  const guint *ranks = search->index->rank_numbers;

  for (guint t = 0; correlation != 0 && t < hir_trace_get_n_tracks (trace); t++)
    if (ranks[t] == ranks[search->track] &&
        hir_trace_get_track (trace, t)->kind == HIR_TRACK_STREAM &&
        has_task (trace, t, correlation))
      return (int) t;
  return -1;
}

/* Returns the stream of a task that the host issues before (@step -1) or after (1) the issue of the
 * event without a change of the current stream, or -1. */
static int
find_current_stream (const Search *search, const HirLaunch *issue, int step)
{
  const HirExplainIndex *index = search->index;
  guint repetition = hir_explain_index_get_repetition (index, issue->track, issue->start_ns);
  guint n = hir_trace_get_track_n_events (index->trace, issue->track);
  guint n_seen = 0;
  HirEvent event;

  for (gint64 i = (gint64) issue->index + step; i >= 0 && i < n && n_seen++ < MAX_SCAN; i += step)
    {
      int stream;

      if (!hir_explain_index_has (index, issue->track, (guint) i, &event))
        continue;
      if (strcmp (hir_trace_get_string (index->trace, event.name), "SetCurrentStream") == 0 ||
          !hir_explain_index_is_in (index, issue->track, event.start_ns, repetition))
        return -1;
      stream = find_stream_of_task (search, event.correlation);
      if (stream >= 0)
        return stream;
    }
  return -1;
}

/* Returns the stream that posts the communication of the event, or -1 if it is not known. */
static int
find_poster (const Search *search)
{
  const HirLaunch *issue =
      lookup_issue (search, hir_trace_get_track (search->index->trace, search->track)->rank);
  int stream;

  if (issue == NULL)
    return -1;
  stream = find_current_stream (search, issue, -1);
  return stream >= 0 ? stream : find_current_stream (search, issue, 1);
}

/* Offers the last work that was queued on the stream that posts the communication of the event. */
static void
offer_post (Search *search)
{
  const HirExplainIndex *index = search->index;
  int stream = find_poster (search);
  guint n_seen = 0;
  HirEvent event;

  if (stream < 0)
    {
      offer_last (search, MAX (search->best.ready_ns, search->limit_ns - ASSUME_NS), accept_any,
                  HIR_REASON_ASSUMED);
      return;
    }
  for (guint i = hir_trace_find_first (index->trace, (guint) stream, search->limit_ns + 1);
       i-- > 0 && n_seen++ < MAX_SCAN;)
    {
      if (!hir_explain_index_has (index, (guint) stream, i, &event) ||
          event.correlation >= search->event.correlation)
        continue;
      offer (search, (guint) stream, i, event.end_ns, HIR_REASON_POST);
      return;
    }
}

HirPredecessor
hir_predecessor_of_wait (const HirExplainIndex *index, guint track, guint at, gint64 end_ns)
{
  Search search = start_search (index, track, at, end_ns);

  offer_edges (&search);
  if (!search.best.is_known && index->is_recording)
    offer_last (&search, search.event.start_ns, is_named, HIR_REASON_EVENT);
  if (!search.best.is_known)
    offer_last (&search, search.event.start_ns, accept_any, HIR_REASON_ASSUMED);
  return search.best;
}

HirPredecessor
hir_predecessor_of_start (const HirExplainIndex *index, guint track, guint at, gint64 start_ns)
{
  Search search = start_search (index, track, at, start_ns);

  if (search.event.kind == HIR_EVENT_ISSUE)
    {
      offer_stream (&search, TRUE);
      return search.best;
    }
  offer_stream (&search, FALSE);
  offer_launch (&search);
  if (search.event.kind != HIR_EVENT_SYNC)
    offer_edges (&search);
  if (index->is_recording && !index->has_edges && search.event.kind == HIR_EVENT_COMMUNICATION)
    offer_post (&search);
  if (!index->is_recording &&
      (!search.best.is_known || search.best.ready_ns < start_ns - ASSUME_NS))
    offer_last (&search, start_ns - ASSUME_NS, accept_any, HIR_REASON_ASSUMED);
  if (index->has_contention && search.event.kind != HIR_EVENT_SYNC && search.best.is_known &&
      search.best.ready_ns < start_ns - READY_NS)
    offer_device (&search);
  return search.best;
}

HirPredecessor
hir_predecessor_of_transfer (const HirExplainIndex *index, guint track, guint at, gint64 end_ns)
{
  Search search = start_search (index, track, at, end_ns);
  g_autoptr (GArray) partners = hir_trace_dup_partners (index->trace, track, at, MAX_LINKS);

  for (guint i = 0; i < partners->len; i++)
    {
      const HirEventRef *ref = &g_array_index (partners, HirEventRef, i);
      HirEvent event;

      if (hir_explain_index_has (index, ref->track, ref->index, &event) &&
          event.start_ns > search.event.start_ns && event.start_ns <= end_ns)
        offer (&search, ref->track, ref->index, event.start_ns, HIR_REASON_COLLECTIVE);
    }
  return search.best;
}

/* Returns whether a call of another profiler's trace waits for the device. */
static gboolean
is_waiting_call (const char *name)
{
  if (strstr (name, "Synchronize") != NULL)
    return TRUE;
  return (g_str_has_prefix (name, "cudaMemcpy") || g_str_has_prefix (name, "hipMemcpy")) &&
         strstr (name, "Async") == NULL;
}

HirPredecessor
hir_predecessor_of_call (const HirExplainIndex *index, guint track, guint at, gint64 end_ns)
{
  Search search = start_search (index, track, at, end_ns);

  /* In recordings, no issue waits for the device. */
  if (!index->is_recording && search.event.kind == HIR_EVENT_ISSUE &&
      is_waiting_call (hir_trace_get_string (index->trace, search.event.name)))
    offer_last (&search, search.event.start_ns, accept_any, HIR_REASON_HOST_WAIT);
  return search.best;
}
