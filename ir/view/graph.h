/* The program as a graph: boxes, groups of boxes, and edges of several kinds. Contains no
 * positions: see ui/draw/graph/layout.h. */
#pragma once

#include "container.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_GRAPH_TENSOR, /* an input or an output; in a fusion any tensor */
  HIR_GRAPH_OP,     /* a tensor op, PostOnStream */
  HIR_GRAPH_MEMORY, /* Allocate, Deallocate, HirAliasSelect */
  HIR_GRAPH_STREAM, /* Get/SetCurrentStream, Synchronize */
  HIR_GRAPH_COMM,   /* Communication, P2P, coalescing, Wait */
  HIR_GRAPH_FOLD,   /* a folded group; only in derived graphs: see graph-derive.h */
} HirGraphNodeKind;
#define HIR_GRAPH_N_KINDS (HIR_GRAPH_FOLD + 1)

typedef enum
{
  HIR_EDGE_DATA,  /* a value that one node writes and the other reads */
  HIR_EDGE_ALIAS, /* a slice of a buffer */
  HIR_EDGE_ORDER, /* program order on one stream */
  HIR_EDGE_SYNC,  /* Synchronize, Wait */
  HIR_EDGE_COMM,  /* a value that a communication sends or receives */
} HirEdgeKind;
#define HIR_EDGE_N_KINDS (HIR_EDGE_COMM + 1)

/* How a node changed between two snapshots, compared by id and content. */
typedef enum
{
  HIR_CHANGE_NONE,
  HIR_CHANGE_CREATED,
  HIR_CHANGE_CHANGED,
  HIR_CHANGE_REMOVED, /* only in the snapshot before */
} HirChange;

typedef struct
{
  guint64 id;  /* id of the tensor or Expr */
  guint64 key; /* unique in the graph; the same in every snapshot for the same node */
  HirGraphNodeKind kind;
  char *title;    /* "matmul", "T0" */
  char *subtitle; /* "T5 x T1 -> T6", "[i0, i2]"; may be "" */
  int group;      /* index into groups, or -1 */
  HirPos pos;
  HirChange change; /* only in derived graphs */
} HirGraphNode;

typedef struct
{
  guint64 id;       /* id of the loop, the IF (its ELSE is a separate group) or the PostOnStream */
  char *title;      /* "FOR StreamIdx in iStreamIdx2{i0}" */
  int parent;       /* index of the enclosing group, or -1 */
  HirExprKind kind; /* FOR, IF or POST_ON_STREAM */
  HirChange change; /* only in derived graphs */
} HirGraphGroup;

typedef struct
{
  guint from, to; /* indices into nodes */
  HirEdgeKind kind;
  guint64 id;       /* id of the tensor or stream that it carries, or 0 */
  HirChange change; /* only in derived graphs */
} HirGraphEdge;

typedef struct
{
  GArray *nodes;  /* HirGraphNode, program order */
  GArray *groups; /* HirGraphGroup, a parent before its children */
  GArray *edges;  /* HirGraphEdge */
} HirGraph;

/* Builds the graph of @container. */
HirGraph *hir_graph_new (HirContainer *container);
/* Creates a graph without nodes, for readers. It owns what is appended to its arrays. */
HirGraph *hir_graph_new_empty (void);
void hir_graph_free (HirGraph *graph);
/* Returns a new set of the ids of the nodes (const gint64*), whose keys belong to @graph. */
GHashTable *hir_graph_dup_boxes (const HirGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirGraph, hir_graph_free)

/* Returns DOT text. Labels may contain any text (quotes, braces, backslashes, newlines, entities).
 */
char *hir_graph_to_dot (const HirGraph *graph, const char *name);

G_END_DECLS
