/* Where the boxes of a graph are. What is laid out is a HirSizes: a graph of sizes without any
 * text, which is all that Graphviz, the worker process and the lane layout are told. The outcome is
 * a HirLayout: positions for the same indices.
 *
 *   HirGraph --hir_sizes_new()--> HirSizes --worker (dot) or lanes--> HirLayout --graph.h-->
 * picture
 *
 * Lengths are pixels at zoom 1, y down, the top left corner at (0, 0). */
#pragma once

#include "draw/measure.h"
#include "draw/shape.h"
#include "view/graph.h"

G_BEGIN_DECLS

/* Fonts and paddings of a box, shared by measuring and drawing. */
#define HIR_NODE_TITLE_PX 13.0
#define HIR_NODE_SUBTITLE_PX 11.5
#define HIR_NODE_PADDING_X 10.0
#define HIR_NODE_PADDING_Y 4.0
#define HIR_NODE_MIN_WIDTH 64.0
#define HIR_NODE_MAX_WIDTH 224.0
#define HIR_GROUP_TITLE_PX 11.5
#define HIR_GROUP_PADDING 10.0
#define HIR_FOLD_MARK 12.0 /* the triangle before the title of what folds */

typedef struct
{
  float width, height;
  gint32 group; /* -1: none */
} HirSizesNode;

typedef struct
{
  gint32 parent; /* -1: none; else smaller than this group's own index */
  float title_width, title_height;
} HirSizesGroup;

typedef struct
{
  guint32 from, to;
  guint32 kind; /* HirEdgeKind */
} HirSizesEdge;

/* Asks for a place below, without being seen: see program-order.h. */
typedef struct
{
  guint32 from;     /* a node */
  guint32 to;       /* a node, or */
  guint32 to_group; /* where this is not 0, a group */
} HirSizesConstraint;

typedef struct
{
  GArray *nodes;       /* HirSizesNode */
  GArray *groups;      /* HirSizesGroup */
  GArray *edges;       /* HirSizesEdge */
  GArray *constraints; /* HirSizesConstraint */
  GArray *order;  /* guint32: nodes in the order in which the layout should place them; empty: 0, 1,
                     .. */
} HirSizes;

HirSizes *hir_sizes_new_empty (void);
/* Measures the labels of @graph, and notes its program order as constraints. Indices are those of @graph. */
HirSizes *hir_sizes_new (const HirGraph *graph, HirMeasure *measure);
void hir_sizes_free (HirSizes *sizes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirSizes, hir_sizes_free)
/* Of everything that decides the layout: the key of caches. */
guint64 hir_sizes_hash (const HirSizes *sizes);

typedef enum
{
  HIR_LAYOUT_DOT,   /* Graphviz */
  HIR_LAYOUT_LANES, /* lanes.h */
} HirLayoutKind;

typedef struct
{
  guint32 first_point;
  guint32
      n_points; /* 3k + 1 of a bezier; 0: this edge is not drawn. The last one touches the box */
} HirLayoutEdge;

typedef struct
{
  float x, width;
  char *title; /* "Stream 0" */
} HirLane;

/* Immutable once made; counted atomically. */
typedef struct
{
  gatomicrefcount ref_count;
  HirLayoutKind kind;
  float width, height;
  GArray *nodes;  /* HirRect; of zero width: not in the picture */
  GArray *groups; /* HirRect; of zero width: empty group */
  GArray *edges;  /* HirLayoutEdge */
  GArray *points; /* HirPoint */
  GArray *lanes;  /* HirLane; empty but for lanes of a host program */
  char *note;     /* nullable: why Graphviz did not make it, for the user */
} HirLayout;

HirLayout *hir_layout_new (HirLayoutKind kind);
HirLayout *hir_layout_ref (HirLayout *layout);
void hir_layout_unref (HirLayout *layout);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirLayout, hir_layout_unref)

/* The same places, which both share, with another note (nullable): of what others see already. */
HirLayout *hir_layout_new_noted (const HirLayout *layout, const char *note);

/* The next edge in order; copies the points. None: an edge that is not drawn. */
void hir_layout_add_edge (HirLayout *layout, const HirPoint *points, guint n_points);
/* The picture in which everything lies between @from (t = 0) and @to (t = 1): for animation. Boxes
 * that are in one of them only stay where they are; edges are straight lines between moving boxes.
 * @from_index: for each node of @to its index in @from, or -1. Groups are those of @to. */
HirLayout *hir_layout_new_between (const HirLayout *from,
                                   const HirLayout *to,
                                   const int *from_index,
                                   const HirSizesEdge *edges,
                                   double t);

/* Fits the rectangles of all groups around their members, with room for the title above, innermost
 * first. @limits: nullable; one a group: where a title makes a box wider than its members, it grows
 * to the left rather than leave its limit. */
void hir_layout_fit_groups (HirLayout *layout, const HirSizes *sizes, const HirRect *limits);
/* Moves everything so that it starts at (0, 0), and sets width and height. */
void hir_layout_fit_origin (HirLayout *layout);

G_END_DECLS
