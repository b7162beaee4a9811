/* Graph of the groups that the segmenter merges. */
#pragma once

#include <gio/gio.h>

#include "container.h"
#include "segment/segmenter.h"

G_BEGIN_DECLS

typedef struct _HirGroup HirGroup;
typedef struct _HirGroupEdge HirGroupEdge;

/* A tensor; one value per tensor and graph. */
typedef struct
{
  HirTensor *tensor;
  HirGroup *producer; /* group that produces it before any merge */
  gboolean is_output; /* output of the fusion; the level rounds do not merge across it */
  gboolean is_border; /* no group may contain both its producer and a reader */
  guint mark;
} HirGroupValue;

/* A tensor that @from produces and @to reads. Each edge is in two lists: the consumers of @from and
 * the producers of @to. Their order decides which merge is tried first. */
struct _HirGroupEdge
{
  HirGroup *from, *to;
  HirGroupValue *value;
  HirGroupEdge *from_prev, *from_next;
  HirGroupEdge *to_prev, *to_next;
};

/* Singly linked list that can be joined to another in constant time. */
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
  HirGroupList exprs; /* HirExpr* */
  /* HirVal*: inputs of the fusion; may contain duplicates */
  HirGroupList inputs;
  HirGroupList outputs;                         /* HirTensor*: outputs of the fusion */
  HirGroupEdge *first_producer, *last_producer; /* linked through to_next */
  HirGroupEdge *first_consumer, *last_consumer; /* linked through from_next */
  guint position;                               /* position in the list; new groups are appended */
  guint level;                                  /* longest path from the inputs */
  /* rank in a topological order, for the final phase */
  guint rank;
  guint mark;    /* equals the graph's mark if the current search has visited the group */
  guint pending; /* scratch of topological sorts */
  /* bit k: a neighbor paired in this round, or its partner, is k - 2 levels away */
  guint8 paired_near;
  gboolean paired;     /* paired in this round */
  gboolean is_input;   /* represents an input of the fusion; in no list, never merged */
  gboolean standalone; /* contains an Expr that runs as a separate instruction; never merged */
  gboolean dead;       /* merged into another group */
};

typedef struct
{
  HirContainer *fusion;
  HirArena *arena;             /* memory of groups, edges and items */
  GPtrArray *exprs;            /* hir_fusion_dup_exprs() */
  GHashTable *uses;            /* HirTensor* -> GPtrArray of HirExpr* */
  GHashTable *expr_index;      /* HirExpr* -> index in exprs */
  GHashTable *inputs;          /* set of HirVal* */
  GHashTable *outputs;         /* set of HirVal* */
  GHashTable *forwarded_exprs; /* set of HirExpr* in forwarded chains */
  /* HirTensor*: last tensor of each chain, in the order in which chains are returned */
  GPtrArray *forwarded;
  GHashTable *values; /* HirTensor* -> HirGroupValue* */
  const HirSegmentRules *rules;
  GPtrArray *list; /* HirGroup*; dead groups are removed occasionally */
  GPtrArray *input_groups;
  guint next_position;
  guint mark;
  GCancellable *cancellable; /* nullable */
} HirGroupGraph;

/* Returns TRUE if @expr (nullable) is a SegmenterSet. */
gboolean hir_group_is_segmenter_set (const HirExpr *expr);
/* Appends @data to @list. */
void hir_group_list_push (HirGroupGraph *graph, HirGroupList *list, gpointer data);

HirGroup *hir_group_new (HirGroupGraph *graph); /* appended to the list */
/* Creates an edge at the end of both lists. */
HirGroupEdge *
hir_group_edge_new (HirGroupGraph *graph, HirGroup *from, HirGroup *to, HirGroupValue *value);
/* Moves an edge to the end of the lists of its new ends. */
void hir_group_edge_set_from (HirGroupEdge *edge, HirGroup *from);
/* Appends a new group with the contents of @a and @b, in this order; both become dead. */
HirGroup *hir_group_merge (HirGroupGraph *graph, HirGroup *a, HirGroup *b);
/* Removes dead groups from the list. */
void hir_group_graph_drop_dead (HirGroupGraph *graph);

/* Step 1: finds the chains of unary ops at the inputs, and `full`. */
void hir_segment_forward_inputs (HirGroupGraph *graph);
/* Step 5: adds a copy of each chain to every group that uses it. */
void hir_segment_return_chains (HirGroupGraph *graph);
/* Step 3: merges groups level by level. Returns FALSE if cancelled. */
gboolean hir_segment_merge_by_level (HirGroupGraph *graph);
/* Step 4: merges the remaining groups. Returns FALSE if cancelled. */
gboolean hir_segment_merge_finally (HirGroupGraph *graph);
/* Returns the groups in run order, that is, the order in which repeated sweeps over the list can
 * run them. Returns NULL if groups depend on each other. */
GPtrArray *hir_segment_dup_run_order (HirGroupGraph *graph);
/* Likewise by the rules of 2026: a queue of the groups whose inputs are available. */
GPtrArray *hir_segment_dup_queue_order (HirGroupGraph *graph);

G_END_DECLS
