#include "trace/import-chrome.h"

#include <string.h>

#include "diagnostic.h"
#include "trace/chrome-tracks.h"
#include "trace/collective.h"
#include "trace/event-names.h"

#define PROGRESS_EVENTS 8192

typedef struct
{
  HirTraceBuilder *builder;
  HirJson json;
  const HirChromeImport *options;
  HirChromeNames *names;
  HirChromeTracks *tracks;
  gboolean has_zero;
  gboolean is_own;         /* an export of ours, whose flows say nothing that correlations do not */
  gint64 zero_ns, last_ns; /* of the text's times; the latest seen, from zero */
  guint64 n_objects;       /* elements with a phase */
  guint64 n_events;        /* given to the builder */
  guint64 n_ends_alone, n_begins_alone, n_other_name, n_no_time, n_no_duration, n_counters;
  guint64 n_flow_begins, n_flow_ends, n_unknown, n_no_clock;
  GError *error; /* of the builder */
} Importer;

static HirEventKind
get_kind (Importer *self, const HirChromeEvent *event)
{
  for (int kind = 0; event->kind.length > 0 && kind < HIR_N_EVENT_KINDS; kind++)
    if (hir_json_text_is (&event->kind, hir_event_kind_get_name (kind)))
      return kind;
  switch (event->class)
    {
    case HIR_CHROME_KERNEL:
      return event->collective.length > 0 || hir_chrome_names_is_nccl (self->names, &event->name)
                 ? HIR_EVENT_COMMUNICATION
                 : HIR_EVENT_KERNEL;

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

/* PyTorch's names of types; FALSE: another. */
static gboolean
lookup_dtype (const HirJsonText *name, HirDType *dtype)
{
  for (int i = 0; i < HIR_N_DTYPES; i++)
    if (name->length > 0 && hir_json_text_is (name, hir_collective_get_dtype_name (i)))
      {
        *dtype = i;
        return TRUE;
      }
  return FALSE;
}

static gint64
count_bytes (const HirChromeEvent *event, gint64 elements)
{
  HirDType dtype;
  gint64 size =
      lookup_dtype (&event->dtype, &dtype) ? (gint64) hir_dtype_get_size_bytes (dtype) : 0;

  return elements > 0 && size > 0 && elements < G_MAXINT64 / size ? elements * size : 0;
}

static gint64
get_bytes (const HirChromeEvent *event)
{
  if (event->bytes >= 0)
    return event->bytes;
  return count_bytes (event, MAX (event->in_elements, event->out_elements));
}

/* A send meets its receive. */
static void
take_message (Importer *self, const HirChromeEvent *event, const char *op, HirMeeting *meeting)
{
  g_autofree char *pair = hir_meeting_dup_pair_key (event->sender, event->receiver);

  meeting->key = hir_trace_builder_intern (self->builder, pair);
  meeting->side = strcmp (op, "send") == 0 ? HIR_MEETING_SEND : HIR_MEETING_RECV;
}

/* Only where the trace says which one of its team it is: matching by order is a guess that cut
 * traces turn into a wrong picture. */
static void
add_meeting (Importer *self, const HirChromeEvent *event, gint64 bytes, guint32 correlation)
{
  HirMeeting meeting = { .bytes = bytes,
                         .correlation = correlation,
                         .rank = event->rank >= 0 ? (gint32) CLAMP (event->rank, 0, G_MAXINT32)
                                                  : self->options->rank,
                         .side = HIR_MEETING_TEAM };
  g_autofree char *team = NULL, *op = NULL;
  HirDType dtype;
  guint n_members;

  if (event->collective.length == 0 || event->sequence < 0 || event->sequence > G_MAXUINT32 ||
      event->group_ranks.length == 0 || correlation == 0)
    return;
  team = hir_json_text_dup (&event->group_ranks);
  meeting.key = hir_trace_builder_intern (self->builder, team);
  meeting.sequence = (guint32) event->sequence;
  op = hir_json_text_dup (&event->collective);
  meeting.op = hir_trace_builder_intern (self->builder, op);
  meeting.root = (gint32) CLAMP (event->root, -1, G_MAXINT32);
  meeting.dtype = lookup_dtype (&event->dtype, &dtype) ? dtype : 0;
  meeting.in_elements = MAX (event->in_elements, 0);
  meeting.out_elements = MAX (event->out_elements, 0);
  g_free (hir_meeting_dup_key_ranks (team, &n_members));
  meeting.message_bytes =
      hir_collective_count_bytes (op, count_bytes (event, event->in_elements),
                                  count_bytes (event, event->out_elements), n_members);
  /* Others number ranks within a group here. */
  if (event->kind.length > 0 && event->sender >= 0 && event->receiver >= 0)
    take_message (self, event, op, &meeting);
  hir_trace_builder_add_meeting (self->builder, &meeting);
}

/* Times of the text to times of the trace; saturates, and the builder refuses what is far off. */
static gint64
to_trace_time (Importer *self, gint64 ns)
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

/* What only our own exports say. */
static void
take_own (HirEvent *e, const HirChromeEvent *event)
{
  if (event->kind.length == 0)
    return;
  e->flops = MAX (event->flops, 0);
  e->iteration = (gint32) CLAMP (event->iteration, -1, G_MAXINT32);
  if (event->instruction.length > 0)
    e->instruction = g_ascii_strtoull (event->instruction.at, NULL, 16);
  for (int phase = 0; phase < HIR_N_PHASES; phase++)
    if (hir_json_text_is (&event->phase_name, hir_phase_get_name (phase)))
      e->phase = phase;
}

static gboolean
add (Importer *self,
     guint track,
     guint32 name,
     gint64 start_ns,
     gint64 end_ns,
     const HirChromeEvent *event)
{
  HirEvent e = {
    .start_ns = start_ns,
    .end_ns = end_ns,
    .name = name,
    .iteration = -1,
    .track = (guint16) track,
    .kind = HIR_EVENT_HOST,
  };

  if (event != NULL)
    {
      e.kind = get_kind (self, event);
      e.bytes = get_bytes (event);
      take_own (&e, event);
      if (event->correlation > 0 && event->correlation <= G_MAXUINT32)
        e.correlation = (guint32) event->correlation;
      if (e.kind == HIR_EVENT_COMMUNICATION)
        add_meeting (self, event, e.bytes, e.correlation);
    }
  self->last_ns = MAX (self->last_ns, end_ns);
  self->n_events++;
  return hir_trace_builder_add (self->builder, &e, &self->error);
}

static gboolean
add_complete (Importer *self, const HirChromeEvent *event)
{
  HirChromeTrack *track;
  gint64 start_ns, end_ns;

  if (!event->has_start)
    {
      self->n_no_time++;
      return TRUE;
    }
  if (!event->has_duration)
    self->n_no_duration++;
  /* A profiler that lost a kernel's clock writes nothing for it (kineto #109). */
  if (event->start_ns == 0 && event->duration_ns == 0 && event->class == HIR_CHROME_KERNEL)
    {
      self->n_no_clock++;
      return TRUE;
    }
  track = hir_chrome_tracks_ensure (self->tracks, event);
  /* Our own exports count from the run's zero, also where nothing began there. */
  if (event->kind.length > 0)
    self->has_zero = self->is_own = TRUE;
  start_ns = to_trace_time (self, event->start_ns);
  if (__builtin_add_overflow (start_ns, event->duration_ns, &end_ns))
    end_ns = event->duration_ns > 0 ? G_MAXINT64 : G_MININT64;
  return add (self, track->track, hir_chrome_names_intern (self->names, &event->name), start_ns,
              end_ns, event);
}

static void
begin (Importer *self, HirChromeTrack *track, const HirChromeEvent *event)
{
  HirChromeOpen open = { hir_chrome_names_intern (self->names, &event->name),
                         to_trace_time (self, event->start_ns) };

  if (track->open == NULL)
    track->open = g_array_new (FALSE, FALSE, sizeof (HirChromeOpen));
  g_array_append_val (track->open, open);
  self->last_ns = MAX (self->last_ns, open.start_ns);
}

/* An end closes what was begun last; by the same name, where the last has another. */
static gboolean
end (Importer *self, HirChromeTrack *track, const HirChromeEvent *event)
{
  guint32 name = hir_chrome_names_intern (self->names, &event->name);
  guint last = track->open != NULL ? track->open->len : 0;
  guint i = last;
  HirChromeOpen open;

  if (last == 0)
    {
      self->n_ends_alone++;
      return TRUE;
    }
  while (name != 0 && i > 0 && last - i < 64 &&
         g_array_index (track->open, HirChromeOpen, i - 1).name != name)
    i--;
  if (i == 0 || last - i >= 64 || (name != 0 && i != last))
    self->n_other_name++;
  if (i == 0 || last - i >= 64)
    i = last;
  open = g_array_index (track->open, HirChromeOpen, i - 1);
  g_array_remove_index (track->open, i - 1);
  return add (self, track->track, open.name, open.start_ns,
              MAX (to_trace_time (self, event->start_ns), open.start_ns), NULL);
}

static gboolean
add_instant (Importer *self, HirChromeTrack *track, const HirChromeEvent *event)
{
  gint64 time_ns = to_trace_time (self, event->start_ns);

  return add (self, track->track, hir_chrome_names_intern (self->names, &event->name), time_ns,
              time_ns, NULL);
}

/* The phases that have a time of their own. */
static gboolean
add_timed (Importer *self, const HirChromeEvent *event)
{
  if (!event->has_start)
    {
      self->n_no_time++;
      return TRUE;
    }
  switch (event->phase)
    {
    case 'B':
      begin (self, hir_chrome_tracks_ensure (self->tracks, event), event);
      return TRUE;

    case 'E':
      return end (self, hir_chrome_tracks_ensure (self->tracks, event), event);

    case 'b':
    case 'S':
      begin (self, hir_chrome_tracks_ensure_async (self->tracks, event), event);
      return TRUE;

    case 'e':
    case 'F':
      return end (self, hir_chrome_tracks_ensure_async (self->tracks, event), event);

    case 'n':
      return add_instant (self, hir_chrome_tracks_ensure_async (self->tracks, event), event);

    default:
      return add_instant (self, hir_chrome_tracks_ensure (self->tracks, event), event);
    }
}

static gboolean
take_event (Importer *self, const HirChromeEvent *event)
{
  if (event->phase != 0)
    self->n_objects++;
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
      return add_timed (self, event);

    case 's':
      self->n_flow_begins++;
      return TRUE;

    case 't':
    case 'f':
      self->n_flow_ends++;
      return TRUE;

    case 'C':
      self->n_counters++;
      return TRUE;

    default:
      self->n_unknown++;
      return TRUE;
    }
}

static gboolean
check_cancelled (Importer *self)
{
  const HirChromeImport *options = self->options;
  const HirJson *json = &self->json;

  if (options->progress != NULL)
    options->progress ((double) (json->at - json->start) / (double) (json->end - json->start),
                       options->user_data);
  if (!g_cancellable_is_cancelled (options->cancellable))
    return TRUE;
  hir_set_error (&self->error, HIR_ERROR_CANCELLED, NULL, "loading %s was cancelled",
                 options->name);
  return FALSE;
}

static gboolean
read_events (Importer *self)
{
  gboolean first = TRUE;
  guint n = 0;

  if (hir_json_peek (&self->json) != HIR_JSON_ARRAY)
    return hir_json_fail (&self->json, "\"traceEvents\" is no array");
  hir_json_enter (&self->json);
  while (hir_json_next_element (&self->json, &first))
    {
      HirChromeEvent event;

      if (!hir_chrome_event_read (&self->json, &event))
        return FALSE;
      if (!take_event (self, &event))
        return FALSE;
      if (++n % PROGRESS_EVENTS == 0 && !check_cancelled (self))
        return FALSE;
    }
  return self->json.error == NULL;
}

/* To the end of the text, or to the first thing that is wrong. */
static void
read_root (Importer *self)
{
  gboolean first = TRUE;
  HirJsonText key;

  switch (hir_json_peek (&self->json))
    {
    case HIR_JSON_ARRAY:
      read_events (self);
      break;

    case HIR_JSON_OBJECT:
      hir_json_enter (&self->json);
      while (self->error == NULL && hir_json_next_member (&self->json, &first, &key))
        if (hir_json_text_is (&key, "traceEvents"))
          read_events (self);
        else if (hir_json_text_is (&key, "hirscope"))
          hir_chrome_take_own_root (&self->json, self->builder);
        else
          hir_json_skip (&self->json);
      break;

    case HIR_JSON_END:
    case HIR_JSON_STRING:
    case HIR_JSON_NUMBER:
    case HIR_JSON_OTHER:
    default:
      hir_json_fail (&self->json, "no JSON object or array begins here");
    }
}

static void
close_open (HirChromeTrack *track, gpointer user_data)
{
  Importer *self = user_data;

  self->n_begins_alone += track->open->len;
  for (guint i = 0; i < track->open->len && self->error == NULL; i++)
    {
      HirChromeOpen open = g_array_index (track->open, HirChromeOpen, i);

      add (self, track->track, open.name, open.start_ns, MAX (self->last_ns, open.start_ns), NULL);
    }
}

static void
account (Importer *self, guint64 n, const char *one, const char *many)
{
  if (n > 0)
    hir_trace_builder_add_account (self->builder, "%s: %" G_GUINT64_FORMAT " %s",
                                   self->options->name, n, n == 1 ? one : many);
}

static void
write_account (Importer *self)
{
  const HirJson *json = &self->json;
  guint64 line, column;

  if (json->error != NULL)
    {
      hir_json_get_position (json, json->error_at, &line, &column);
      hir_trace_builder_add_account (self->builder,
                                     "%s:%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT
                                     ": %s; the %" G_GUINT64_FORMAT " events before are shown",
                                     self->options->name, line, column, json->error,
                                     self->n_events);
    }
  account (self, self->n_begins_alone, "event begins and never ends: drawn to the trace's end",
           "events begin and never end: drawn to the trace's end");
  account (self, self->n_ends_alone, "end without a begin, left out",
           "ends without a begin, left out");
  account (self, self->n_other_name, "end that is not of the event begun last",
           "ends that are not of the event begun last");
  account (self, self->n_no_time, "event without a time, left out",
           "events without a time, left out");
  account (self, self->n_no_duration, "event without a duration, drawn as an instant",
           "events without a duration, drawn as instants");
  account (self, self->n_no_clock, "kernel whose clock was lost (start and duration 0), left out",
           "kernels whose clock was lost (start and duration 0), left out");
  account (self, self->n_counters, "value of a counter, not drawn",
           "values of counters, not drawn");
  if (!self->is_own && (self->n_flow_begins != 0 || self->n_flow_ends != 0))
    hir_trace_builder_add_account (self->builder,
                                   "%s: %" G_GUINT64_FORMAT " flow begins and %" G_GUINT64_FORMAT
                                   " flow ends, not drawn; launches are tied by correlation",
                                   self->options->name, self->n_flow_begins, self->n_flow_ends);
  account (self, self->n_unknown, "element that is no event, left out",
           "elements that are no events, left out");
}

static gboolean
finish (Importer *self, GError **error)
{
  const HirJson *json = &self->json;
  guint64 line, column;

  if (self->error == NULL && self->n_objects == 0)
    {
      hir_json_get_position (json, json->error != NULL ? json->error_at : json->start, &line,
                             &column);
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "%s:%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT ": %s", self->options->name,
                     line, column,
                     json->error != NULL ? json->error
                                         : "no event of a Chrome or Kineto trace is in it");
      return FALSE;
    }
  if (self->error == NULL)
    hir_chrome_tracks_finish (self->tracks, close_open, self);
  if (self->error == NULL)
    {
      write_account (self);
      return TRUE;
    }
  g_propagate_error (error, g_steal_pointer (&self->error));
  return FALSE;
}

gboolean
hir_import_chrome (HirTraceBuilder *builder,
                   const char *text,
                   gsize length,
                   const HirChromeImport *options,
                   gint64 *zero_ns,
                   GError **error)
{
  HirChromeNames *names = hir_chrome_names_new (builder);
  g_autoptr (HirChromeTracks) tracks = NULL;
  Importer self = {
    .builder = builder,
    .options = options,
    .names = names,
    .has_zero = options->has_zero,
    .zero_ns = options->zero_ns,
  };
  gboolean done;

  if (names == NULL)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, NULL, "%s: out of memory", options->name);
      return FALSE;
    }
  self.tracks = tracks = hir_chrome_tracks_new (builder, names, options->rank);
  hir_json_init (&self.json, text, length);
  read_root (&self);
  done = finish (&self, error);
  *zero_ns = self.zero_ns;
  hir_chrome_names_free (names);
  return done;
}
