/* Control protocol between the process of a run and its parent process: frames in both directions
 * over a socket or a pair of pipes.
 *
 *   frame = length (4 bytes, little-endian, of what follows) + GVariant "(yv)", little-endian
 *           y: HirControlType, v: its payload
 *
 * The decoder accepts any bytes: invalid frames are errors, never crashes. Frames are limited to
 * HIR_CONTROL_MAX_BYTES. */
#pragma once

#include <gio/gio.h>

#include "record/recorder.h"

G_BEGIN_DECLS

/* Increased with each incompatible change. The first frame in each direction is HELLO. */
#define HIR_CONTROL_VERSION 4
/* Larger than the largest script (64 MB), which START contains. */
#define HIR_CONTROL_MAX_BYTES (80 * 1024 * 1024)

typedef enum
{
  HIR_CONTROL_HELLO = 1, /* u: version */
  /* to the run */
  HIR_CONTROL_START = 16, /* (a{sv}a{sv}): request, settings */
  HIR_CONTROL_STOP,       /* b: unused */
  /* (us): number, a line of debugger/console.h; if the settings enable debugging. A line that
   * starts with a tab asks for completions of its last word; the answer's text has one word per
   * line */
  HIR_CONTROL_DEBUG,
  HIR_CONTROL_PAUSE,     /* b: unused; pauses the command of a DEBUG */
  HIR_CONTROL_LOOK = 40, /* see run/value-request.h */
  /* from the run */
  HIR_CONTROL_TRACK = 64, /* (uiiixs): index, kind, rank, device, stream, name */
  HIR_CONTROL_STRING,     /* (us): index, text */
  HIR_CONTROL_EVENTS,     /* ay: HirEvent structs in memory layout */
  HIR_CONTROL_STATUS,     /* s */
  HIR_CONTROL_DEBUGGED,   /* (ua{sv}): answer to the DEBUG with this number, see debugger/state.h */
  HIR_CONTROL_FINISHED,   /* a{sv}: see run-server.h */
  HIR_CONTROL_MEETINGS,   /* ay: HirCommRecord structs in memory layout */
  HIR_CONTROL_EDGES,      /* ay: HirEdge structs in memory layout */
  HIR_CONTROL_VALUE,      /* (tiay): tensor, rank, see recorded-values.h */
  HIR_CONTROL_SUMMARY = 104, /* answer to LOOK: see run/value-request.h */
} HirControlType;

/* Returns a frame with its header as bytes, for callers that must not block; sinks @payload.
 * Returns NULL and sets HIR_ERROR_LIMIT if the frame is too large. */
GBytes *hir_control_frame_new (HirControlType type,
                               GVariant *payload,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Writes frames. Any thread; frames of one writer never interleave. */
typedef struct _HirControlWriter HirControlWriter;

/* Creates a writer to @fd, which the caller closes after freeing the writer. */
HirControlWriter *hir_control_writer_new (int fd);
void hir_control_writer_free (HirControlWriter *writer);
/* Sends a frame; sinks @payload. Blocks while the other end does not read. Returns FALSE and sets
 * HIR_ERROR_RUN if the other end is closed; all later calls then fail at once. A frame that is too
 * large (HIR_ERROR_LIMIT) is not sent; later ones are. */
gboolean hir_control_writer_send (HirControlWriter *writer,
                                  HirControlType type,
                                  GVariant *payload,
                                  GError **error);
/* Initializes a sink that sends everything that a recorder receives; the writer must outlive it. */
void hir_control_writer_init_sink (HirControlWriter *writer, HirRecorderSink *sink);

/* Reads frames from bytes that arrive in pieces. */
typedef struct _HirControlReader HirControlReader;

HirControlReader *hir_control_reader_new (void);
void hir_control_reader_free (HirControlReader *reader);
/* Appends a copy of the bytes, which may end anywhere in a frame. */
void hir_control_reader_push (HirControlReader *reader, gconstpointer data, gsize n_bytes);
/* Returns 1 and the next frame, whose *@payload is owned by the caller; 0 if more bytes are needed;
 * -1 and HIR_ERROR_INPUT if the stream is invalid, like all later calls. Frames of unknown types
 * are skipped. */
int hir_control_reader_pop (HirControlReader *reader,
                            HirControlType *type,
                            GVariant **payload,
                            GError **error);

/* Returns the events of an EVENTS payload: borrowed, aligned, *@n of them (0 if empty). Returns
 * FALSE and sets @error if its length is not a multiple of the struct size. */
gboolean hir_control_get_events (GVariant *payload,
                                 const HirEvent **events,
                                 gsize *n,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Like hir_control_get_events(), for a MEETINGS payload. */
gboolean hir_control_get_comm_records (GVariant *payload,
                                       const HirCommRecord **meetings,
                                       gsize *n,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Like hir_control_get_events(), for an EDGES payload. */
gboolean hir_control_get_edges (GVariant *payload, const HirEdge **edges, gsize *n, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
