/* What the source of a trace calls its tracks: the ids and names of processes and threads. Exports
 * keep them. They are stored in the metadata of the trace, so every format has them. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

#define HIR_META_TRACK_IDS "track_ids"

/* JSON texts, or NULL if unknown. */
typedef struct
{
  char *pid, *tid, *process, *thread;
} HirTrackIds;

/* Frees the contents. */
void hir_track_ids_clear (HirTrackIds *ids);
/* Stores the ids of @n tracks, in the order of the tracks. */
void hir_track_ids_set (HirTraceBuilder *builder, const HirTrackIds *ids, guint n);
/* Adds the metadata @value of another trace, whose tracks start at @first_track. */
void hir_track_ids_add (HirTraceBuilder *builder, const char *value, guint first_track);
/* Returns one HirTrackIds per track (transfer full); free with g_array_unref(). */
GArray *hir_trace_dup_track_ids (const HirTrace *trace);
/* Sets @number if the id @text (nullable) is an integer of 31 bits. */
gboolean hir_track_id_to_int (const char *text, int *number);

G_END_DECLS
