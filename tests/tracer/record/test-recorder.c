/* Tests the recorder: threads, sinks, errors, clock. */
#include "record/clock.h"
#include "record/trace-sink.h"

#include <gio/gio.h>

#define N_THREADS 8
#define N_EVENTS 40000

typedef struct
{
  HirRecorder *recorder;
  guint number;
} Producer;

/* Each thread adds its own track and names while the others record. */
static gpointer
produce (gpointer data)
{
  const Producer *producer = data;
  HirTrack track = { HIR_TRACK_STREAM, 0, 0, producer->number, NULL };
  guint index = hir_recorder_add_track (producer->recorder, &track);

  for (guint i = 0; i < N_EVENTS; i++)
    {
      g_autofree char *name = g_strdup_printf ("op %u", i % 50);
      HirEvent event = { .start_ns = i * 10,
                         .end_ns = i * 10 + 5,
                         .instruction = producer->number + 1,
                         .correlation = i + 1,
                         .track = (guint16) index };

      event.name = hir_recorder_intern (producer->recorder, name);
      hir_recorder_add (producer->recorder, &event);
    }
  return NULL;
}

static void
check_track (const HirTrace *trace, guint t)
{
  guint64 number = (guint64) hir_trace_get_track (trace, t)->stream;

  g_assert_cmpuint (hir_trace_get_track_n_events (trace, t), ==, N_EVENTS);
  for (guint i = 0; i < N_EVENTS; i++)
    {
      g_autofree char *name = g_strdup_printf ("op %u", i % 50);
      HirEvent event;

      hir_trace_get_event (trace, t, i, &event);
      g_assert_cmpint (event.start_ns, ==, i * 10);
      g_assert_cmpuint (event.instruction, ==, number + 1);
      g_assert_cmpuint (event.correlation, ==, i + 1);
      g_assert_cmpstr (hir_trace_get_string (trace, event.name), ==, name);
    }
}

/* Tests that no event is lost, duplicated or mixed up, although the sink numbers names and
 * tracks differently. */
static void
test_threads (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirRecorder *recorder = hir_recorder_new ();
  HirTrack other = { HIR_TRACK_HOST, 0, 0, -1, (char *) "before" };
  Producer producers[N_THREADS];
  GThread *threads[N_THREADS];
  HirRecorderSink sink;
  HirTraceSink *trace_sink = hir_trace_sink_new (builder, &sink);
  g_autoptr (HirTrace) trace = NULL;
  guint64 n_added, n_dropped;

  hir_trace_builder_add_track (builder, &other);
  hir_trace_builder_intern (builder, "something else");
  hir_recorder_add_sink (recorder, &sink);
  for (guint i = 0; i < N_THREADS; i++)
    {
      producers[i] = (Producer){ recorder, i };
      threads[i] = g_thread_new ("producer", produce, &producers[i]);
    }
  for (guint i = 0; i < N_THREADS; i++)
    {
      hir_recorder_flush (recorder);
      g_thread_join (threads[i]);
    }
  hir_recorder_get_counts (recorder, &n_added, &n_dropped);
  g_assert_cmpuint (n_added, ==, N_THREADS * N_EVENTS);
  g_assert_cmpuint (n_dropped, ==, 0);
  g_assert_null (hir_recorder_get_error (recorder));
  hir_recorder_free (recorder);
  hir_trace_sink_free (trace_sink);
  trace = hir_trace_builder_finish (builder);
  g_assert_null (hir_trace_get_account (trace)[0]);
  g_assert_cmpuint (hir_trace_get_n_tracks (trace), ==, N_THREADS + 1);
  for (guint t = 1; t <= N_THREADS; t++)
    check_track (trace, t);
}

typedef struct
{
  guint n_tracks, n_strings;
  int n_flushes; /* atomic: read while sinks run */
  guint64 n_events;
  guint64 fail_after;
} CountingSink;

static gboolean
count_track (guint track, const HirTrack *info, gpointer user_data, GError **error)
{
  CountingSink *self = user_data;

  g_assert_cmpuint (track, ==, self->n_tracks++);
  return TRUE;
}

static gboolean
count_string (guint32 index, const char *text, gpointer user_data, GError **error)
{
  CountingSink *self = user_data;

  g_assert_cmpuint (index, ==, self->n_strings++);
  return TRUE;
}

static gboolean
count_events (const HirEvent *events, gsize n, gpointer user_data, GError **error)
{
  CountingSink *self = user_data;

  for (gsize i = 0; i < n; i++)
    {
      g_assert_cmpuint (events[i].track, <, self->n_tracks);
      g_assert_cmpuint (events[i].name, <, self->n_strings);
    }
  self->n_events += n;
  if (self->fail_after != 0 && self->n_events > self->fail_after)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE, "the disk is full");
      return FALSE;
    }
  return TRUE;
}

static gboolean
count_flush (gpointer user_data, GError **error)
{
  g_atomic_int_inc (&((CountingSink *) user_data)->n_flushes);
  return TRUE;
}

/* Tests that the error of a sink is stored and stops only this sink. */
static void
test_failing_sink (void)
{
  HirRecorder *recorder = hir_recorder_new ();
  CountingSink bad = { .fail_after = 1000 }, good = { 0 };
  HirRecorderSink sink = { count_track, count_string, count_events, count_flush, &bad };
  HirTrack track = { HIR_TRACK_HOST, 0, 0, -1, (char *) "host" };
  HirEvent event = { 0 };
  guint64 n_bad;

  hir_recorder_add_sink (recorder, &sink);
  sink.user_data = &good;
  hir_recorder_add_sink (recorder, &sink);
  hir_recorder_add_track (recorder, &track);
  event.name = hir_recorder_intern (recorder, "x");
  g_assert_cmpuint (event.name, ==, 1);
  g_assert_cmpuint (hir_recorder_intern (recorder, "x"), ==, 1);
  for (guint i = 0; i < 50000; i++)
    hir_recorder_add (recorder, &event);
  hir_recorder_flush (recorder);
  g_assert_error (hir_recorder_get_error (recorder), G_IO_ERROR, G_IO_ERROR_NO_SPACE);
  g_assert_cmpuint (good.n_events, ==, 50000);
  g_assert_cmpint (g_atomic_int_get (&good.n_flushes), >, 0);
  n_bad = bad.n_events;
  g_assert_cmpuint (n_bad, <=, 1000 + 1024);
  for (guint i = 0; i < 10; i++)
    hir_recorder_add (recorder, &event);
  hir_recorder_free (recorder);
  g_assert_cmpuint (good.n_events, ==, 50010);
  g_assert_cmpuint (bad.n_events, ==, n_bad);
}

/* Tests that events reach the sinks without a flush. */
static void
test_flushes_by_time (void)
{
  HirRecorder *recorder = hir_recorder_new ();
  CountingSink counts = { 0 };
  HirRecorderSink sink = { count_track, count_string, count_events, count_flush, &counts };
  HirTrack track = { HIR_TRACK_HOST, 0, 0, -1, (char *) "host" };
  HirEvent event = { 0 };
  guint waited = 0;

  hir_recorder_add_sink (recorder, &sink);
  hir_recorder_add_track (recorder, &track);
  hir_recorder_add (recorder, &event);
  while (g_atomic_int_get (&counts.n_flushes) == 0 && waited++ < 6000)
    g_usleep (10000);
  g_assert_null (hir_recorder_get_error (recorder));
  g_assert_cmpuint (counts.n_events, ==, 1);
  g_assert_cmpint (g_atomic_int_get (&counts.n_flushes), >, 0);
  hir_recorder_free (recorder);
}

static void
test_clock (void)
{
  gint64 before = hir_clock_now_ns ();

  for (guint i = 0; i < 1000; i++)
    {
      gint64 now = hir_clock_now_ns ();

      g_assert_cmpint (now, >=, before);
      before = now;
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recorder/threads", test_threads);
  g_test_add_func ("/recorder/failing-sink", test_failing_sink);
  g_test_add_func ("/recorder/flushes-by-time", test_flushes_by_time);
  g_test_add_func ("/recorder/clock", test_clock);
  return g_test_run ();
}
