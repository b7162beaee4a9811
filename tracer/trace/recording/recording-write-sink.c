/* Writes what the recorder of a run delivers. */
#include "record/clock.h"
#include "trace/recording/recording-write-private.h"

#define FLUSH_INTERVAL_NS (G_GINT64_CONSTANT (500) * 1000 * 1000)

static const char *
get_sink_text (const HirRecordingWriter *writer, guint32 string)
{
  return hir_string_table_get (&writer->strings,
                               string < writer->sink_strings->len
                                   ? g_array_index (writer->sink_strings, guint32, string)
                                   : 0);
}

static gboolean
take_track (guint track, const HirTrack *info, gpointer user_data, GError **error)
{
  HirRecordingWriter *writer = user_data;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&writer->lock);

  return hir_writer_check_open (writer, error) && hir_writer_insert_track (writer, info, error);
}

static gboolean
take_string (guint32 string, const char *text, gpointer user_data, GError **error)
{
  HirRecordingWriter *writer = user_data;
  guint32 index;
  gboolean done;

  g_mutex_lock (&writer->lock);
  done = hir_writer_check_open (writer, error) && hir_writer_intern (writer, text, &index, error);
  if (done)
    g_array_append_val (writer->sink_strings, index);
  g_mutex_unlock (&writer->lock);
  return done;
}

static gboolean
take_events (const HirEvent *events, gsize n, gpointer user_data, GError **error)
{
  HirRecordingWriter *writer = user_data;
  gboolean done;

  g_mutex_lock (&writer->lock);
  done = hir_writer_check_open (writer, error);
  for (gsize i = 0; done && i < n; i++)
    {
      HirEvent event = events[i];

      event.name = event.name < writer->sink_strings->len
                       ? g_array_index (writer->sink_strings, guint32, event.name)
                       : 0;
      done = hir_writer_take_event (writer, &event, error);
    }
  if (done && hir_clock_now_ns () - writer->last_flush_ns >= FLUSH_INTERVAL_NS)
    done = hir_writer_write_pending (writer, error);
  g_mutex_unlock (&writer->lock);
  return done;
}

static gboolean
take_meetings (const HirCommRecord *meetings, gsize n, gpointer user_data, GError **error)
{
  HirRecordingWriter *writer = user_data;
  gboolean done, is_good = TRUE;

  g_mutex_lock (&writer->lock);
  done = hir_writer_check_open (writer, error) && hir_writer_begin (writer, error);
  for (gsize i = 0; done && is_good && i < n; i++)
    is_good =
        hir_writer_insert_meeting (writer, &meetings[i], get_sink_text (writer, meetings[i].key),
                                   get_sink_text (writer, meetings[i].op), error);
  done = done && hir_writer_end (writer, is_good, error);
  g_mutex_unlock (&writer->lock);
  return done;
}

static gboolean
take_edges (const HirEdge *edges, gsize n, gpointer user_data, GError **error)
{
  HirRecordingWriter *writer = user_data;
  gboolean done, is_good = TRUE;

  g_mutex_lock (&writer->lock);
  done = hir_writer_check_open (writer, error) && hir_writer_begin (writer, error);
  for (gsize i = 0; done && is_good && i < n; i++)
    is_good = hir_writer_insert_edge (writer, &edges[i], error);
  done = done && hir_writer_end (writer, is_good, error);
  g_mutex_unlock (&writer->lock);
  return done;
}

static gboolean
take_value (const HirTraceValue *value, gpointer user_data, GError **error)
{
  HirRecordingWriter *writer = user_data;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&writer->lock);

  return hir_writer_check_open (writer, error) && hir_writer_begin (writer, error) &&
         hir_writer_end (writer, hir_writer_insert_value (writer, value, error), error);
}

static gboolean
flush (gpointer user_data, GError **error)
{
  HirRecordingWriter *writer = user_data;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&writer->lock);

  return hir_writer_check_open (writer, error) && hir_writer_write_pending (writer, error);
}

void
hir_recording_writer_init_sink (HirRecordingWriter *writer, HirRecorderSink *sink)
{
  *sink = (HirRecorderSink){ take_track, take_string,   take_events, flush,
                             writer,     take_meetings, take_edges,  take_value };
}
