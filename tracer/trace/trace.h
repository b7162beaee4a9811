/* A trace in memory: tracks, and on each the events sorted by start. All times int64 ns from the same
 * zero. Built once, then immutable and readable from any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  HIR_TRACK_STREAM, /* a device's stream */
  HIR_TRACK_HOST,   /* a host thread: issue spans */
  HIR_TRACK_LINK,   /* a communicator or link */
} HirTrackKind;

typedef enum
{
  HIR_EVENT_KERNEL, /* device computation, the CPU back end's too */
  HIR_EVENT_MEMCPY,
  HIR_EVENT_MEMSET,
  HIR_EVENT_COMMUNICATION,
  HIR_EVENT_SYNC,   /* a stream that waits: Synchronize, Wait */
  HIR_EVENT_ISSUE,  /* host: the time an instruction took to issue (cpu_op) */
  HIR_N_EVENT_KINDS,
} HirEventKind;

/* Why work without an instruction ran. */
typedef enum
{
  HIR_PHASE_PROGRAM, /* an instruction caused it */
  HIR_PHASE_SETUP,
  HIR_PHASE_WARMUP,
  HIR_PHASE_CHECK,
} HirPhase;

/* One event, as it is recorded and as the store gives it back. */
typedef struct
{
  gint64 start_ns;
  gint64 end_ns; /* >= start_ns; equal: an instant */
  gint64 bytes;  /* moved, or read and written; 0: unknown */
  gint64 flops;  /* 0: none or unknown */
  guint64 instruction; /* node id in the last snapshot; 0: none */
  guint32 name;        /* index of an interned string: "matmul", "Set" */
  guint32 correlation; /* ties an issue span to its device event; 0: none */
  gint32 iteration;    /* of the innermost loop; -1: outside a loop */
  guint16 track;
  guint8 kind;  /* HirEventKind */
  guint8 phase; /* HirPhase */
} HirEvent;

typedef struct
{
  HirTrackKind kind;
  int rank;
  int device;
  gint64 stream; /* number of the stream on its device; 0 is the default stream; -1 for host */
  char *name;    /* "Stream 1", "host" */
} HirTrack;

typedef struct _HirTrace HirTrace;
typedef struct _HirTraceBuilder HirTraceBuilder;

/* Building: one thread. Events may come in any order; finish() sorts each track by start, then longer
 * first, and makes the summary. */
HirTraceBuilder *hir_trace_builder_new (void);
void hir_trace_builder_free (HirTraceBuilder *builder);
/* The index of the new track. */
guint hir_trace_builder_add_track (HirTraceBuilder *builder, const HirTrack *track);
guint32 hir_trace_builder_intern (HirTraceBuilder *builder, const char *text);
/* FALSE and an error (HIR_ERROR_LIMIT) where memory for it can't be had; an event that ends before it
 * starts, or on no track, is refused and counted. */
gboolean hir_trace_builder_add (HirTraceBuilder *builder, const HirEvent *event, GError **error);
void hir_trace_builder_set_meta (HirTraceBuilder *builder, const char *key, const char *value);
/* Frees the builder. */
HirTrace *hir_trace_builder_finish (HirTraceBuilder *builder);

HirTrace *hir_trace_ref (HirTrace *trace);
void hir_trace_unref (HirTrace *trace);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTrace, hir_trace_unref)

guint hir_trace_get_n_tracks (const HirTrace *trace);
const HirTrack *hir_trace_get_track (const HirTrace *trace, guint track);
guint64 hir_trace_get_n_events (const HirTrace *trace);
guint hir_trace_get_track_n_events (const HirTrace *trace, guint track);
/* Event @index of @track in start order. */
void hir_trace_get_event (const HirTrace *trace, guint track, guint index, HirEvent *event);
const char *hir_trace_get_string (const HirTrace *trace, guint32 index);
/* Nullable. Keys: "clock" (wall, model), "backend", "command", "version", ... */
const char *hir_trace_get_meta (const HirTrace *trace, const char *key);
/* First start and last end over all tracks; both 0 for an empty trace. */
void hir_trace_get_span (const HirTrace *trace, gint64 *start_ns, gint64 *end_ns);
/* First index on @track whose end is after @time_ns (n_events if none): where drawing begins. O(log n). */
guint hir_trace_find_first (const HirTrace *trace, guint track, gint64 time_ns);
/* The event at @time_ns on @track nearest to it within @slack_ns: TRUE and *@index. */
gboolean hir_trace_lookup_at (const HirTrace *trace, guint track, gint64 time_ns, gint64 slack_ns,
                              guint *index);
/* Events refused, clamped or unmatched while building, in words; never NULL, may be empty. Borrowed,
 * NULL-terminated. */
const char *const *hir_trace_get_account (const HirTrace *trace);

G_END_DECLS
