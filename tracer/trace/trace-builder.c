#include <malloc.h>
#include <math.h>

#include "diagnostic.h"
#include "trace/left-out.h"
#include "trace/trace-builder-private.h"

#define MAX_THREADS 16
#define EVENTS_A_THREAD 100000 /* sorting fewer takes less time than starting a thread */
#define NO_STREAM G_MAXUINT32  /* CUPTI's number of no single stream */

HirTraceBuilder *
hir_trace_builder_new (void)
{
  HirTraceBuilder *builder = g_new0 (HirTraceBuilder, 1);

  builder->trace = hir_trace_new_empty ();
  builder->out_of_memory = builder->trace == NULL;
  return builder;
}

void
hir_trace_builder_free (HirTraceBuilder *builder)
{
  if (builder == NULL)
    return;
  g_clear_pointer (&builder->trace, hir_trace_unref);
  g_clear_pointer (&builder->rules, hir_trace_rules_unref);
  g_free (builder);
}

guint
hir_trace_builder_add_track (HirTraceBuilder *builder, const HirTrack *track)
{
  HirTrackData *data;

  if (builder->trace == NULL)
    return 0;
  if (builder->trace->tracks->len == HIR_MAX_TRACKS)
    {
      builder->counts[HIR_COUNT_TRACKS_OVER]++;
      return HIR_MAX_TRACKS - 1;
    }
  data = g_new0 (HirTrackData, 1);
  data->info = *track;
  if (data->info.stream == NO_STREAM)
    data->info.stream = -1;
  data->info.name = g_utf8_make_valid (track->name != NULL ? track->name : "", -1);
  data->n_lanes = 1;
  g_ptr_array_add (builder->trace->tracks, data);
  return builder->trace->tracks->len - 1;
}

void
hir_trace_builder_set_track_name (HirTraceBuilder *builder, guint track, const char *name)
{
  HirTrackData *data;

  if (builder->trace == NULL || track >= builder->trace->tracks->len)
    return;
  data = g_ptr_array_index (builder->trace->tracks, track);
  g_free (data->info.name);
  data->info.name = g_utf8_make_valid (name, -1);
}

gboolean
hir_trace_builder_is_named_like (HirTraceBuilder *builder, guint track, const char *prefix)
{
  const HirTrackData *data = builder->trace != NULL && track < builder->trace->tracks->len
                                 ? g_ptr_array_index (builder->trace->tracks, track)
                                 : NULL;

  if (data == NULL || data->columns.n == 0)
    return FALSE;
  for (guint i = 0; i < data->columns.n; i++)
    if (!g_str_has_prefix (hir_trace_get_string (builder->trace,
                                                 hir_column_value (&data->columns, HIR_COLUMN_NAME,
                                                                   guint32, i)),
                           prefix))
      return FALSE;
  return TRUE;
}

void
hir_trace_builder_make_stream (HirTraceBuilder *builder, guint track, int device, gint64 stream)
{
  HirTrackData *data;
  guint8 *flags;

  if (builder->trace == NULL || track >= builder->trace->tracks->len)
    return;
  data = g_ptr_array_index (builder->trace->tracks, track);
  flags = data->columns.data[HIR_COLUMN_FLAGS];
  data->info.kind = HIR_TRACK_STREAM;
  data->info.device = device;
  data->info.stream = stream;
  for (guint i = 0; i < data->columns.n; i++)
    flags[i] = (guint8) ((flags[i] & ~HIR_FLAG_KIND) | HIR_EVENT_KERNEL);
}

guint32
hir_trace_builder_intern (HirTraceBuilder *builder, const char *text)
{
  g_autofree char *mended = NULL;
  guint32 index;

  if (builder->trace == NULL)
    return 0;
  if (!g_utf8_validate (text, -1, NULL))
    {
      builder->counts[HIR_COUNT_NAMES_REPAIRED]++;
      text = mended = g_utf8_make_valid (text, -1);
    }
  if (hir_string_table_intern (&builder->trace->strings, text, &index))
    return index;
  builder->out_of_memory = TRUE;
  return 0;
}

const char *
hir_trace_builder_get_string (const HirTraceBuilder *builder, guint32 index)
{
  return builder->trace != NULL ? hir_trace_get_string (builder->trace, index) : "";
}

/* Counter samples require a counter track, must be instants, and must have finite values. */
static gboolean
is_on_right_track (HirTraceBuilder *builder, const HirEvent *event)
{
  const HirTrackData *track = g_ptr_array_index (builder->trace->tracks, event->track);

  if ((event->kind == HIR_EVENT_COUNTER) != (track->info.kind == HIR_TRACK_COUNTER))
    return FALSE;
  return event->kind != HIR_EVENT_COUNTER ||
         (event->start_ns == event->end_ns && isfinite (hir_event_get_value (event)));
}

/* Counts and rejects events that no track could display. */
static gboolean
check_event (HirTraceBuilder *builder, const HirEvent *event)
{
  if (event->track >= builder->trace->tracks->len)
    builder->counts[HIR_COUNT_NO_TRACK]++;
  else if (event->kind >= HIR_N_EVENT_KINDS || event->phase >= HIR_PHASE_BASELINE ||
           !is_on_right_track (builder, event))
    builder->counts[HIR_COUNT_NO_KIND]++;
  else if (event->end_ns < event->start_ns)
    builder->counts[HIR_COUNT_BACKWARDS]++;
  else if (event->start_ns <= -HIR_MAX_TIME_NS || event->end_ns >= HIR_MAX_TIME_NS)
    builder->counts[HIR_COUNT_FAR]++;
  else
    return TRUE;
  return FALSE;
}

gboolean
hir_trace_builder_add (HirTraceBuilder *builder, const HirEvent *event, GError **error)
{
  HirTrackData *track;
  guint32 instruction;
  HirEvent named;

  if (!builder->out_of_memory)
    {
      if (!check_event (builder, event))
        return TRUE;
      named = *event;
      if (named.name >= builder->trace->strings.n)
        {
          builder->counts[HIR_COUNT_NO_NAME]++;
          named.name = 0;
        }
      track = g_ptr_array_index (builder->trace->tracks, named.track);
      if (hir_id_table_intern (&builder->trace->instructions, named.instruction, &instruction) &&
          hir_columns_append (&track->columns, &named, instruction))
        {
          builder->trace->n_events++;
          return TRUE;
        }
    }
  hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                 "out of memory after %" G_GUINT64_FORMAT
                 " events of the trace; record less of it, or use a machine with more memory",
                 builder->trace != NULL ? builder->trace->n_events : 0);
  return FALSE;
}

void
hir_trace_builder_add_sample (HirTraceBuilder *builder, const HirEvent *event)
{
  HirEvent sample = *event;

  if (builder->trace == NULL || event->track >= builder->trace->tracks->len ||
      event->end_ns < event->start_ns || event->start_ns <= -HIR_MAX_TIME_NS ||
      event->end_ns >= HIR_MAX_TIME_NS)
    return;
  if (sample.name >= builder->trace->strings.n)
    sample.name = 0;
  hir_baseline_sample_add (builder->trace->samples, &sample);
}

void
hir_trace_builder_add_edge (HirTraceBuilder *builder, const HirEdge *edge)
{
  if (builder->trace != NULL && !hir_edges_add (builder->trace, edge))
    builder->counts[HIR_COUNT_NO_EDGE]++;
}

void
hir_trace_builder_add_comm_record (HirTraceBuilder *builder, const HirCommRecord *record)
{
  if (builder->trace != NULL && !hir_comm_records_add (builder->trace, record))
    builder->counts[HIR_COUNT_NO_COMM_RECORD]++;
}

void
hir_trace_builder_set_meta (HirTraceBuilder *builder, const char *key, const char *value)
{
  if (builder->trace != NULL)
    g_hash_table_insert (builder->trace->meta, g_strdup (key), g_utf8_make_valid (value, -1));
}

const char *
hir_trace_builder_get_meta (const HirTraceBuilder *builder, const char *key)
{
  return builder->trace != NULL ? g_hash_table_lookup (builder->trace->meta, key) : NULL;
}

void
hir_trace_builder_add_account (HirTraceBuilder *builder, const char *format, ...)
{
  va_list args;

  if (builder->trace == NULL)
    return;
  va_start (args, format);
  g_ptr_array_add (builder->trace->account, g_strdup_vprintf (format, args));
  va_end (args);
}

static void
write_account (HirTraceBuilder *builder)
{
  static const struct
  {
    const char *one, *many;
  } lines[HIR_N_COUNTS] = {
    { "event rejected: it ends before it starts", "events rejected: they end before they start" },
    { "event rejected: it is on no track", "events rejected: they are on no track" },
    { "event rejected: its kind is unknown", "events rejected: their kind is unknown" },
    { "event rejected: its time is more than 73 years from zero",
      "events rejected: their time is more than 73 years from zero" },
    { "event without a name: the name is missing", "events without a name: the name is missing" },
    { "name repaired: it was not UTF-8", "names repaired: they were not UTF-8" },
    { "track over the limit: its events are shown on the last track",
      "tracks over the limit: their events are shown on the last track" },
    { "part of a communication left out: there are too many",
      "parts of communications left out: there are too many" },
    { "wait left out: there are too many, or it is on no track",
      "waits left out: there are too many, or they are on no track" },
    { "point of a flow left out: there are too many, or its thread has no events",
      "points of flows left out: there are too many, or their threads have no events" },
    { "value left out: it is too large, or there are too many",
      "values left out: they are too large, or there are too many" },
    { "time alone left out: there are too many, or it is negative",
      "times alone left out: there are too many, or they are negative" },
    { "event drawn over another: more than 255 at the same time",
      "events drawn over others: more than 255 at the same time" },
  };

  for (guint i = 0; i < HIR_N_COUNTS; i++)
    if (builder->counts[i] > 0)
      hir_trace_builder_add_account (builder, "%" G_GUINT64_FORMAT " %s", builder->counts[i],
                                     builder->counts[i] == 1 ? lines[i].one : lines[i].many);
}

/* Work shared by the threads that sort and index tracks; each thread takes the next track. */
typedef struct
{
  HirTrace *trace;
  gint next;   /* atomic */
  gint failed; /* atomic: out of memory */
} Finish;

static void
find_extremes (HirTrackData *track)
{
  for (guint i = 0; i < track->columns.n; i++)
    {
      const HirEvent sample = { .bytes = hir_columns_get_bytes (&track->columns, i) };
      double value = hir_event_get_value (&sample);

      track->least = i == 0 ? value : MIN (track->least, value);
      track->largest = i == 0 ? value : MAX (track->largest, value);
    }
}

static gboolean
finish_track (HirTrackData *track)
{
  if (track->info.kind == HIR_TRACK_COUNTER)
    find_extremes (track);
  return hir_columns_sort (&track->columns) &&
         hir_columns_assign_lanes (&track->columns, &track->n_lanes, &track->n_crowded) &&
         hir_pyramid_init (&track->pyramid, &track->columns);
}

static gpointer
finish_tracks (gpointer data)
{
  Finish *finish = data;
  guint t;

  while ((t = (guint) g_atomic_int_add (&finish->next, 1)) < finish->trace->tracks->len)
    if (!finish_track (g_ptr_array_index (finish->trace->tracks, t)))
      g_atomic_int_set (&finish->failed, TRUE);
  return NULL;
}

static gboolean
finish_all_tracks (HirTrace *trace, gboolean is_alone)
{
  Finish finish = { .trace = trace };
  GThread *threads[MAX_THREADS];
  guint n_wanted = trace->n_events < EVENTS_A_THREAD || is_alone ? 1 : g_get_num_processors ();
  guint n = 0;

  n_wanted = MIN (MIN (n_wanted, MAX_THREADS), trace->tracks->len);
  while (n + 1 < n_wanted)
    {
      threads[n] = g_thread_try_new ("hir-sort", finish_tracks, &finish, NULL);
      if (threads[n] == NULL)
        break;
      n++;
    }
  finish_tracks (&finish);
  for (guint i = 0; i < n; i++)
    g_thread_join (threads[i]);
  return !finish.failed;
}

/* Returns memory that was only needed for building to the system; malloc() would keep it. */
static void
give_back_memory (const HirTrace *trace)
{
#ifdef __GLIBC__
  if (trace->n_events >= EVENTS_A_THREAD)
    malloc_trim (0);
#endif
}

HirTrace *
hir_trace_builder_try_finish (HirTraceBuilder *builder, GError **error)
{
  HirTrace *trace = builder->trace;
  gboolean done = !builder->out_of_memory &&
                  (builder->rules == NULL || hir_trace_builder_classify (builder)) &&
                  finish_all_tracks (trace, builder->is_copy);

  if (done)
    {
      /* HolisticTraceAnalysis counts all events. */
      if (builder->rules != NULL && hir_trace_rules_is_narrow (builder->rules))
        hir_trace_measure_span (trace);
      else
        hir_trace_find_left_out (trace);
      for (guint t = 0; t < trace->tracks->len; t++)
        builder->counts[HIR_COUNT_NO_LANE] +=
            ((const HirTrackData *) g_ptr_array_index (trace->tracks, t))->n_crowded;
      hir_comm_records_finish (trace);
      hir_edges_finish (trace);
      hir_baselines_finish (trace);
      write_account (builder);
      g_ptr_array_add (trace->account, NULL);
      builder->trace = NULL;
      if (!builder->is_copy)
        give_back_memory (trace);
    }
  else
    hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                   "out of memory while sorting a trace of %" G_GUINT64_FORMAT
                   " events; record less of it, or use a machine with more memory",
                   trace != NULL ? trace->n_events : 0);
  hir_trace_builder_free (builder);
  return done ? trace : NULL;
}

guint64
hir_trace_builder_get_n_events (const HirTraceBuilder *builder)
{
  return builder->trace != NULL ? builder->trace->n_events : 0;
}

HirTrace *
hir_trace_builder_finish (HirTraceBuilder *builder)
{
  return hir_trace_builder_try_finish (builder, NULL);
}
