/* Collects events while a program runs: many threads add events, and sinks (a recording file, a
 * trace in memory, the control stream) receive them. */
#pragma once

#include "trace/comm-records.h"
#include "trace/edge.h"
#include "trace/trace-values.h"

G_BEGIN_DECLS

typedef struct _HirRecorder HirRecorder;

/* A sink receives every track, string and event once, in one call at a time, on the recorder's
 * thread or on a thread that flushes. Tracks and strings are numbered from 0 without gaps and
 * precede the events that use them; string 0 is "". Events of one thread keep their order; those
 * of several threads may be interleaved. An error stops the sink and is stored; other sinks and
 * the run continue. */
typedef struct
{
  gboolean (*track) (guint track, const HirTrack *info, gpointer user_data, GError **error);
  gboolean (*string) (guint32 index, const char *text, gpointer user_data, GError **error);
  gboolean (*events) (const HirEvent *events, gsize n, gpointer user_data, GError **error);
  gboolean (*flush) (gpointer user_data, GError **error); /* nullable: writes everything to disk */
  gpointer user_data;
  /* Nullable. Communication records, after the strings that they use, and before or after the
   * events; in the order of the posts of a rank. */
  gboolean (*meetings) (const HirCommRecord *meetings, gsize n, gpointer user_data, GError **error);
  /* Nullable. Edges, in no order relative to the events. */
  gboolean (*edges) (const HirEdge *edges, gsize n, gpointer user_data, GError **error);
  /* Nullable. Values, in no order relative to the events. */
  gboolean (*value) (const HirTraceValue *value, gpointer user_data, GError **error);
} HirRecorderSink;

/* Creates a recorder and its thread, which passes events to the sinks and flushes them every 0.5
 * s, so that a crash loses at most 0.5 s. */
HirRecorder *hir_recorder_new (void);
/* Passes pending events to the sinks, flushes them, and frees @recorder (nullable). */
void hir_recorder_free (HirRecorder *recorder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRecorder, hir_recorder_free)
/* Adds a sink, before the first event. Copies @sink; its user_data must outlive the recorder. */
void hir_recorder_add_sink (HirRecorder *recorder, const HirRecorderSink *sink);

/* Enables the replay filter (record/replay-filter.h), before the first event and track. Tracks with
 * the same kind, rank, device and name are then shared. */
void hir_recorder_set_once (HirRecorder *recorder);

/* Adds a track. Returns its number. Any thread except in a sink. */
guint hir_recorder_add_track (HirRecorder *recorder, const HirTrack *track);
/* Renames track @track. Call before a sink receives it. */
void hir_recorder_set_track_name (HirRecorder *recorder, guint track, const char *name);
/* Returns the number of tracks. Any thread. */
guint hir_recorder_get_n_tracks (HirRecorder *recorder);
/* Returns track @track (borrowed until it is renamed). Any thread. */
const HirTrack *hir_recorder_get_track (HirRecorder *recorder, guint track);
/* Returns the index of a string; equal strings have one index, and "" is 0. Any thread except in a
 * sink. */
guint32 hir_recorder_intern (HirRecorder *recorder, const char *text);
/* Returns string @index, or "" if there is none (borrowed from the recorder). Any thread. */
const char *hir_recorder_get_string (HirRecorder *recorder, guint32 index);
/* Adds an event, in about 30 ns. Blocks if the sinks are too slow. Events are only dropped, and
 * counted, if memory is short. Any thread. */
void hir_recorder_add (HirRecorder *recorder, const HirEvent *event);
/* Adds a communication record. Any thread. */
void hir_recorder_add_meeting (HirRecorder *recorder, const HirCommRecord *record);
/* Adds a dependency between work. Any thread. */
void hir_recorder_add_edge (HirRecorder *recorder, const HirEdge *edge);
/* Adds the final value of a tensor. References @data. Any thread. */
void hir_recorder_add_value (HirRecorder *recorder, guint64 tensor_id, int rank, GBytes *data);
/* Passes all pending events to the sinks, and flushes the sinks. */
void hir_recorder_flush (HirRecorder *recorder);
/* Returns the first error of a sink, or NULL (borrowed from the recorder). */
const GError *hir_recorder_get_error (HirRecorder *recorder);
/* Gets the number of added events, and of events dropped because memory was short. */
void hir_recorder_get_counts (HirRecorder *recorder, guint64 *n_added, guint64 *n_dropped);

G_END_DECLS
