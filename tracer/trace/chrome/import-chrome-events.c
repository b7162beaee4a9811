#include <string.h>

#include "diagnostic.h"
#include "trace/chrome/chrome-counter.h"
#include "trace/chrome/import-chrome-private.h"
#include "trace/collective.h"
#include "trace/event-names.h"
#include "trace/headroom.h"

static HirEventKind
get_kind (const HirChromeEvent *event)
{
  for (int kind = 0; event->kind.length > 0 && kind < HIR_N_EVENT_KINDS; kind++)
    if (hir_json_text_is (&event->kind, hir_event_kind_get_name (kind)))
      return kind;
  switch (event->class)
    {
    case HIR_CHROME_KERNEL:
      return event->collective.length > 0 ? HIR_EVENT_COMMUNICATION : HIR_EVENT_KERNEL;

    case HIR_CHROME_MEMCPY:
      return HIR_EVENT_MEMCPY;

    case HIR_CHROME_MEMSET:
      return HIR_EVENT_MEMSET;

    case HIR_CHROME_SYNC:
      return HIR_EVENT_SYNC;

    case HIR_CHROME_LAUNCH:
      return HIR_EVENT_ISSUE;

    case HIR_CHROME_HOST:
    case HIR_CHROME_DEVICE_NOTE:
    case HIR_CHROME_OVERHEAD:
    default:
      return HIR_EVENT_HOST;
    }
}

/* Returns the size of the event's data type, 0 if it is unknown, and the type. */
static guint
lookup_dtype (const HirChromeEvent *event, HirDType *dtype)
{
  g_autofree char *name = event->dtype.length > 0 ? hir_json_text_dup (&event->dtype) : NULL;

  *dtype = HIR_DTYPE_NULL;
  return name != NULL ? hir_collective_lookup_dtype (name, dtype) : 0;
}

static gint64
count_bytes (const HirChromeEvent *event, gint64 elements)
{
  HirDType dtype;
  gint64 size = elements > 0 ? lookup_dtype (event, &dtype) : 0;

  return elements > 0 && size > 0 && elements < G_MAXINT64 / size ? elements * size : 0;
}

static gint64
get_bytes (const HirChromeEvent *event)
{
  if (event->bytes >= 0)
    return event->bytes;
  return count_bytes (event, MAX (event->in_elements, event->out_elements));
}

/* Records a message, so that a send can be matched with its receive. */
static void
take_message (HirChromeImporter *self,
              const HirChromeEvent *event,
              const char *op,
              HirCommRecord *record)
{
  g_autofree char *pair = hir_comm_record_dup_pair_key (event->sender, event->receiver);

  record->key = hir_trace_builder_intern (self->builder, pair);
  record->side =
      hir_collective_get_kind (op) == HIR_COLLECTIVE_SEND ? HIR_COMM_SIDE_SEND : HIR_COMM_SIDE_RECV;
}

/* Few traces number the collectives of a team. If all ranks are present, the order can replace the
 * number (trace/comm-matching.h). */
static void
add_meeting (HirChromeImporter *self,
             const HirChromeEvent *event,
             gint64 bytes,
             guint32 correlation)
{
  HirCommRecord record = { .bytes = bytes,
                           .correlation = correlation,
                           .rank =
                               event->rank >= 0 ? (gint32) CLAMP (event->rank, 0, G_MAXINT32) : -1,
                           .side = HIR_COMM_SIDE_TEAM };
  g_autofree char *list = NULL, *name = NULL, *team = NULL, *op = NULL;
  HirDType dtype = HIR_DTYPE_NULL;
  gboolean is_message;
  guint n_members;

  if (event->collective.length == 0 || event->sequence >= HIR_COMM_RECORD_UNNUMBERED ||
      correlation == 0)
    return;
  /* Our export names the collective of an event without a record, too, but never its group. */
  is_message = event->kind.length > 0 && event->sender >= 0 && event->receiver >= 0;
  if (event->kind.length > 0 && event->group_ranks.length == 0 && !is_message)
    return;
  list = hir_json_text_dup (&event->group_ranks);
  name = hir_json_text_dup (&event->group_name);
  team = hir_comm_record_dup_group_key (list, name, event->group_size);
  record.key = hir_trace_builder_intern (self->builder, team);
  record.sequence = event->sequence >= 0 ? (guint32) event->sequence : HIR_COMM_RECORD_UNNUMBERED;
  op = hir_json_text_dup (&event->collective);
  record.op = hir_trace_builder_intern (self->builder, op);
  record.root = (gint32) CLAMP (event->root, -1, G_MAXINT32);
  lookup_dtype (event, &dtype);
  record.dtype = dtype;
  record.in_elements = MAX (event->in_elements, 0);
  record.out_elements = MAX (event->out_elements, 0);
  n_members = is_message ? 2 : hir_comm_record_get_key_size (team);
  self->n_no_size += n_members == 0;
  record.message_bytes =
      hir_collective_count_bytes (op, count_bytes (event, event->in_elements),
                                  count_bytes (event, event->out_elements), n_members);
  /* Other profilers number ranks within a group here. */
  if (is_message)
    take_message (self, event, op, &record);
  hir_trace_builder_add_comm_record (self->builder, &record);
}

/* Records each message of a group. */
static void
add_messages (HirChromeImporter *self, const HirChromeEvent *group, guint32 correlation)
{
  HirChromeEvent message;
  gboolean first = TRUE;
  HirJson json;

  hir_json_init (&json, group->messages.at, group->messages.length);
  if (!hir_json_try_enter (&json, HIR_JSON_ARRAY))
    return;
  while (hir_chrome_event_next_message (&json, &first, group, &message))
    if (message.sender >= 0 && message.receiver >= 0)
      add_meeting (self, &message, get_bytes (&message), correlation);
}

/* Converts a time of the text to trace time. Saturates; the builder rejects extreme times. */
static gint64
to_trace_time (HirChromeImporter *self, gint64 ns)
{
  gint64 time_ns;

  if (!self->has_zero)
    {
      self->has_zero = TRUE;
      self->zero_ns = ns;
    }
  if (__builtin_sub_overflow (ns, self->zero_ns, &time_ns))
    time_ns = ns < self->zero_ns ? G_MININT64 : G_MAXINT64;
  return time_ns;
}

/* Reads the fields that only our own exports have. */
static void
take_own (HirEvent *e, const HirChromeEvent *event)
{
  if (event->kind.length == 0)
    return;
  e->flops = MAX (event->flops, 0);
  e->iteration = (gint32) CLAMP (event->iteration, -1, G_MAXINT32);
  if (event->instruction.length > 0)
    e->instruction = g_ascii_strtoull (event->instruction.at, NULL, 16);
  for (int phase = 0; phase < HIR_PHASE_BASELINE; phase++)
    if (hir_json_text_is (&event->phase_name, hir_phase_get_name (phase)))
      e->phase = phase;
}

/* Returns the position of the event's args and category. Our own events have both in other
 * fields. */
static guint64
get_source (HirChromeImporter *self, const HirChromeEvent *event)
{
  gboolean is_host = event->class == HIR_CHROME_HOST || event->class == HIR_CHROME_LAUNCH ||
                     event->class == HIR_CHROME_OVERHEAD;
  gboolean is_instant = memchr ("iIn", event->phase, 3) != NULL;
  gboolean has_any = event->has_args || is_instant || (is_host && event->category.length > 0);

  if (!has_any || (event->kind.length > 0 && !event->is_foreign))
    return 0;
  return self->source + self->text_offset + event->at;
}

static gboolean
add (HirChromeImporter *self, const HirEvent *event)
{
  self->last_ns = MAX (self->last_ns, event->end_ns);
  self->n_events++;
  return hir_trace_builder_add (self->builder, event, &self->error);
}

/* Adds a host event with only a name. */
static gboolean
add_plain (HirChromeImporter *self,
           guint track,
           guint32 name,
           gint64 start_ns,
           gint64 end_ns,
           guint64 source)
{
  const HirEvent e = {
    .start_ns = start_ns,
    .end_ns = end_ns,
    .name = name,
    .iteration = -1,
    .track = (guint16) track,
    .kind = HIR_EVENT_HOST,
    .source = source,
  };

  return add (self, &e);
}

static gboolean
add_full (HirChromeImporter *self,
          guint track,
          gint64 start_ns,
          gint64 end_ns,
          const HirChromeEvent *event)
{
  HirEvent e = {
    .start_ns = start_ns,
    .end_ns = end_ns,
    .name = hir_chrome_names_intern (self->names, &event->name),
    .iteration = -1,
    .track = (guint16) track,
    .kind = (guint8) get_kind (event),
    .bytes = get_bytes (event),
    .source = get_source (self, event),
  };

  take_own (&e, event);
  if (event->correlation > 0 && event->correlation <= G_MAXUINT32)
    e.correlation = (guint32) event->correlation;
  if (e.kind == HIR_EVENT_COMMUNICATION && event->kind.length > 0 && event->messages.length > 0)
    add_messages (self, event, e.correlation);
  else if (e.kind == HIR_EVENT_COMMUNICATION)
    add_meeting (self, event, e.bytes, e.correlation);
  return add (self, &e);
}

gboolean
hir_chrome_fail_memory (HirChromeImporter *self)
{
  hir_set_error (&self->error, HIR_ERROR_LIMIT, NULL,
                 "%s: out of memory after %" G_GUINT64_FORMAT
                 " events; load a part of it, or use a machine with more memory",
                 hir_text_source_get_name (hir_text_stream_get_source (self->stream)),
                 self->n_events);
  return FALSE;
}

static gboolean
add_complete (HirChromeImporter *self, const HirChromeEvent *event)
{
  HirChromeTrack *track;
  gint64 start_ns, end_ns;

  if (!event->has_start)
    {
      self->n_no_time++;
      return TRUE;
    }
  if (!event->has_duration && event->phase == 'X')
    self->n_no_duration++;
  /* A profiler that lost a kernel's clock writes 0 for both times (kineto #109). */
  if (event->start_ns == 0 && event->duration_ns == 0 && event->class == HIR_CHROME_KERNEL)
    {
      self->n_no_clock++;
      return TRUE;
    }
  track = hir_chrome_tracks_ensure (self->tracks, event);
  /* Our own exports count from the start of the run, even if no event starts there. */
  if (event->kind.length > 0)
    self->has_zero = self->is_own = TRUE;
  start_ns = to_trace_time (self, event->start_ns);
  if (__builtin_add_overflow (start_ns, event->duration_ns, &end_ns))
    end_ns = event->duration_ns > 0 ? G_MAXINT64 : G_MININT64;
  return add_full (self, track->track, start_ns, end_ns, event);
}

static gboolean
begin (HirChromeImporter *self, HirChromeTrack *track, const HirChromeEvent *event)
{
  HirChromeOpen open = { hir_chrome_names_intern (self->names, &event->name),
                         to_trace_time (self, event->start_ns), get_source (self, event) };

  if (!hir_chrome_track_push (track, &open))
    return hir_chrome_fail_memory (self);
  self->last_ns = MAX (self->last_ns, open.start_ns);
  return TRUE;
}

/* Ends the last started event, or the last one with the same name if that is another one. */
static gboolean
end (HirChromeImporter *self, HirChromeTrack *track, const HirChromeEvent *event)
{
  guint32 name = hir_chrome_names_intern (self->names, &event->name);
  guint last = track->n_open;
  guint i = last;
  HirChromeOpen open;

  if (last == 0)
    {
      self->n_ends_alone++;
      return TRUE;
    }
  while (name != 0 && i > 0 && last - i < 64 && track->open[i - 1].name != name)
    i--;
  if (i == 0 || last - i >= 64 || (name != 0 && i != last))
    self->n_other_name++;
  if (i == 0 || last - i >= 64)
    i = last;
  open = track->open[i - 1];
  hir_chrome_track_remove (track, i - 1);
  return add_plain (self, track->track, open.name, open.start_ns,
                    MAX (to_trace_time (self, event->start_ns), open.start_ns), open.source);
}

static gboolean
add_instant (HirChromeImporter *self, HirChromeTrack *track, const HirChromeEvent *event)
{
  gint64 time_ns = to_trace_time (self, event->start_ns);

  return add_plain (self, track->track, hir_chrome_names_intern (self->names, &event->name),
                    time_ns, time_ns, get_source (self, event));
}

/* Handles the phases that have a time. */
static gboolean
add_timed (HirChromeImporter *self, const HirChromeEvent *event)
{
  if (!event->has_start)
    {
      self->n_no_time++;
      return TRUE;
    }
  switch (event->phase)
    {
    case 'B':
      return begin (self, hir_chrome_tracks_ensure (self->tracks, event), event);

    case 'E':
      return end (self, hir_chrome_tracks_ensure (self->tracks, event), event);

    case 'b':
    case 'S':
      return begin (self, hir_chrome_tracks_ensure_async (self->tracks, event), event);

    case 'e':
    case 'F':
      return end (self, hir_chrome_tracks_ensure_async (self->tracks, event), event);

    case 'C':
      if (event->is_foreign)
        self->has_zero = self->is_own = TRUE;
      return hir_chrome_take_counter (self, event, to_trace_time (self, event->start_ns));

    case 'n':
      return add_instant (self, hir_chrome_tracks_ensure_async (self->tracks, event), event);

    default:
      return event->kind.length > 0
                 ? add_complete (self, event)
                 : add_instant (self, hir_chrome_tracks_ensure (self->tracks, event), event);
    }
}

/* Correlations express the flows from launches to their work. Kineto changed their category. */
static gboolean
is_launch_flow (const HirChromeEvent *event)
{
  return hir_json_text_is (&event->category, "ac2g") ||
         hir_json_text_is (&event->category, "async_gpu") ||
         hir_json_text_is (&event->category, "async_cpu_to_gpu");
}

static gboolean
take_flow (HirChromeImporter *self, const HirChromeEvent *event)
{
  HirChromeFlowPoint point;

  if (!event->has_start)
    self->n_no_time++;
  else if (!is_launch_flow (event))
    {
      hir_chrome_tracks_read_flow (self->tracks, event, &point);
      point.point.time_ns = to_trace_time (self, event->start_ns);
      if (self->flows->len % 4096 == 4095 && !hir_has_headroom ())
        return hir_chrome_fail_memory (self);
      g_array_append_val (self->flows, point);
    }
  else if (event->phase == 's')
    self->n_flow_begins++;
  else
    self->n_flow_ends++;
  return TRUE;
}

gboolean
hir_chrome_take_event (HirChromeImporter *self, const HirChromeEvent *event)
{
  if (event->phase != 0)
    self->n_objects++;
  self->n_repaired += event->is_invalid;
  self->n_twice += event->has_twice;
  switch (event->phase)
    {
    case 'X':
      return add_complete (self, event);

    case 'M':
      hir_chrome_tracks_take_metadata (self->tracks, event);
      return TRUE;

    case 'B':
    case 'E':
    case 'b':
    case 'e':
    case 'n':
    case 'S':
    case 'F':
    case 'i':
    case 'I':
    case 'C':
      return add_timed (self, event);

    case 's':
    case 't':
    case 'f':
      return take_flow (self, event);

    default:
      self->n_unknown++;
      return TRUE;
    }
}

void
hir_chrome_close_open (HirChromeTrack *track, gpointer user_data)
{
  HirChromeImporter *self = user_data;

  self->n_begins_alone += track->n_open;
  for (guint i = 0; i < track->n_open && self->error == NULL; i++)
    {
      const HirChromeOpen *open = &track->open[i];

      add_plain (self, track->track, open->name, open->start_ns,
                 MAX (self->last_ns, open->start_ns), open->source);
    }
}
