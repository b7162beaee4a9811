/* Cuts the host threads of a trace into units, and gives each device event its unit: by the launch
 * call of its correlation, by the ATen op of its External id, or by its place between the
 * correlations of other calls. */
#include <string.h>

#include "join/join-private.h"
#include "trace/event-args.h"

/* A launch, or an instruction of a recording of ours, has less works. */
#define MANY_WORKS 4

/* A call of the CUDA runtime. */
typedef struct
{
  guint32 correlation;
  guint thread;
  gint64 start_ns;
} Call;

typedef struct
{
  const HirTrace *trace;
  HirJoinObserved *observed;
  GHashTable *by_correlation; /* correlation -> index of the first work + 1 */
  GArray *calls;              /* Call, by correlation after the threads are read */
  GHashTable *ops;            /* External id -> Op*; NULL until it is needed */
  gboolean is_by_number;      /* correlations are the only order of the host */
  gboolean is_own;            /* a recording of ours */
  guint n_replays;
} Reader;

typedef struct
{
  guint thread;
  gint64 start_ns;
} Op;

static const char *
get_name (const Reader *reader, guint32 name)
{
  return hir_trace_get_string (reader->trace, name);
}

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
collect_works (Reader *reader)
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
find_works (const Reader *reader, guint32 correlation)
{
  return GPOINTER_TO_UINT (
             g_hash_table_lookup (reader->by_correlation, GUINT_TO_POINTER (correlation))) -
         1;
}

static HirJoinClass
classify_work (const Reader *reader, const HirJoinWork *work)
{
  switch (work->kind)
    {
    case HIR_EVENT_MEMCPY:
      return HIR_JOIN_COPY;
    case HIR_EVENT_MEMSET:
      return HIR_JOIN_FILL;
    case HIR_EVENT_COMMUNICATION:
      return HIR_JOIN_COMM;
    default:
      return hir_join_classify_kernel (get_name (reader, work->name));
    }
}

static void
note_number (HirJoinUnit *unit, guint32 number)
{
  if (number == 0)
    return;
  unit->first_number = unit->first_number == 0 ? number : MIN (unit->first_number, number);
  unit->last_number = MAX (unit->last_number, number);
}

/* Adds @work to @unit. The class of a unit without ATen op is that of its most telling work. */
static void
attach (Reader *reader, HirJoinUnit *unit, HirJoinWork *work, guint thread, guint index)
{
  HirJoinClass class = classify_work (reader, work);

  work->thread = thread;
  work->unit = index;
  note_number (unit, work->correlation);
  if (work->kind == HIR_EVENT_SYNC)
    {
      if (unit->kind != HIR_JOIN_OP)
        unit->stream = work->track;
      return;
    }
  if (unit->n_works == 0 || unit->class == HIR_JOIN_FILL || class == HIR_JOIN_MATMUL)
    {
      unit->stream = work->track;
      unit->is_link = hir_trace_get_track (reader->trace, work->track)->kind == HIR_TRACK_LINK;
      if (!unit->is_op && !unit->is_own)
        {
          unit->class = (guint8) class;
          unit->op = get_name (reader, work->name);
        }
    }
  unit->bytes = unit->n_works == 0 && work->kind == HIR_EVENT_MEMCPY ? work->bytes : 0;
  unit->n_works++;
}

/* Attaches all works of @correlation. */
static void
attach_all (Reader *reader, HirJoinThread *thread, guint number, guint index, guint32 correlation)
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
      attach (reader, unit, work, number, index);
    }
}

static guint
add_unit (HirJoinThread *thread, HirJoinKind kind, HirJoinClass class, const char *op)
{
  HirJoinUnit unit = { .kind = kind,
                       .class = class,
                       .op = op,
                       .order = thread->units->len,
                       .stream = HIR_JOIN_NONE,
                       .host_track = HIR_JOIN_NONE };

  g_array_append_val (thread->units, unit);
  return thread->units->len - 1;
}

static guint
add_host_unit (HirJoinThread *thread,
               HirJoinKind kind,
               HirJoinClass class,
               const char *op,
               const HirEvent *event,
               guint index)
{
  guint number = add_unit (thread, kind, class, op);
  HirJoinUnit *unit = &g_array_index (thread->units, HirJoinUnit, number);

  unit->start_ns = event->start_ns;
  unit->end_ns = event->end_ns;
  unit->host_track = event->track;
  unit->host_event = index;
  return number;
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
  open->unit = add_host_unit (thread, is_prepare ? HIR_JOIN_PREPARE : HIR_JOIN_OP, class,
                              op != NULL ? op : name, event, index);
  g_array_index (thread->units, HirJoinUnit, open->unit).is_op = TRUE;
  g_array_index (thread->units, HirJoinUnit, open->unit).is_range = range != HIR_JOIN_UNKNOWN;
}

/* Adds a unit for each of @works, which one launch of a CUDA graph ran, or one for all if the trace
 * only has the graph as a whole. @event (nullable): the launch, otherwise it was at @start_ns. */
static void
add_replay (Reader *reader,
            guint number,
            GPtrArray *works,
            gint64 start_ns,
            const HirEvent *event,
            guint index)
{
  HirJoinThread *thread = g_ptr_array_index (reader->observed->threads, number);
  HirJoinWork **list = (HirJoinWork **) works->pdata;
  gboolean is_opaque =
      works->len == 1 && g_str_has_prefix (get_name (reader, list[0]->name), "CUDA graph");
  gboolean has_nodes = hir_join_sort_replay (reader->trace, list, works->len);
  gboolean is_branched = !has_nodes && list[0]->track != list[works->len - 1]->track;

  reader->n_replays++;
  for (guint i = 0; i < works->len; i++)
    {
      guint u = event != NULL
                    ? add_host_unit (thread, HIR_JOIN_OP, HIR_JOIN_UNKNOWN, "", event, index)
                    : add_unit (thread, HIR_JOIN_OP, HIR_JOIN_UNKNOWN, "");
      HirJoinUnit *unit = &g_array_index (thread->units, HirJoinUnit, u);

      unit->start_ns = start_ns;
      unit->end_ns = MAX (unit->end_ns, start_ns);
      list[i]->has_call = event != NULL;
      attach (reader, unit, list[i], number, u);
      unit->n_calls = 1;
      unit->replay = reader->n_replays;
      unit->branch = list[i]->track;
      unit->stream = HIR_JOIN_NONE;
      unit->work_start_ns = list[i]->start_ns;
      unit->is_first = i == 0;
      unit->is_branched = is_branched;
      unit->is_opaque = is_opaque;
    }
}

/* Reads the launch of a CUDA graph. Without its work, it means nothing. */
static void
read_replay (Reader *reader, guint number, const HirEvent *event, guint index)
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
    add_replay (reader, number, list, event->start_ns, event, index);
}

/* Reads a call that launches, records or waits. */
static void
read_call (Reader *reader,
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
      note_number (&g_array_index (thread->units, HirJoinUnit, unit), event->correlation);
      return;
    }
  if (is_sync)
    unit = add_host_unit (thread, call == HIR_JOIN_CALL_RECORD ? HIR_JOIN_RECORD : HIR_JOIN_WAIT,
                          HIR_JOIN_UNKNOWN, "", event, index);
  else if (unit == HIR_JOIN_NONE)
    unit = add_host_unit (thread, HIR_JOIN_OP, class, "", event, index);
  g_array_index (thread->units, HirJoinUnit, unit).n_calls++;
  note_number (&g_array_index (thread->units, HirJoinUnit, unit), event->correlation);
  if (event->correlation != 0)
    attach_all (reader, thread, number, unit, event->correlation);
}

static gboolean
is_own_wait (const char *name)
{
  return g_str_has_prefix (name, "Wait");
}

/* Reads an issue span of a recording of ours. */
static void
read_own (Reader *reader,
          HirJoinThread *thread,
          guint number,
          const char *name,
          const HirEvent *event,
          guint index)
{
  gboolean is_sync = strcmp (name, "Synchronize") == 0;
  gboolean launches = event->correlation != 0; /* its work may be lost */
  guint unit;

  if ((is_sync || is_own_wait (name)) && event->correlation == 0)
    return;
  reader->is_own |= is_sync || is_own_wait (name);
  if (is_sync)
    {
      unit = add_host_unit (thread, HIR_JOIN_RECORD, HIR_JOIN_UNKNOWN, name, event, index);
      g_array_index (thread->units, HirJoinUnit, unit).is_own = TRUE;
    }
  if (is_sync || is_own_wait (name))
    unit = add_host_unit (thread, is_sync ? HIR_JOIN_WAIT : HIR_JOIN_DONE, HIR_JOIN_UNKNOWN, name,
                          event, index);
  else if (launches)
    unit = add_host_unit (thread, HIR_JOIN_OP, HIR_JOIN_UNKNOWN, name, event, index);
  else if (g_str_has_prefix (name, "ALLOCATE ") || g_str_has_prefix (name, "HirAliasSelect ") ||
           g_str_has_prefix (name, "ShardByStream"))
    unit = add_host_unit (thread, HIR_JOIN_PREPARE, HIR_JOIN_UNKNOWN, name, event, index);
  else
    return;
  g_array_index (thread->units, HirJoinUnit, unit).is_own = TRUE;
  g_array_index (thread->units, HirJoinUnit, unit).n_calls = launches;
  note_number (&g_array_index (thread->units, HirJoinUnit, unit), event->correlation);
  if (launches)
    attach_all (reader, thread, number, unit, event->correlation);
}

static void
read_host_event (Reader *reader,
                 HirJoinThread *thread,
                 guint number,
                 Open *open,
                 const HirEvent *event,
                 guint index)
{
  const char *name = get_name (reader, event->name);
  HirJoinCall call = hir_join_classify_call (name);
  Call entry = { event->correlation, number, event->start_ns };

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

static HirJoinThread *
add_thread (HirJoinObserved *observed, const HirTrace *trace, guint track)
{
  HirJoinThread *thread = g_new0 (HirJoinThread, 1);

  thread->track = track;
  thread->trace = trace;
  thread->units = g_array_new (FALSE, FALSE, sizeof (HirJoinUnit));
  thread->signatures = g_array_new (FALSE, FALSE, sizeof (guint));
  g_ptr_array_add (observed->threads, thread);
  return thread;
}

static void
read_threads (Reader *reader)
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
      thread = add_thread (reader->observed, reader->trace, t);
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

/* Returns the External id of an event, or 0. */
static guint32
get_external_id (const Reader *reader, guint track, guint index)
{
  g_autoptr (GArray) args = hir_trace_dup_event_args (reader->trace, track, index, NULL);
  guint64 id = 0;

  for (guint i = 0; args != NULL && i < args->len; i++)
    {
      const HirEventArg *arg = &g_array_index (args, HirEventArg, i);

      if (g_ascii_strcasecmp (arg->key, "External id") == 0)
        id = g_ascii_strtoull (arg->value, NULL, 10);
    }
  return id <= G_MAXUINT32 ? (guint32) id : 0;
}

/* Reads the External ids of all host events. */
static void
read_ops (Reader *reader)
{
  reader->ops = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  for (guint k = 0; k < reader->observed->threads->len; k++)
    {
      const HirJoinThread *thread = g_ptr_array_index (reader->observed->threads, k);

      for (guint i = 0; i < hir_trace_get_track_n_events (reader->trace, thread->track); i++)
        {
          HirEvent event;
          guint32 id;
          Op *op;

          hir_trace_get_event (reader->trace, thread->track, i, &event);
          if (event.kind != HIR_EVENT_HOST || event.source == 0)
            continue;
          id = get_external_id (reader, thread->track, i);
          if (id == 0 || g_hash_table_contains (reader->ops, GUINT_TO_POINTER (id)))
            continue;
          op = g_new (Op, 1);
          *op = (Op){ k, event.start_ns };
          g_hash_table_insert (reader->ops, GUINT_TO_POINTER (id), op);
        }
    }
}

/* Returns the last unit of @thread that starts at or before @start_ns, or HIR_JOIN_NONE. Only the
 * first @n units are in order. */
static guint
find_unit (const HirJoinThread *thread, guint n, gint64 start_ns)
{
  guint low = 0, high = n;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (thread->units, HirJoinUnit, middle).start_ns <= start_ns)
        low = middle + 1;
      else
        high = middle;
    }
  return low - 1;
}

static int
compare_calls (gconstpointer a, gconstpointer b)
{
  const Call *x = a, *y = b;

  return x->correlation < y->correlation ? -1 : x->correlation > y->correlation;
}

/* Returns the last call before @correlation, or NULL. */
static const Call *
find_call (const Reader *reader, guint32 correlation)
{
  guint low = 0, high = reader->calls->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (reader->calls, Call, middle).correlation <= correlation)
        low = middle + 1;
      else
        high = middle;
    }
  return low > 0 ? &g_array_index (reader->calls, Call, low - 1) : NULL;
}

/* Adds a unit for a work without launch call, at @start_ns of the host. */
static void
add_alone (Reader *reader, HirJoinWork *work, guint number, gint64 start_ns)
{
  HirJoinThread *thread = g_ptr_array_index (reader->observed->threads, number);
  const char *name = get_name (reader, work->name);
  gboolean is_wait = work->kind == HIR_EVENT_SYNC;
  gboolean is_own_sync = is_wait && g_str_has_prefix (name, "Synchronize ");
  guint index;
  HirJoinUnit *unit;

  if (is_wait && !is_own_sync && !is_own_wait (name) && strcmp (name, "Stream Wait Event") != 0)
    return;
  if (is_own_sync)
    {
      index = add_unit (thread, HIR_JOIN_RECORD, HIR_JOIN_UNKNOWN, name);
      unit = &g_array_index (thread->units, HirJoinUnit, index);
      unit->start_ns = unit->end_ns = start_ns;
      unit->is_own = TRUE;
    }
  index = add_unit (thread,
                    !is_wait             ? HIR_JOIN_OP
                    : is_own_wait (name) ? HIR_JOIN_DONE
                                         : HIR_JOIN_WAIT,
                    HIR_JOIN_UNKNOWN, is_wait ? name : "");
  unit = &g_array_index (thread->units, HirJoinUnit, index);
  unit->start_ns = unit->end_ns = start_ns;
  unit->is_own = is_own_sync || (is_wait && is_own_wait (name));
  attach (reader, unit, work, number, index);
}

/* Finds an op without launch call, into which a work between two calls belongs. */
static guint
find_open_op (const Reader *reader, const Call *before, guint n)
{
  const HirJoinThread *thread = g_ptr_array_index (reader->observed->threads, before->thread);
  guint last = reader->calls->len - 1;
  const Call *next = before < &g_array_index (reader->calls, Call, last) ? before + 1 : NULL;

  for (guint i = find_unit (thread, n, before->start_ns); i < n; i++)
    {
      const HirJoinUnit *unit = &g_array_index (thread->units, HirJoinUnit, i);

      if (next != NULL && next->thread == before->thread && unit->start_ns > next->start_ns)
        break;
      if (unit->kind != HIR_JOIN_OP || !unit->is_op)
        continue;
      /* Both calls are in the op, or the op has none. */
      if (unit->n_calls == 0 ||
          (unit->end_ns > before->start_ns && next != NULL && unit->start_ns <= before->start_ns &&
           unit->end_ns > next->start_ns))
        return i;
    }
  return HIR_JOIN_NONE;
}

static void
place_alone (Reader *reader, HirJoinWork *work, const guint *n_units)
{
  guint32 id = work->kind != HIR_EVENT_SYNC && reader->ops != NULL
                   ? get_external_id (reader, work->track, work->index)
                   : 0;
  const Op *op = id != 0 ? g_hash_table_lookup (reader->ops, GUINT_TO_POINTER (id)) : NULL;
  const Call *before = work->correlation != 0 && reader->calls->len > 0
                           ? find_call (reader, work->correlation)
                           : NULL;
  guint number = op != NULL ? op->thread : before != NULL ? before->thread : 0;
  HirJoinThread *thread = g_ptr_array_index (reader->observed->threads, number);
  guint index = HIR_JOIN_NONE;

  if (op != NULL)
    {
      index = find_unit (thread, n_units[number], op->start_ns);
      if (index != HIR_JOIN_NONE &&
          g_array_index (thread->units, HirJoinUnit, index).kind != HIR_JOIN_OP)
        index = HIR_JOIN_NONE;
      if (index != HIR_JOIN_NONE &&
          g_array_index (thread->units, HirJoinUnit, index).end_ns < op->start_ns)
        index = HIR_JOIN_NONE;
    }
  if (index == HIR_JOIN_NONE && op == NULL && before != NULL && work->kind != HIR_EVENT_SYNC)
    index = find_open_op (reader, before, n_units[number]);
  if (index != HIR_JOIN_NONE)
    attach (reader, &g_array_index (thread->units, HirJoinUnit, index), work, number, index);
  else
    add_alone (reader, work, number,
               op != NULL                                       ? op->start_ns
               : before != NULL                                 ? before->start_ns
               : reader->calls->len > 0 || reader->is_by_number ? G_MININT64
                                                                : work->start_ns);
}

static int
compare_by_start (gconstpointer a, gconstpointer b)
{
  const HirJoinWork *x = *(const HirJoinWork *const *) a, *y = *(const HirJoinWork *const *) b;

  if (x->start_ns != y->start_ns)
    return x->start_ns < y->start_ns ? -1 : 1;
  return x < y ? -1 : x > y;
}

/* Places the works of a launch of a CUDA graph whose call is not in the trace. Returns their
 * number, or 0 if @alone does not continue at @first with such works. */
static guint
place_replay (Reader *reader, const GPtrArray *alone, guint first)
{
  g_autoptr (GPtrArray) works = g_ptr_array_new ();
  guint32 correlation = ((HirJoinWork *) g_ptr_array_index (alone, first))->correlation;
  const Call *before = reader->calls->len > 0 ? find_call (reader, correlation) : NULL;

  for (guint i = first; i < alone->len && correlation != 0; i++)
    {
      HirJoinWork *work = g_ptr_array_index (alone, i);

      if (work->correlation != correlation || work->kind == HIR_EVENT_SYNC)
        break;
      g_ptr_array_add (works, work);
    }
  if (works->len < MANY_WORKS &&
      (works->len < 2 || !hir_join_is_node (reader->trace, g_ptr_array_index (works, 0))))
    return 0;
  add_replay (reader, before != NULL ? before->thread : 0, works,
              before != NULL ? before->start_ns : G_MININT64, NULL, 0);
  return works->len;
}

static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;

  return x < y ? -1 : x > y;
}

/* Returns the numbers of the calls of which the trace has nothing; NULL if they do not tell. */
static GArray *
list_lost (const Reader *reader)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint i = 0; i < reader->calls->len; i++)
    g_array_append_val (numbers, g_array_index (reader->calls, Call, i).correlation);
  for (guint i = 0; i < reader->observed->works->len && reader->calls->len > 0; i++)
    {
      const HirJoinWork *work = &g_array_index (reader->observed->works, HirJoinWork, i);

      if (work->correlation != 0)
        g_array_append_val (numbers, work->correlation);
    }
  g_array_sort (numbers, compare_numbers);
  return hir_join_list_lost (numbers);
}

/* Adds units for the lost calls from number @next on that are before @end. Returns the next one. */
static guint
place_lost (const Reader *reader, const GArray *lost, guint next, guint32 end)
{
  for (; lost != NULL && next < lost->len && g_array_index (lost, guint32, next) < end; next++)
    {
      const Call *before = find_call (reader, g_array_index (lost, guint32, next));
      HirJoinThread *thread =
          g_ptr_array_index (reader->observed->threads, before != NULL ? before->thread : 0);
      guint u = add_unit (thread, HIR_JOIN_LOST, HIR_JOIN_UNKNOWN, "");
      HirJoinUnit *unit = &g_array_index (thread->units, HirJoinUnit, u);

      unit->is_own = reader->is_own;
      unit->start_ns = unit->end_ns = before != NULL ? before->start_ns : G_MININT64;
    }
  return next;
}

/* Places device events whose launch call is not in the trace, and calls that are not in it. Without
 * any call, correlations give their order; without these, their starts. */
static void
place_all_alone (Reader *reader)
{
  HirJoinObserved *observed = reader->observed;
  g_autoptr (GPtrArray) alone = g_ptr_array_new ();
  g_autoptr (GArray) lost = list_lost (reader);
  g_autofree guint *n_units = NULL;
  gboolean has_numbers = TRUE;
  guint n_nodes, next = 0;

  for (guint i = 0; i < observed->works->len; i++)
    {
      HirJoinWork *work = &g_array_index (observed->works, HirJoinWork, i);

      if (work->unit != HIR_JOIN_NONE)
        continue;
      has_numbers &= work->correlation != 0 || work->kind == HIR_EVENT_SYNC;
      g_ptr_array_add (alone, work);
    }
  if (observed->threads->len == 0 && alone->len > 0)
    add_thread (observed, reader->trace, HIR_JOIN_NONE);
  else if (alone->len > 0)
    read_ops (reader);
  if (!has_numbers)
    g_ptr_array_sort (alone, compare_by_start);
  n_units = g_new (guint, observed->threads->len);
  reader->is_by_number = has_numbers && reader->calls->len == 0;
  for (guint i = 0; i < observed->threads->len; i++)
    {
      HirJoinThread *thread = g_ptr_array_index (observed->threads, i);

      thread->is_dense = lost != NULL && has_numbers;
      n_units[i] = thread->units->len;
      reader->is_by_number &= n_units[i] == 0;
    }
  for (guint i = 0; i < alone->len; i++)
    {
      HirJoinWork *work = g_ptr_array_index (alone, i);

      if (reader->is_by_number && work->correlation == 0)
        continue;
      if (has_numbers && work->correlation != 0)
        next = place_lost (reader, lost, next, work->correlation);
      n_nodes = has_numbers ? place_replay (reader, alone, i) : 0;
      if (n_nodes > 0)
        {
          observed->n_alone += n_nodes;
          i += n_nodes - 1;
          continue;
        }
      observed->n_alone += work->kind != HIR_EVENT_SYNC;
      place_alone (reader, work, n_units);
    }
  if (has_numbers)
    (void) place_lost (reader, lost, next, G_MAXUINT32);
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
  g_autoptr (GArray) calls = g_array_new (FALSE, FALSE, sizeof (Call));
  Reader reader = { trace, observed, by_correlation, calls, NULL, FALSE, FALSE, 0 };

  observed->rank = rank;
  observed->works = g_array_new (FALSE, FALSE, sizeof (HirJoinWork));
  observed->threads = g_ptr_array_new_with_free_func (free_thread);
  collect_works (&reader);
  read_threads (&reader);
  g_array_sort (calls, compare_calls);
  observed->has_calls = calls->len > 0;
  place_all_alone (&reader);
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
