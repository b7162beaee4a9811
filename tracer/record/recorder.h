/* Where a back end puts its events while a program runs: many threads write, sinks (a recording
 * file, a trace in memory, the control stream) read. */
#pragma once

#include "trace/edge.h"
#include "trace/comm-records.h"
#include "trace/trace-values.h"

G_BEGIN_DECLS

typedef struct _HirRecorder HirRecorder;

/* A sink gets every track, string and event once, serialised: one call at a time, from the
 * recorder's own thread or from one that flushes. Tracks and strings count from 0 without gaps and
 * come before the events that use them; string 0 is "". Events of one thread keep their order,
 * those of several may mix. An error stops that sink and is kept; the others and the run go on. */
typedef struct
{
  gboolean (*track) (guint track, const HirTrack *info, gpointer user_data, GError **error);
  gboolean (*string) (guint32 index, const char *text, gpointer user_data, GError **error);
  gboolean (*events) (const HirEvent *events, gsize n, gpointer user_data, GError **error);
  gboolean (*flush) (gpointer user_data,
                     GError **error); /* nullable: make durable what came so far */
  gpointer user_data;
  /* Nullable: it does not want them. After the strings that name them, before or after the events;
   * in the order of a rank's posts. */
  gboolean (*meetings) (const HirCommRecord *meetings, gsize n, gpointer user_data, GError **error);
  /* Nullable, and in no order beside the events. */
  gboolean (*edges) (const HirEdge *edges, gsize n, gpointer user_data, GError **error);
  /* The same. */
  gboolean (*value) (const HirTraceValue *value, gpointer user_data, GError **error);
} HirRecorderSink;

/* Starts a thread that hands events on while they come (at the latest after half a second, when it
 * also flushes the sinks), so that a crash loses no more than that. */
HirRecorder *
hir_recorder_new (void);
/* Writes out what is pending and flushes the sinks. NULL is allowed. */
void
hir_recorder_free (HirRecorder *recorder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRecorder, hir_recorder_free)
/* Before the first event. *@sink is copied; its user_data must outlive the recorder. */
void
hir_recorder_add_sink (HirRecorder *recorder, const HirRecorderSink *sink);

/* Before the first event and track: what a debugger does again is recorded once, see record/replay-filter.h,
 * and a track that there is already is given again: one of that kind, rank, device and name. */
void
hir_recorder_set_once (HirRecorder *recorder);

/* From any thread, sinks excepted. Equal texts have one index; "" is 0. */
guint
hir_recorder_add_track (HirRecorder *recorder, const HirTrack *track);
guint32
hir_recorder_intern (HirRecorder *recorder, const char *text);
/* Text @index, or "" where there is none. Borrowed as long as the recorder. Any thread. */
const char *
hir_recorder_get_string (HirRecorder *recorder, guint32 index);
/* Some 30 ns. Where the sinks can't keep up, the thread that adds waits for them: nothing is
 * dropped, except where memory can't be had, and then it is counted. */
void
hir_recorder_add (HirRecorder *recorder, const HirEvent *event);
/* What an event of a communication is a part of; rare beside events. */
void
hir_recorder_add_meeting (HirRecorder *recorder, const HirCommRecord *meeting);
/* Work that waited for other work. */
void
hir_recorder_add_edge (HirRecorder *recorder, const HirEdge *edge);
/* What a tensor held at the end; references @data. */
void hir_recorder_add_value (HirRecorder *recorder, guint64 tensor_id, int rank, GBytes *data);
/* Hands everything pending to the sinks, then flushes them. */
void
hir_recorder_flush (HirRecorder *recorder);
/* The first error of a sink, or NULL. Borrowed until the recorder goes. */
const GError *
hir_recorder_get_error (HirRecorder *recorder);
/* Events taken, and events dropped because memory could not be had. */
void
hir_recorder_get_counts (HirRecorder *recorder, guint64 *n_added, guint64 *n_dropped);

G_END_DECLS
