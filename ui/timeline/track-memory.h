/* How the tracks of each trace were arranged, in the user's state folder (hirscope/tracks.ini): of the 100 documents
 * that were arranged last. Main thread. */
#pragma once

#include "draw/timeline/timeline-arrange.h"

G_BEGIN_DECLS

typedef struct _HirTrackMemory HirTrackMemory;

/* Reads the file; one that is not there, or can't be read, is an empty memory. */
HirTrackMemory *hir_track_memory_new (void);
/* Writes what is not written yet. */
void hir_track_memory_free (HirTrackMemory *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTrackMemory, hir_track_memory_free)

/* @document: what tells a trace from others, its path. FALSE where it was never arranged. */
gboolean
hir_track_memory_restore (HirTrackMemory *self, const char *document, HirTimelineRows *rows);
/* Kept at once, written within a second. A file that can't be written is not an error of the trace: it is kept in
 * memory alone. */
void
hir_track_memory_keep (HirTrackMemory *self, const char *document, const HirTimelineRows *rows);

G_END_DECLS
