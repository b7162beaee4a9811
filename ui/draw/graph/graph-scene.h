/* Draws a graph: labeled boxes, dashed group boxes, edges by kind, changes of a pass, the selection
 * and marks. The list is in layout pixels (zoom 1); painters scale it. */
#pragma once

#include "draw/display-list.h"
#include "draw/graph/layout.h"
#include "draw/theme.h"
#include "view/program-view.h"

G_BEGIN_DECLS

/* A permanent highlight that the user added to a node. */
typedef struct
{
  guint64 id;
  HirColor color;
} HirGraphMark;

typedef enum
{
  HIR_GRAPH_BREAK_ON = 1,
  HIR_GRAPH_BREAK_OFF,
} HirGraphBreak;

/* All fields are borrowed during a call. */
typedef struct
{
  const HirGraph *graph;
  const HirLayout *layout; /* of @graph, with the same indices */
  const HirTheme *theme;
  GHashTable *selected; /* nullable; set of const gint64* ids of highlighted nodes and groups */
  GHashTable *changes;  /* nullable; const gint64* id -> GUINT_TO_POINTER (HirChange) */
  const HirGraphMark *marks;
  guint n_marks;
  guint64 hovered;    /* 0 if none */
  guint64 pair[2];    /* two nodes that lack an order; 0 if none */
  guint64 pointer;    /* next instruction of a debugged program; 0 if none */
  GHashTable *breaks; /* nullable; const gint64* id -> GUINT_TO_POINTER (HirGraphBreak) */
  gboolean can_break; /* boxes of instructions have a gutter to set breakpoints */
  gboolean can_fold;  /* groups have a fold triangle */
  gboolean is_diff;   /* shows the changes in @graph; unchanged items are faded */
  double zoom;        /* zoom of the display, which determines the details */
  HirRect visible;    /* in layout pixels; zero width means everything */
} HirGraphScene;

/* Tags of hit areas. The id is that of the node or group. */
enum
{
  HIR_HIT_NODE = 1, /* above groups */
  HIR_HIT_GROUP,
  HIR_HIT_BREAK, /* to the left of the box or group of an instruction, and its breakpoint */
  HIR_HIT_FOLD,  /* fold triangle of a group, or of a box that can be opened; the id is that of the
                  * group */
};

/* Appends the graph and its hit areas to @list. */
void hir_graph_scene_draw (const HirGraphScene *scene, HirDisplayList *list);

/* Draws an overview with a few pixels per box into @bounds, and a frame around @shown (in layout
 * pixels). */
void hir_graph_scene_draw_map (const HirGraphScene *scene,
                               HirDisplayList *list,
                               const HirRect *bounds,
                               const HirRect *shown);
/* Returns how the layout is fitted into @bounds: point (x, y) is at (x * zoom + dx, y * zoom +
 * dy). */
void hir_graph_scene_fit_map (
    const HirLayout *layout, const HirRect *bounds, double *zoom, double *dx, double *dy);

#define HIR_LEGEND_WIDTH 132
/* Returns the set of legend rows for the boxes, edges and changes in @graph. @changes (nullable):
 * see HirGraphScene; @is_diff: the changes are those stored in @graph. */
guint32 hir_graph_scene_get_legend (const HirGraph *graph, GHashTable *changes, gboolean is_diff);
/* Draws the legend of colors and lines downward from (@x, @y) in columns of HIR_LEGEND_WIDTH and
 * returns its height. @rows: set from hir_graph_scene_get_legend(). If @list is NULL, only
 * measures. */
double hir_graph_scene_draw_legend (
    const HirTheme *theme, HirDisplayList *list, guint32 rows, guint n_columns, double x, double y);

G_END_DECLS
