/* Encoding and decoding of the control protocol. */
#include "run/session/control.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "diagnostic.h"
#include "run/session/value-request.h"

#define HEADER_BYTES 4
/* Events per frame: enough to be cheap, few enough to display events while they arrive. */
#define EVENTS_PER_FRAME 8192

struct _HirControlWriter
{
  GMutex lock;
  int fd;
  gboolean is_broken;
};

struct _HirControlReader
{
  GByteArray *bytes;
  gsize consumed;
  gboolean is_broken;
};

static const struct
{
  HirControlType type;
  const char *payload;
} payload_types[] = {
  { HIR_CONTROL_HELLO, "u" },
  { HIR_CONTROL_START, "(a{sv}a{sv})" },
  { HIR_CONTROL_STOP, "b" },
  { HIR_CONTROL_PAUSE, "b" },
  { HIR_CONTROL_STATUS, "s" },
  { HIR_CONTROL_DEBUG, "(us)" },
  { HIR_CONTROL_DEBUGGED, "(ua{sv})" },
  { HIR_CONTROL_LOOK, HIR_VALUE_REQUEST_TYPE },
  { HIR_CONTROL_SUMMARY, HIR_VALUE_ANSWER_TYPE },
  { HIR_CONTROL_TRACK, "(uiiixs)" },
  { HIR_CONTROL_STRING, "(us)" },
  { HIR_CONTROL_EVENTS, "ay" },
  { HIR_CONTROL_MEETINGS, "ay" },
  { HIR_CONTROL_EDGES, "ay" },
  { HIR_CONTROL_VALUE, "(tiay)" },
  { HIR_CONTROL_FINISHED, "a{sv}" },
};

/* Returns the type of the payload, or NULL for a frame type that this version does not know. */
static const GVariantType *
get_payload_type (HirControlType type)
{
  for (guint i = 0; i < G_N_ELEMENTS (payload_types); i++)
    if (payload_types[i].type == type)
      return G_VARIANT_TYPE (payload_types[i].payload);
  return NULL;
}

HirControlWriter *
hir_control_writer_new (int fd)
{
  HirControlWriter *writer = g_new0 (HirControlWriter, 1);

  g_mutex_init (&writer->lock);
  writer->fd = fd;
  return writer;
}

void
hir_control_writer_free (HirControlWriter *writer)
{
  if (writer == NULL)
    return;

  g_mutex_clear (&writer->lock);
  g_free (writer);
}

/* A closed reader must give an error, not SIGPIPE: use send() for sockets. For pipes, the code that
 * created them ignores the signal. */
static gssize
write_some (int fd, const guint8 *data, gsize n_bytes)
{
  gssize n = send (fd, data, n_bytes, MSG_NOSIGNAL);

  if (n < 0 && errno == ENOTSOCK)
    n = write (fd, data, n_bytes);
  return n;
}

static gboolean
write_all (int fd, const guint8 *data, gsize n_bytes)
{
  while (n_bytes > 0)
    {
      gssize n = write_some (fd, data, n_bytes);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        {
          struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };

          poll (&poll_fd, 1, -1);
          continue;
        }
      if (n <= 0)
        return FALSE;
      data += n;
      n_bytes -= (gsize) n;
    }
  return TRUE;
}

GBytes *
hir_control_frame_new (HirControlType type, GVariant *payload, GError **error)
{
  g_autoptr (GVariant) frame = g_variant_ref_sink (g_variant_new ("(yv)", (guint8) type, payload));
  gsize size = g_variant_get_size (frame);
  guint32 length = GUINT32_TO_LE ((guint32) size);
  guint8 *bytes;

  if (size > HIR_CONTROL_MAX_BYTES)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                     "%" G_GSIZE_FORMAT " bytes are too many for one message to the run process; "
                     "the limit is %d",
                     size, HIR_CONTROL_MAX_BYTES);
      return NULL;
    }
#if G_BYTE_ORDER == G_BIG_ENDIAN
  {
    GVariant *swapped = g_variant_byteswap (frame);

    g_variant_unref (frame);
    frame = swapped;
  }
#endif
  bytes = g_malloc (HEADER_BYTES + size);
  memcpy (bytes, &length, HEADER_BYTES);
  /* The header makes it impossible to align the target, which g_variant_store() needs. */
  memcpy (bytes + HEADER_BYTES, g_variant_get_data (frame), size);
  return g_bytes_new_take (bytes, HEADER_BYTES + size);
}

gboolean
hir_control_writer_send (HirControlWriter *writer,
                         HirControlType type,
                         GVariant *payload,
                         GError **error)
{
  g_autoptr (GBytes) frame = hir_control_frame_new (type, payload, error);
  gconstpointer bytes;
  gsize size;
  gboolean sent;

  if (frame == NULL)
    return FALSE;
  bytes = g_bytes_get_data (frame, &size);
  g_mutex_lock (&writer->lock);
  sent = !writer->is_broken && write_all (writer->fd, bytes, size);
  writer->is_broken = !sent;
  g_mutex_unlock (&writer->lock);
  if (!sent)
    hir_set_error (error, HIR_ERROR_RUN, NULL, "the other process has ended");
  return sent;
}

/* GVariant accepts only UTF-8. */
static GVariant *
new_text (const char *text)
{
  return g_variant_new_take_string (g_utf8_make_valid (text, -1));
}

static gboolean
send_track (guint track, const HirTrack *info, gpointer user_data, GError **error)
{
  return hir_control_writer_send (user_data, HIR_CONTROL_TRACK,
                                  g_variant_new ("(uiiix@s)", track, (gint32) info->kind,
                                                 info->rank, info->device, info->stream,
                                                 new_text (info->name)),
                                  error);
}

static gboolean
send_string (guint32 index, const char *text, gpointer user_data, GError **error)
{
  return hir_control_writer_send (user_data, HIR_CONTROL_STRING,
                                  g_variant_new ("(u@s)", index, new_text (text)), error);
}

/* Sends @n structs of @size bytes, in frames of at most EVENTS_PER_FRAME of them. */
static gboolean
send_structs (HirControlWriter *writer,
              HirControlType type,
              const guint8 *structs,
              gsize n,
              gsize size,
              GError **error)
{
  for (gsize i = 0; i < n; i += EVENTS_PER_FRAME)
    {
      gsize count = MIN (n - i, EVENTS_PER_FRAME);
      GVariant *payload =
          g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, structs + i * size, count * size, 1);

      if (!hir_control_writer_send (writer, type, payload, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
send_events (const HirEvent *events, gsize n, gpointer user_data, GError **error)
{
  return send_structs (user_data, HIR_CONTROL_EVENTS, (const guint8 *) events, n, sizeof *events,
                       error);
}

static gboolean
send_meetings (const HirCommRecord *meetings, gsize n, gpointer user_data, GError **error)
{
  return send_structs (user_data, HIR_CONTROL_MEETINGS, (const guint8 *) meetings, n,
                       sizeof *meetings, error);
}

static gboolean
send_edges (const HirEdge *edges, gsize n, gpointer user_data, GError **error)
{
  return send_structs (user_data, HIR_CONTROL_EDGES, (const guint8 *) edges, n, sizeof *edges,
                       error);
}

static gboolean
send_value (const HirTraceValue *value, gpointer user_data, GError **error)
{
  GVariant *data = g_variant_new_from_bytes (G_VARIANT_TYPE_BYTESTRING, value->data, TRUE);

  return hir_control_writer_send (user_data, HIR_CONTROL_VALUE,
                                  g_variant_new ("(ti@ay)", value->tensor_id, value->rank, data),
                                  error);
}

void
hir_control_writer_init_sink (HirControlWriter *writer, HirRecorderSink *sink)
{
  *sink = (HirRecorderSink){
    .track = send_track,
    .string = send_string,
    .events = send_events,
    .user_data = writer,
    .meetings = send_meetings,
    .edges = send_edges,
    .value = send_value,
  };
}

HirControlReader *
hir_control_reader_new (void)
{
  HirControlReader *reader = g_new0 (HirControlReader, 1);

  reader->bytes = g_byte_array_new ();
  return reader;
}

void
hir_control_reader_free (HirControlReader *reader)
{
  if (reader == NULL)
    return;

  g_byte_array_unref (reader->bytes);
  g_free (reader);
}

void
hir_control_reader_push (HirControlReader *reader, gconstpointer data, gsize n_bytes)
{
  if (reader->is_broken)
    return;
  if (reader->consumed > 0)
    {
      g_byte_array_remove_range (reader->bytes, 0, (guint) reader->consumed);
      reader->consumed = 0;
    }
  g_byte_array_append (reader->bytes, data, (guint) n_bytes);
}

static int
fail (HirControlReader *reader, GError **error, const char *what)
{
  reader->is_broken = TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "the control stream is broken: %s", what);
  return -1;
}

/* Returns the frame in the next @size bytes, or NULL if they are not a valid frame. */
static GVariant *
read_frame (HirControlReader *reader, gsize size)
{
  const guint8 *at = reader->bytes->data + reader->consumed + HEADER_BYTES;
  g_autoptr (GBytes) bytes = g_bytes_new (at, size);
  g_autoptr (GVariant) frame =
      g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE ("(yv)"), bytes, FALSE));

  if (!g_variant_is_normal_form (frame))
    return NULL;
#if G_BYTE_ORDER == G_BIG_ENDIAN
  return g_variant_byteswap (frame);
#else
  return g_steal_pointer (&frame);
#endif
}

int
hir_control_reader_pop (HirControlReader *reader,
                        HirControlType *type,
                        GVariant **payload,
                        GError **error)
{
  if (reader->is_broken)
    return fail (reader, error, "it had ended");

  for (;;)
    {
      gsize left = reader->bytes->len - reader->consumed;
      g_autoptr (GVariant) frame = NULL;
      g_autoptr (GVariant) value = NULL;
      const GVariantType *expected;
      guint32 length;
      guint8 kind;

      if (left < HEADER_BYTES)
        return 0;
      memcpy (&length, reader->bytes->data + reader->consumed, HEADER_BYTES);
      length = GUINT32_FROM_LE (length);
      if (length > HIR_CONTROL_MAX_BYTES)
        return fail (reader, error, "a frame is too large");
      if (left < HEADER_BYTES + (gsize) length)
        return 0;
      frame = read_frame (reader, length);
      reader->consumed += HEADER_BYTES + length;
      if (frame == NULL)
        return fail (reader, error, "a frame is not a value");
      g_variant_get (frame, "(yv)", &kind, &value);
      expected = get_payload_type ((HirControlType) kind);
      if (expected == NULL)
        continue;
      if (!g_variant_is_of_type (value, expected))
        return fail (reader, error, "a frame has a payload of another type");
      *type = (HirControlType) kind;
      *payload = g_steal_pointer (&value);
      return 1;
    }
}

static gboolean
get_structs (GVariant *payload,
             gsize size,
             gsize alignment,
             const char *what,
             gconstpointer *structs,
             gsize *n,
             GError **error)
{
  gsize size_bytes;

  *structs = g_variant_get_fixed_array (payload, &size_bytes, 1);
  *n = size_bytes / size;
  if (size_bytes % size == 0 && GPOINTER_TO_SIZE (*structs) % alignment == 0)
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "the control stream is broken: %s of another size",
                 what);
  return FALSE;
}

gboolean
hir_control_get_events (GVariant *payload, const HirEvent **events, gsize *n, GError **error)
{
  return get_structs (payload, sizeof (HirEvent), G_ALIGNOF (HirEvent), "events",
                      (gconstpointer *) events, n, error);
}

gboolean
hir_control_get_comm_records (GVariant *payload,
                              const HirCommRecord **meetings,
                              gsize *n,
                              GError **error)
{
  return get_structs (payload, sizeof (HirCommRecord), G_ALIGNOF (HirCommRecord), "meetings",
                      (gconstpointer *) meetings, n, error);
}

gboolean
hir_control_get_edges (GVariant *payload, const HirEdge **edges, gsize *n, GError **error)
{
  return get_structs (payload, sizeof (HirEdge), G_ALIGNOF (HirEdge), "edges",
                      (gconstpointer *) edges, n, error);
}
