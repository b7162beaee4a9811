/* A trace in memory: tracks with events sorted by start. All times are in ns (gint64) from one
 * common zero. A trace is built once, then immutable and readable from any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  HIR_TRACK_STREAM,  /* a stream of a device */
  HIR_TRACK_HOST,    /* a host thread: issue spans */
  HIR_TRACK_LINK,    /* a communicator or link */
  HIR_TRACK_COUNTER, /* samples of one number over time, of a rank; no other events */
  HIR_N_TRACK_KINDS,
} HirTrackKind;

typedef enum
{
  HIR_EVENT_KERNEL, /* device computation, including the CPU back end */
  HIR_EVENT_MEMCPY,
  HIR_EVENT_MEMSET,
  HIR_EVENT_COMMUNICATION,
  HIR_EVENT_SYNC,    /* a waiting stream: Synchronize, Wait */
  HIR_EVENT_ISSUE,   /* host: time to issue an instruction (cpu_op), or a launch call */
  HIR_EVENT_HOST,    /* host: other work of imported traces, an operator or annotation */
  HIR_EVENT_COUNTER, /* an instant; its value holds until the next sample, see
                      * hir_event_get_value() */
  HIR_N_EVENT_KINDS,
} HirEventKind;

/* Why work without an instruction ran. */
typedef enum
{
  HIR_PHASE_PROGRAM, /* an instruction caused it */
  HIR_PHASE_SETUP,
  HIR_PHASE_WARMUP,
  HIR_PHASE_CHECK,
  HIR_PHASE_BASELINE, /* each instruction runs alone; not in traces, see trace/baseline.h */
  HIR_N_PHASES,
} HirPhase;

/* One event, as recorded and as returned by the trace. */
typedef struct
{
  gint64 start_ns;
  gint64 end_ns;       /* >= start_ns; equal: an instant */
  gint64 bytes;        /* moved, or read and written; 0: unknown. For a sample: the bits of its
                        * value */
  gint64 flops;        /* 0: none or unknown */
  guint64 instruction; /* node id in the last snapshot; 0: none */
  guint32 name;        /* string index: "matmul", "Set" */
  guint32 correlation; /* connects an issue span with its device events; 0: none */
  gint32 iteration;    /* of the innermost loop; -1: outside a loop */
  guint16 track;
  guint8 kind;    /* HirEventKind */
  guint8 phase;   /* HirPhase */
  guint64 source; /* where its arguments are stored (trace/event-args.h); 0: nowhere */
} HirEvent;

typedef struct
{
  HirTrackKind kind;
  int rank;
  int device;
  gint64 stream; /* number on its device; that of "Stream 1" is 1; -1: host, or all streams of the
                  * device; on a host track: the stream that its annotations are about */
  char *name;    /* "Stream 1", "host" */
} HirTrack;

/* The stream of a recording on which a program starts. Its number is not that of "Stream 0". */
#define HIR_DEFAULT_STREAM 999
#define HIR_DEFAULT_STREAM_NAME "Default stream"

/* Returns whether @track is a stream or link, whose events are device work. */
static inline gboolean
hir_track_is_of_device (const HirTrack *track)
{
  return track->kind == HIR_TRACK_STREAM || track->kind == HIR_TRACK_LINK;
}

/* Returns whether @track has annotations of a stream, which are no work. */
static inline gboolean
hir_track_is_of_notes (const HirTrack *track)
{
  return track->kind == HIR_TRACK_HOST && track->stream >= 0;
}

/* Returns the value of a HIR_EVENT_COUNTER event, which is finite. */
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

/* Sets the value of a HIR_EVENT_COUNTER event. */
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

/* Creates a builder, to be used on one thread at a time. Events may be added in any order;
 * finishing sorts each track by start, then longer events first. */
HirTraceBuilder *hir_trace_builder_new (void);
/* Frees @builder (nullable) and its events. */
void hir_trace_builder_free (HirTraceBuilder *builder);
/* Adds a track and returns its index. Beyond 65,535 tracks, returns the last one and counts the
 * track in the account. */
guint hir_trace_builder_add_track (HirTraceBuilder *builder, const HirTrack *track);
/* Returns whether the track has events, and all their names start with @prefix. */
gboolean
hir_trace_builder_is_named_like (HirTraceBuilder *builder, guint track, const char *prefix);
/* Turns a host track into a stream of @device, and its events into kernels, for tracks whose
 * metadata are known only after their events. */
void
hir_trace_builder_make_stream (HirTraceBuilder *builder, guint track, int device, gint64 stream);
/* Renames a track, for names that are known only after its events. */
void hir_trace_builder_set_track_name (HirTraceBuilder *builder, guint track, const char *name);
/* Returns the index of @text; equal strings have equal indices, "" is 0. Repairs invalid UTF-8. If
 * out of memory, returns 0 and the next hir_trace_builder_add() fails. */
guint32 hir_trace_builder_intern (HirTraceBuilder *builder, const char *text);
/* Returns an interned string, or "" if there is none. Borrowed until the next insertion. */
const char *hir_trace_builder_get_string (const HirTraceBuilder *builder, guint32 index);
/* Adds an event. Events that end before they start, have an invalid track or kind, or are more than
 * 2^61 ns from zero are dropped and counted in the account; the call then still returns TRUE. An
 * unknown name becomes "" and is counted. Returns FALSE and sets HIR_ERROR_LIMIT if out of memory;
 * the message states the number of events. */
gboolean hir_trace_builder_add (HirTraceBuilder *builder, const HirEvent *event, GError **error);
/* Sets a metadata entry. */
void hir_trace_builder_set_meta (HirTraceBuilder *builder, const char *key, const char *value);
/* Returns a metadata entry, or NULL. */
const char *hir_trace_builder_get_meta (const HirTraceBuilder *builder, const char *key);
/* Adds a line to the account: data that was repaired, dropped or is missing. */
void hir_trace_builder_add_account (HirTraceBuilder *builder, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
/* Assigns tracks and communication records of unknown rank (-1) to @rank. */
void hir_trace_builder_set_rank (HirTraceBuilder *builder, int rank);
/* Returns the lowest rank, and the number of ranks from it to the highest; 0 and 1 if there are no
 * tracks. */
void hir_trace_builder_get_ranks (const HirTraceBuilder *builder, int *first, int *n);
/* Adds @by to all ranks. */
void hir_trace_builder_move_ranks (HirTraceBuilder *builder, int by);
/* Moves all events so that the first one starts at 0, unless one is farther than 2^60 ns before 0.
 * Returns what was subtracted from their times. */
gint64 hir_trace_builder_start_at_zero (HirTraceBuilder *builder);
/* Moves all tracks, records, edges, counts and the account of @part into @builder, with times
 * shifted by @shift_ns, and metadata that @builder does not have. Frees @part in any case. Returns
 * FALSE and sets HIR_ERROR_LIMIT if out of memory or if there are too many tracks; @builder must
 * then be freed. */
gboolean hir_trace_builder_absorb (HirTraceBuilder *builder,
                                   HirTraceBuilder *part,
                                   gint64 shift_ns,
                                   GError **error);
/* Returns the number of events added so far. */
guint64 hir_trace_builder_get_n_events (const HirTraceBuilder *builder);
/* Sorts the tracks and returns the trace. Frees @builder in any case. Returns NULL and sets
 * HIR_ERROR_LIMIT if out of memory. */
HirTrace *hir_trace_builder_try_finish (HirTraceBuilder *builder, GError **error);
/* Like hir_trace_builder_try_finish(), but without an error. */
HirTrace *hir_trace_builder_finish (HirTraceBuilder *builder);

HirTrace *hir_trace_ref (HirTrace *trace);
void hir_trace_unref (HirTrace *trace);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTrace, hir_trace_unref)

guint hir_trace_get_n_tracks (const HirTrace *trace);
/* Returns track @track (borrowed). */
const HirTrack *hir_trace_get_track (const HirTrace *trace, guint track);
guint64 hir_trace_get_n_events (const HirTrace *trace);
guint hir_trace_get_track_n_events (const HirTrace *trace, guint track);
/* Returns event @index of @track, in start order. */
void hir_trace_get_event (const HirTrace *trace, guint track, guint index, HirEvent *event);
/* Returns only start and end, which is faster than hir_trace_get_event(). */
void hir_trace_get_interval (
    const HirTrace *trace, guint track, guint index, gint64 *start_ns, gint64 *end_ns);
/* The fields of an event that drawing needs; faster than HirEvent. */
typedef struct
{
  gint64 start_ns, end_ns;
  guint32 name;
  guint8 kind;  /* HirEventKind */
  guint8 phase; /* HirPhase */
} HirEventBrief;
/* Returns the brief fields of one event. */
void hir_trace_get_brief (const HirTrace *trace, guint track, guint index, HirEventBrief *brief);
/* Returns @n events starting at @first, several times faster than one by one. @briefs must have
 * room for @n. */
void hir_trace_get_briefs (
    const HirTrace *trace, guint track, guint first, guint n, HirEventBrief *briefs);
/* Returns the number of lanes, 1 to 255, that @track needs so that overlapping events do not hide
 * each other. */
guint hir_trace_get_n_lanes (const HirTrace *trace, guint track);
/* Returns the lane of an event, from 0. */
guint hir_trace_get_lane (const HirTrace *trace, guint track, guint index);
/* Returns the range of all samples of a counter track; both 0 if it has none. O(1). */
void
hir_trace_get_counter_range (const HirTrace *trace, guint track, double *least, double *largest);
/* Returns the string at @index, or "" if there is none. Borrowed from the trace. */
const char *hir_trace_get_string (const HirTrace *trace, guint32 index);
guint32 hir_trace_get_n_strings (const HirTrace *trace);
/* Returns a metadata value, or NULL. Keys: "clock" (wall, model), "backend", "command", "version",
 * ... */
const char *hir_trace_get_meta (const HirTrace *trace, const char *key);
/* Returns the metadata keys, sorted and NULL-terminated. Free the array with g_free(), not the
 * keys. */
const char **hir_trace_dup_meta_keys (const HirTrace *trace);
/* Returns the first start and last end over all tracks, without events that are left out
 * (trace/left-out.h); both 0 for an empty trace. */
void hir_trace_get_span (const HirTrace *trace, gint64 *start_ns, gint64 *end_ns);
/* Returns the first event on @track that ends after @time_ns, or the number of events. O(log n). */
guint hir_trace_find_first (const HirTrace *trace, guint track, gint64 time_ns);
/* Finds the event of @track at @time_ns: of several, the one that started last; otherwise the
 * nearest one within @slack_ns. Returns FALSE if there is none. O(log n). */
gboolean hir_trace_lookup_at (
    const HirTrace *trace, guint track, gint64 time_ns, gint64 slack_ns, guint *index);
#define HIR_NO_EVENT G_MAXUINT32
/* Finds the next event of @instruction after (*@track, *@index), in the order of tracks and starts.
 * Start with *@track = 0, *@index = HIR_NO_EVENT. Returns FALSE if there is none. Scans 4 bytes per
 * event. */
gboolean hir_trace_next_of_instruction (const HirTrace *trace,
                                        guint64 instruction,
                                        guint *track,
                                        guint *index);
/* Like hir_trace_next_of_instruction(), but by correlation, which an issue span shares with its
 * device events, per rank. */
gboolean hir_trace_next_of_correlation (const HirTrace *trace,
                                        guint32 correlation,
                                        guint *track,
                                        guint *index);
/* Like hir_trace_next_of_correlation(), for any of @n correlations, which are sorted and not 0. */
gboolean hir_trace_next_of_correlations (
    const HirTrace *trace, const guint32 *correlations, guint n, guint *track, guint *index);
/* Returns the memory used by events, indexes, communication records and edges. */
gsize hir_trace_get_size_bytes (const HirTrace *trace);
/* Key of the metadata of a run that did not reach its end: where or why it ended, "Stopped in the
 * debugger before line 12, Allgather T5". */
#define HIR_META_STOPPED "stopped"
/* Key of the metadata of a run that was checked: HIR_CHECK_META_RIGHT, _WRONG or _UNDECIDED.
 * Recordings of older versions lack it. */
#define HIR_META_CHECK "check"
#define HIR_CHECK_META_RIGHT "right"
#define HIR_CHECK_META_WRONG "wrong"
#define HIR_CHECK_META_UNDECIDED "undecided"
/* Returns "Correct", "Incorrect" or "Undecided" (borrowed), or NULL if the result of the check is
 * not known. */
const char *hir_trace_get_verdict (const HirTrace *trace);
/* Returns the number of repetitions that the recording states, without warm-up runs; 1 if it states
 * none. A run that was stopped may have fewer. */
guint hir_trace_get_n_repetitions (const HirTrace *trace);
/* Returns a sentence for the start of all that shows the run (transfer full): it is not whole, its
 * results are incorrect or undecided. Returns NULL if nothing of this is known. */
char *hir_trace_dup_caveat (const HirTrace *trace);
/* Returns the account: events that were dropped, clamped or unmatched while building. Borrowed,
 * NULL-terminated, possibly empty. */
const char *const *hir_trace_get_account (const HirTrace *trace);

G_END_DECLS
