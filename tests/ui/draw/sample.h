/* Graphs and traces for the drawing tests: the ag_matmul example, and random ones. */
#pragma once

#include "draw/graph/layout.h"
#include "trace/trace.h"
#include "view/graph.h"

/* Adds a node or group and returns its index. */
guint sample_add_node (HirGraph *graph,
                       guint64 id,
                       HirGraphNodeKind kind,
                       int group,
                       const char *title,
                       const char *subtitle);
guint sample_add_group (HirGraph *graph, guint64 id, int parent, const char *title);
void sample_add_edge (HirGraph *graph, guint from, guint to, HirEdgeKind kind);

/* Returns ag_matmul after ConvertOpToCommunication. Its matmul has id SAMPLE_MATMUL. */
#define SAMPLE_MATMUL 62
HirGraph *sample_graph_ag_matmul (void);
/* Returns a DAG of @n nodes with about 1.5 edges per node, some of them in nested groups. */
HirGraph *sample_graph_random (guint n, guint32 seed);

/* Returns a trace of two ranks, each with a host, four streams and a communicator. */
HirTrace *sample_trace_ag_matmul (void);
/* Returns a track of @n events of @length_ns, one every @period_ns. */
HirTrace *sample_trace_regular (guint n, gint64 period_ns, gint64 length_ns);

/* Checks that no two nodes overlap, every node is inside its group, and groups are inside their
 * parents. */
void sample_check_layout (const HirLayout *layout, const HirSizes *sizes);
void sample_check_layouts_equal (const HirLayout *a, const HirLayout *b);
