/* Dependencies between streams of a device: from work before an event was recorded on one stream to
 * the work of another stream that waited for the event. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/* A recorded edge: from the last event on @from_track with @from_correlation to the first event on
 * @to_track with @to_correlation. Correlation 0 refers to no event. */
typedef struct
{
  guint32 from_correlation, to_correlation;
  guint16 from_track, to_track;
} HirEdge;

/* Hash function for a GHashTable of HirEdge. */
guint hir_edge_hash (gconstpointer edge);
/* Equality function for a GHashTable of HirEdge. */
gboolean hir_edge_equal (gconstpointer a, gconstpointer b);

/* The two events of an edge. */
typedef struct
{
  guint from_track, from_index;
  guint to_track, to_index;
} HirEdgeLink;

/* Adds an edge; call before the builder is finished. Edges beyond a limit are dropped and counted
 * in the account. */
void hir_trace_builder_add_edge (HirTraceBuilder *builder, const HirEdge *edge);

/* Returns the number of edges. */
guint hir_trace_get_n_edges (const HirTrace *trace);
/* Returns edge @i as recorded. Returns TRUE and sets @link if the trace has both events. */
gboolean hir_trace_get_edge (const HirTrace *trace, guint i, HirEdge *edge, HirEdgeLink *link);
/* Returns at most @max edges that start or end at event @index of @track.
 * Returns: (transfer full): array of HirEdgeLink */
GArray *hir_trace_dup_edge_links (const HirTrace *trace, guint track, guint index, guint max);

G_END_DECLS
