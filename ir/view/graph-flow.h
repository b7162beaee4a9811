/* State of the walk that builds the graph of a host program: for each tensor, the source of its
 * elements; for each stream, its work so far. */
#pragma once

#include "view/graph-internal.h"

G_BEGIN_DECLS

#define MAX_NESTING 512
/* Slices of one buffer are written in loops; a later reader shows at most this many writers. */
#define MAX_WRITERS 12

typedef struct
{
  /* node that provides the storage: an input, Allocate, alias select; -1 if none */
  int origin;
  gboolean is_alias; /* the storage is memory that an Expr bound, not an input */
  GArray *writers;   /* int: nodes that wrote its elements, latest last */
  HirTensor *base;   /* tensor that it is a slice of (nullable) */
} HirTensorFlow;

typedef struct
{
  int got;         /* GetCurrentStream that returned the stream, or -1 */
  GArray *last;    /* int: last work on it; one node per branch after an IF */
  GArray *pending; /* int: Synchronize and Wait nodes that precede the next work */
} HirStreamFlow;

typedef struct
{
  HirGraphBuilder *builder;
  GHashTable *tensors;  /* HirTensor* -> HirTensorFlow* */
  GHashTable *scalars;  /* HirScalar* -> node + 1, for inputs */
  GHashTable *bindings; /* tensor of a HostUnit -> tensor of the program */
  GHashTable *posted;   /* HirExpr* -> node + 1, for Exprs that a Wait can name */
  GHashTable *streams;  /* HirStream* -> HirStreamFlow*, shared by equal streams */
  GPtrArray *indexed;   /* HirStream* with an index, all different */
  GPtrArray *states;    /* HirStreamFlow*, owned */
  HirStreamFlow *current;
  GArray *accesses; /* scratch */
  int last_stream_op;
  int group_start; /* open StartCoalescing or the last message after it, or -1 */
  int handles;     /* node of the last ShareMemHandles, or -1 */
  /* in an ELSE: range of the nodes of the THEN branch, which it does not overwrite */
  guint kept_from, kept_to;
  guint depth;
} HirGraphWalk;

void hir_tensor_flow_free (gpointer flow);
void hir_stream_flow_free (gpointer flow);

/* Returns the state of @tensor, creating it at first use. Owned by the walk. */
HirTensorFlow *hir_graph_walk_tensor (HirGraphWalk *walk, HirTensor *tensor);
/* Returns the state of @stream, creating it at first use. Two streams are equal if they are the
 * same object or have equal indices (docs/host-ir.md#streams). Owned by the walk. */
HirStreamFlow *hir_graph_walk_stream (HirGraphWalk *walk, HirStream *stream);
/* Returns a new stream state, owned by the walk. */
HirStreamFlow *hir_graph_walk_new_stream (HirGraphWalk *walk);

/* Adds edges to @node, which reads the elements of @tensor (or of the program's tensor if @tensor
 * belongs to a HostUnit). */
void hir_graph_walk_read (HirGraphWalk *walk, HirTensor *tensor, guint node);
/* Adds edges for @node, which writes the elements of @tensor, and makes it their source. */
void hir_graph_walk_write (HirGraphWalk *walk, HirTensor *tensor, guint node);
/* Makes @node the storage of @tensor: new memory, or a slice of @base. */
void hir_graph_walk_bind (HirGraphWalk *walk,
                          HirTensor *tensor,
                          guint node,
                          HirTensor *base /* nullable */);
/* Adds the edges of an alias select or ShardByStream. */
void hir_graph_walk_select (HirGraphWalk *walk, const HirExpr *expr, guint node);

G_END_DECLS
