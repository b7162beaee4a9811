/* A trace in memory: tracks, and on each the events sorted by start. All times int64 ns from the
 * same zero. Built once, then immutable and readable from any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  HIR_TRACK_STREAM, /* a device's stream */
  HIR_TRACK_HOST,   /* a host thread: issue spans */
  HIR_TRACK_LINK,   /* a communicator or link */
  HIR_TRACK_COUNTER, /* of a rank: samples of one number over time, and nothing else */
  HIR_N_TRACK_KINDS,
} HirTrackKind;

typedef enum
{
  HIR_EVENT_KERNEL, /* device computation, the CPU back end's too */
  HIR_EVENT_MEMCPY,
  HIR_EVENT_MEMSET,
  HIR_EVENT_COMMUNICATION,
  HIR_EVENT_SYNC,  /* a stream that waits: Synchronize, Wait */
  HIR_EVENT_ISSUE, /* host: the time an instruction took to issue (cpu_op), or a launch call */
  HIR_EVENT_HOST,  /* host: other work, an operator or an annotation, of imported traces */
  HIR_EVENT_COUNTER, /* a sample: an instant; its value holds until the next. See hir_event_get_value() */
  HIR_N_EVENT_KINDS,
} HirEventKind;

/* Why work without an instruction ran. */
typedef enum
{
  HIR_PHASE_PROGRAM, /* an instruction caused it */
  HIR_PHASE_SETUP,
  HIR_PHASE_WARMUP,
  HIR_PHASE_CHECK,
  HIR_N_PHASES,
} HirPhase;

/* One event, as it is recorded and as the store gives it back. */
typedef struct
{
  gint64 start_ns;
  gint64 end_ns;       /* >= start_ns; equal: an instant */
  gint64 bytes;        /* moved, or read and written; 0: unknown. Of a sample the bits of its value */
  gint64 flops;        /* 0: none or unknown */
  guint64 instruction; /* node id in the last snapshot; 0: none */
  guint32 name;        /* index of an interned string: "matmul", "Set" */
  guint32 correlation; /* ties an issue span to its device event; 0: none */
  gint32 iteration;    /* of the innermost loop; -1: outside a loop */
  guint16 track;
  guint8 kind;  /* HirEventKind */
  guint8 phase; /* HirPhase */
  guint64 source; /* where its args stand (trace/event-args.h); 0: nowhere */
} HirEvent;

typedef struct
{
  HirTrackKind kind;
  int rank;
  int device;
  gint64 stream; /* number of the stream on its device; 0 is the default stream; -1 for host */
  char *name;    /* "Stream 1", "host" */
} HirTrack;

/* A stream or a link: what runs there is work. */
static inline gboolean
hir_track_is_of_device (const HirTrack *track)
{
  return track->kind == HIR_TRACK_STREAM || track->kind == HIR_TRACK_LINK;
}

/* Of HIR_EVENT_COUNTER. Finite. */
static inline double
hir_event_get_value (const HirEvent *event)
{
  const union
  {
    gint64 bits;
    double value;
  } sample = { event->bytes };

  return sample.value;
}

/* See hir_event_get_value(). */
static inline void
hir_event_set_value (HirEvent *event, double value)
{
  const union
  {
    double value;
    gint64 bits;
  } sample = { value };

  event->bytes = sample.bits;
}

typedef struct _HirTrace HirTrace;
typedef struct _HirTraceBuilder HirTraceBuilder;

/* Building: one thread. Events may come in any order; finish() sorts each track by start, then
 * longer first, and makes the summary. */
HirTraceBuilder *hir_trace_builder_new (void);
void hir_trace_builder_free (HirTraceBuilder *builder);
/* The index of the new track; at most 65,535 of them, then the last one is given again and it is
 * counted. */
guint hir_trace_builder_add_track (HirTraceBuilder *builder, const HirTrack *track);
/* For what is known only after its events. */
void
hir_trace_builder_set_track_name (HirTraceBuilder *builder, guint track, const char *name);
/* Equal texts have one index; "" is 0. Invalid UTF-8 is mended. Where memory can't be had: 0, and
 * the next add() fails. */
guint32 hir_trace_builder_intern (HirTraceBuilder *builder, const char *text);
/* Of an index that intern() gave; "" where there is none. Borrowed until the next intern(). */
const char *hir_trace_builder_get_string (const HirTraceBuilder *builder, guint32 index);
/* FALSE and an error (HIR_ERROR_LIMIT, which says how many were taken) where memory for it can't be
 * had. An event that ends before it starts, is on no track, of no kind, or beyond 2^61 ns from zero
 * is refused and counted in the account, and TRUE is given: the others are good. A name that was
 * not interned becomes "" and is counted. */
gboolean hir_trace_builder_add (HirTraceBuilder *builder, const HirEvent *event, GError **error);
void hir_trace_builder_set_meta (HirTraceBuilder *builder, const char *key, const char *value);
/* A line of the account: what was repaired, dropped or is missing, in words. */
void hir_trace_builder_add_account (HirTraceBuilder *builder, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
/* Tracks and meetings of rank -1, of which it was not known, are those of @rank. */
void hir_trace_builder_set_rank (HirTraceBuilder *builder, int rank);
/* Moves all of @part, which is freed in any case, into @builder, its times @shift_ns later: tracks,
 * meetings, edges, account, what was counted; of the meta data what @builder does not have. FALSE and
 * HIR_ERROR_LIMIT where memory can't be had, or tracks are too many; @builder is then of no use. */
gboolean hir_trace_builder_absorb (HirTraceBuilder *builder,
                                   HirTraceBuilder *part,
                                   gint64 shift_ns,
                                   GError **error);
guint64 hir_trace_builder_get_n_events (const HirTraceBuilder *builder);
/* Frees the builder in any case. NULL and HIR_ERROR_LIMIT where memory to sort and to summarise
 * can't be had. */
HirTrace *hir_trace_builder_try_finish (HirTraceBuilder *builder, GError **error);
/* The same without the reason. Nullable as that is: only where memory can't be had. */
HirTrace *hir_trace_builder_finish (HirTraceBuilder *builder);

HirTrace *hir_trace_ref (HirTrace *trace);
void hir_trace_unref (HirTrace *trace);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTrace, hir_trace_unref)

guint hir_trace_get_n_tracks (const HirTrace *trace);
/* Borrowed, as long as the trace. */
const HirTrack *hir_trace_get_track (const HirTrace *trace, guint track);
guint64 hir_trace_get_n_events (const HirTrace *trace);
guint hir_trace_get_track_n_events (const HirTrace *trace, guint track);
/* Event @index of @track in start order. */
void hir_trace_get_event (const HirTrace *trace, guint track, guint index, HirEvent *event);
/* Start and end alone, cheaper than the whole event. */
void hir_trace_get_interval (
    const HirTrace *trace, guint track, guint index, gint64 *start_ns, gint64 *end_ns);
/* What drawing needs of an event, cheaper than the whole of it. */
typedef struct
{
  gint64 start_ns, end_ns;
  guint32 name;
  guint8 kind;  /* HirEventKind */
  guint8 phase; /* HirPhase */
} HirEventBrief;
void hir_trace_get_brief (const HirTrace *trace, guint track, guint index, HirEventBrief *brief);
/* Of @n events from @first on, several times quicker than one by one. @briefs has room for them. */
void hir_trace_get_briefs (
    const HirTrace *trace, guint track, guint first, guint n, HirEventBrief *briefs);
/* Rows that @track needs so that events that overlap (kernels on one stream may) do not hide each
 * other: 1 to 255; and the row of an event, from 0. */
guint hir_trace_get_n_lanes (const HirTrace *trace, guint track);
guint hir_trace_get_lane (const HirTrace *trace, guint track, guint index);
/* Of all samples of a counter's track, exactly; both 0 where it has none. O(1). */
void hir_trace_get_counter_range (const HirTrace *trace, guint track, double *least, double *largest);
/* "" where @index is unknown. Borrowed, as long as the trace lives. */
const char *hir_trace_get_string (const HirTrace *trace, guint32 index);
guint32 hir_trace_get_n_strings (const HirTrace *trace);
/* Nullable. Keys: "clock" (wall, model), "backend", "command", "version", ... */
const char *hir_trace_get_meta (const HirTrace *trace, const char *key);
/* Keys in alphabetical order; free the array (g_free), not the keys. NULL-terminated. */
const char **hir_trace_dup_meta_keys (const HirTrace *trace);
/* First start and last end over all tracks; both 0 for an empty trace. */
void hir_trace_get_span (const HirTrace *trace, gint64 *start_ns, gint64 *end_ns);
/* First index on @track whose end is after @time_ns (n_events if none): where drawing begins. O(log
 * n). */
guint hir_trace_find_first (const HirTrace *trace, guint track, gint64 time_ns);
/* The event at @time_ns on @track, the one that started last where several are; else the nearest to
 * it within @slack_ns. TRUE and *@index, or FALSE. O(log n). */
gboolean hir_trace_lookup_at (
    const HirTrace *trace, guint track, gint64 time_ns, gint64 slack_ns, guint *index);
#define HIR_NO_EVENT G_MAXUINT32
/* The next event after *@track, *@index (in track, then start order) that @instruction caused;
 * begin with *@track = 0, *@index = HIR_NO_EVENT. FALSE where there is none. Scans 4 bytes an
 * event. */
gboolean hir_trace_next_of_instruction (const HirTrace *trace,
                                        guint64 instruction,
                                        guint *track,
                                        guint *index);
/* The same by correlation: an issue span and the device events that it caused share one, per rank.
 */
gboolean hir_trace_next_of_correlation (const HirTrace *trace,
                                        guint32 correlation,
                                        guint *track,
                                        guint *index);
/* Bytes of memory that events, their summaries and what is known beside them (meetings, edges) take. */
gsize hir_trace_get_size_bytes (const HirTrace *trace);
/* Events refused, clamped or unmatched while building, in words; never NULL, may be empty.
 * Borrowed, NULL-terminated. */
const char *const *hir_trace_get_account (const HirTrace *trace);

G_END_DECLS
