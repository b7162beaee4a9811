#include "trace/export/export-perfetto.h"

#include "config.h"
#include "diagnostic.h"
#include "trace/text-out.h"

#if HIR_HAVE_PERFETTO

#include <string.h>

#include "identity.h"
#include "perfetto.pb-c.h"
#include "trace/chrome/chrome-places.h"
#include "trace/export/export-args.h"
#include "trace/export/perfetto-args.h"
#include "trace/flow.h"
#include "trace/json-scan.h"
#include "trace/recording/recording.h"
#include "trace/track-ids.h"

#define SEQUENCE 1
#define INTERNED_ANEW 1
#define NEEDS_INTERNED 2
#define BY_RANK 3 /* child_ordering */
#define MAX_ROWS 255
/* Ids of threads and processes that have no number. */
#define FIRST_TID 1000
#define FIRST_PID (1 << 29)
#define CLOCK_REAL_TIME 1
#define CLOCK_OF_PACKETS 6

enum
{
  TYPE_BEGIN = 1,
  TYPE_END,
  TYPE_INSTANT,
  TYPE_COUNTER,
};

/* The flows from one launch to its work. */
typedef struct
{
  guint64 key; /* rank and correlation */
  guint track, index;
  guint n;       /* number of flows */
  guint n_ended; /* of these, written */
  guint64 first; /* id of the first flow */
} Launch;

/* One end of a stored flow (trace/flow.h). */
typedef struct
{
  guint64 event; /* track << 32 | index */
  guint64 id;
  gboolean is_end;
} FlowEnd;

typedef struct
{
  const HirTrace *trace;
  GOutputStream *stream;
  HirExportProgress *progress; /* nullable */
  GByteArray *pending;
  gint64 zero_ns;
  HirChromePlace *places; /* ids of each track */
  GArray *ids;            /* HirTrackIds per track */
  GHashTable *processes;  /* pid -> its first track */
  GHashTable *launches;   /* Launch* */
  GArray *ends;           /* FlowEnd, sorted by event */
  GArray *in, *out;       /* guint64: flows that end and start at the current event */
  HirPerfettoTexts categories, notes;
  HirExportArgs source; /* of the current event, as are the next fields */
  HirPerfettoArgs args;
  GString *json;
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

  for (guint32 i = 0; i < hir_trace_get_n_strings (self->trace); i++)
    g_ptr_array_add (names, make_name (i + 1, hir_trace_get_string (self->trace, i)));
  data.event_names = (HirPf__InternedName **) names->pdata;
  data.n_event_names = names->len;
  packet.interned_data = &data;
  packet.has_sequence_flags = TRUE;
  packet.sequence_flags = INTERNED_ANEW;
  write_packet (self, &packet);
}

/* Returns the texts that no packet has defined yet. */
static GPtrArray *
take_fresh (HirPerfettoTexts *texts)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  guint64 first = g_hash_table_size (texts->ids) - texts->fresh->len + 1;

  for (guint i = 0; i < texts->fresh->len; i++)
    g_ptr_array_add (names, make_name (first + i, texts->fresh->pdata[i]));
  g_ptr_array_set_size (texts->fresh, 0);
  return names;
}

/* Defines the texts that the next packet needs. */
static void
write_fresh_texts (Export *self)
{
  HirPf__TracePacket packet = HIR_PF__TRACE_PACKET__INIT;
  HirPf__InternedData data = HIR_PF__INTERNED_DATA__INIT;
  g_autoptr (GPtrArray) categories = NULL;
  g_autoptr (GPtrArray) notes = NULL;

  if (self->categories.fresh->len == 0 && self->notes.fresh->len == 0)
    return;
  categories = take_fresh (&self->categories);
  notes = take_fresh (&self->notes);
  data.event_categories = (HirPf__InternedName **) categories->pdata;
  data.n_event_categories = categories->len;
  data.debug_annotation_names = (HirPf__InternedName **) notes->pdata;
  data.n_debug_annotation_names = notes->len;
  packet.interned_data = &data;
  packet.has_sequence_flags = TRUE;
  packet.sequence_flags = NEEDS_INTERNED;
  write_packet (self, &packet);
}

/* Relates times of packets to real time. */
static void
write_clock (Export *self)
{
  const char *base = hir_trace_get_meta (self->trace, HIR_META_BASE_TIME);
  HirPf__TracePacket packet = HIR_PF__TRACE_PACKET__INIT;
  HirPf__ClockSnapshot snapshot = HIR_PF__CLOCK_SNAPSHOT__INIT;
  HirPf__Clock clocks[2] = { HIR_PF__CLOCK__INIT, HIR_PF__CLOCK__INIT };
  HirPf__Clock *list[2] = { &clocks[0], &clocks[1] };
  gint64 real_ns;

  if (base == NULL)
    return;
  real_ns = g_ascii_strtoll (base, NULL, 10) + self->zero_ns + 1;
  if (real_ns <= 0)
    return;
  for (guint i = 0; i < 2; i++)
    clocks[i].has_clock_id = clocks[i].has_timestamp = TRUE;
  clocks[0].clock_id = CLOCK_OF_PACKETS;
  clocks[0].timestamp = 1;
  clocks[1].clock_id = CLOCK_REAL_TIME;
  clocks[1].timestamp = (guint64) real_ns;
  snapshot.clocks = list;
  snapshot.n_clocks = 2;
  snapshot.has_primary_trace_clock = TRUE;
  snapshot.primary_trace_clock = CLOCK_OF_PACKETS;
  packet.clock_snapshot = &snapshot;
  write_packet (self, &packet);
}

/* --- tracks ----------------------------------------------------------------------------------- */

/* Ids of tracks: one per process, by its first track, then one per track, then one for slices of a
 * track that do not nest in the others. */
static guint64
process_uuid (Export *self, guint t)
{
  gpointer first = g_hash_table_lookup (self->processes, self->places[t].pid);

  return G_GUINT64_CONSTANT (1) << 62 | GPOINTER_TO_UINT (first);
}

static guint64
track_uuid (guint track, guint row)
{
  return (guint64) (track + 1) << 16 | row;
}

static void
write_descriptor (Export *self, HirPf__TrackDescriptor *descriptor)
{
  HirPf__TracePacket packet = HIR_PF__TRACE_PACKET__INIT;

  packet.track_descriptor = descriptor;
  write_packet (self, &packet);
}

/* Returns the process id of the source; 0 would be the idle process of the kernel. */
static int
get_pid (Export *self, guint t)
{
  int pid;

  if (hir_track_id_to_int (self->places[t].pid, &pid) && pid > 0)
    return pid;
  return FIRST_PID + (int) t;
}

static char *
dup_process_name (Export *self, guint t)
{
  const HirTrack *track = hir_trace_get_track (self->trace, t);
  const char *stated = g_array_index (self->ids, HirTrackIds, t).process;
  HirJson json;

  if (stated == NULL)
    return hir_track_is_of_device (track)
               ? g_strdup_printf ("rank %d: device %d", track->rank, track->device)
               : g_strdup_printf ("rank %d: host", track->rank);
  hir_json_init (&json, stated, strlen (stated));
  return hir_json_dup_value (&json);
}

/* Writes the process of track @t, the first of it. */
static void
write_process (Export *self, guint t)
{
  HirPf__TrackDescriptor descriptor = HIR_PF__TRACK_DESCRIPTOR__INIT;
  HirPf__Process process = HIR_PF__PROCESS__INIT;
  g_autofree char *name = dup_process_name (self, t);

  descriptor.has_uuid = TRUE;
  descriptor.uuid = process_uuid (self, t);
  descriptor.has_child_ordering = TRUE;
  descriptor.child_ordering = BY_RANK;
  process.has_pid = TRUE;
  process.pid = get_pid (self, t);
  process.process_name = name;
  descriptor.process = &process;
  write_descriptor (self, &descriptor);
}

/* Writes the descriptor of row @row of a track; the rows after 0 are below it. */
static void
write_track (Export *self, guint t, guint row)
{
  const HirTrack *track = hir_trace_get_track (self->trace, t);
  guint first = GPOINTER_TO_UINT (g_hash_table_lookup (self->processes, self->places[t].pid));
  HirPf__TrackDescriptor descriptor = HIR_PF__TRACK_DESCRIPTOR__INIT;
  HirPf__Counter counter = HIR_PF__COUNTER__INIT;
  HirPf__Thread thread = HIR_PF__THREAD__INIT;

  if (track->kind == HIR_TRACK_COUNTER)
    descriptor.counter = &counter;
  else if (track->kind == HIR_TRACK_HOST && row == 0)
    {
      thread.has_pid = thread.has_tid = TRUE;
      thread.pid = get_pid (self, first);
      if (!hir_track_id_to_int (self->places[t].tid, &thread.tid))
        thread.tid = FIRST_TID + (int) t;
      thread.thread_name = track->name;
      descriptor.thread = &thread;
    }
  descriptor.has_uuid = TRUE;
  descriptor.uuid = track_uuid (t, row);
  descriptor.has_parent_uuid = TRUE;
  descriptor.parent_uuid = row > 0 ? track_uuid (t, 0) : process_uuid (self, t);
  descriptor.has_sibling_order_rank = TRUE;
  descriptor.sibling_order_rank = (gint32) (row > 0 ? row : t);
  descriptor.name = track->name;
  write_descriptor (self, &descriptor);
}

static void
write_tracks (Export *self)
{
  for (guint t = 0; t < hir_trace_get_n_tracks (self->trace) && self->error == NULL; t++)
    {
      if (self->places[t].is_first)
        {
          g_hash_table_insert (self->processes, self->places[t].pid, GUINT_TO_POINTER (t));
          write_process (self, t);
        }
      write_track (self, t, 0);
      if (self->error == NULL && !hir_export_progress_step (self->progress, &self->error))
        return;
    }
}

/* --- flows ------------------------------------------------------------------------------------ */

static guint64
launch_key (const HirTrack *track, const HirEvent *event)
{
  return (guint64) (guint32) track->rank << 32 | event->correlation;
}

/* Finds the launches, the first host event of each correlation, and counts their work. */
static void
find_launches (Export *self)
{
  for (guint pass = 0; pass < 2; pass++)
    for (guint t = 0; t < hir_trace_get_n_tracks (self->trace); t++)
      {
        const HirTrack *track = hir_trace_get_track (self->trace, t);

        if (track->kind == HIR_TRACK_COUNTER || hir_track_is_of_device (track) != (pass == 1))
          continue;
        for (guint i = 0; i < hir_trace_get_track_n_events (self->trace, t); i++)
          {
            guint64 key;
            Launch *launch;
            HirEvent event;

            hir_trace_get_event (self->trace, t, i, &event);
            if (event.correlation == 0)
              continue;
            key = launch_key (track, &event);
            launch = g_hash_table_lookup (self->launches, &key);
            if (pass == 1 && launch != NULL)
              launch->n++;
            if (pass == 1 || launch != NULL)
              continue;
            launch = g_new0 (Launch, 1);
            *launch = (Launch){ .key = key, .track = t, .index = i };
            g_hash_table_add (self->launches, launch);
          }
      }
}

static int
compare_ends (gconstpointer a, gconstpointer b)
{
  const FlowEnd *x = a, *y = b;

  return x->event < y->event ? -1 : x->event > y->event;
}

static void
add_stored_flows (Export *self, guint64 first)
{
  g_autoptr (GArray) steps = hir_trace_dup_flow_steps (self->trace, NULL);

  for (guint i = 0; i < steps->len; i++)
    {
      const HirFlowStep *step = &g_array_index (steps, HirFlowStep, i);
      const FlowEnd ends[] = {
        { (guint64) step->from_track << 32 | step->from_index, first + i, FALSE },
        { (guint64) step->to_track << 32 | step->to_index, first + i, TRUE },
      };

      g_array_append_vals (self->ends, ends, G_N_ELEMENTS (ends));
    }
  g_array_sort (self->ends, compare_ends);
}

/* Each piece of work has one flow, because a flow ends once. */
static void
number_flows (Export *self)
{
  guint64 next = 1;
  GHashTableIter iter;
  gpointer launch;

  g_hash_table_iter_init (&iter, self->launches);
  while (g_hash_table_iter_next (&iter, &launch, NULL))
    {
      ((Launch *) launch)->first = next;
      next += ((Launch *) launch)->n;
    }
  add_stored_flows (self, next);
}

/* Collects the ids of the flows of an event in self->in and self->out. */
static void
take_flows (Export *self, guint t, guint index, const HirEvent *event)
{
  guint64 key = launch_key (hir_trace_get_track (self->trace, t), event);
  Launch *launch = event->correlation != 0 ? g_hash_table_lookup (self->launches, &key) : NULL;
  const FlowEnd wanted = { .event = (guint64) t << 32 | index };
  guint at;

  g_array_set_size (self->in, 0);
  g_array_set_size (self->out, 0);
  if (launch != NULL && launch->n > 0 &&
      hir_track_is_of_device (hir_trace_get_track (self->trace, t)))
    {
      guint64 id = launch->first + launch->n_ended++;

      g_array_append_val (self->in, id);
    }
  else if (launch != NULL && launch->track == t && launch->index == index)
    for (guint64 id = launch->first; id < launch->first + launch->n; id++)
      g_array_append_val (self->out, id);
  if (!g_array_binary_search (self->ends, &wanted, compare_ends, &at))
    return;
  while (at > 0 && g_array_index (self->ends, FlowEnd, at - 1).event == wanted.event)
    at--;
  for (; at < self->ends->len && g_array_index (self->ends, FlowEnd, at).event == wanted.event;
       at++)
    {
      const FlowEnd *end = &g_array_index (self->ends, FlowEnd, at);

      g_array_append_val (end->is_end ? self->in : self->out, end->id);
    }
}

/* --- events ----------------------------------------------------------------------------------- */

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

/* The ends of the open slices of a row, from the outermost. */
typedef struct
{
  GArray *ends_ns; /* gint64 */
} Row;

static void
clear_row (gpointer row)
{
  g_array_unref (((Row *) row)->ends_ns);
}

/* Ends the open slices of a row that end by @time_ns. */
static void
write_ends (Export *self, guint t, guint row, GArray *ends_ns, gint64 time_ns)
{
  while (ends_ns->len > 0 && g_array_index (ends_ns, gint64, ends_ns->len - 1) <= time_ns)
    {
      HirPf__TrackEvent end = HIR_PF__TRACK_EVENT__INIT;

      end.has_type = end.has_track_uuid = TRUE;
      end.type = TYPE_END;
      end.track_uuid = track_uuid (t, row);
      write_point (self, &end, g_array_index (ends_ns, gint64, ends_ns->len - 1));
      g_array_set_size (ends_ns, ends_ns->len - 1);
    }
}

/* Returns the first row where the event nests in the open slices. */
static guint
find_row (Export *self, guint t, const HirEvent *event, GArray *rows)
{
  Row row;

  for (guint i = 0; i < rows->len; i++)
    {
      GArray *ends_ns = g_array_index (rows, Row, i).ends_ns;

      write_ends (self, t, i, ends_ns, event->start_ns);
      if (ends_ns->len == 0 || g_array_index (ends_ns, gint64, ends_ns->len - 1) >= event->end_ns ||
          i == MAX_ROWS - 1)
        return i;
    }
  row.ends_ns = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_array_append_val (rows, row);
  if (rows->len > 1)
    write_track (self, t, rows->len - 1);
  return rows->len - 1;
}

/* Reads the arguments of the event as annotations. Returns FALSE if they cannot be read. */
static gboolean
read_args (Export *self, guint t, guint index, const HirEvent *event, guint64 *category)
{
  HirExportArgs *source = &self->source;
  HirJsonOut json = { .out = self->json };

  if (!hir_export_args_read (source, self->trace, t, index, event, &self->error))
    return FALSE;
  g_string_truncate (self->json, 0);
  hir_json_out_begin (&json, NULL, '{');
  hir_export_args_write (source, &json, self->trace, t, index, event);
  hir_json_out_end (&json, '}');
  hir_perfetto_args_reset (&self->args);
  hir_perfetto_args_add (&self->args, &self->notes, self->json->str);
  *category = hir_perfetto_texts_intern (&self->categories, source->category);
  return TRUE;
}

static void
write_event (Export *self, guint t, guint index, GArray *rows)
{
  HirPf__TrackEvent begin = HIR_PF__TRACK_EVENT__INIT;
  guint64 category;
  HirEvent event;
  guint row;

  hir_trace_get_event (self->trace, t, index, &event);
  if (event.kind == HIR_EVENT_COUNTER)
    {
      write_sample (self, t, &event);
      return;
    }
  if (!read_args (self, t, index, &event, &category))
    return;
  row = find_row (self, t, &event, rows);
  write_fresh_texts (self);
  begin.has_type = begin.has_track_uuid = begin.has_name_iid = TRUE;
  begin.type = event.end_ns > event.start_ns ? TYPE_BEGIN : TYPE_INSTANT;
  begin.track_uuid = track_uuid (t, row);
  begin.name_iid = event.name + 1;
  begin.category_iids = &category;
  begin.n_category_iids = 1;
  begin.debug_annotations = (HirPf__DebugAnnotation **) self->args.list->pdata;
  begin.n_debug_annotations = self->args.list->len;
  take_flows (self, t, index, &event);
  begin.terminating_flow_ids = (guint64 *) (gpointer) self->in->data;
  begin.n_terminating_flow_ids = self->in->len;
  begin.flow_ids = (guint64 *) (gpointer) self->out->data;
  begin.n_flow_ids = self->out->len;
  write_point (self, &begin, event.start_ns);
  if (event.end_ns > event.start_ns)
    g_array_append_val (g_array_index (rows, Row, row).ends_ns, event.end_ns);
}

/* Writes events by start time, longer ones first, so that slices nest. */
static void
write_track_events (Export *self, guint t)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (Row));

  g_array_set_clear_func (rows, clear_row);
  for (guint i = 0; i < hir_trace_get_track_n_events (self->trace, t); i++)
    {
      write_event (self, t, i, rows);
      if (self->error != NULL || !hir_export_progress_step (self->progress, &self->error))
        return;
    }
  for (guint row = 0; row < rows->len; row++)
    write_ends (self, t, row, g_array_index (rows, Row, row).ends_ns, G_MAXINT64);
}

static void
write_events (Export *self)
{
  for (guint t = 0; t < hir_trace_get_n_tracks (self->trace) && self->error == NULL; t++)
    write_track_events (self, t);
}

static void
init (Export *self)
{
  gboolean ranks_moved = FALSE;

  self->pending = g_byte_array_sized_new (PIECE_BYTES * 2);
  hir_export_args_init (&self->source);
  self->json = g_string_new (NULL);
  self->places = hir_chrome_places_new (self->trace, &ranks_moved);
  self->ids = hir_trace_dup_track_ids (self->trace);
  self->processes = g_hash_table_new (g_str_hash, g_str_equal);
  self->launches = g_hash_table_new_full (hir_word_hash, g_int64_equal, g_free, NULL);
  hir_perfetto_texts_init (&self->categories);
  hir_perfetto_texts_init (&self->notes);
  hir_perfetto_args_init (&self->args);
  self->ends = g_array_new (FALSE, FALSE, sizeof (FlowEnd));
  self->in = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->out = g_array_new (FALSE, FALSE, sizeof (guint64));
  find_launches (self);
  number_flows (self);
}

static void
clear (Export *self)
{
  g_byte_array_unref (self->pending);
  hir_export_args_clear (&self->source);
  g_string_free (self->json, TRUE);
  g_hash_table_unref (self->processes);
  g_array_unref (self->ids);
  hir_chrome_places_free (self->places, self->trace);
  g_hash_table_unref (self->launches);
  g_array_unref (self->ends);
  g_array_unref (self->in);
  g_array_unref (self->out);
  hir_perfetto_texts_clear (&self->categories);
  hir_perfetto_texts_clear (&self->notes);
  hir_perfetto_args_clear (&self->args);
}

static gboolean
write_trace (gconstpointer data, GOutputStream *stream, HirExportProgress *progress, GError **error)
{
  Export self = { .trace = data, .stream = stream, .progress = progress };
  gint64 end_ns;

  hir_export_progress_expect (progress, hir_trace_get_n_events (self.trace) +
                                            hir_trace_get_n_tracks (self.trace));
  /* Times are unsigned, but events may start before the zero of the trace. */
  for (guint t = 0; t < hir_trace_get_n_tracks (self.trace); t++)
    if (hir_trace_get_track_n_events (self.trace, t) > 0)
      {
        gint64 start_ns;

        hir_trace_get_interval (self.trace, t, 0, &start_ns, &end_ns);
        self.zero_ns = MIN (self.zero_ns, start_ns);
      }
  init (&self);
  write_clock (&self);
  write_names (&self);
  write_tracks (&self);
  write_events (&self);
  flush (&self);
  clear (&self);
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
