/* Positions of the boxes of a graph. The input of a layout is a HirSizes: a graph of sizes without
 * text, which is all that Graphviz, the worker process and the lane view need. The result is a
 * HirLayout: positions for the same indices.
 *
 * HirGraph --hir_sizes_new()--> HirSizes --worker (dot) or lanes--> HirLayout
 *
 * Lengths are pixels at zoom 1 with y pointing down; the top left corner is (0, 0). */
#pragma once

#include "draw/measure.h"
#include "draw/shape.h"
#include "view/graph.h"

G_BEGIN_DECLS

/* Fonts and paddings of a box, for measuring and drawing. */
#define HIR_NODE_TITLE_PX 13.0
#define HIR_NODE_SUBTITLE_PX 11.5
#define HIR_NODE_PADDING_X 10.0
#define HIR_NODE_PADDING_Y 4.0
#define HIR_NODE_MIN_WIDTH 64.0
#define HIR_NODE_MAX_WIDTH 224.0
#define HIR_GROUP_TITLE_PX 11.5
#define HIR_GROUP_PADDING 10.0
#define HIR_FOLD_MARK 12.0 /* fold triangle before a title */

typedef struct
{
  float width, height;
  gint32 group; /* -1 if none */
} HirSizesNode;

typedef struct
{
  gint32 parent; /* -1 if none; otherwise less than the group's index */
  float title_width, title_height;
} HirSizesGroup;

typedef struct
{
  guint32 from, to;
  guint32 kind; /* HirEdgeKind */
} HirSizesEdge;

/* An invisible constraint: the target is placed below. See program-order.h. */
typedef struct
{
  guint32 from;     /* node */
  guint32 to;       /* node or group */
  guint32 to_group; /* @to is a group */
} HirSizesConstraint;

typedef struct
{
  GArray *nodes;       /* HirSizesNode */
  GArray *groups;      /* HirSizesGroup */
  GArray *edges;       /* HirSizesEdge */
  GArray *constraints; /* HirSizesConstraint */
  GArray *order;       /* guint32: preferred order of nodes; empty means 0, 1, ... */
} HirSizes;

HirSizes *hir_sizes_new_empty (void);
/* Measures the labels of @graph and adds its program order as constraints. Indices are those of
 * @graph. */
HirSizes *hir_sizes_new (const HirGraph *graph, HirMeasure *measure);
void hir_sizes_free (HirSizes *sizes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirSizes, hir_sizes_free)
/* Returns a hash of everything that determines the layout, for caches. */
guint64 hir_sizes_hash (const HirSizes *sizes);

typedef enum
{
  HIR_LAYOUT_DOT,   /* Graphviz */
  HIR_LAYOUT_LANES, /* lanes.h */
} HirLayoutKind;

typedef struct
{
  guint32 first_point;
  guint32 n_points; /* 3k + 1 points of a Bézier curve; 0 if the edge is not drawn. The last point
                     * touches the box */
} HirLayoutEdge;

typedef struct
{
  float x, width;
  char *title; /* "Stream 0" */
} HirLane;

/* Immutable after creation; atomic reference count. */
typedef struct
{
  gatomicrefcount ref_count;
  HirLayoutKind kind;
  float width, height;
  GArray *nodes;  /* HirRect; zero width if not in the picture */
  GArray *groups; /* HirRect; zero width for an empty group */
  GArray *edges;  /* HirLayoutEdge */
  GArray *points; /* HirPoint */
  GArray *lanes;  /* HirLane; only for the lane view */
  char *note;     /* nullable; why Graphviz did not create it, for the user */
} HirLayout;

HirLayout *hir_layout_new (HirLayoutKind kind);
HirLayout *hir_layout_ref (HirLayout *layout);
void hir_layout_unref (HirLayout *layout);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirLayout, hir_layout_unref)

/* Returns a layout that shares the positions of @layout and has another note (nullable). @layout
 * itself may already be shared and must not change. */
HirLayout *hir_layout_new_noted (const HirLayout *layout, const char *note);

/* Adds the route of the next edge in order; copies the points. With no points, the edge is not
 * drawn. */
void hir_layout_add_edge (HirLayout *layout, const HirPoint *points, guint n_points);
/* Interpolates between @from (t = 0) and @to (t = 1) for animations. Boxes in only one of them
 * stay; edges are straight lines between moving boxes. Groups are those of @to.
 *
 * @from_index: for each node of @to its index in @from, or -1 */
HirLayout *hir_layout_new_between (const HirLayout *from,
                                   const HirLayout *to,
                                   const int *from_index,
                                   const HirSizesEdge *edges,
                                   double t);

/* Fits the rectangles of all groups around their members, innermost first, with space for the title
 * above.
 *
 * @limits: (nullable): area per group that Graphviz has reserved for members and title. The group
 * covers it, because edges pass the title only there */
void hir_layout_fit_groups (HirLayout *layout, const HirSizes *sizes, const HirRect *limits);
/* Moves everything to start at (0, 0), and sets width and height. */
void hir_layout_fit_origin (HirLayout *layout);
/* Returns the bounds of the drawn boxes and edges, or of everything if there are lanes; zero width
 * if there are none. The layout can be larger, because it reserves space for the nodes of all
 * steps. */
HirRect hir_layout_get_bounds (const HirLayout *layout);

G_END_DECLS
