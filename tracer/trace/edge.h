/* What waits for what on a device: work that was recorded as an event on one stream, and what
 * another stream did after it had waited for that event. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/* As it is recorded: the last event on @from_track with that correlation, and the first on
 * @to_track with the other. Correlations that are 0 tie to nothing. */
typedef struct
{
  guint32 from_correlation, to_correlation;
  guint16 from_track, to_track;
} HirEdge;

/* For a GHashTable of HirEdge. */
guint hir_edge_hash (gconstpointer edge);
gboolean hir_edge_equal (gconstpointer a, gconstpointer b);

/* The same in a trace. */
typedef struct
{
  guint from_track, from_index;
  guint to_track, to_index;
} HirEdgeLink;

/* Any time before finish(); too many are dropped and counted in the account. */
void hir_trace_builder_add_edge (HirTraceBuilder *builder, const HirEdge *edge);

guint hir_trace_get_n_edges (const HirTrace *trace);
/* Edge @i as it was recorded, and, where the trace has both of its events, *@link and TRUE. */
gboolean hir_trace_get_edge (const HirTrace *trace, guint i, HirEdge *edge, HirEdgeLink *link);
/* Those that begin or end at event @index of @track: array of at most @max HirEdgeLink. */
GArray *hir_trace_dup_edge_links (const HirTrace *trace, guint track, guint index, guint max);

G_END_DECLS
