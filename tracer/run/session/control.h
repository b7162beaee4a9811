/* The control protocol between a run's process and the one that watches it: frames over a socket or
 * a pair of pipes, both ways.
 *
 *   frame = length (4 bytes, little-endian, of what follows) + GVariant "(yv)", little-endian
 *           y: HirControlType, v: its payload
 *
 * The decoder takes any bytes: what is no frame is an error, never a crash, and no frame is larger
 * than HIR_CONTROL_MAX_BYTES. */
#pragma once

#include <gio/gio.h>

#include "record/recorder.h"

G_BEGIN_DECLS

/* Raised with each change that the other end must know. The first frame each way is HELLO. */
#define HIR_CONTROL_VERSION 4
/* Above the largest script (64 MB), for a START holds one. */
#define HIR_CONTROL_MAX_BYTES (80 * 1024 * 1024)

typedef enum
{
  HIR_CONTROL_HELLO = 1, /* u: version */
  /* to the run */
  HIR_CONTROL_START = 16, /* (a{sv}a{sv}): request, settings */
  HIR_CONTROL_STOP,       /* b: unused */
  HIR_CONTROL_DEBUG,      /* (us): number, a line of debug/console.h; where settings say debug. One that begins with a tab asks
                             what its last word may be: a word a line in the answer's text */
  HIR_CONTROL_PAUSE,      /* b: unused; stops what a DEBUG has set going */
  HIR_CONTROL_LOOK = 40,  /* see run/value-request.h */
  /* from the run */
  HIR_CONTROL_TRACK = 64, /* (uiiixs): index, kind, rank, device, stream, name */
  HIR_CONTROL_STRING,     /* (us): index, text */
  HIR_CONTROL_EVENTS,     /* ay: HirEvent structs as they lie in memory */
  HIR_CONTROL_STATUS,     /* s */
  HIR_CONTROL_DEBUGGED,   /* (ua{sv}): answer to the DEBUG of that number, see debug/state.h */
  HIR_CONTROL_FINISHED,   /* a{sv}: see run-server.h */
  HIR_CONTROL_MEETINGS,   /* ay: HirCommRecord structs as they lie in memory */
  HIR_CONTROL_EDGES,      /* ay: HirEdge structs as they lie in memory */
  HIR_CONTROL_VALUE,      /* (tiay): tensor, rank, see recorded-values.h */
  HIR_CONTROL_SUMMARY = 104, /* answer to LOOK: see run/value-request.h */
} HirControlType;

/* A frame as bytes, header included, for who must not block; sinks @payload. NULL and
 * HIR_ERROR_LIMIT where it is larger than a frame may be. */
GBytes *hir_control_frame_new (HirControlType type,
                               GVariant *payload,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Writing. Any thread; frames of one writer never mix. */
typedef struct _HirControlWriter HirControlWriter;

/* Takes @fd only to write to; it stays the caller's to close, after the writer. */
HirControlWriter *hir_control_writer_new (int fd);
void hir_control_writer_free (HirControlWriter *writer);
/* Sinks @payload. Blocks while the other end does not read. FALSE (HIR_ERROR_RUN) when it has gone;
 * every later call then fails at once. A frame that is too large (HIR_ERROR_LIMIT) is not sent;
 * later ones are. */
gboolean hir_control_writer_send (HirControlWriter *writer,
                                  HirControlType type,
                                  GVariant *payload,
                                  GError **error);
/* A sink that sends what a recorder gets; the writer must outlive it. */
void hir_control_writer_init_sink (HirControlWriter *writer, HirRecorderSink *sink);

/* Reading: bytes are pushed in as they come, frames popped. */
typedef struct _HirControlReader HirControlReader;

HirControlReader *hir_control_reader_new (void);
void hir_control_reader_free (HirControlReader *reader);
/* Copies the bytes; they may end anywhere in a frame. */
void hir_control_reader_push (HirControlReader *reader, gconstpointer data, gsize n_bytes);
/* 1: a frame, *@payload is the caller's. 0: more bytes are needed. -1: no protocol
 * (HIR_ERROR_INPUT); the reader gives nothing more. Frames of unknown type are passed over. */
int hir_control_reader_pop (HirControlReader *reader,
                            HirControlType *type,
                            GVariant **payload,
                            GError **error);

/* The events of an EVENTS payload: borrowed, aligned, *@n of them, maybe none. FALSE and @error
 * where its length fits no whole number of them. */
gboolean hir_control_get_events (GVariant *payload,
                                 const HirEvent **events,
                                 gsize *n,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same of a MEETINGS payload. */
gboolean hir_control_get_comm_records (GVariant *payload,
                                   const HirCommRecord **meetings,
                                   gsize *n,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same of an EDGES payload. */
gboolean hir_control_get_edges (GVariant *payload,
                                const HirEdge **edges,
                                gsize *n,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
