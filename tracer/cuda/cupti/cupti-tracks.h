/* On which track an event of CUPTI's stands. Any thread for set_stream(), else the decoding one. */
#pragma once

#include "record/recorder.h"

G_BEGIN_DECLS

typedef struct _HirCuptiTracks HirCuptiTracks;

HirCuptiTracks *hir_cupti_tracks_new (HirRecorder *recorder);
void hir_cupti_tracks_free (HirCuptiTracks *tracks);
/* CUPTI's numbers of a stream that the program uses, and its track. */
void hir_cupti_tracks_set_stream (
    HirCuptiTracks *tracks, guint32 context, guint32 stream, guint track, int rank);

/* A stream that the program does not know (a library's own) gets a track "GPU 0, stream 21". */
guint16
hir_cupti_tracks_get_stream (HirCuptiTracks *tracks, guint32 context, guint32 stream, guint device);
/* FALSE for a stream without a track yet. */
gboolean hir_cupti_tracks_lookup_stream (HirCuptiTracks *tracks,
                                         guint32 context,
                                         guint32 stream,
                                         guint16 *track);
/* Whose stream @track is; -1: unknown. */
int hir_cupti_tracks_get_rank (HirCuptiTracks *tracks, guint16 track);
/* The host calls, or annotations, of a thread for a rank. */
guint16 hir_cupti_tracks_get_calls (HirCuptiTracks *tracks, guint32 thread, int rank);
guint16 hir_cupti_tracks_get_notes (HirCuptiTracks *tracks, guint32 thread, int rank);
/* What tracing and the driver cost. */
guint16 hir_cupti_tracks_get_overhead (HirCuptiTracks *tracks);
/* The rank that has streams in this process and the smallest number; 0 where there is none. */
int hir_cupti_tracks_get_first_rank (HirCuptiTracks *tracks);

G_END_DECLS
