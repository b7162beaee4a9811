/* Where a back end puts its events while a program runs: many threads write, sinks (a recording file, a
 * trace in memory, the control stream) read. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct _HirRecorder HirRecorder;

/* A sink gets every track, string and event once, in order of recording, serialised. An error stops
 * that sink and is kept; the others and the run go on. */
typedef struct
{
  gboolean (*track) (guint track, const HirTrack *info, gpointer user_data, GError **error);
  gboolean (*string) (guint32 index, const char *text, gpointer user_data, GError **error);
  gboolean (*events) (const HirEvent *events, gsize n, gpointer user_data, GError **error);
  gboolean (*flush) (gpointer user_data, GError **error); /* nullable: make durable what came so far */
  gpointer user_data;
} HirRecorderSink;

HirRecorder *hir_recorder_new (void);
/* Writes out what is pending. */
void hir_recorder_free (HirRecorder *recorder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRecorder, hir_recorder_free)
/* Before the first event. */
void hir_recorder_add_sink (HirRecorder *recorder, const HirRecorderSink *sink);

/* From any thread. */
guint hir_recorder_add_track (HirRecorder *recorder, const HirTrack *track);
guint32 hir_recorder_intern (HirRecorder *recorder, const char *text);
void hir_recorder_add (HirRecorder *recorder, const HirEvent *event);
/* Hands everything pending to the sinks, then flushes them. */
void hir_recorder_flush (HirRecorder *recorder);
/* The first error of a sink, or NULL. Borrowed until the recorder goes. */
const GError *hir_recorder_get_error (HirRecorder *recorder);

G_END_DECLS
