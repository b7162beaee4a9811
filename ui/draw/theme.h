/* Defines all colors of drawings, dark and light, in one table, and maps events to colors, so that
 * "matmul" has the same color in the timeline, a legend and a figure. */
#pragma once

#include "draw/shape.h"
#include "trace/trace.h"
#include "view/graph.h"

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
  HirColor created; /* created, changed and removed by a pass */
  HirColor changed;
  HirColor removed;
  HirColor link; /* correlation arrows */
  HirColor band; /* selected time range */
  HirColor group;
  HirColor group_title;
  HirBoxColors node[HIR_GRAPH_N_KINDS]; /* indexed by HirGraphNodeKind */
  HirColor edge[HIR_EDGE_N_KINDS];      /* indexed by HirEdgeKind */
} HirTheme;

/* Returns the dark or light theme (static). */
const HirTheme *hir_theme_get (gboolean dark);

/* Returns the color of a bar. It depends on the kind of the event and, for kernels and
 * communications, on the family of @name (nullable): matmuls, copies, fused segments, pointwise
 * operations, reductions and others; gathers, reductions, rooted collectives and messages.
 * Colorblind people can distinguish the families. */
HirColor hir_theme_get_event_color (const HirTheme *theme, HirEventKind kind, const char *name);
/* Index of an appearance. 0 is none; others are below HIR_N_LOOKS. Separates the parsing of names
 * from the lookup of colors. */
typedef guint8 HirLook;
#define HIR_N_LOOKS 32
/* Returns the appearance of an event, which is independent of the theme. */
HirLook hir_event_get_look (HirEventKind kind, const char *name);
/* Returns the common label of events with this appearance, for example "pointwise", for legends. */
const char *hir_look_get_label (HirLook look);
/* Returns the color of an appearance, or 0 for appearance 0. */
HirColor hir_theme_get_look_color (const HirTheme *theme, HirLook look);
/* Returns TRUE if bars of @look are outlines. Waits are, so that work is easier to see. */
gboolean hir_look_is_hollow (HirLook look);
/* Returns the color of @change, or @otherwise for HIR_CHANGE_NONE. */
HirColor hir_theme_get_change_color (const HirTheme *theme, HirChange change, HirColor otherwise);
/* Returns black or white, whichever has more contrast to @background. */
HirColor hir_theme_get_ink (HirColor background);
/* Returns the WCAG 2.1 contrast ratio (1 to 21). Ignores alpha. */
double hir_color_contrast (HirColor a, HirColor b);
/* Returns "kernel", "communication", ..., for legends. */
const char *hir_event_kind_get_label (HirEventKind kind);

G_END_DECLS
