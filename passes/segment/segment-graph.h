/* The graph of groups that the segmenter works on. */
#pragma once

#include <gio/gio.h>

#include "container.h"

G_BEGIN_DECLS

typedef struct _HirGroup HirGroup;
typedef struct _HirGroupEdge HirGroupEdge;

/* A tensor, once a graph. */
typedef struct
{
  HirTensor *tensor;
  HirGroup *giver;    /* the group that gives it before anything is merged */
  gboolean is_output; /* of the fusion: level rounds do not merge across it */
  guint mark;
} HirGroupValue;

/* A tensor that @to reads and @from gives. In two lists at once: the consumers of @from and the
 * producers of @to; the order in each decides what is tried first. */
struct _HirGroupEdge
{
  HirGroup *from, *to;
  HirGroupValue *value;
  HirGroupEdge *from_prev, *from_next;
  HirGroupEdge *to_prev, *to_next;
};

/* A singly linked list that is joined to another in constant time. */
typedef struct _HirGroupItem
{
  gpointer data;
  struct _HirGroupItem *next;
} HirGroupItem;

typedef struct
{
  HirGroupItem *first, *last;
} HirGroupList;

struct _HirGroup
{
  HirGroupList exprs;                           /* HirExpr* */
  HirGroupList inputs;                          /* HirVal*: inputs of the fusion; may repeat */
  HirGroupList outputs;                         /* HirTensor*: outputs of the fusion */
  HirGroupEdge *first_producer, *last_producer; /* linked through to_next */
  HirGroupEdge *first_consumer, *last_consumer; /* linked through from_next */
  guint position;                               /* in the list: a new group gets the next one */
  guint level;                                  /* longest path from the inputs */
  guint rank;                                   /* in a topological order: final phase */
  guint mark;    /* equals the graph's mark where a search has been */
  guint pending; /* scratch of topological sorts */
  guint8
      paired_near; /* bit k: a neighbour paired this round, or its partner, is k - 2 levels away */
  gboolean paired; /* this round */
  gboolean is_input;   /* stands for an input of the fusion; in no list, never merged */
  gboolean standalone; /* an Expr in it runs by itself: merges with nothing */
  gboolean dead;       /* merged into another */
};

typedef struct
{
  HirContainer *fusion;
  HirArena *arena;             /* of groups, edges and items; not the fusion's */
  GPtrArray *exprs;            /* hir_fusion_dup_exprs() */
  GHashTable *uses;            /* HirTensor* -> GPtrArray of HirExpr* */
  GHashTable *expr_index;      /* HirExpr* -> place in exprs */
  GHashTable *inputs;          /* set of HirVal* */
  GHashTable *outputs;         /* set of HirVal* */
  GHashTable *forwarded_exprs; /* set: belong to a chain */
  GPtrArray *forwarded;        /* HirTensor*: last tensors of chains, in the order they come back */
  GHashTable *values;          /* HirTensor* -> HirGroupValue* */
  GPtrArray *list;             /* HirGroup*, the list; dead ones are dropped now and then */
  GPtrArray *input_groups;
  guint next_position;
  guint mark;
  GCancellable *cancellable; /* nullable */
} HirGroupGraph;

/* Appends @data to @list. */
void hir_group_list_push (HirGroupGraph *graph, HirGroupList *list, gpointer data);

HirGroup *hir_group_new (HirGroupGraph *graph); /* at the end of the list */
HirGroupEdge *
hir_group_edge_new (HirGroupGraph *graph, HirGroup *from, HirGroup *to, HirGroupValue *value);
/* Moves an edge to the end of the lists of its new ends. */
void hir_group_edge_set_from (HirGroupEdge *edge, HirGroup *from);
/* A new group at the end of the list with what @a and @b have, in this order; both die. */
HirGroup *hir_group_merge (HirGroupGraph *graph, HirGroup *a, HirGroup *b);
void hir_group_graph_drop_dead (HirGroupGraph *graph);

/* Step 1: chains of unary ops at the inputs, and `full`. */
void hir_segment_forward_inputs (HirGroupGraph *graph);
/* Step 5: each group that uses a chain gets a copy of it. */
void hir_segment_return_chains (HirGroupGraph *graph);
/* Step 3, step 4. FALSE when cancelled. */
gboolean hir_segment_merge_by_level (HirGroupGraph *graph);
gboolean hir_segment_merge_finally (HirGroupGraph *graph);
/* The groups in the order of repeated sweeps over the list; NULL where a sweep would add nothing.
 */
GPtrArray *hir_segment_dup_run_order (HirGroupGraph *graph);

G_END_DECLS
