/* Finds the track of a CUPTI event. hir_cupti_tracks_set_stream() may be called on any thread, all
 * other functions on the decoding thread. */
#pragma once

#include "record/recorder.h"

G_BEGIN_DECLS

typedef struct _HirCuptiTracks HirCuptiTracks;

/* Creates an empty table. @recorder is borrowed. */
HirCuptiTracks *hir_cupti_tracks_new (HirRecorder *recorder);
/* Frees @tracks. */
void hir_cupti_tracks_free (HirCuptiTracks *tracks);
/* Assigns @track of @rank to a stream of the program; @context and @stream are CUPTI's numbers. */
void hir_cupti_tracks_set_stream (
    HirCuptiTracks *tracks, guint32 context, guint32 stream, guint track, int rank);

/* Returns the track of a stream. Creates a track "GPU 0, stream 21" for a stream that the program
 * does not know, such as a library's internal stream. Ranks that share a GPU use the same default
 * stream, so such a stream has one track per rank: that of @rank, or of any rank if it is -1. */
guint16 hir_cupti_tracks_get_stream (
    HirCuptiTracks *tracks, guint32 context, guint32 stream, guint device, int rank);
/* Gets the track of a stream. Returns FALSE if the stream has no track yet. */
gboolean hir_cupti_tracks_lookup_stream (HirCuptiTracks *tracks,
                                         guint32 context,
                                         guint32 stream,
                                         guint16 *track);
/* Returns the rank of @track, or -1 if it is unknown. */
int hir_cupti_tracks_get_rank (HirCuptiTracks *tracks, guint16 track);
/* Returns the track for the host calls of a thread for @rank. */
guint16 hir_cupti_tracks_get_calls (HirCuptiTracks *tracks, guint32 thread, int rank);
/* Returns the track for the annotations of a thread for @rank. */
guint16 hir_cupti_tracks_get_notes (HirCuptiTracks *tracks, guint32 thread, int rank);
/* Returns the track for the overhead of tracing and of the driver. */
guint16 hir_cupti_tracks_get_overhead (HirCuptiTracks *tracks);
/* Returns the smallest rank with streams in this process, or 0 if there is none. */
int hir_cupti_tracks_get_first_rank (HirCuptiTracks *tracks);

G_END_DECLS
