/* The state of the walk that makes a host program's graph: where each tensor's elements come from
 * at this point, and what each stream has done. */
#pragma once

#include "view/graph-internal.h"

G_BEGIN_DECLS

#define MAX_NESTING 512
/* Slices of one buffer are written in loops; a later reader shows that many of them. */
#define MAX_WRITERS 12

typedef struct
{
  int origin;        /* node that gives the storage: an input, Allocate, alias select; -1 */
  gboolean is_alias; /* the storage is memory that an Expr has bound, not an input */
  GArray *writers;   /* int: nodes that wrote its elements, latest last */
  HirTensor *base;   /* nullable: the tensor that it is a slice of */
} HirTensorFlow;

typedef struct
{
  int got;         /* the GetCurrentStream that put it there, -1 */
  GArray *last;    /* int: the last work on it; one of each way where an IF ends in work */
  GArray *pending; /* int: Synchronize and Wait nodes that the next work comes after */
} HirStreamFlow;

typedef struct
{
  HirGraphBuilder *builder;
  GHashTable *tensors;  /* HirTensor* -> HirTensorFlow* */
  GHashTable *scalars;  /* HirScalar* -> node + 1: inputs */
  GHashTable *bindings; /* a HostUnit's tensor -> the program's */
  GHashTable *posted;   /* HirExpr* -> node + 1: what a Wait may name */
  GHashTable *streams;  /* HirStream* -> HirStreamFlow*, shared where they are one stream */
  GPtrArray *indexed;   /* HirStream*: with an index, all different */
  GPtrArray *states;    /* owns the StreamStates */
  HirStreamFlow *current;
  GArray *accesses; /* scratch */
  int last_stream_op;
  int group_start;          /* the StartCoalescing that is open */
  guint kept_from, kept_to; /* in an ELSE: the nodes of the other way, which it does not undo */
  guint depth;
} HirGraphWalk;

void hir_tensor_flow_free (gpointer flow);
void hir_stream_flow_free (gpointer flow);

/* What is known of @tensor, of @stream; made at first use, owned by the walk. Two streams are one
 * where they are one object or have equal indices (docs/host-ir.md#streams). */
HirTensorFlow *hir_graph_walk_tensor (HirGraphWalk *walk, HirTensor *tensor);
HirStreamFlow *hir_graph_walk_stream (HirGraphWalk *walk, HirStream *stream);
HirStreamFlow *hir_graph_walk_new_stream (HirGraphWalk *walk);

/* Edges to @node, which reads or writes the elements of @tensor (that of the program where @tensor
 * is a HostUnit's). */
void hir_graph_walk_read (HirGraphWalk *walk, HirTensor *tensor, guint node);
void hir_graph_walk_write (HirGraphWalk *walk, HirTensor *tensor, guint node);
/* @node gives @tensor its storage: new, or, with a @base, a slice of that. */
void hir_graph_walk_bind (HirGraphWalk *walk,
                          HirTensor *tensor,
                          guint node,
                          HirTensor *base /* nullable */);
void hir_graph_walk_select (HirGraphWalk *walk, const HirExpr *expr, guint node);

G_END_DECLS
