/* Graphs and traces that the drawing tests share: the ag_matmul example, and random ones. */
#pragma once

#include "draw/graph/layout.h"
#include "trace/trace.h"
#include "view/graph.h"

/* Index of the new node or group. */
guint sample_add_node (HirGraph *graph,
                       guint64 id,
                       HirGraphNodeKind kind,
                       int group,
                       const char *title,
                       const char *subtitle);
guint sample_add_group (HirGraph *graph, guint64 id, int parent, const char *title);
void sample_add_edge (HirGraph *graph, guint from, guint to, HirEdgeKind kind);

/* ag_matmul after ConvertOpToCommunication. Its matmul has id SAMPLE_MATMUL. */
#define SAMPLE_MATMUL 62
HirGraph *sample_graph_ag_matmul (void);
/* A DAG of @n nodes with about 1.5 edges a node, some of them in nested groups. */
HirGraph *sample_graph_random (guint n, guint32 seed);

/* Two ranks with a host, four streams and a communicator each, as the sketch shows. */
HirTrace *sample_trace_ag_matmul (void);
/* One track of @n events of @length_ns, every @period_ns. */
HirTrace *sample_trace_regular (guint n, gint64 period_ns, gint64 length_ns);

/* No two nodes overlap, every node is inside its group, and groups inside their parents. */
void sample_check_layout (const HirLayout *layout, const HirSizes *sizes);
void sample_check_layouts_equal (const HirLayout *a, const HirLayout *b);
