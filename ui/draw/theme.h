/* Every colour that is drawn, dark and light, in one table; and the one map from what an event is
 * to its colour, so that "matmul" looks the same in the timeline, a legend and a figure. */
#pragma once

#include "draw/shape.h"
#include "view/graph.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct
{
  HirColor fill;
  HirColor stroke;
} HirBoxColors;

typedef struct
{
  gboolean dark;
  HirColor background; /* of graph and timeline */
  HirColor panel;      /* rank headers, ruler */
  HirColor line;       /* grid and separators */
  HirColor text;
  HirColor dim_text;
  HirColor accent; /* selection */
  HirColor accent_fill;
  HirColor created; /* what a pass made, changed, removed */
  HirColor changed;
  HirColor removed;
  HirColor link; /* correlation arrows */
  HirColor band; /* a chosen time range */
  HirColor group;
  HirColor group_title;
  HirBoxColors node[HIR_GRAPH_N_KINDS]; /* by HirGraphNodeKind */
  HirColor edge[HIR_EDGE_N_KINDS];      /* by HirEdgeKind */
} HirTheme;

/* One of the two; static. */
const HirTheme *hir_theme_get (gboolean dark);

/* The colour of a bar: by kind, and among kernels and communications by the family of the name: matmuls,
 * copies, fused segments, pointwise ops, reductions, others; gathers, reductions, rooted ones, messages. The
 * same in every process; families differ for colour-blind people too. @name may be NULL. */
HirColor hir_theme_get_event_color (const HirTheme *theme, HirEventKind kind, const char *name);
/* The same in two steps, of which the first looks at letters: 0 is nothing, others are below HIR_N_LOOKS. */
typedef guint8 HirLook;
#define HIR_N_LOOKS 32
/* The look of an event, the same in every theme. */
HirLook hir_event_get_look (HirEventKind kind, const char *name);
/* "pointwise", "reductions", ...: what all events of a look have in common, for legends. */
const char *hir_look_get_label (HirLook look);
/* Of look 0: 0. */
HirColor hir_theme_get_look_color (const HirTheme *theme, HirLook look);
/* Returns the color of @change, or @otherwise for HIR_CHANGE_NONE. */
HirColor hir_theme_get_change_color (const HirTheme *theme, HirChange change, HirColor otherwise);
/* Black or white, whichever is read better on @background. */
HirColor hir_theme_get_ink (HirColor background);
/* WCAG 2.1 contrast ratio, 1..21; alpha is ignored. */
double hir_color_contrast (HirColor a, HirColor b);
/* "kernel", "communication", ...: for legends. */
const char *hir_event_kind_get_label (HirEventKind kind);

G_END_DECLS
