#include "trace/export/export-perfetto.h"

#include "config.h"
#include "diagnostic.h"
#include "trace/text-out.h"

#if HIR_HAVE_PERFETTO

#include <string.h>

#include "identity.h"
#include "perfetto.pb-c.h"
#include "trace/event-names.h"

#define SEQUENCE 1
#define NONE_OPEN G_MININT64
#define INTERNED_ANEW 1
#define NEEDS_INTERNED 2
#define BY_RANK 3 /* child_ordering */
#define MAX_NOTES 10

enum
{
  TYPE_BEGIN = 1,
  TYPE_END,
  TYPE_INSTANT,
  TYPE_COUNTER,
};

/* Names of debug annotations. The interned id is the enum value + 1. */
enum
{
  NOTE_RANK,
  NOTE_DEVICE,
  NOTE_STREAM,
  NOTE_INSTRUCTION,
  NOTE_ITERATION,
  NOTE_PHASE,
  NOTE_BYTES,
  NOTE_FLOPS,
  NOTE_CORRELATION,
  N_NOTES
};
static const char *const note_names[N_NOTES] = { "rank",        "device",    "stream",
                                                 "instruction", "iteration", "phase",
                                                 "bytes",       "flops",     "correlation" };

typedef struct
{
  const HirTrace *trace;
  GOutputStream *stream;
  HirExportProgress *progress; /* nullable */
  GByteArray *pending;
  gint64 zero_ns;
  GError *error;
} Export;

#define PIECE_BYTES (256 * 1024)

static void
flush (Export *self)
{
  if (self->error == NULL)
    g_output_stream_write_all (self->stream, self->pending->data, self->pending->len, NULL,
                               hir_export_progress_get_cancellable (self->progress), &self->error);
  g_byte_array_set_size (self->pending, 0);
}

/* Writes Trace.packet: tag 1, length-delimited. */
static void
write_packet (Export *self, HirPf__TracePacket *packet)
{
  guint8 head[12];
  guint n = 0, at;
  gsize size;

  packet->has_trusted_packet_sequence_id = TRUE;
  packet->trusted_packet_sequence_id = SEQUENCE;
  size = hir_pf__trace_packet__get_packed_size (packet);
  head[n++] = 0x0a;
  for (gsize rest = size; n < sizeof head; rest >>= 7)
    {
      head[n++] = (guint8) ((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
      if (rest <= 0x7f)
        break;
    }
  g_byte_array_append (self->pending, head, n);
  at = self->pending->len;
  g_byte_array_set_size (self->pending, at + (guint) size);
  hir_pf__trace_packet__pack (packet, self->pending->data + at);
  if (self->pending->len >= PIECE_BYTES)
    flush (self);
}

/* --- interned texts --------------------------------------------------------------------------- */

static HirPf__InternedName *
make_name (guint64 iid, const char *text)
{
  HirPf__InternedName *name = g_new (HirPf__InternedName, 1);

  hir_pf__interned_name__init (name);
  name->has_iid = TRUE;
  name->iid = iid;
  name->name = (char *) text;
  return name;
}

/* Writes all names at once: a trace has thousands, not millions. */
static void
write_names (Export *self)
{
  HirPf__TracePacket packet = HIR_PF__TRACE_PACKET__INIT;
  HirPf__InternedData data = HIR_PF__INTERNED_DATA__INIT;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) categories = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) notes = g_ptr_array_new_with_free_func (g_free);

  for (guint32 i = 0; i < hir_trace_get_n_strings (self->trace); i++)
    g_ptr_array_add (names, make_name (i + 1, hir_trace_get_string (self->trace, i)));
  for (guint kind = 0; kind < HIR_N_EVENT_KINDS; kind++)
    g_ptr_array_add (categories, make_name (kind + 1, hir_event_kind_get_name (kind)));
  for (guint note = 0; note < N_NOTES; note++)
    g_ptr_array_add (notes, make_name (note + 1, note_names[note]));
  data.event_names = (HirPf__InternedName **) names->pdata;
  data.n_event_names = names->len;
  data.event_categories = (HirPf__InternedName **) categories->pdata;
  data.n_event_categories = categories->len;
  data.debug_annotation_names = (HirPf__InternedName **) notes->pdata;
  data.n_debug_annotation_names = notes->len;
  packet.interned_data = &data;
  packet.has_sequence_flags = TRUE;
  packet.sequence_flags = INTERNED_ANEW;
  write_packet (self, &packet);
}

/* --- tracks ----------------------------------------------------------------------------------- */

/* Ids of tracks: one process per rank and device (device -1 is the host), then one per track, then
 * one per lane. */
static guint64
process_uuid (const HirTrack *track)
{
  int device = hir_track_is_of_device (track) ? track->device : -1;

  return G_GUINT64_CONSTANT (1) << 62 | (guint64) (guint32) track->rank << 20 |
         ((guint32) (device + 1) & 0xfffff);
}

static guint64
track_uuid (guint track, guint lane)
{
  return (guint64) (track + 1) << 8 | lane;
}

static void
write_descriptor (Export *self, HirPf__TrackDescriptor *descriptor)
{
  HirPf__TracePacket packet = HIR_PF__TRACE_PACKET__INIT;

  packet.track_descriptor = descriptor;
  write_packet (self, &packet);
}

static void
write_process (Export *self, const HirTrack *track, int pid)
{
  HirPf__TrackDescriptor descriptor = HIR_PF__TRACK_DESCRIPTOR__INIT;
  HirPf__Process process = HIR_PF__PROCESS__INIT;
  g_autofree char *name = hir_track_is_of_device (track)
                              ? g_strdup_printf ("rank %d: device %d", track->rank, track->device)
                              : g_strdup_printf ("rank %d: host", track->rank);

  descriptor.has_uuid = TRUE;
  descriptor.uuid = process_uuid (track);
  descriptor.has_child_ordering = TRUE;
  descriptor.child_ordering = BY_RANK;
  process.has_pid = TRUE;
  process.pid = pid;
  process.process_name = name;
  descriptor.process = &process;
  write_descriptor (self, &descriptor);
}

static void
write_track (Export *self, guint t, guint lane)
{
  const HirTrack *track = hir_trace_get_track (self->trace, t);
  HirPf__TrackDescriptor descriptor = HIR_PF__TRACK_DESCRIPTOR__INIT;
  HirPf__Counter counter = HIR_PF__COUNTER__INIT;

  if (track->kind == HIR_TRACK_COUNTER)
    descriptor.counter = &counter;
  descriptor.has_uuid = TRUE;
  descriptor.uuid = track_uuid (t, lane);
  descriptor.has_parent_uuid = TRUE;
  descriptor.parent_uuid = process_uuid (track);
  descriptor.has_sibling_order_rank = TRUE;
  descriptor.sibling_order_rank = (gint32) (t * 256 + lane);
  descriptor.name = track->name;
  write_descriptor (self, &descriptor);
}

static void
write_tracks (Export *self)
{
  g_autoptr (GHashTable) processes =
      g_hash_table_new_full (hir_word_hash, g_int64_equal, g_free, NULL);

  for (guint t = 0; t < hir_trace_get_n_tracks (self->trace) && self->error == NULL; t++)
    {
      const HirTrack *track = hir_trace_get_track (self->trace, t);
      gint64 uuid = (gint64) process_uuid (track);

      if (!g_hash_table_contains (processes, &uuid))
        {
          write_process (self, track, (int) g_hash_table_size (processes) + 1);
          g_hash_table_add (processes, g_memdup2 (&uuid, sizeof uuid));
        }
      for (guint lane = 0; lane < hir_trace_get_n_lanes (self->trace, t); lane++)
        write_track (self, t, lane);
      if (self->error == NULL && !hir_export_progress_step (self->progress, &self->error))
        return;
    }
}

/* --- events ----------------------------------------------------------------------------------- */

typedef struct
{
  HirPf__DebugAnnotation notes[MAX_NOTES];
  HirPf__DebugAnnotation *list[MAX_NOTES];
  guint n;
} Notes;

static HirPf__DebugAnnotation *
add_note (Notes *notes, guint which)
{
  HirPf__DebugAnnotation *note = &notes->notes[notes->n];

  hir_pf__debug_annotation__init (note);
  note->has_name_iid = TRUE;
  note->name_iid = which + 1;
  notes->list[notes->n++] = note;
  return note;
}

static void
add_int (Notes *notes, guint which, gint64 value)
{
  HirPf__DebugAnnotation *note = add_note (notes, which);

  note->has_int_value = TRUE;
  note->int_value = value;
}

static void
add_text (Notes *notes, guint which, const char *text)
{
  add_note (notes, which)->string_value = (char *) text;
}

static void
fill_notes (Notes *notes, const HirTrack *track, const HirEvent *event, char hex[17])
{
  add_int (notes, NOTE_RANK, track->rank);
  add_int (notes, NOTE_DEVICE, track->device);
  if (track->kind != HIR_TRACK_HOST)
    add_int (notes, NOTE_STREAM, track->stream);
  if (event->instruction != 0)
    {
      hir_id_to_hex (event->instruction, hex);
      add_text (notes, NOTE_INSTRUCTION, hex);
      add_int (notes, NOTE_ITERATION, event->iteration);
    }
  if (event->phase != HIR_PHASE_PROGRAM)
    add_text (notes, NOTE_PHASE, hir_phase_get_name (event->phase));
  if (event->bytes != 0)
    add_int (notes, NOTE_BYTES, event->bytes);
  if (event->flops != 0)
    add_int (notes, NOTE_FLOPS, event->flops);
  if (event->correlation != 0)
    add_int (notes, NOTE_CORRELATION, event->correlation);
}

static void
write_point (Export *self, HirPf__TrackEvent *event, gint64 time_ns)
{
  HirPf__TracePacket packet = HIR_PF__TRACE_PACKET__INIT;

  packet.has_timestamp = TRUE;
  packet.timestamp = (guint64) (time_ns - self->zero_ns);
  packet.has_sequence_flags = TRUE;
  packet.sequence_flags = NEEDS_INTERNED;
  packet.track_event = event;
  write_packet (self, &packet);
}

static void
write_sample (Export *self, guint t, const HirEvent *event)
{
  HirPf__TrackEvent sample = HIR_PF__TRACK_EVENT__INIT;

  sample.has_type = sample.has_track_uuid = sample.has_double_counter_value = TRUE;
  sample.type = TYPE_COUNTER;
  sample.track_uuid = track_uuid (t, 0);
  sample.double_counter_value = hir_event_get_value (event);
  write_point (self, &sample, event->start_ns);
}

/* Ends the open slice of @lane. */
static void
write_end (Export *self, guint t, guint lane, gint64 *end_ns)
{
  HirPf__TrackEvent end = HIR_PF__TRACK_EVENT__INIT;

  if (*end_ns == NONE_OPEN)
    return;
  end.has_type = end.has_track_uuid = TRUE;
  end.type = TYPE_END;
  end.track_uuid = track_uuid (t, lane);
  write_point (self, &end, *end_ns);
  *end_ns = NONE_OPEN;
}

/* @open_ns: end of the open slice of each lane */
static void
write_event (Export *self, guint t, guint index, gint64 *open_ns)
{
  const HirTrack *track = hir_trace_get_track (self->trace, t);
  guint lane = hir_trace_get_lane (self->trace, t, index);
  HirPf__TrackEvent begin = HIR_PF__TRACK_EVENT__INIT;
  Notes notes = { .n = 0 };
  guint64 category, flow;
  char hex[17];
  HirEvent event;

  hir_trace_get_event (self->trace, t, index, &event);
  if (event.kind == HIR_EVENT_COUNTER)
    {
      write_sample (self, t, &event);
      return;
    }
  write_end (self, t, lane, &open_ns[lane]);
  fill_notes (&notes, track, &event, hex);
  category = event.kind + 1;
  begin.has_type = begin.has_track_uuid = begin.has_name_iid = TRUE;
  begin.type = event.end_ns > event.start_ns ? TYPE_BEGIN : TYPE_INSTANT;
  begin.track_uuid = track_uuid (t, lane);
  begin.name_iid = event.name + 1;
  begin.category_iids = &category;
  begin.n_category_iids = 1;
  begin.debug_annotations = notes.list;
  begin.n_debug_annotations = notes.n;
  /* Connects a launch with its work; unique per rank. */
  flow = (guint64) (guint32) track->rank << 32 | event.correlation;
  if (event.correlation != 0 && track->kind == HIR_TRACK_HOST)
    {
      begin.flow_ids = &flow;
      begin.n_flow_ids = 1;
    }
  else if (event.correlation != 0)
    {
      begin.terminating_flow_ids = &flow;
      begin.n_terminating_flow_ids = 1;
    }
  write_point (self, &begin, event.start_ns);
  if (event.end_ns > event.start_ns)
    open_ns[lane] = event.end_ns;
}

/* Writes events by start time. In each lane, the end of a slice precedes the next start. */
static void
write_track_events (Export *self, guint t)
{
  guint n_lanes = hir_trace_get_n_lanes (self->trace, t);
  g_autofree gint64 *open_ns = g_new (gint64, n_lanes);

  for (guint lane = 0; lane < n_lanes; lane++)
    open_ns[lane] = NONE_OPEN;
  for (guint i = 0; i < hir_trace_get_track_n_events (self->trace, t); i++)
    {
      write_event (self, t, i, open_ns);
      if (self->error != NULL || !hir_export_progress_step (self->progress, &self->error))
        return;
    }
  for (guint lane = 0; lane < n_lanes; lane++)
    write_end (self, t, lane, &open_ns[lane]);
}

static void
write_events (Export *self)
{
  for (guint t = 0; t < hir_trace_get_n_tracks (self->trace) && self->error == NULL; t++)
    write_track_events (self, t);
}

static gboolean
write_trace (gconstpointer data, GOutputStream *stream, HirExportProgress *progress, GError **error)
{
  Export self = { .trace = data,
                  .stream = stream,
                  .progress = progress,
                  .pending = g_byte_array_sized_new (PIECE_BYTES * 2) };
  gint64 end_ns;

  hir_export_progress_expect (progress, hir_trace_get_n_events (self.trace) +
                                            hir_trace_get_n_tracks (self.trace));
  hir_trace_get_span (self.trace, &self.zero_ns, &end_ns);
  /* Times are unsigned. Events that are left out of the span may be earlier. */
  for (guint t = 0; t < hir_trace_get_n_tracks (self.trace); t++)
    if (hir_trace_get_track_n_events (self.trace, t) > 0)
      {
        gint64 start_ns;

        hir_trace_get_interval (self.trace, t, 0, &start_ns, &end_ns);
        self.zero_ns = MIN (self.zero_ns, start_ns);
      }
  write_names (&self);
  write_tracks (&self);
  write_events (&self);
  flush (&self);
  g_byte_array_unref (self.pending);
  if (self.error == NULL)
    return TRUE;
  g_propagate_error (error, self.error);
  return FALSE;
}

gboolean
hir_export_perfetto_file (const HirTrace *trace,
                          const char *path,
                          HirExportProgress *progress,
                          GError **error)
{
  return hir_text_out_write_file (path, write_trace, trace, progress, error);
}

#else

gboolean
hir_export_perfetto_file (const HirTrace *trace,
                          const char *path,
                          HirExportProgress *progress,
                          GError **error)
{
  hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                 "this build cannot write Perfetto's format; build with libprotobuf-c-dev and "
                 "protobuf-c-compiler, or use --to chrome, which Perfetto also opens");
  return FALSE;
}

#endif
