#include "diagnostic.h"
#include "trace/trace-private.h"

#define MAX_TRACKS 65535
#define MAX_TIME_NS (G_GINT64_CONSTANT (1) << 61)

struct _HirTraceBuilder
{
  HirTrace *trace; /* NULL: memory could not be had from the start */
  gboolean out_of_memory;
  guint64 n_backwards, n_no_track, n_no_kind, n_far, n_no_name, n_no_room, n_no_meeting, n_no_edge;
  guint n_tracks_over, n_names_mended;
};

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
  g_free (builder);
}

guint
hir_trace_builder_add_track (HirTraceBuilder *builder, const HirTrack *track)
{
  HirTrackData *data;

  if (builder->trace == NULL)
    return 0;
  if (builder->trace->tracks->len == MAX_TRACKS)
    {
      builder->n_tracks_over++;
      return MAX_TRACKS - 1;
    }
  data = g_new0 (HirTrackData, 1);
  data->info = *track;
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

guint32
hir_trace_builder_intern (HirTraceBuilder *builder, const char *text)
{
  g_autofree char *mended = NULL;
  guint32 index;

  if (builder->trace == NULL)
    return 0;
  if (!g_utf8_validate (text, -1, NULL))
    {
      builder->n_names_mended++;
      text = mended = g_utf8_make_valid (text, -1);
    }
  if (hir_string_table_intern (&builder->trace->strings, text, &index))
    return index;
  builder->out_of_memory = TRUE;
  return 0;
}

/* FALSE and counted where no track could show @event. */
static gboolean
check_event (HirTraceBuilder *builder, const HirEvent *event)
{
  if (event->track >= builder->trace->tracks->len)
    builder->n_no_track++;
  else if (event->kind >= HIR_N_EVENT_KINDS || event->phase >= HIR_N_PHASES)
    builder->n_no_kind++;
  else if (event->end_ns < event->start_ns)
    builder->n_backwards++;
  else if (event->start_ns <= -MAX_TIME_NS || event->end_ns >= MAX_TIME_NS)
    builder->n_far++;
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
          builder->n_no_name++;
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
hir_trace_builder_add_edge (HirTraceBuilder *builder, const HirEdge *edge)
{
  if (builder->trace != NULL && !hir_edges_add (builder->trace, edge))
    builder->n_no_edge++;
}

void
hir_trace_builder_add_meeting (HirTraceBuilder *builder, const HirMeeting *meeting)
{
  if (builder->trace != NULL && !hir_meetings_add (builder->trace, meeting))
    builder->n_no_meeting++;
}

void
hir_trace_builder_set_meta (HirTraceBuilder *builder, const char *key, const char *value)
{
  if (builder->trace != NULL)
    g_hash_table_insert (builder->trace->meta, g_strdup (key), g_utf8_make_valid (value, -1));
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
count_line (HirTraceBuilder *builder, guint64 n, const char *one, const char *many)
{
  if (n > 0)
    hir_trace_builder_add_account (builder, "%" G_GUINT64_FORMAT " %s", n, n == 1 ? one : many);
}

static void
write_account (HirTraceBuilder *builder)
{
  count_line (builder, builder->n_backwards, "event refused: it ends before it starts",
              "events refused: they end before they start");
  count_line (builder, builder->n_no_track, "event refused: it is on no track",
              "events refused: they are on no track");
  count_line (builder, builder->n_no_kind, "event refused: its kind is unknown",
              "events refused: their kind is unknown");
  count_line (builder, builder->n_far, "event refused: its time is beyond 73 years from zero",
              "events refused: their time is beyond 73 years from zero");
  count_line (builder, builder->n_no_name, "event without its name: the name is missing",
              "events without their name: the name is missing");
  count_line (builder, builder->n_names_mended, "name mended: it was not UTF-8",
              "names mended: they were not UTF-8");
  count_line (builder, builder->n_tracks_over, "track too many: its events are shown on the last",
              "tracks too many: their events are shown on the last");
  count_line (builder, builder->n_no_meeting, "part of a communication left out: too many of them",
              "parts of communications left out: too many of them");
  count_line (builder, builder->n_no_edge, "wait left out: too many of them, or of no track",
              "waits left out: too many of them, or of no track");
  count_line (builder, builder->n_no_room, "event drawn over another: more than 255 at one time",
              "events drawn over others: more than 255 at one time");
}

static gboolean
finish_track (HirTraceBuilder *builder, HirTrackData *track)
{
  HirTrace *trace = builder->trace;
  guint n_crowded;
  gint64 start, end;

  if (!hir_columns_sort (&track->columns) ||
      !hir_columns_assign_lanes (&track->columns, &track->n_lanes, &n_crowded) ||
      !hir_pyramid_init (&track->pyramid, &track->columns))
    return FALSE;
  builder->n_no_room += n_crowded;
  if (track->columns.n == 0)
    return TRUE;
  start = hir_columns_get_start (&track->columns, 0);
  end = hir_pyramid_max_end (&track->pyramid, 0, track->columns.n);
  trace->start_ns = MIN (trace->start_ns, start);
  trace->end_ns = MAX (trace->end_ns, end);
  return TRUE;
}

HirTrace *
hir_trace_builder_try_finish (HirTraceBuilder *builder, GError **error)
{
  HirTrace *trace = builder->trace;
  gboolean done = !builder->out_of_memory;

  if (done)
    {
      trace->start_ns = trace->n_events > 0 ? G_MAXINT64 : 0;
      trace->end_ns = trace->n_events > 0 ? G_MININT64 : 0;
      for (guint t = 0; done && t < trace->tracks->len; t++)
        done = finish_track (builder, g_ptr_array_index (trace->tracks, t));
    }
  if (done)
    {
      hir_meetings_finish (trace);
      hir_edges_finish (trace);
      write_account (builder);
      g_ptr_array_add (trace->account, NULL);
      builder->trace = NULL;
    }
  else
    hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                   "out of memory while a trace of %" G_GUINT64_FORMAT
                   " events was sorted; record less of it, or use a machine with more memory",
                   trace != NULL ? trace->n_events : 0);
  hir_trace_builder_free (builder);
  return done ? trace : NULL;
}

HirTrace *
hir_trace_builder_finish (HirTraceBuilder *builder)
{
  return hir_trace_builder_try_finish (builder, NULL);
}
