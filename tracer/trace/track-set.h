/* Sets of tracks: arrays of guint in ascending order. NULL is the set of all tracks. A set never
 * changes, so that threads can share it. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/* Returns whether @track is in @set (nullable). */
gboolean hir_track_set_has (const GArray *set, guint track);
/* Sorts @tracks and removes repetitions (transfer full). Returns the set. */
GArray *hir_track_set_new_take (GArray *tracks);
/* Returns the tracks whose name or "rank/name" matches one of the @globs (nullable: all tracks).
 * Returns FALSE with HIR_ERROR_INPUT if there is no such track. */
gboolean
hir_track_set_find (const HirTrace *trace, const char *const *globs, GArray **set, GError **error);
/* Returns a text such as "2 tracks of rank 0: Stream 7, Stream 8" (transfer full). @set is not
 * NULL. */
char *hir_track_set_dup_text (const GArray *set, const HirTrace *trace);

G_END_DECLS
