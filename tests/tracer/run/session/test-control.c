/* Tests the control protocol: frames in pieces, broken frames, and a closed reader. */
#include "diagnostic.h"
#include "run/session/control.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static GBytes *
frame_of (HirControlType type, GVariant *payload)
{
  g_autoptr (GError) error = NULL;
  GBytes *frame = hir_control_frame_new (type, payload, &error);

  g_assert_no_error (error);
  return frame;
}

static void
append (GByteArray *bytes, HirControlType type, GVariant *payload)
{
  g_autoptr (GBytes) frame = frame_of (type, payload);
  gsize size;
  gconstpointer data = g_bytes_get_data (frame, &size);

  g_byte_array_append (bytes, data, (guint) size);
}

/* Returns a payload of each type (floating) that is not the default value. */
static GVariant *
payload_of (HirControlType type)
{
  switch (type)
    {
    case HIR_CONTROL_HELLO:
      return g_variant_new_uint32 (7);
    case HIR_CONTROL_START:
      return g_variant_new_parsed ("({'text': <'a'>}, {'repeat': <int64 3>})");
    case HIR_CONTROL_STOP:
    case HIR_CONTROL_PAUSE:
      return g_variant_new_boolean (TRUE);
    case HIR_CONTROL_STATUS:
      return g_variant_new_string ("\xc3\xbc"
                                   "ber");
    case HIR_CONTROL_DEBUG:
      return g_variant_new ("(us)", G_MAXUINT32, "break Wait if rank == 1");
    case HIR_CONTROL_DEBUGGED:
      return g_variant_new_parsed ("(uint32 7, {'text': <'x'>, 'ranks': <''>})");
    case HIR_CONTROL_LOOK:
      return g_variant_new_parsed ("(uint32 1, 2, uint64 3, ([int64 -1, 4], int64 0, int64 0, "
                                   "uint32 5, uint32 6, uint32 7, uint32 8, uint32 9))");
    case HIR_CONTROL_SUMMARY:
      return g_variant_new_parsed ("(uint32 1, false, <'T3 has no value'>)");
    case HIR_CONTROL_VALUE:
      return g_variant_new_parsed ("(uint64 3, 2, b'no summary')");
    case HIR_CONTROL_TRACK:
      return g_variant_new ("(uiiixs)", 1, 2, -3, 4, G_MININT64, "Stream 1");
    case HIR_CONTROL_STRING:
      return g_variant_new ("(us)", 5, "matmul");
    case HIR_CONTROL_EVENTS:
      return g_variant_new_bytestring ("no events, but bytes");
    default:
      return g_variant_new_parsed ("{'done': <true>, 'summary': <'x'>}");
    }
}

static const HirControlType all_types[] = {
  HIR_CONTROL_HELLO,   HIR_CONTROL_START,    HIR_CONTROL_STOP,     HIR_CONTROL_DEBUG,
  HIR_CONTROL_PAUSE,   HIR_CONTROL_TRACK,    HIR_CONTROL_STRING,   HIR_CONTROL_EVENTS,
  HIR_CONTROL_STATUS,  HIR_CONTROL_DEBUGGED, HIR_CONTROL_FINISHED, HIR_CONTROL_LOOK,
  HIR_CONTROL_SUMMARY, HIR_CONTROL_VALUE,
};

static void
test_round_trip (void)
{
  static const gsize pieces[] = { 1, 3, 4096, 1 << 20 };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  for (guint i = 0; i < G_N_ELEMENTS (all_types); i++)
    append (bytes, all_types[i], payload_of (all_types[i]));
  for (guint p = 0; p < G_N_ELEMENTS (pieces); p++)
    {
      HirControlReader *reader = hir_control_reader_new ();
      guint n = 0;

      for (gsize at = 0; at < bytes->len; at += pieces[p])
        {
          HirControlType type;
          GVariant *payload;
          g_autoptr (GError) error = NULL;

          hir_control_reader_push (reader, bytes->data + at, MIN (pieces[p], bytes->len - at));
          while (hir_control_reader_pop (reader, &type, &payload, &error) > 0)
            {
              g_autoptr (GVariant) expected = g_variant_ref_sink (payload_of (all_types[n]));

              g_assert_cmpint (type, ==, all_types[n++]);
              g_assert_true (g_variant_equal (payload, expected));
              g_variant_unref (payload);
            }
          g_assert_no_error (error);
        }
      g_assert_cmpuint (n, ==, G_N_ELEMENTS (all_types));
      hir_control_reader_free (reader);
    }
}

/* Frames of unknown types are skipped; later ones are read. */
static void
test_unknown_type (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  HirControlReader *reader = hir_control_reader_new ();
  HirControlType type;
  GVariant *payload;

  append (bytes, (HirControlType) 200, g_variant_new ("(su)", "later", 1));
  append (bytes, HIR_CONTROL_STATUS, g_variant_new_string ("now"));
  hir_control_reader_push (reader, bytes->data, bytes->len);
  g_assert_cmpint (hir_control_reader_pop (reader, &type, &payload, NULL), ==, 1);
  g_assert_cmpint (type, ==, HIR_CONTROL_STATUS);
  g_assert_cmpstr (g_variant_get_string (payload, NULL), ==, "now");
  g_variant_unref (payload);
  g_assert_cmpint (hir_control_reader_pop (reader, &type, &payload, NULL), ==, 0);
  hir_control_reader_free (reader);
}

/* The reader returns no frame, now or later. */
static void
assert_broken (const guint8 *data, gsize size)
{
  HirControlReader *reader = hir_control_reader_new ();
  g_autoptr (GBytes) good = frame_of (HIR_CONTROL_HELLO, g_variant_new_uint32 (1));
  HirControlType type;
  GVariant *payload;

  hir_control_reader_push (reader, data, size);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (hir_control_reader_pop (reader, &type, &payload, &error), ==, -1);
      g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
      hir_control_reader_push (reader, g_bytes_get_data (good, NULL), g_bytes_get_size (good));
    }
  hir_control_reader_free (reader);
}

static void
test_broken (void)
{
  static const guint8 huge[] = { 0xff, 0xff, 0xff, 0xff };
  static const guint8 empty[] = { 0, 0, 0, 0 };
  static const char text[] = "Traceback (most recent call last):\n";
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  assert_broken (huge, sizeof huge);
  assert_broken (empty, sizeof empty);
  assert_broken ((const guint8 *) text, sizeof text);
  /* A known type with the payload of another type. */
  append (bytes, HIR_CONTROL_HELLO, g_variant_new_string ("1"));
  assert_broken (bytes->data, bytes->len);
  /* Not in normal form: the end of the type string is missing. */
  g_byte_array_set_size (bytes, 0);
  append (bytes, HIR_CONTROL_STATUS, g_variant_new_string ("text"));
  bytes->data[bytes->len - 1] = 0xff;
  assert_broken (bytes->data, bytes->len);
}

/* A length without the data costs nothing and gives nothing. */
static void
test_truncated (void)
{
  g_autoptr (GBytes) frame = frame_of (HIR_CONTROL_STATUS, g_variant_new_string ("text"));
  gsize size = g_bytes_get_size (frame);

  for (gsize n = 0; n < size; n++)
    {
      HirControlReader *reader = hir_control_reader_new ();
      HirControlType type;
      GVariant *payload;

      hir_control_reader_push (reader, g_bytes_get_data (frame, NULL), n);
      g_assert_cmpint (hir_control_reader_pop (reader, &type, &payload, NULL), ==, 0);
      hir_control_reader_free (reader);
    }
}

static GVariant *
new_events (gsize n_bytes)
{
  g_autofree guint8 *bytes = g_malloc0 (n_bytes + 1);

  return g_variant_ref_sink (g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, bytes, n_bytes, 1));
}

static void
test_events (void)
{
  static const gsize sizes[] = {
    0, 1, sizeof (HirEvent) - 1, sizeof (HirEvent), 3 * sizeof (HirEvent), 3 * sizeof (HirEvent) + 1
  };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (GVariant) payload = new_events (sizes[i]);
      g_autoptr (GError) error = NULL;
      const HirEvent *events;
      gsize n;
      gboolean done = hir_control_get_events (payload, &events, &n, &error);

      g_assert_cmpint (done, ==, sizes[i] % sizeof (HirEvent) == 0);
      g_assert_cmpint (done, ==, error == NULL);
      if (done)
        g_assert_cmpuint (n, ==, sizes[i] / sizeof (HirEvent));
    }
}

typedef struct
{
  int fd;
  guint64 n_events, n_statuses[2];
  guint n_tracks, n_strings;
  char *last_name;
} Listener;

static void
take_events (Listener *listener, GVariant *payload)
{
  const HirEvent *events;
  gsize n;

  g_assert_true (hir_control_get_events (payload, &events, &n, NULL));
  for (gsize i = 0; i < n; i++)
    g_assert_cmpint (events[i].start_ns, ==, (gint64) listener->n_events++);
}

static void
take_frame (Listener *listener, HirControlType type, GVariant *payload)
{
  const char *text;

  switch (type)
    {
    case HIR_CONTROL_EVENTS:
      take_events (listener, payload);
      break;
    case HIR_CONTROL_TRACK:
      listener->n_tracks++;
      break;
    case HIR_CONTROL_STRING:
      listener->n_strings++;
      g_free (listener->last_name);
      g_variant_get (payload, "(us)", NULL, &listener->last_name);
      break;
    default:
      g_assert_cmpint (type, ==, HIR_CONTROL_STATUS);
      text = g_variant_get_string (payload, NULL);
      g_assert_cmpuint (strlen (text), ==, 3000);
      listener->n_statuses[*text == 'b']++;
    }
}

static gpointer
listen_thread (gpointer user_data)
{
  Listener *listener = user_data;
  HirControlReader *reader = hir_control_reader_new ();
  guint8 buffer[5000];
  gssize n;

  while ((n = read (listener->fd, buffer, sizeof buffer)) > 0)
    {
      g_autoptr (GError) error = NULL;
      HirControlType type;
      GVariant *payload;

      hir_control_reader_push (reader, buffer, (gsize) n);
      while (hir_control_reader_pop (reader, &type, &payload, &error) > 0)
        {
          take_frame (listener, type, payload);
          g_variant_unref (payload);
        }
      g_assert_no_error (error);
    }
  hir_control_reader_free (reader);
  return NULL;
}

/* All events of a recorder arrive in order, however they are split. */
static void
test_sink (void)
{
  int fds[2];
  Listener listener = { 0 };
  HirControlWriter *writer;
  HirRecorder *recorder = hir_recorder_new ();
  HirTrack track = { HIR_TRACK_STREAM, 0, 0, 1, (char *) "Stream \xff" };
  HirRecorderSink sink;
  HirEvent event = { 0 };
  GThread *thread;

  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM, 0, fds), ==, 0);
  listener.fd = fds[1];
  writer = hir_control_writer_new (fds[0]);
  thread = g_thread_new ("listener", listen_thread, &listener);
  hir_control_writer_init_sink (writer, &sink);
  hir_recorder_add_sink (recorder, &sink);
  event.track = (guint16) hir_recorder_add_track (recorder, &track);
  event.name = hir_recorder_intern (recorder, "broken \xff name");
  for (guint i = 0; i < 50000; i++)
    {
      event.start_ns = event.end_ns = i;
      hir_recorder_add (recorder, &event);
    }
  hir_recorder_flush (recorder);
  g_assert_null (hir_recorder_get_error (recorder));
  hir_recorder_free (recorder);
  close (fds[0]);
  g_thread_join (thread);
  g_assert_cmpuint (listener.n_events, ==, 50000);
  g_assert_cmpuint (listener.n_tracks, ==, 1);
  g_assert_cmpuint (listener.n_strings, ==, 2);
  g_assert_cmpstr (listener.last_name, ==, "broken \xef\xbf\xbd name");
  g_free (listener.last_name);
  hir_control_writer_free (writer);
  close (fds[1]);
}

static gpointer
say_a (gpointer user_data)
{
  g_autofree char *text = g_strnfill (3000, 'a');

  for (guint i = 0; i < 500; i++)
    g_assert_true (
        hir_control_writer_send (user_data, HIR_CONTROL_STATUS, g_variant_new_string (text), NULL));
  return NULL;
}

static void
test_two_threads (void)
{
  int fds[2];
  Listener listener = { 0 };
  g_autofree char *text = g_strnfill (3000, 'b');
  HirControlWriter *writer;
  GThread *reading, *writing;

  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM, 0, fds), ==, 0);
  listener.fd = fds[1];
  writer = hir_control_writer_new (fds[0]);
  reading = g_thread_new ("listener", listen_thread, &listener);
  writing = g_thread_new ("a", say_a, writer);
  for (guint i = 0; i < 500; i++)
    g_assert_true (
        hir_control_writer_send (writer, HIR_CONTROL_STATUS, g_variant_new_string (text), NULL));
  g_thread_join (writing);
  close (fds[0]);
  g_thread_join (reading);
  g_assert_cmpuint (listener.n_statuses[0], ==, 500);
  g_assert_cmpuint (listener.n_statuses[1], ==, 500);
  hir_control_writer_free (writer);
  close (fds[1]);
}

/* Writing to a closed reader is an error, not a signal; there is no second attempt. */
static void
test_closed_reader (void)
{
  int fds[2];
  HirControlWriter *writer;

  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM, 0, fds), ==, 0);
  writer = hir_control_writer_new (fds[0]);
  close (fds[1]);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (
          hir_control_writer_send (writer, HIR_CONTROL_STOP, g_variant_new_boolean (TRUE), &error));
      g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
    }
  hir_control_writer_free (writer);
  close (fds[0]);
}

static void
test_too_large (void)
{
  g_autofree char *text = g_strnfill (HIR_CONTROL_MAX_BYTES, 'x');
  g_autoptr (GError) error = NULL;

  g_assert_null (hir_control_frame_new (HIR_CONTROL_STATUS, g_variant_new_string (text), &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_LIMIT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/control/round-trip", test_round_trip);
  g_test_add_func ("/control/unknown-type", test_unknown_type);
  g_test_add_func ("/control/broken", test_broken);
  g_test_add_func ("/control/truncated", test_truncated);
  g_test_add_func ("/control/events", test_events);
  g_test_add_func ("/control/sink", test_sink);
  g_test_add_func ("/control/two-threads", test_two_threads);
  g_test_add_func ("/control/closed-reader", test_closed_reader);
  g_test_add_func ("/control/too-large", test_too_large);
  return g_test_run ();
}
