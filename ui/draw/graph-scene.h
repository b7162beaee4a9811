/* The picture of a graph: boxes with their labels, dashed group boxes, edges told apart by kind,
 * what a pass changed, what is selected and marked. The list is in the layout's own pixels (zoom
 * 1); a painter scales it. */
#pragma once

#include "draw/display-list.h"
#include "draw/layout.h"
#include "draw/theme.h"
#include "program-view.h"

G_BEGIN_DECLS

/* A lasting highlight that the user put on a node. */
typedef struct
{
  guint64 id;
  HirColor color;
} HirGraphMark;

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
  double zoom;     /* at which it will be seen: decides how much detail */
  HirRect visible; /* in layout pixels; zero width: everything */
} HirGraphScene;

/* Tags of hit areas; their id is the node's or group's. */
enum
{
  HIR_HIT_NODE = 1, /* on top of groups */
  HIR_HIT_GROUP,
};

/* Appends to @list, hit areas too. */
void hir_graph_scene_draw (const HirGraphScene *scene, HirDisplayList *list);

/* The edge nearest to a point within @slack pixels, as an index into graph->edges; -1: none. */
int hir_graph_scene_find_edge (const HirGraphScene *scene, double x, double y, double slack);

/* Adds the explanation of colours and lines, downwards from (@x, @y); returns its height. With
 * @list NULL only measures. */
double
hir_graph_scene_draw_legend (const HirTheme *theme, HirDisplayList *list, double x, double y);

G_END_DECLS
