/* The picture of a graph: boxes with their labels, dashed group boxes, edges told apart by kind,
 * what a pass changed, what is selected and marked. The list is in the layout's own pixels (zoom
 * 1); a painter scales it. */
#pragma once

#include "draw/display-list.h"
#include "draw/graph/layout.h"
#include "draw/theme.h"
#include "view/program-view.h"

G_BEGIN_DECLS

/* A lasting highlight that the user put on a node. */
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

/* Everything is borrowed for the time of the call. */
typedef struct
{
  const HirGraph *graph;
  const HirLayout *layout; /* of @graph: same indices */
  const HirTheme *theme;
  GHashTable *selected; /* nullable; set of const gint64* ids: nodes and groups that are lit */
  GHashTable *changes;  /* nullable; const gint64* id -> GUINT_TO_POINTER (HirChange) */
  const HirGraphMark *marks;
  guint n_marks;
  guint64 hovered; /* 0: none */
  guint64 pair[2]; /* what should be ordered and is not; 0: none */
  guint64 pointer; /* where a debugged program stands; 0: nowhere */
  GHashTable *breaks; /* nullable; const gint64* id -> GUINT_TO_POINTER (HirGraphBreak) */
  gboolean can_break; /* boxes of instructions have an edge that sets a breakpoint */
  gboolean can_fold; /* groups show the triangle that folds them */
  gboolean is_diff; /* the changes that are in @graph are the matter; what did not change is quiet */
  double zoom;     /* at which it will be seen: decides how much detail */
  HirRect visible; /* in layout pixels; zero width: everything */
} HirGraphScene;

/* Tags of hit areas; their id is the node's or group's. */
enum
{
  HIR_HIT_NODE = 1, /* on top of groups */
  HIR_HIT_GROUP,
  HIR_HIT_BREAK, /* the left edge of an instruction's box or group */
  HIR_HIT_FOLD, /* the triangle that folds a group, or opens a box; its id is that of the group */
};

/* Appends to @list, hit areas too. */
void hir_graph_scene_draw (const HirGraphScene *scene, HirDisplayList *list);

/* All of it as a few pixels a box, for finding one's way: into @place, fitted; with the part @shown (in layout
 * pixels) framed. */
void hir_graph_scene_draw_map (const HirGraphScene *scene,
                               HirDisplayList *list,
                               const HirRect *place,
                               const HirRect *shown);
/* How the layout is fitted into @place: a point (x, y) of it is at (x * zoom + dx, y * zoom + dy). */
void hir_graph_scene_fit_map (
    const HirLayout *layout, const HirRect *place, double *zoom, double *dx, double *dy);

#define HIR_LEGEND_WIDTH 132
/* Adds the explanation of colours and lines, downwards from (@x, @y), in columns of HIR_LEGEND_WIDTH; returns its
 * height. @is_diff: of changes too. With @list NULL only measures. */
double hir_graph_scene_draw_legend (const HirTheme *theme,
                                    HirDisplayList *list,
                                    gboolean is_diff,
                                    guint n_columns,
                                    double x,
                                    double y);

G_END_DECLS
