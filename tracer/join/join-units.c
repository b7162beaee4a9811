/* Makes threads and units, and attaches device events to units. */
#include "join/join-reader.h"

gboolean
hir_join_is_own_wait (const char *name)
{
  return g_str_has_prefix (name, "Wait");
}

HirJoinThread *
hir_join_observed_add_thread (HirJoinObserved *observed, const HirTrace *trace, guint track)
{
  HirJoinThread *thread = g_new0 (HirJoinThread, 1);

  thread->track = track;
  thread->trace = trace;
  thread->units = g_array_new (FALSE, FALSE, sizeof (HirJoinUnit));
  thread->signatures = g_array_new (FALSE, FALSE, sizeof (guint));
  g_ptr_array_add (observed->threads, thread);
  return thread;
}

static HirJoinClass
classify_work (const HirJoinReader *reader, const HirJoinWork *work)
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
      return hir_join_classify_kernel (hir_trace_get_string (reader->trace, work->name));
    }
}

void
hir_join_unit_note_number (HirJoinUnit *unit, guint32 number)
{
  if (number == 0)
    return;
  unit->first_number = unit->first_number == 0 ? number : MIN (unit->first_number, number);
  unit->last_number = MAX (unit->last_number, number);
}

void
hir_join_reader_attach (
    HirJoinReader *reader, HirJoinUnit *unit, HirJoinWork *work, guint thread, guint index)
{
  HirJoinClass class = classify_work (reader, work);

  work->thread = thread;
  work->unit = index;
  hir_join_unit_note_number (unit, work->correlation);
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
          unit->op = hir_trace_get_string (reader->trace, work->name);
        }
    }
  unit->bytes = unit->n_works == 0 && work->kind == HIR_EVENT_MEMCPY ? work->bytes : 0;
  unit->n_works++;
}

guint
hir_join_thread_add_unit (HirJoinThread *thread,
                          HirJoinKind kind,
                          HirJoinClass class,
                          const char *op)
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

guint
hir_join_thread_add_host_unit (HirJoinThread *thread,
                               HirJoinKind kind,
                               HirJoinClass class,
                               const char *op,
                               const HirEvent *event,
                               guint index)
{
  guint number = hir_join_thread_add_unit (thread, kind, class, op);
  HirJoinUnit *unit = &g_array_index (thread->units, HirJoinUnit, number);

  unit->start_ns = event->start_ns;
  unit->end_ns = event->end_ns;
  unit->host_track = event->track;
  unit->host_event = index;
  return number;
}

void
hir_join_reader_add_replay (HirJoinReader *reader,
                            guint number,
                            GPtrArray *works,
                            gint64 start_ns,
                            const HirEvent *event,
                            guint index)
{
  HirJoinThread *thread = g_ptr_array_index (reader->observed->threads, number);
  HirJoinWork **list = (HirJoinWork **) works->pdata;
  gboolean is_opaque =
      works->len == 1 &&
      g_str_has_prefix (hir_trace_get_string (reader->trace, list[0]->name), "CUDA graph");
  gboolean has_nodes = hir_join_sort_replay (reader->trace, list, works->len);
  gboolean is_branched = !has_nodes && list[0]->track != list[works->len - 1]->track;

  reader->n_replays++;
  for (guint i = 0; i < works->len; i++)
    {
      guint u = event != NULL
                    ? hir_join_thread_add_host_unit (thread, HIR_JOIN_OP, HIR_JOIN_UNKNOWN, "",
                                                     event, index)
                    : hir_join_thread_add_unit (thread, HIR_JOIN_OP, HIR_JOIN_UNKNOWN, "");
      HirJoinUnit *unit = &g_array_index (thread->units, HirJoinUnit, u);

      unit->start_ns = start_ns;
      unit->end_ns = MAX (unit->end_ns, start_ns);
      list[i]->has_call = event != NULL;
      hir_join_reader_attach (reader, unit, list[i], number, u);
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
