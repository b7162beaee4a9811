/* Adds the output of a recorder to a trace builder. */
#include "record/trace-sink.h"

/* Translates indices, because the builder may already have tracks and strings. */
struct _HirTraceSink
{
  HirTraceBuilder *builder;
  GArray *tracks;  /* guint */
  GArray *strings; /* guint32 */
};

static gboolean
take_track (guint track, const HirTrack *info, gpointer user_data, GError **error)
{
  HirTraceSink *self = user_data;
  guint index = hir_trace_builder_add_track (self->builder, info);

  g_array_append_val (self->tracks, index);
  return TRUE;
}

static gboolean
take_string (guint32 string, const char *text, gpointer user_data, GError **error)
{
  HirTraceSink *self = user_data;
  guint32 index = hir_trace_builder_intern (self->builder, text);

  g_array_append_val (self->strings, index);
  return TRUE;
}

static gboolean
take_events (const HirEvent *events, gsize n, gpointer user_data, GError **error)
{
  HirTraceSink *self = user_data;

  for (gsize i = 0; i < n; i++)
    {
      HirEvent event = events[i];

      /* Unknown names are invalid for the builder too, which counts them. */
      event.track = event.track < self->tracks->len
                        ? (guint16) g_array_index (self->tracks, guint, event.track)
                        : G_MAXUINT16;
      event.name = event.name < self->strings->len
                       ? g_array_index (self->strings, guint32, event.name)
                       : G_MAXUINT32;
      if (!hir_trace_builder_add (self->builder, &event, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
take_comm_records (const HirCommRecord *records, gsize n, gpointer user_data, GError **error)
{
  HirTraceSink *self = user_data;

  for (gsize i = 0; i < n; i++)
    {
      HirCommRecord record = records[i];

      record.key =
          record.key < self->strings->len ? g_array_index (self->strings, guint32, record.key) : 0;
      record.op =
          record.op < self->strings->len ? g_array_index (self->strings, guint32, record.op) : 0;
      hir_trace_builder_add_comm_record (self->builder, &record);
    }
  return TRUE;
}

static gboolean
take_edges (const HirEdge *edges, gsize n, gpointer user_data, GError **error)
{
  HirTraceSink *self = user_data;

  for (gsize i = 0; i < n; i++)
    {
      HirEdge edge = edges[i];

      /* As with events, the builder counts edges without a track. */
      edge.from_track = edge.from_track < self->tracks->len
                            ? (guint16) g_array_index (self->tracks, guint, edge.from_track)
                            : G_MAXUINT16;
      edge.to_track = edge.to_track < self->tracks->len
                          ? (guint16) g_array_index (self->tracks, guint, edge.to_track)
                          : G_MAXUINT16;
      hir_trace_builder_add_edge (self->builder, &edge);
    }
  return TRUE;
}

static gboolean
take_value (const HirTraceValue *value, gpointer user_data, GError **error)
{
  HirTraceSink *self = user_data;

  hir_trace_builder_add_value (self->builder, value->tensor_id, value->rank, value->data);
  return TRUE;
}

HirTraceSink *
hir_trace_sink_new (HirTraceBuilder *builder, HirRecorderSink *sink)
{
  HirTraceSink *self = g_new0 (HirTraceSink, 1);

  self->builder = builder;
  self->tracks = g_array_new (FALSE, FALSE, sizeof (guint));
  self->strings = g_array_new (FALSE, FALSE, sizeof (guint32));
  *sink = (HirRecorderSink){ take_track, take_string,       take_events, NULL,
                             self,       take_comm_records, take_edges,  take_value };
  return self;
}

void
hir_trace_sink_free (HirTraceSink *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->tracks);
  g_array_unref (self->strings);
  g_free (self);
}
