/* Cuts the host threads of a trace into units, and gives device events those of their launch calls.
 * join-alone.c places the others. */
#include "join/join-reader.h"

static int
compare_works (gconstpointer a, gconstpointer b)
{
  const HirJoinWork *x = a, *y = b;

  if (x->correlation != y->correlation)
    return x->correlation < y->correlation ? -1 : 1;
  if (x->start_ns != y->start_ns)
    return x->start_ns < y->start_ns ? -1 : 1;
  return x->track != y->track ? (x->track < y->track ? -1 : 1)
                              : (x->index > y->index) - (x->index < y->index);
}

static void
collect_works (HirJoinReader *reader)
{
  GArray *works = reader->observed->works;

  for (guint t = 0; t < hir_trace_get_n_tracks (reader->trace); t++)
    {
      const HirTrack *track = hir_trace_get_track (reader->trace, t);
      guint n = hir_track_is_of_device (track) && track->rank == reader->observed->rank
                    ? hir_trace_get_track_n_events (reader->trace, t)
                    : 0;

      for (guint i = 0; i < n; i++)
        {
          HirEvent event;
          HirJoinWork work;

          hir_trace_get_event (reader->trace, t, i, &event);
          if (event.kind > HIR_EVENT_SYNC || event.phase != HIR_PHASE_PROGRAM)
            continue;
          work = (HirJoinWork){
            t,          i,     event.start_ns, event.bytes,  event.name, event.correlation,
            event.kind, FALSE, HIR_JOIN_NONE,  HIR_JOIN_NONE
          };
          g_array_append_val (works, work);
        }
    }
  g_array_sort (works, compare_works);
  for (guint i = works->len; i-- > 0;)
    {
      guint32 correlation = g_array_index (works, HirJoinWork, i).correlation;

      if (correlation != 0)
        g_hash_table_insert (reader->by_correlation, GUINT_TO_POINTER (correlation),
                             GUINT_TO_POINTER (i + 1));
    }
}

/* Returns the index of the first work of @correlation, or HIR_JOIN_NONE. */
static guint
find_works (const HirJoinReader *reader, guint32 correlation)
{
  return GPOINTER_TO_UINT (
             g_hash_table_lookup (reader->by_correlation, GUINT_TO_POINTER (correlation))) -
         1;
}

/* Attaches all works of @correlation. */
static void
attach_all (
    HirJoinReader *reader, HirJoinThread *thread, guint number, guint index, guint32 correlation)
{
  GArray *works = reader->observed->works;
  HirJoinUnit *unit = &g_array_index (thread->units, HirJoinUnit, index);

  for (guint i = find_works (reader, correlation); i < works->len; i++)
    {
      HirJoinWork *work = &g_array_index (works, HirJoinWork, i);

      if (work->correlation != correlation)
        break;
      if (work->unit != HIR_JOIN_NONE)
        continue;
      work->has_call = TRUE;
      hir_join_reader_attach (reader, unit, work, number, index);
    }
}

/* The outermost op that is open on a thread. */
typedef struct
{
  guint unit; /* HIR_JOIN_NONE: none */
  gint64 end_ns;
  guint n_records, n_waits;
  gboolean is_comm;
  gboolean is_capturing; /* calls add to a CUDA graph and launch nothing */
} Open;

/* A communication without launch that only waits is the wait for an earlier one. */
static void
close_op (HirJoinThread *thread, Open *open)
{
  HirJoinUnit *unit;

  if (open->unit == HIR_JOIN_NONE)
    return;
  unit = &g_array_index (thread->units, HirJoinUnit, open->unit);
  if (open->is_comm && unit->n_works == 0 && unit->n_calls == 0 && open->n_waits == 1 &&
      open->n_records == 0)
    unit->kind = HIR_JOIN_DONE;
  open->unit = HIR_JOIN_NONE;
}

static void
open_op (HirJoinThread *thread, Open *open, const char *name, const HirEvent *event, guint index)
{
  const char *op = hir_join_lookup_op (name);
  HirJoinClass range = hir_join_classify_range (name);
  HirJoinClass class = range != HIR_JOIN_UNKNOWN ? range
                       : op != NULL              ? hir_join_classify_op (op)
                                                 : HIR_JOIN_COMM;
  gboolean is_prepare = class == HIR_JOIN_ALLOCATION || class == HIR_JOIN_VIEW;

  *open = (Open){ .end_ns = event->end_ns,
                  .is_comm = class == HIR_JOIN_COMM,
                  .is_capturing = open->is_capturing };
  open->unit = hir_join_thread_add_host_unit (thread, is_prepare ? HIR_JOIN_PREPARE : HIR_JOIN_OP,
                                              class, op != NULL ? op : name, event, index);
  g_array_index (thread->units, HirJoinUnit, open->unit).is_op = TRUE;
  g_array_index (thread->units, HirJoinUnit, open->unit).is_range = range != HIR_JOIN_UNKNOWN;
}

/* Reads the launch of a CUDA graph. Without its work, it means nothing. */
static void
read_replay (HirJoinReader *reader, guint number, const HirEvent *event, guint index)
{
  GArray *works = reader->observed->works;
  g_autoptr (GPtrArray) list = g_ptr_array_new ();

  for (guint i = event->correlation != 0 ? find_works (reader, event->correlation) : works->len;
       i < works->len; i++)
    {
      HirJoinWork *work = &g_array_index (works, HirJoinWork, i);

      if (work->correlation != event->correlation)
        break;
      if (work->unit == HIR_JOIN_NONE && work->kind != HIR_EVENT_SYNC)
        g_ptr_array_add (list, work);
    }
  if (list->len > 0)
    hir_join_reader_add_replay (reader, number, list, event->start_ns, event, index);
}

/* Reads a call that launches, records or waits. */
static void
read_call (HirJoinReader *reader,
           HirJoinThread *thread,
           guint number,
           Open *open,
           HirJoinCall call,
           const HirEvent *event,
           guint index)
{
  gboolean is_sync = call == HIR_JOIN_CALL_RECORD || call == HIR_JOIN_CALL_WAIT;
  HirJoinClass class = call == HIR_JOIN_CALL_COPY   ? HIR_JOIN_COPY
                       : call == HIR_JOIN_CALL_FILL ? HIR_JOIN_FILL
                                                    : HIR_JOIN_UNKNOWN;
  guint unit = open->unit;

  open->n_records += call == HIR_JOIN_CALL_RECORD;
  open->n_waits += call == HIR_JOIN_CALL_WAIT;
  if (is_sync && unit != HIR_JOIN_NONE)
    {
      hir_join_unit_note_number (&g_array_index (thread->units, HirJoinUnit, unit),
                                 event->correlation);
      return;
    }
  if (is_sync)
    unit = hir_join_thread_add_host_unit (thread,
                                          call == HIR_JOIN_CALL_RECORD ? HIR_JOIN_RECORD
                                                                       : HIR_JOIN_WAIT,
                                          HIR_JOIN_UNKNOWN, "", event, index);
  else if (unit == HIR_JOIN_NONE)
    unit = hir_join_thread_add_host_unit (thread, HIR_JOIN_OP, class, "", event, index);
  g_array_index (thread->units, HirJoinUnit, unit).n_calls++;
  hir_join_unit_note_number (&g_array_index (thread->units, HirJoinUnit, unit), event->correlation);
  if (event->correlation != 0)
    attach_all (reader, thread, number, unit, event->correlation);
}

/* Reads an issue span of a recording of ours. */
static void
read_own (HirJoinReader *reader,
          HirJoinThread *thread,
          guint number,
          const char *name,
          const HirEvent *event,
          guint index)
{
  gboolean is_sync = strcmp (name, "Synchronize") == 0;
  gboolean launches = event->correlation != 0; /* its work may be lost */
  guint unit;

  if ((is_sync || hir_join_is_own_wait (name)) && event->correlation == 0)
    return;
  reader->is_own |= is_sync || hir_join_is_own_wait (name);
  if (is_sync)
    {
      unit = hir_join_thread_add_host_unit (thread, HIR_JOIN_RECORD, HIR_JOIN_UNKNOWN, name, event,
                                            index);
      g_array_index (thread->units, HirJoinUnit, unit).is_own = TRUE;
    }
  if (is_sync || hir_join_is_own_wait (name))
    unit = hir_join_thread_add_host_unit (thread, is_sync ? HIR_JOIN_WAIT : HIR_JOIN_DONE,
                                          HIR_JOIN_UNKNOWN, name, event, index);
  else if (launches)
    unit =
        hir_join_thread_add_host_unit (thread, HIR_JOIN_OP, HIR_JOIN_UNKNOWN, name, event, index);
  else if (g_str_has_prefix (name, "ALLOCATE ") || g_str_has_prefix (name, "HirAliasSelect ") ||
           g_str_has_prefix (name, "ShardByStream"))
    unit = hir_join_thread_add_host_unit (thread, HIR_JOIN_PREPARE, HIR_JOIN_UNKNOWN, name, event,
                                          index);
  else
    return;
  g_array_index (thread->units, HirJoinUnit, unit).is_own = TRUE;
  g_array_index (thread->units, HirJoinUnit, unit).n_calls = launches;
  hir_join_unit_note_number (&g_array_index (thread->units, HirJoinUnit, unit), event->correlation);
  if (launches)
    attach_all (reader, thread, number, unit, event->correlation);
}

static void
read_host_event (HirJoinReader *reader,
                 HirJoinThread *thread,
                 guint number,
                 Open *open,
                 const HirEvent *event,
                 guint index)
{
  const char *name = hir_trace_get_string (reader->trace, event->name);
  HirJoinCall call = hir_join_classify_call (name);
  HirJoinLaunch entry = { event->correlation, number, event->start_ns };

  if (open->unit != HIR_JOIN_NONE && event->start_ns >= open->end_ns)
    close_op (thread, open);
  if (event->kind == HIR_EVENT_ISSUE && event->correlation != 0)
    g_array_append_val (reader->calls, entry);
  /* The end of a capture can be lost. */
  if (event->correlation != 0 && find_works (reader, event->correlation) != HIR_JOIN_NONE)
    open->is_capturing = FALSE;
  if (call == HIR_JOIN_CALL_BEGIN_CAPTURE || call == HIR_JOIN_CALL_END_CAPTURE)
    open->is_capturing = call == HIR_JOIN_CALL_BEGIN_CAPTURE;
  else if (open->is_capturing)
    return;
  else if (call == HIR_JOIN_CALL_GRAPH)
    read_replay (reader, number, event, index);
  else if (call != HIR_JOIN_CALL_OTHER)
    read_call (reader, thread, number, open, call, event, index);
  else if (hir_join_lookup_op (name) != NULL || hir_join_is_comm_op (name) ||
           (event->kind == HIR_EVENT_HOST && event->correlation == 0 &&
            hir_join_classify_range (name) != HIR_JOIN_UNKNOWN))
    {
      if (open->unit == HIR_JOIN_NONE)
        open_op (thread, open, name, event, index);
    }
  else if (open->unit == HIR_JOIN_NONE && !g_str_has_prefix (name, "cu"))
    read_own (reader, thread, number, name, event, index);
}

static void
read_threads (HirJoinReader *reader)
{
  for (guint t = 0; t < hir_trace_get_n_tracks (reader->trace); t++)
    {
      const HirTrack *track = hir_trace_get_track (reader->trace, t);
      guint n = hir_trace_get_track_n_events (reader->trace, t);
      guint number = reader->observed->threads->len;
      Open open = { .unit = HIR_JOIN_NONE };
      HirJoinThread *thread;

      if (track->kind != HIR_TRACK_HOST || track->rank != reader->observed->rank)
        continue;
      thread = hir_join_observed_add_thread (reader->observed, reader->trace, t);
      for (guint i = 0; i < n; i++)
        {
          HirEvent event;

          hir_trace_get_event (reader->trace, t, i, &event);
          if (event.kind == HIR_EVENT_ISSUE || event.kind == HIR_EVENT_HOST)
            read_host_event (reader, thread, number, &open, &event, i);
        }
      close_op (thread, &open);
    }
}

static int
compare_calls (gconstpointer a, gconstpointer b)
{
  const HirJoinLaunch *x = a, *y = b;

  return x->correlation < y->correlation ? -1 : x->correlation > y->correlation;
}

static void
free_thread (gpointer data)
{
  HirJoinThread *thread = data;

  g_array_unref (thread->units);
  g_array_unref (thread->signatures);
  g_free (thread->places);
  g_free (thread);
}

HirJoinObserved *
hir_join_observed_new (const HirTrace *trace, int rank)
{
  HirJoinObserved *observed = g_new0 (HirJoinObserved, 1);
  g_autoptr (GHashTable) by_correlation = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) calls = g_array_new (FALSE, FALSE, sizeof (HirJoinLaunch));
  HirJoinReader reader = { trace, observed, by_correlation, calls, NULL, FALSE, FALSE, 0 };

  observed->rank = rank;
  observed->works = g_array_new (FALSE, FALSE, sizeof (HirJoinWork));
  observed->threads = g_ptr_array_new_with_free_func (free_thread);
  collect_works (&reader);
  read_threads (&reader);
  g_array_sort (calls, compare_calls);
  observed->has_calls = calls->len > 0;
  hir_join_reader_place_alone (&reader);
  hir_join_observed_arrange (observed);
  g_clear_pointer (&reader.ops, g_hash_table_unref);
  return observed;
}

void
hir_join_observed_free (HirJoinObserved *observed)
{
  g_array_unref (observed->works);
  g_ptr_array_unref (observed->threads);
  g_free (observed);
}
